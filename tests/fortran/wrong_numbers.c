/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Stands before libmpi_abi: functions that give handles numbers and do not take them back, as those
 * of Intel MPI 2021.18 do. A program in Fortran must not notice. */
#include <mpi.h>
#include <stdint.h>

#define WRONG(Kind, Handle)                        \
  int PMPI_##Kind##_toint(Handle handle) {         \
    return (int)((uintptr_t)handle | 0x44000000u); \
  }                                                \
  Handle PMPI_##Kind##_fromint(int number) {       \
    return (Handle)(intptr_t)number;               \
  }

WRONG(Comm, MPI_Comm)
WRONG(Errhandler, MPI_Errhandler)
WRONG(File, MPI_File)
WRONG(Group, MPI_Group)
WRONG(Info, MPI_Info)
WRONG(Message, MPI_Message)
WRONG(Op, MPI_Op)
WRONG(Request, MPI_Request)
WRONG(Session, MPI_Session)
WRONG(Type, MPI_Datatype)
WRONG(Win, MPI_Win)
