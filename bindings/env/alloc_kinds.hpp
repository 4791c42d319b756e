// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory allocation kinds (MPI-5.0, section 11.4.3).
#pragma once

#include <string>
#include <string_view>

namespace remit {

/// What the info key mpi_memory_alloc_kinds says of a session or of the World Model, for which the
/// list `requested` was asked: "mpi" and "system", which are always supported, and those of the
/// list that are, as they were written.
[[nodiscard]] std::string supported_alloc_kinds(std::string_view requested);

}  // namespace remit
