// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// environment.hpp: what libmpi_abi has to know about Fortran.
#pragma once

namespace remit::fortran {

/// Makes C's MPI_F_STATUS_IGNORE and its kin the addresses that Fortran has. Called when this
/// library is loaded, and after MPI_Init by Fortran, in which Intel MPI gives them values of its
/// own.
void set_sentinels_of_c();

/// After MPI_Init and MPI_Init_thread, whose error is handed on: tells a library that does not know
/// it yet how long Fortran's types are and what .TRUE. is (MPI-5.0, section 20.5).
int initialized(int error);

}  // namespace remit::fortran
