// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Members of a board that work in each other's memory meet and part there.
#include "collectives/board/board_meeting.hpp"

#include "collectives/algorithms/buffers.hpp"
#include "collectives/board/board_copies.hpp"
#include "collectives/board/board_lines.hpp"

namespace remit {

/// Whether this member meets that one.
bool BoardMeeting::meets(int member) const {
  return hub_ == kNoHub || hub_ == lines_.rank() || hub_ == member;
}

int BoardMeeting::tell(const void* mine, std::size_t bytes, void* all) {
  if (const int error = lines_.begin()) return error;
  if (const int error = publish(lines_, bytes_view(mine, bytes))) return error;
  const bool meets_all = hub_ == kNoHub || hub_ == lines_.rank();
  if (const int error = lines_.await(meets_all ? lines_.others() : lines_.one(hub_))) return error;
  int error = MPI_SUCCESS;
  for (int i = 0; i < lines_.size(); ++i) {
    if (!meets(i)) continue;
    std::byte* to = static_cast<std::byte*>(all) + static_cast<std::size_t>(i) * bytes;
    const int taken = take(lines_, i, 0, bytes, bytes_view(to, bytes));
    if (error == MPI_SUCCESS) error = taken;
  }
  return error;
}

int BoardMeeting::leave(int error) {
  if (const int broken = lines_.begin()) return broken;
  return publish(lines_, bytes_view(&error, sizeof error));
}

/// Who breaks the board here waits for the others nevertheless: they may be in its memory.
int BoardMeeting::part(int error, bool hub_works) {
  if (!hub_works && hub_ != lines_.rank()) return error;
  for (int i = 0; i < lines_.size(); ++i) {
    if (i == lines_.rank() || !meets(i)) continue;
    int theirs = lines_.await(lines_.one(i));
    if (theirs == MPI_SUCCESS) {
      const int taken = take(lines_, i, 0, sizeof theirs, bytes_view(&theirs, sizeof theirs));
      if (taken != MPI_SUCCESS) {  // it is in another operation: counts do not agree
        lines_.give_up();
        theirs = taken;
      }
    }
    if (error == MPI_SUCCESS) error = theirs;
  }
  return error;
}

}  // namespace remit
