// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// raise.hpp: errors that the Fortran layer itself finds, told through the error handler of the
// object that the call is about.
#pragma once

#include <string>
#include <variant>

#include "mpi.h"

namespace remit::fortran {

/// Whose error handler hears of an error. The default is that of calls that have no object:
/// MPI_COMM_SELF (MPI-5.0, section 9.3).
using Subject = std::variant<std::monostate, MPI_Comm, MPI_Win, MPI_File, MPI_Session>;

/// An error without an object to tell it to yet: what a buffer or a callback cannot be.
struct Problem {
  int error_class;
  std::string words;
};

/// Calls the error handler of `subject` and, if it comes back, returns the error code, for ierror.
/// MPI_Error_string says "`function`: `words`", where the error is one of the last few; its class
/// is `error_class`. `function` is the routine's name in the standard. Any thread.
[[nodiscard]] int raise(const Subject& subject, int error_class, const char* function,
                        const std::string& words);

}  // namespace remit::fortran
