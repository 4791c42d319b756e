// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The predefined callbacks of Fortran. They stand in a file of their own, which does not see what
// others declare: whoever compares with their addresses must take those that the dynamic linker has
// settled, and where a compiler sees the definition it may take another one.
#include <mpi.h>

#define REMIT_OTHER_NAME(name, function) \
  extern __typeof__(function) name __attribute__((alias(#function)))

extern "C" {
#pragma GCC visibility push(default)

void mpi_conversion_fn_null_() {}
REMIT_OTHER_NAME(mpi_conversion_fn_null_c_, mpi_conversion_fn_null_);

void mpi_comm_null_copy_fn_(const int* /*object*/, const int* /*keyval*/, const void* /*extra*/,
                            const void* /*value_in*/, void* /*value_out*/, int* flag, int* ierror) {
  *flag = 0;
  *ierror = MPI_SUCCESS;
}
REMIT_OTHER_NAME(mpi_type_null_copy_fn_, mpi_comm_null_copy_fn_);
REMIT_OTHER_NAME(mpi_win_null_copy_fn_, mpi_comm_null_copy_fn_);
REMIT_OTHER_NAME(mpi_null_copy_fn_, mpi_comm_null_copy_fn_);

void mpi_comm_dup_fn_(const int* /*object*/, const int* /*keyval*/, const MPI_Aint* /*extra*/,
                      const MPI_Aint* value_in, MPI_Aint* value_out, int* flag, int* ierror) {
  *value_out = *value_in;
  *flag = 1;
  *ierror = MPI_SUCCESS;
}
REMIT_OTHER_NAME(mpi_type_dup_fn_, mpi_comm_dup_fn_);
REMIT_OTHER_NAME(mpi_win_dup_fn_, mpi_comm_dup_fn_);
/// MPI-1's, with INTEGERs.
void mpi_dup_fn_(const int* /*comm*/, const int* /*keyval*/, const int* /*extra*/,
                 const int* value_in, int* value_out, int* flag, int* ierror) {
  *value_out = *value_in;
  *flag = 1;
  *ierror = MPI_SUCCESS;
}

void mpi_comm_null_delete_fn_(const int* /*object*/, const int* /*keyval*/, const void* /*value*/,
                              const void* /*extra*/, int* ierror) {
  *ierror = MPI_SUCCESS;
}
REMIT_OTHER_NAME(mpi_type_null_delete_fn_, mpi_comm_null_delete_fn_);
REMIT_OTHER_NAME(mpi_win_null_delete_fn_, mpi_comm_null_delete_fn_);
REMIT_OTHER_NAME(mpi_null_delete_fn_, mpi_comm_null_delete_fn_);

#pragma GCC visibility pop
}
