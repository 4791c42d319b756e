// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The predefined callbacks of Fortran. They stand in a file of their own: whoever compares with
// their addresses must take those that the dynamic linker has settled, and where a compiler sees
// the definition it may take another one.
#include "bindings/fortran/attributes.hpp"
#include "bindings/fortran/callbacks.hpp"

namespace {

void copy_nothing(int* flag, int* ierror) {
  *flag = 0;
  *ierror = MPI_SUCCESS;
}
template <class Value>
void copy_value(const Value* value_in, Value* value_out, int* flag, int* ierror) {
  *value_out = *value_in;
  *flag = 1;
  *ierror = MPI_SUCCESS;
}

}  // namespace

void mpi_conversion_fn_null_() {}
void mpi_conversion_fn_null_c_() {}

void mpi_comm_null_copy_fn_(const int*, const int*, const MPI_Aint*, const MPI_Aint*, MPI_Aint*,
                            int* flag, int* ierror) {
  copy_nothing(flag, ierror);
}
void mpi_comm_dup_fn_(const int*, const int*, const MPI_Aint*, const MPI_Aint* value_in,
                      MPI_Aint* value_out, int* flag, int* ierror) {
  copy_value(value_in, value_out, flag, ierror);
}
void mpi_comm_null_delete_fn_(const int*, const int*, const MPI_Aint*, const MPI_Aint*,
                              int* ierror) {
  *ierror = MPI_SUCCESS;
}

void mpi_type_null_copy_fn_(const int*, const int*, const MPI_Aint*, const MPI_Aint*, MPI_Aint*,
                            int* flag, int* ierror) {
  copy_nothing(flag, ierror);
}
void mpi_type_dup_fn_(const int*, const int*, const MPI_Aint*, const MPI_Aint* value_in,
                      MPI_Aint* value_out, int* flag, int* ierror) {
  copy_value(value_in, value_out, flag, ierror);
}
void mpi_type_null_delete_fn_(const int*, const int*, const MPI_Aint*, const MPI_Aint*,
                              int* ierror) {
  *ierror = MPI_SUCCESS;
}

void mpi_win_null_copy_fn_(const int*, const int*, const MPI_Aint*, const MPI_Aint*, MPI_Aint*,
                           int* flag, int* ierror) {
  copy_nothing(flag, ierror);
}
void mpi_win_dup_fn_(const int*, const int*, const MPI_Aint*, const MPI_Aint* value_in,
                     MPI_Aint* value_out, int* flag, int* ierror) {
  copy_value(value_in, value_out, flag, ierror);
}
void mpi_win_null_delete_fn_(const int*, const int*, const MPI_Aint*, const MPI_Aint*,
                             int* ierror) {
  *ierror = MPI_SUCCESS;
}

void mpi_null_copy_fn_(const int*, const int*, const int*, const int*, int*, int* flag,
                       int* ierror) {
  copy_nothing(flag, ierror);
}
void mpi_dup_fn_(const int*, const int*, const int*, const int* value_in, int* value_out, int* flag,
                 int* ierror) {
  copy_value(value_in, value_out, flag, ierror);
}
void mpi_null_delete_fn_(const int*, const int*, const int*, const int*, int* ierror) {
  *ierror = MPI_SUCCESS;
}
