// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Names and one-line texts of the error classes (MPI-5.0, tables 9.1 to 9.3).
#pragma once

namespace remit {

[[nodiscard]] bool is_predefined_class(int error_class);

/// The class of a code: predefined classes are their own, the program may have added others; what
/// is none is MPI_ERR_UNKNOWN.
[[nodiscard]] int error_class_of(int code);

}  // namespace remit
