/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * fint_sentinels.c: the sentinels of a library for Fortran are those that C sees, too. In
 * three parts, by macro: the LIBRARY that DEFINES them or SETS them, and the program, which may
 * define them itself. */
#include <mpi.h>
#include <stdio.h>

#if defined(DEFINES) || defined(SETS)
static MPI_Fint status[MPI_F_STATUS_SIZE], statuses[MPI_F_STATUS_SIZE];
static MPI_F08_status f08_status, f08_statuses;
#endif

#ifdef DEFINES
MPI_Fint* MPI_F_STATUS_IGNORE = status;
MPI_Fint* MPI_F_STATUSES_IGNORE = statuses;
MPI_F08_status* MPI_F08_STATUS_IGNORE = &f08_status;
MPI_F08_status* MPI_F08_STATUSES_IGNORE = &f08_statuses;
#endif

#ifdef SETS
__attribute__((constructor)) static void set(void) {
  MPI_F_STATUS_IGNORE = status;
  MPI_F_STATUSES_IGNORE = statuses;
  MPI_F08_STATUS_IGNORE = &f08_status;
  MPI_F08_STATUSES_IGNORE = &f08_statuses;
}
#endif

void* fortran_sentinel(int which);
#if defined(DEFINES) || defined(SETS)
void* fortran_sentinel(int which) {
  void* all[4];
  all[0] = status;
  all[1] = statuses;
  all[2] = &f08_status;
  all[3] = &f08_statuses;
  return all[which];
}
#endif

#ifndef LIBRARY
static int refused(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class == MPI_ERR_ARG;
}

int main(void) {
  MPI_Status c_status = {0};
  MPI_Fint plain[MPI_F_STATUS_SIZE] = {0};
  int right;
  MPI_Init(NULL, NULL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  right = MPI_F_STATUS_IGNORE == fortran_sentinel(0) &&
          MPI_F_STATUSES_IGNORE == fortran_sentinel(1) &&
          MPI_F08_STATUS_IGNORE == fortran_sentinel(2) &&
          MPI_F08_STATUSES_IGNORE == fortran_sentinel(3);
  printf("the program sees %s\n", right ? "Fortran's sentinels" : "others");
  right = refused(MPI_Status_f2c((MPI_Fint*)fortran_sentinel(0), &c_status)) &&
          refused(MPI_Status_f2c((MPI_Fint*)fortran_sentinel(1), &c_status)) &&
          refused(MPI_Status_f082c((MPI_F08_status*)fortran_sentinel(2), &c_status)) &&
          refused(MPI_Status_f082c((MPI_F08_status*)fortran_sentinel(3), &c_status)) &&
          MPI_Status_f2c(plain, &c_status) == MPI_SUCCESS;
  printf("libmpi_abi sees %s\n", right ? "Fortran's sentinels" : "others");
  MPI_Finalize();
  return 0;
}
#endif
