/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * profile_program.c: calls MPI_Send seven times a rank, and other functions that send inside the
 * library, which a tool must not see as MPI_Send. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  enum { kSends = 7 };
  int rank, size, sum = 0, errors = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  for (int i = 0; i < kSends; ++i) {
    int sent = rank * kSends + i, received = -1;
    MPI_Request request;
    MPI_Irecv(&received, 1, MPI_INT, previous, i, MPI_COMM_WORLD, &request);
    MPI_Send(&sent, 1, MPI_INT, next, i, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    errors += received != previous * kSends + i;
  }
  int other = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, next, 99, &other, 1, MPI_INT, previous, 99, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  errors += other != previous;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  errors += sum != size * (size - 1) / 2;
  MPI_Finalize();
  if (errors != 0) fprintf(stderr, "rank %d: %d values wrong\n", rank, errors);
  return errors != 0;
}
