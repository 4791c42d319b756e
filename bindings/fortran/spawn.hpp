// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// spawn.hpp: commands, arguments and info of MPI_Comm_spawn and MPI_Comm_spawn_multiple, which only
// the root looks at. The arguments are the routines' own, each string with its length.
#pragma once

#include <mpi.h>

#include "bindings/fortran/strings.hpp"

namespace remit::fortran {

[[nodiscard]] int comm_spawn(decltype(&MPI_Comm_spawn) call, FortranStrings command,
                             FortranStrings argv, int maxprocs, MPI_Info info, int root,
                             MPI_Comm comm, MPI_Comm* intercomm, int* errcodes);
[[nodiscard]] int comm_spawn_multiple(decltype(&MPI_Comm_spawn_multiple) call, int count,
                                      FortranStrings commands, FortranStrings argvs,
                                      const int* maxprocs, const int* infos, int root,
                                      MPI_Comm comm, MPI_Comm* intercomm, int* errcodes);

}  // namespace remit::fortran
