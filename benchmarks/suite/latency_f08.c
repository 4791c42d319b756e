// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The half in C of latency_f08.F90.
#include <mpi.h>

void c_ping_pong(char* buffer, int bytes, int times, int rank) {
  for (int n = 0; n < times; ++n) {
    if (rank == 0) MPI_Send(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(buffer, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
}
