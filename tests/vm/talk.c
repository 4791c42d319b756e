/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * talk HOW [BYTES]: two ranks for tests that break something meanwhile.
 *   busy   they exchange messages for ever
 *   idle   they exchange one message, then rank 0 waits for one that never comes; rank 1 computes
 *   late   rank 1 answers nothing for BYTES seconds before it receives rank 0's first message
 *   first  "ready" before the first message, which waits until the file BYTES exists
 *   once   one message of BYTES each way
 * Rank 0 says "ready" when the exchange works. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank;
static const char* more = "8";

static void say_ready(void) {
  if (rank != 0) return;
  puts("ready");
  fflush(stdout);
}

/* Each rank sends what the other one checks. */
static void exchange(size_t bytes, int round) {
  unsigned char* mine = malloc(bytes + 1);
  unsigned char* others = malloc(bytes + 1);
  memset(mine, round + rank, bytes);
  memset(others, 0, bytes);
  MPI_Sendrecv(mine, (int)bytes, MPI_BYTE, 1 - rank, 1, others, (int)bytes, MPI_BYTE, 1 - rank, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (size_t i = 0; i < bytes; ++i) {
    if (others[i] == (unsigned char)(round + 1 - rank)) continue;
    fprintf(stderr, "talk: rank %d: wrong data in round %d\n", rank, round);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  free(mine);
  free(others);
}

static void compute(double seconds) {
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) usleep(1000);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* how = argc > 1 ? argv[1] : "once";
  if (argc > 2) more = argv[2];
  if (strcmp(how, "busy") == 0) {
    for (int round = 0;; ++round) {
      exchange(round % 2 == 0 ? 8 : 200000, round);
      if (round == 10) say_ready();
    }
  } else if (strcmp(how, "idle") == 0) {
    exchange(8, 0);
    say_ready();
    if (rank == 1) compute(1000);
    exchange(8, 1);
  } else if (strcmp(how, "late") == 0) {
    say_ready();
    if (rank == 1) compute(atof(more));
    exchange(8, 0);
  } else if (strcmp(how, "first") == 0) {
    say_ready();
    while (access(more, F_OK) != 0) usleep(1000);
    exchange(8, 0);
  } else {
    exchange((size_t)atol(more), 0);
    say_ready();
  }
  MPI_Finalize();
  return 0;
}
