// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Blocking operations on a board whose data fit a line and lie in one piece, without what the
// general form costs.
#pragma once

#include <cstddef>

#include "datatype/reductions.hpp"

namespace remit {

class BoardLines;
struct WaitSubject;

/// The vector of a reduction that fits a line, of a predefined operation.
struct ShortVector {
  const void* mine = nullptr;
  void* result = nullptr;  ///< may be `mine`; not used where there is no result
  std::size_t bytes = 0;
  std::size_t elements = 0;
  ReductionKernel kernel = nullptr;
};

// Each begins and ends an operation of the board whose limits allow it
// (BoardLimits::takes_short()). What members see of each other is the same as with Board::run(), so
// some may call these, some that. `bytes` are those of each member, in arrays those of each block;
// `subject` says what is waited for, if it lasts. They return MPI_SUCCESS or an error class.

[[nodiscard]] int short_barrier(BoardLines& lines, const WaitSubject* subject);
[[nodiscard]] int short_bcast(BoardLines& lines, void* data, std::size_t bytes, int root,
                              const WaitSubject* subject);
[[nodiscard]] int short_reduce(BoardLines& lines, const ShortVector& v, int root,
                               const WaitSubject* subject);
[[nodiscard]] int short_allreduce(BoardLines& lines, const ShortVector& v,
                                  const WaitSubject* subject);
// `mine` is this member's block, `all` an array with one for each member.
[[nodiscard]] int short_allgather(BoardLines& lines, const void* mine, void* all, std::size_t bytes,
                                  const WaitSubject* subject);
[[nodiscard]] int short_gather(BoardLines& lines, const void* mine, void* all, std::size_t bytes,
                               int root, const WaitSubject* subject);
[[nodiscard]] int short_scatter(BoardLines& lines, const void* all, void* mine, std::size_t bytes,
                                int root, const WaitSubject* subject);
[[nodiscard]] int short_alltoall(BoardLines& lines, const void* send, void* recv, std::size_t bytes,
                                 const WaitSubject* subject);

}  // namespace remit
