/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The C half of a program: handles, statuses and sentinels come from Fortran and go back. */
#include <mpi.h>
#include <string.h>

/* 0: all is as C expects it. */
int c_part(MPI_Fint comm, MPI_Fint type, MPI_Fint* status, MPI_Fint* ignored, void* f08_ignored,
           int keyval, int value) {
  MPI_Comm c_comm = MPI_Comm_f2c(comm);
  MPI_Status c_status;
  int size = 0, flag = 0, *attribute = NULL;
  if (MPI_Comm_size(c_comm, &size) != MPI_SUCCESS || size < 1) return 1;
  if (MPI_Comm_c2f(c_comm) != comm) return 2;
  MPI_Type_size(MPI_Type_f2c(type), &size);
  if (size != 12) return 3;
  if (ignored != MPI_F_STATUS_IGNORE || f08_ignored != (void*)MPI_F08_STATUS_IGNORE) return 4;
  if (status == MPI_F_STATUS_IGNORE || MPI_Status_f2c(status, &c_status) != MPI_SUCCESS) return 5;
  if (c_status.MPI_TAG != 7 || status[MPI_F_TAG] != 7) return 6;
  MPI_Get_count(&c_status, MPI_BYTE, &size);
  if (size != 12) return 7;
  MPI_Comm_get_attr(c_comm, keyval, &attribute, &flag);
  if (!flag || attribute == NULL) return 8;
  MPI_Aint whole;
  memcpy(&whole, attribute, sizeof whole);
  if (whole != value) return 9;
  return 0;
}

/* For complete_in_c.f90. */
void c_wait(MPI_Fint* request) {
  MPI_Request c_request = MPI_Request_f2c(*request);
  MPI_Wait(&c_request, MPI_STATUS_IGNORE);
  *request = MPI_Request_c2f(c_request);
}
void c_start(MPI_Fint* request) {
  MPI_Request c_request = MPI_Request_f2c(*request);
  MPI_Start(&c_request);
}
