// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Fortran's routines that C does not have: MPI_Sizeof, MPI_F_sync_reg, conversions of statuses, and
// the operators == and /= of handles.

#include <cstring>

#include "bindings/fortran/descriptor.hpp"
#include "bindings/fortran/marshal.hpp"

namespace remit::fortran {

extern "C" {
#pragma GCC visibility push(default)

/// MPI_Sizeof: bytes of an element.
void remit_mpi_sizeof_f08ts(const Descriptor* x, int* size, int* ierror) {
  *size = static_cast<int>(x->elem_len);
  set(ierror, MPI_SUCCESS);
}
REMIT_ALIAS(remit_pmpi_sizeof_f08ts, remit_mpi_sizeof_f08ts);

/// The compiler cannot look into it, and so believes that it may have changed its argument
/// (MPI-5.0, section 19.1.17).
void mpi_f_sync_reg_(void* /*buf*/) {}
REMIT_ALIAS(pmpi_f_sync_reg_, mpi_f_sync_reg_);
REMIT_ALIAS(mpi_f_sync_reg_f08_, mpi_f_sync_reg_);
REMIT_ALIAS(pmpi_f_sync_reg_f08_, mpi_f_sync_reg_);
void remit_mpi_f_sync_reg_f08ts(const Descriptor* /*buf*/) {}
REMIT_ALIAS(remit_pmpi_f_sync_reg_f08ts, remit_mpi_f_sync_reg_f08ts);

void mpi_status_f2f08_(const int* from, int* to, int* ierror) {
  std::memmove(to, from, sizeof(MPI_Status));
  set(ierror, MPI_SUCCESS);
}
REMIT_ALIAS(pmpi_status_f2f08_, mpi_status_f2f08_);
REMIT_ALIAS(mpi_status_f2f08_f08_, mpi_status_f2f08_);
REMIT_ALIAS(pmpi_status_f2f08_f08_, mpi_status_f2f08_);
REMIT_ALIAS(mpi_status_f082f_, mpi_status_f2f08_);
REMIT_ALIAS(pmpi_status_f082f_, mpi_status_f2f08_);
REMIT_ALIAS(mpi_status_f082f_f08_, mpi_status_f2f08_);
REMIT_ALIAS(pmpi_status_f082f_f08_, mpi_status_f2f08_);

int remit_comm_eq_(const int* a, const int* b) {
  return *a == *b ? 1 : 0;
}
int remit_comm_ne_(const int* a, const int* b) {
  return *a != *b ? 1 : 0;
}
#define REMIT_COMPARE(kind)                        \
  REMIT_ALIAS(remit_##kind##_eq_, remit_comm_eq_); \
  REMIT_ALIAS(remit_##kind##_ne_, remit_comm_ne_)
REMIT_COMPARE(datatype);
REMIT_COMPARE(errhandler);
REMIT_COMPARE(file);
REMIT_COMPARE(group);
REMIT_COMPARE(info);
REMIT_COMPARE(message);
REMIT_COMPARE(op);
REMIT_COMPARE(request);
REMIT_COMPARE(session);
REMIT_COMPARE(win);

#pragma GCC visibility pop
}  // extern "C"

}  // namespace remit::fortran
