// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Who carries out a collective operation: the one place where that is chosen.
#pragma once

#include "collectives/choice/shape.hpp"
#include "collectives/collectives.hpp"
#include "runtime/params.hpp"

namespace remit {

class Board;
class CopyPace;

/// Whether no other member has a part in an operation: on a communicator of one process, and on no
/// bytes, which every member sees by itself. Then each does it alone.
[[nodiscard]] bool is_for_one(const CollectiveShape& shape, const CollectiveArgs& a);
/// What a member does then: on a communicator of one process it receives what it sends.
void do_alone(int members, const CollectiveArgs& a);

/// Who carries out an operation of several members, and how; all of them come to the same answer.
/// An operation that may suspend takes place on no board: the table's row is all there is to choose
/// (choose_algorithm()). A short one on a board has been chosen before, by short_path(), as it
/// would be here.
struct Decision {
  const Algorithm* algorithm = nullptr;  ///< its coroutine; null: Board::run()
  bool meets_on_board = false;           ///< the algorithm is a direct one (BoardMeeting)
  CopyPace* pace = nullptr;              ///< DirectOnBoard::pace
};
/// For a blocking operation. `board`: of its communicator; null: there is none.
[[nodiscard]] Decision decide(Board* board, const CollectiveArgs& a, const CollectiveShape& shape,
                              const Params& params);
/// Whether an operation would have used a board, if its communicator had one.
[[nodiscard]] bool would_use_board(CollectiveKind kind, const CollectiveShape& shape,
                                   const Params& params);

}  // namespace remit
