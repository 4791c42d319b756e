// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// environment.hpp: what libmpi_abi has to know about Fortran.
#pragma once

namespace remit::fortran {

/// After MPI_Init and MPI_Init_thread, whose error is handed on: tells a library that does not know
/// it yet how long Fortran's types are and what .TRUE. is (MPI-5.0, section 20.5).
int initialized(int error);

}  // namespace remit::fortran
