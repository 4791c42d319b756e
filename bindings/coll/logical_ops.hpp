// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Logical operations on Fortran's LOGICAL with the compiler's own .TRUE. and .FALSE.
#pragma once

#include "datatype/datatype.hpp"
#include "datatype/reductions.hpp"

namespace remit {

/// What does `op`, which is defined on `type`, with the values that MPI_Abi_set_fortran_booleans
/// has set: what equals .FALSE. is false, anything else is true, and results are one of the two.
/// `op` itself where this makes no difference: other operations and types, and the values 1 and 0.
/// Values of LOGICALs of other sizes are the same numbers. The operation is a constant.
[[nodiscard]] const Op* with_fortran_booleans(const Op& op, const Datatype& type);

}  // namespace remit
