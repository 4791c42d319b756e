// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// MPI_MINLOC and MPI_MAXLOC: their loops for every pair of a value and an index. For datatype/
// alone.
#pragma once

#include "datatype/reductions.hpp"

namespace remit {

/// The loop of MINLOC, MAXLOC, REPLACE or NO_OP on pairs of a shape; null if there is none.
[[nodiscard]] ReductionKernel pair_kernel(Reduction op, const PairShape& shape);

/// The loop of NO_OP on anything.
inline void keep_inout(const std::byte*, std::byte*, std::size_t) {}

}  // namespace remit
