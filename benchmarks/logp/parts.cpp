// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the algorithms would need of the drivers of collectives/ and of a board. There is no board
// on this machine, for no process reaches another one's memory.
#include <cstdlib>

#include "collectives/board/board.hpp"
#include "collectives/board/board_meeting.hpp"

namespace remit {

void CollCtx::broken_off(int error) {
  fail(error);
}

int Board::run(const CollectiveArgs& /*a*/, const WaitSubject* /*subject*/) {
  std::abort();
}

int BoardMeeting::tell(const void* /*mine*/, std::size_t /*bytes*/, void* /*all*/) {
  std::abort();
}

int BoardMeeting::leave(int /*error*/) {
  std::abort();
}

int BoardMeeting::part(int /*error*/, bool /*hub_works*/) {
  std::abort();
}

}  // namespace remit
