/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * departs CALL RANK FOLDER: this rank leaves its first MPI call that may block, and then makes none
 * until the others that took part have left theirs, too. They say so by files, in a folder that
 * all hosts see. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kTries = 2000 }; /* of 10 ms: only who waits for ever waits as long */

static int rank, size, chosen;

static void name_file(char* name, size_t bytes, const char* folder, int of) {
  snprintf(name, bytes, "%s/left.%d", folder, of);
}

/* One of the calls; true if `other` takes part in it. */
static int takes_part(const char* call, int other) {
  return strcmp(call, "send") != 0 || other == chosen || other == (chosen + 1) % size;
}

static void make_call(const char* call) {
  int value = rank, sum = 0;
  const int next = (chosen + 1) % size;
  if (strcmp(call, "barrier") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(call, "allreduce") == 0) {
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else if (strcmp(call, "bcast") == 0) {
    MPI_Bcast(&value, 1, MPI_INT, chosen, MPI_COMM_WORLD);
  } else if (rank == chosen) {
    MPI_Send(&value, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
  } else if (rank == next) {
    MPI_Recv(&value, 1, MPI_INT, chosen, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  char name[4096];
  int failed = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  chosen = atoi(argv[2]);
  make_call(argv[1]);
  if (rank != chosen) {
    name_file(name, sizeof name, argv[3], rank);
    FILE* file = fopen(name, "w");
    if (file == NULL || fclose(file) != 0) MPI_Abort(MPI_COMM_WORLD, 3);
  }
  for (int other = 0; rank == chosen && other < size; ++other) {
    int tries = 0;
    if (other == rank || !takes_part(argv[1], other)) continue;
    name_file(name, sizeof name, argv[3], other);
    while (access(name, F_OK) != 0 && ++tries < kTries)
      nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    if (tries < kTries) continue;
    failed = 1;
    printf("rank %d is still in %s, which rank %d has left\n", other, argv[1], rank);
    break;
  }
  MPI_Finalize();
  return failed;
}
