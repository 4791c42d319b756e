// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// weak.hpp: the pair of names that every MPI function has (MPI-5.0, section 15.2).
#pragma once

#include "mpi.h"

/// Declares MPI_<name> as a weak name of the function PMPI_<name>, which the same file defines just
/// above: a tool that defines MPI_<name> itself gets every call and passes it on to PMPI_<name>.
/// Nothing inside the library calls an MPI_ name, so that a tool sees the application's calls only.
#define REMIT_WEAK(name)                      \
  extern "C" decltype(PMPI_##name) MPI_##name \
      __attribute__((weak, alias("PMPI_" #name), visibility("default")))
