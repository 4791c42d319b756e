// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// attributes.hpp: attributes that Fortran and C share (MPI-5.0, section 19.3.7).
#pragma once

#include "bindings/fortran/callbacks.hpp"
#include "mpi.h"

namespace remit::fortran {

/// What one language caches, the other sees as it expects: C sees an integer of Fortran as a
/// pointer to it, Fortran sees a pointer of C as an integer of its address, and the values of
/// predefined attributes themselves. The arguments named `call` are MPI_X for the Fortran routine
/// MPI_X and PMPI_X for PMPI_X; a Handle is that of a communicator, datatype or window. What the
/// functions return is for ierror. Any thread.

/// Keyvals. The predefined procedures below are known by their addresses. Value is the type of
/// extra state and attributes: MPI_Aint, or int for MPI_KEYVAL_CREATE of MPI-1.
template <class Handle, class Value>
[[nodiscard]] int create_keyval(int (*call)(int (*)(Handle, int, void*, void*, void*, int*),
                                            int (*)(Handle, int, void*, void*), int*, void*),
                                Procedure copy_fn, Procedure delete_fn, int* keyval,
                                Value extra_state);

template <class Handle>
[[nodiscard]] int set_attr(int (*call)(Handle, int, void*), Handle object, int keyval,
                           MPI_Aint value);

/// `value` is left alone unless the attribute is there; an int of MPI-1 may be too short for it.
template <class Handle, class Value>
[[nodiscard]] int get_attr(int (*call)(Handle, int, void*, int*), Handle object, int keyval,
                           Value* value, int* flag);

}  // namespace remit::fortran

extern "C" {
#pragma GCC visibility push(default)  // programs and this library must see one address
/// The predefined copy and delete procedures, in all interfaces (MPI_COMM_DUP_FN ...). They do what
/// they say when a program calls them; here they are for their addresses.
void mpi_comm_null_copy_fn_();
void mpi_type_null_copy_fn_();
void mpi_win_null_copy_fn_();
void mpi_null_copy_fn_();
void mpi_comm_dup_fn_();
void mpi_type_dup_fn_();
void mpi_win_dup_fn_();
void mpi_dup_fn_();
void mpi_comm_null_delete_fn_();
void mpi_type_null_delete_fn_();
void mpi_win_null_delete_fn_();
void mpi_null_delete_fn_();
#pragma GCC visibility pop
}
