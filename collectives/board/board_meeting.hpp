// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Members of a board that work in each other's memory meet and part there.
#pragma once

#include <cstddef>

namespace remit {

class Board;
class BoardLines;
class CopyPace;
struct WaitSubject;

/// One direct operation's meeting (Direct): members tell each other where their data are, work in
/// each other's memory, and part when all have left it. Functions return MPI_SUCCESS or an error
/// class.
class BoardMeeting {
 public:
  static constexpr int kNoHub = -1;

  /// With a hub, which is a rank, only it and each other member meet.
  BoardMeeting(BoardLines& lines, int hub) : lines_(lines), hub_(hub) {}

  /// Every member tells those whom it meets `bytes` <= BoardSegment::kInline bytes; `all` gets them
  /// by rank, as an array.
  [[nodiscard]] int tell(const void* mine, std::size_t bytes, void* all);
  /// This member is done with the others' memory, with this error. It parts next. Fails if the
  /// board is broken.
  [[nodiscard]] int leave(int error);
  /// Returns when all members that live have left, with their first error, or a lost member's.
  /// A hub waits for all, and the others for it if it works in their memory.
  [[nodiscard]] int part(int error, bool hub_works);

 private:
  [[nodiscard]] bool meets(int member) const;

  BoardLines& lines_;
  int hub_;
};

/// What a direct operation that meets on a board is given by the driver, which has chosen it.
struct DirectOnBoard {
  Board& board;
  /// Decides, when the members meet, whether the operation takes place on the board instead; null:
  /// it goes directly. Either all members have one or none.
  CopyPace* pace = nullptr;
  std::size_t bytes = 0;                 ///< CollectiveShape::bytes, for the pace
  const WaitSubject* subject = nullptr;  ///< what is waited for, if it lasts; null: nobody knows
};

}  // namespace remit
