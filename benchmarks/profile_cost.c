/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * profile_cost: nanoseconds a call, for what mpirun --profile and --trace add to each. Run it
 * with and without:
 *
 *   mpirun -n 1 ./profile_cost
 *   mpirun --profile -n 1 ./profile_cost
 *   mpirun --trace -n 1 ./profile_cost
 *
 * The lowest of 20 loops each: a call that does nothing, one that finds no message, and a message
 * to itself (three calls). */
#include <mpi.h>
#include <stdio.h>

enum { kLoops = 20, kCalls = 200000 };

static void nothing(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static void no_message(void) {
  int flag;
  MPI_Iprobe(0, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void message(void) {
  int in = 0, out = 1;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  MPI_Send(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static double lowest(void (*call)(void)) {
  double least = 1e9;
  for (int loop = 0; loop < kLoops; ++loop) {
    const double begin = MPI_Wtime();
    for (int i = 0; i < kCalls; ++i) call();
    const double took = (MPI_Wtime() - begin) / kCalls * 1e9;
    if (took < least) least = took;
  }
  return least;
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double times[] = {lowest(nothing), lowest(no_message), lowest(message)};
  if (rank == 0) {
    printf("MPI_Comm_size %.1f ns, MPI_Iprobe %.1f ns, Irecv + Send + Wait %.1f ns\n", times[0],
           times[1], times[2]);
  }
  MPI_Finalize();
  return 0;
}
