// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// attributes.hpp: attributes that Fortran and C share (MPI-5.0, section 19.3.7).
#pragma once

#include "bindings/fortran/callbacks.hpp"
#include "mpi.h"

namespace remit::fortran {

/// What one language caches, the other sees as it expects: C sees an integer of Fortran as a
/// pointer to it, Fortran sees a pointer of C as an integer of its address, and the values of
/// predefined attributes themselves. The arguments named `call` are MPI_X for the Fortran routine
/// MPI_X and PMPI_X for PMPI_X. What the functions return is for ierror. Any thread.

/// Keyvals. The predefined procedures below are known by their addresses.
[[nodiscard]] int create_keyval(decltype(&MPI_Comm_create_keyval) call, Procedure copy_fn,
                                Procedure delete_fn, int* keyval, MPI_Aint extra_state);
[[nodiscard]] int create_keyval(decltype(&MPI_Type_create_keyval) call, Procedure copy_fn,
                                Procedure delete_fn, int* keyval, MPI_Aint extra_state);
[[nodiscard]] int create_keyval(decltype(&MPI_Win_create_keyval) call, Procedure copy_fn,
                                Procedure delete_fn, int* keyval, MPI_Aint extra_state);
/// MPI_KEYVAL_CREATE of MPI-1: extra state and attribute values are INTEGERs. (MPI_KEYVAL_FREE and
/// MPI_ATTR_DELETE have nothing to convert.)
[[nodiscard]] int keyval_create(decltype(&MPI_Keyval_create) call, Procedure copy_fn,
                                Procedure delete_fn, int* keyval, int extra_state);

[[nodiscard]] int set_attr(decltype(&MPI_Comm_set_attr) call, MPI_Comm comm, int keyval,
                           MPI_Aint value);
[[nodiscard]] int set_attr(decltype(&MPI_Type_set_attr) call, MPI_Datatype type, int keyval,
                           MPI_Aint value);
[[nodiscard]] int set_attr(decltype(&MPI_Win_set_attr) call, MPI_Win win, int keyval,
                           MPI_Aint value);

/// `value` is left alone unless the attribute is there. For the MPI-1 form truncate it.
[[nodiscard]] int get_attr(decltype(&MPI_Comm_get_attr) call, MPI_Comm comm, int keyval,
                           MPI_Aint* value, bool* flag);
[[nodiscard]] int get_attr(decltype(&MPI_Type_get_attr) call, MPI_Datatype type, int keyval,
                           MPI_Aint* value, bool* flag);
[[nodiscard]] int get_attr(decltype(&MPI_Win_get_attr) call, MPI_Win win, int keyval,
                           MPI_Aint* value, bool* flag);

}  // namespace remit::fortran

extern "C" {
#pragma GCC visibility push(default)  // programs and this library must see one address
/// The predefined copy and delete procedures, in all interfaces (MPI_COMM_DUP_FN ...). They do what
/// they say when a program calls them.
void mpi_comm_null_copy_fn_(const int* comm, const int* keyval, const MPI_Aint* extra_state,
                            const MPI_Aint* value_in, MPI_Aint* value_out, int* flag, int* ierror);
void mpi_comm_dup_fn_(const int* comm, const int* keyval, const MPI_Aint* extra_state,
                      const MPI_Aint* value_in, MPI_Aint* value_out, int* flag, int* ierror);
void mpi_comm_null_delete_fn_(const int* comm, const int* keyval, const MPI_Aint* value,
                              const MPI_Aint* extra_state, int* ierror);
void mpi_type_null_copy_fn_(const int* type, const int* keyval, const MPI_Aint* extra_state,
                            const MPI_Aint* value_in, MPI_Aint* value_out, int* flag, int* ierror);
void mpi_type_dup_fn_(const int* type, const int* keyval, const MPI_Aint* extra_state,
                      const MPI_Aint* value_in, MPI_Aint* value_out, int* flag, int* ierror);
void mpi_type_null_delete_fn_(const int* type, const int* keyval, const MPI_Aint* value,
                              const MPI_Aint* extra_state, int* ierror);
void mpi_win_null_copy_fn_(const int* win, const int* keyval, const MPI_Aint* extra_state,
                           const MPI_Aint* value_in, MPI_Aint* value_out, int* flag, int* ierror);
void mpi_win_dup_fn_(const int* win, const int* keyval, const MPI_Aint* extra_state,
                     const MPI_Aint* value_in, MPI_Aint* value_out, int* flag, int* ierror);
void mpi_win_null_delete_fn_(const int* win, const int* keyval, const MPI_Aint* value,
                             const MPI_Aint* extra_state, int* ierror);
void mpi_null_copy_fn_(const int* comm, const int* keyval, const int* extra_state,
                       const int* value_in, int* value_out, int* flag, int* ierror);
void mpi_dup_fn_(const int* comm, const int* keyval, const int* extra_state, const int* value_in,
                 int* value_out, int* flag, int* ierror);
void mpi_null_delete_fn_(const int* comm, const int* keyval, const int* value,
                         const int* extra_state, int* ierror);
#pragma GCC visibility pop
}
