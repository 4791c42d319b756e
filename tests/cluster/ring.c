/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* A ring of messages of several sizes, and an allreduce, in functions that every MPI has:
   interop.py compiles it with each of them. A line for each rank says how large its job is, how
   many of its ranks share memory, and whether it has mapped memory that others can have, too. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char* what) {
  fprintf(stderr, "ring: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Each rank adds its number to every element and passes them on, until they are at rank 0 again. */
static void pass_round(int rank, int size, int count) {
  int* data = calloc((size_t)count, sizeof *data);
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  if (data == NULL) fail("no memory");
  if (rank == 0) MPI_Send(data, count, MPI_INT, next, count, MPI_COMM_WORLD);
  MPI_Recv(data, count, MPI_INT, previous, count, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < count; ++i) data[i] += rank;
  if (rank != 0) MPI_Send(data, count, MPI_INT, next, count, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < count; ++i) {
    if (data[i] != size * (size - 1) / 2) fail("the ring changed what it carried");
  }
  free(data);
}

static int has_shared_memory(void) {
  char line[4096];
  int found = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  if (maps == NULL) return 0;
  while (fgets(line, sizeof line, maps) != NULL) {
    const int shared = strstr(line, " rw-s ") != NULL;
    if (shared && (strstr(line, "/dev/shm/") != NULL || strstr(line, "memfd:") != NULL)) found = 1;
  }
  fclose(maps);
  return found;
}

int main(int argc, char** argv) {
  int rank, size, local_size;
  MPI_Comm local;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
  MPI_Comm_size(local, &local_size);
  for (int count = 1; count <= 100000; count *= 10) pass_round(rank, size, count);
  for (int i = 0; i < 100; ++i) {
    double mine = rank + i, sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (sum != (double)size * (size - 1) / 2 + (double)size * i) fail("a wrong sum");
  }
  printf("rank %d of %d, %d on its host, %s\n", rank, size, local_size,
         has_shared_memory() ? "shared memory" : "no shared memory");
  fflush(stdout);
  MPI_Comm_free(&local);
  return MPI_Finalize();
}
