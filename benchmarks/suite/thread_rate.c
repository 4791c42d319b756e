/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Message rate of several threads in each of two ranks, at MPI_THREAD_MULTIPLE. Plain C, for any
   MPI.

   usage: thread_rate VARIANT [THREADS,THREADS,...]

   threads_own      each thread has a communicator of its own
   threads_shared   all share one; the tags tell their messages apart

   Thread i of rank 0 sends windows of 64 messages of 8 bytes to thread i of rank 1, which answers
   each window. Prints THREADS and messages a second, all threads together: the best of some runs,
   each of about a tenth of a second. Every message is checked. */
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostThreads = 64, kWindow = 64, kRuns = 7, kFirstRounds = 20, kAck = 1 };
static const double kSeconds = 0.1;

static int me;
static MPI_Comm own[kMostThreads];

struct worker {
  pthread_t thread;
  MPI_Comm comm;
  int number;
  int rounds;
};

static void check(long value, long expected) {
  if (value == expected) return;
  fprintf(stderr, "thread_rate: a message brought %ld instead of %ld\n", value, expected);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void send_windows(const struct worker* w) {
  MPI_Request requests[kWindow];
  long values[kWindow];
  for (int round = 0; round < w->rounds; ++round) {
    for (int i = 0; i < kWindow; ++i) {
      values[i] = (long)round * kWindow + i;
      MPI_Isend(&values[i], sizeof values[i], MPI_CHAR, 1, 2 * w->number, w->comm, &requests[i]);
    }
    MPI_Waitall(kWindow, requests, MPI_STATUSES_IGNORE);
    MPI_Recv(NULL, 0, MPI_CHAR, 1, 2 * w->number + kAck, w->comm, MPI_STATUS_IGNORE);
  }
}

static void receive_windows(const struct worker* w) {
  MPI_Request requests[kWindow];
  long values[kWindow];
  for (int round = 0; round < w->rounds; ++round) {
    for (int i = 0; i < kWindow; ++i)
      MPI_Irecv(&values[i], sizeof values[i], MPI_CHAR, 0, 2 * w->number, w->comm, &requests[i]);
    MPI_Waitall(kWindow, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < kWindow; ++i) check(values[i], (long)round * kWindow + i);
    MPI_Send(NULL, 0, MPI_CHAR, 0, 2 * w->number + kAck, w->comm);
  }
}

static void* work(void* argument) {
  const struct worker* w = argument;
  if (me == 0) {
    send_windows(w);
  } else {
    receive_windows(w);
  }
  return NULL;
}

/* Seconds of `rounds` windows in each of `threads` threads. */
static double run(int threads, int rounds, bool shared) {
  struct worker workers[kMostThreads];
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < threads; ++i) {
    workers[i].comm = shared ? MPI_COMM_WORLD : own[i];
    workers[i].number = i;
    workers[i].rounds = rounds;
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
      fprintf(stderr, "thread_rate: no thread could be made\n");
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  for (int i = 0; i < threads; ++i) pthread_join(workers[i].thread, NULL);
  return MPI_Wtime() - start;
}

static void measure(int threads, bool shared) {
  double best = 0;
  int rounds = kFirstRounds;
  for (int i = 0; i < kRuns; ++i) {
    const double seconds = run(threads, rounds, shared);
    const double rate = (double)threads * rounds * kWindow / seconds;
    if (i > 0 && rate > best) best = rate; /* the first warms up */
    rounds = (int)(rounds * kSeconds / seconds) + 1;
    MPI_Bcast(&rounds, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (me == 0) printf("%d %.0f\n", threads, best);
  fflush(stdout);
}

int main(int argc, char** argv) {
  int provided = 0, ranks = 0;
  char list[256] = "1,2,4";
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool shared = argc > 1 && strcmp(argv[1], "threads_shared") == 0;
  if (argc < 2 || ranks != 2 || (!shared && strcmp(argv[1], "threads_own") != 0)) {
    if (me == 0)
      fprintf(stderr, "usage: thread_rate threads_own|threads_shared [1,2,4], 2 ranks\n");
    MPI_Finalize();
    return 2;
  }
  if (provided < MPI_THREAD_MULTIPLE) {
    if (me == 0) fprintf(stderr, "thread_rate: this MPI has no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 1;
  }
  for (int i = 0; i < kMostThreads && !shared; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
  if (argc > 2) snprintf(list, sizeof list, "%s", argv[2]);
  for (char* text = strtok(list, ","); text != NULL; text = strtok(NULL, ",")) {
    const int threads = atoi(text);
    if (threads > 0 && threads <= kMostThreads) measure(threads, shared);
  }
  for (int i = 0; i < kMostThreads && !shared; ++i) MPI_Comm_free(&own[i]);
  MPI_Finalize();
  return 0;
}
