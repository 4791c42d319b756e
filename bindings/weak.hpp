// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// weak.hpp: what every MPI function has: a pair of names (MPI-5.0, section 15.2), and an end for
// exceptions, which C programs could not take.
#pragma once

#include "mpi.h"

namespace remit {

/// What an MPI function returns that an exception has ended, from the handler of its
/// function-try-block: turns the exception into an error class (runtime/error.hpp) and raises it on
/// the object given, if that exists, else as an error without one. `function` is its MPI name. Only
/// what the program itself has thrown, from an error handler, passes (errors.cpp).
[[nodiscard, gnu::cold]] int caught(const char* function);
[[nodiscard, gnu::cold]] int caught(const char* function, MPI_Comm comm);
[[nodiscard, gnu::cold]] int caught(const char* function, MPI_Win win);
[[nodiscard, gnu::cold]] int caught(const char* function, MPI_File file);
[[nodiscard, gnu::cold]] int caught(const char* function, MPI_Session session);

/// Notes that the exception that is being handled on this thread is the program's own.
void note_thrown_by_program();

}  // namespace remit

/// Declares MPI_<name> as a weak name of the function PMPI_<name>, which the same file defines just
/// above, with a function-try-block whose handler is caught(), or by one that has it: a tool that
/// defines MPI_<name> itself gets every call and passes it on to PMPI_<name>. Nothing inside the
/// library calls an MPI_ name, so that a tool sees the application's calls only.
#define REMIT_WEAK(name)                      \
  extern "C" decltype(PMPI_##name) MPI_##name \
      __attribute__((weak, alias("PMPI_" #name), visibility("default")))

/// The same for a function of include/mpi_remit.h, PMPIX_<name>.
#define REMIT_WEAK_X(name)                      \
  extern "C" decltype(PMPIX_##name) MPIX_##name \
      __attribute__((weak, alias("PMPIX_" #name), visibility("default")))
