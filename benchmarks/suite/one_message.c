/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* 8-byte messages one at a time, each there before its receive is called: what
   benchmarks/instructions counts under callgrind. Prints nothing. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kData = 1, kAck = 2, kWindow = 32 };

/* Time passes without any call to MPI, so that nothing is polled while the message arrives. */
static void rest(void) {
  const struct timespec pause = {0, 20 * 1000 * 1000};
  nanosleep(&pause, NULL);
}

static void send_one(long value, int to, int tag, bool nonblocking) {
  if (nonblocking) {
    MPI_Request request;
    MPI_Isend(&value, sizeof value, MPI_CHAR, to, tag, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(&value, sizeof value, MPI_CHAR, to, tag, MPI_COMM_WORLD);
  }
}

static long receive_one(int from, int tag) {
  long value = -1;
  MPI_Recv(&value, sizeof value, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return value;
}

/* A window of messages, of which the receives are posted before they arrive, and which have
   arrived when their completion is asked for. */
static int exchange_window(int rank, long first) {
  MPI_Request requests[kWindow];
  long values[kWindow];
  int wrong = 0;
  if (rank == 0) rest();
  for (int i = 0; i < kWindow; ++i) {
    values[i] = rank == 0 ? first + i : -1;
    if (rank == 0) {
      MPI_Isend(&values[i], sizeof values[i], MPI_CHAR, 1, kData, MPI_COMM_WORLD, &requests[i]);
    } else {
      MPI_Irecv(&values[i], sizeof values[i], MPI_CHAR, 0, kData, MPI_COMM_WORLD, &requests[i]);
    }
  }
  for (int i = 0; i < 2 && rank == 1; ++i) rest();
  MPI_Waitall(kWindow, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < kWindow; ++i) wrong += values[i] != first + i;
  return wrong;
}

/* One rank comes when the other one has been waiting for a while. */
static int add_up(int rank, long value) {
  long sum = -1;
  if (rank == 1) rest();
  MPI_Allreduce(&value, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return sum != 2 * value;
}

/* usage: one_message COUNT [nonblocking | window | allreduce | funneled]; two ranks; a window
   counts as kWindow; funneled asks for MPI_THREAD_FUNNELED */
int main(int argc, char** argv) {
  int rank = 0, wrong = 0;
  const int count = argc > 1 ? atoi(argv[1]) : 100;
  const bool nonblocking = argc > 2 && strcmp(argv[2], "nonblocking") == 0;
  const bool allreduce = argc > 2 && strcmp(argv[2], "allreduce") == 0;
  const bool window = argc > 2 && strcmp(argv[2], "window") == 0;
  const bool funneled = argc > 2 && strcmp(argv[2], "funneled") == 0;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, funneled ? MPI_THREAD_FUNNELED : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < count && rank < 2; ++i) {
    if (allreduce) {
      wrong += add_up(rank, i);
    } else if (window) {
      wrong += exchange_window(rank, i);
      i += kWindow - 1;
      MPI_Barrier(MPI_COMM_WORLD);
    } else if (rank == 0) {
      send_one(i, 1, kData, nonblocking);
      wrong += receive_one(1, kAck) != i;
    } else {
      rest();
      wrong += receive_one(0, kData) != i;
      send_one(i, 0, kAck, nonblocking);
    }
  }
  MPI_Finalize();
  return wrong != 0;
}
