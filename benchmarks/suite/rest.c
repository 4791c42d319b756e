/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* What a rank costs that does nothing. Without an argument: starts, synchronizes, ends. "memory":
   each rank prints its proportional memory in between. "recv SECONDS": rank 1 waits in MPI_Recv for
   so long, and prints the processor time that it used. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "resident.h"

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_for_message(int rank, unsigned seconds) {
  char byte = 0;
  if (rank == 0) {
    sleep(seconds);
    MPI_Send(&byte, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
  } else if (rank == 1) {
    const double before = processor_seconds();
    MPI_Recv(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("cpu %.4f s in %u s\n", processor_seconds() - before, seconds);
  }
}

/* usage: rest [memory | recv SECONDS] */
int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && strcmp(argv[1], "memory") == 0) {
    print_resident();
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (argc > 2 && strcmp(argv[1], "recv") == 0) {
    wait_for_message(rank, (unsigned)atoi(argv[2]));
  }
  MPI_Finalize();
  return 0;
}
