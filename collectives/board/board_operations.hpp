// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Each operation on a board, in its general form: any layout, any length, in pieces.
#pragma once

#include "collectives/board/board_lines.hpp"
#include "collectives/board/board_reduction.hpp"
#include "collectives/collectives.hpp"

namespace remit {

/// Carries out the operation that has begun on these lines, to its end. Returns MPI_SUCCESS or an
/// error class.
[[nodiscard]] int run_on_board(BoardLines& lines, BoardReduction& reduction,
                               const CollectiveArgs& a);

}  // namespace remit
