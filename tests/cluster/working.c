/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * working STATE CODE: ranks at work, for tests that break something meanwhile (faults.py).
 *   talk      messages around a ring and sums, short and long, for ever
 *   barrier   a barrier that the last rank does not enter
 *   output    lines without end; rank 0 echoes its input as well
 *   finalize  MPI_Finalize, then asleep
 *   leave     MPI_Finalize, then the end
 * Each rank says "rank N up" when it begins with that. SIGUSR1 ends a rank with exit status CODE.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kLongest = 200000 };

static int rank, size, code;
static unsigned char mine[kLongest], others[kLongest];

static void leave(int number) {
  (void)number;
  _exit(code);
}

static void wrong(const char* what) {
  fprintf(stderr, "working: rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void talk(void) {
  const int lengths[] = {8, 3000, kLongest};
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int round = 0;; ++round) {
    const int length = lengths[round % 3];
    memset(mine, round + rank, (size_t)length);
    MPI_Sendrecv(mine, length, MPI_BYTE, next, 1, others, length, MPI_BYTE, previous, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (others[0] != (unsigned char)(round + previous)) wrong("another's data");
    if (others[length - 1] != others[0]) wrong("torn data");
    double number = rank, sum = 0;
    MPI_Allreduce(&number, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (sum != size * (size - 1) / 2.0) wrong("a wrong sum");
  }
}

/* So that what was sent goes on its way. */
static void progress(void) {
  int flag;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void write_lines(void) {
  char line[100];
  for (long number = 0;; ++number) {
    printf("rank %d line %ld\n", rank, number);
    if (number % 100 == 0) progress();
    if (number % 100 == 0) fflush(stdout);
    if (rank == 0 && fgets(line, sizeof line, stdin) != NULL) printf("input %s", line);
  }
}

int main(int argc, char** argv) {
  const char* state = argc > 1 ? argv[1] : "leave";
  code = argc > 2 ? atoi(argv[2]) : 1;
  signal(SIGUSR1, leave);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d up\n", rank);
  fflush(stdout);
  if (strcmp(state, "talk") == 0) talk();
  if (strcmp(state, "output") == 0) write_lines();
  if (strcmp(state, "barrier") == 0) {
    while (rank == size - 1) {
      progress();
      usleep(1000);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  if (strcmp(state, "finalize") == 0) pause();
  return 0;
}
