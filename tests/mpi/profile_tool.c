/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * profile_tool.c: a small profiling tool. It defines MPI_Send, counts the calls and passes them on
 * to PMPI_Send; MPI_Finalize prints the count. Built as a library by profile_tool.sh. */
#include <mpi.h>
#include <stdio.h>

static int sends;

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Finalize(void) {
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("profile_tool: rank %d called MPI_Send %d times\n", rank, sends);
  return PMPI_Finalize();
}
