/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* What a message costs while many others wait: receives that are posted, or messages that nobody
   has asked for. Plain C, for any MPI; two ranks.

   usage: matching VARIANT [COUNT,COUNT,...]

   posted              both ranks have COUNT receives with different tags posted; half a ping-pong
                       whose messages match these in the order in which they were posted
   posted_reverse      the last posted ones first
   unexpected          COUNT messages with different tags wait; the time of a receive of one, in the
                       order in which they came
   unexpected_reverse  the last ones first

   Prints COUNT and microseconds, the best of many blocks. No more than kTimed messages of each
   COUNT are timed, so that a library whose cost grows with COUNT comes to an end; the others go in
   order, untimed. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kTimed = 1000, kBlock = 10, kSeconds = 2, kMostPasses = 50 };
enum { kMeeting = 1 << 20 }; /* a tag above all others */

static int me;
static long* values;
static MPI_Request* requests;

static void meet(void) {
  MPI_Sendrecv(NULL, 0, MPI_CHAR, 1 - me, kMeeting, NULL, 0, MPI_CHAR, 1 - me, kMeeting,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void check(long value, int tag) {
  if (value == tag) return;
  fprintf(stderr, "matching: tag %d brought %ld\n", tag, value);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void send_tag(int tag) {
  const long value = tag;
  MPI_Send(&value, sizeof value, MPI_CHAR, 1 - me, tag, MPI_COMM_WORLD);
}

/* The tag of the i-th message: the last `timed` ones backwards and then the rest, or all in order.
 */
static int tag_of(int i, int count, int timed, bool reverse) {
  if (!reverse) return i;
  return i < timed ? count - 1 - i : i - timed;
}

/* The lowest time of a message among blocks of them: one block in which the machine did something
   else should not decide. */
struct watch {
  double best, start;
  int messages;
};
static void start_watch(struct watch* w) {
  w->messages = 0;
  w->start = MPI_Wtime();
}
static void count_message(struct watch* w) {
  if (++w->messages < kBlock) return;
  const double now = MPI_Wtime();
  const double each = (now - w->start) / w->messages;
  if (w->best == 0 || each < w->best) w->best = each;
  w->start = now;
  w->messages = 0;
}

static void posted(int count, int timed, bool reverse, struct watch* watch) {
  for (int i = 0; i < count; ++i) {
    values[i] = -1;
    MPI_Irecv(&values[i], sizeof values[i], MPI_CHAR, 1 - me, i, MPI_COMM_WORLD, &requests[i]);
  }
  meet();
  start_watch(watch);
  for (int i = 0; i < timed; ++i) {
    const int tag = tag_of(i, count, timed, reverse);
    if (me == 0) send_tag(tag);
    MPI_Wait(&requests[tag], MPI_STATUS_IGNORE);
    if (me == 1) send_tag(tag);
    count_message(watch);
  }
  for (int i = timed; i < count; ++i) send_tag(tag_of(i, count, timed, reverse));
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < count; ++i) check(values[i], i);
}

static void unexpected(int count, int timed, bool reverse, struct watch* watch) {
  for (int i = 0; i < count; ++i) {
    values[i] = i;
    MPI_Isend(&values[i], sizeof values[i], MPI_CHAR, 1 - me, i, MPI_COMM_WORLD, &requests[i]);
  }
  meet(); /* behind them: they are all here */
  start_watch(watch);
  for (int i = 0; i < count; ++i) {
    const int tag = tag_of(i, count, timed, reverse);
    long value = -1;
    MPI_Recv(&value, sizeof value, MPI_CHAR, 1 - me, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(value, tag);
    if (i < timed) count_message(watch);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static double measure(bool is_posted, int count, bool reverse) {
  const int timed = count < kTimed ? count : kTimed;
  void (*pass)(int, int, bool, struct watch*) = is_posted ? posted : unexpected;
  struct watch watch = {0, 0, 0};
  double spent = 0;
  for (int i = 0; i < kMostPasses; ++i) {
    const double begin = MPI_Wtime();
    pass(count, timed, reverse, &watch);
    spent += MPI_Wtime() - begin;
    int enough = spent > kSeconds;
    MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (enough) break;
  }
  return watch.best * 1e6 / (is_posted ? 2 : 1); /* a round trip has two messages */
}

int main(int argc, char** argv) {
  int ranks = 0;
  char* counts = strdup(argc > 2 ? argv[2] : "10,1000,100000");
  const char* variant = argc > 1 ? argv[1] : "posted";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool is_posted = strncmp(variant, "posted", 6) == 0;
  if (ranks != 2 || (!is_posted && strncmp(variant, "unexpected", 10) != 0)) {
    if (me == 0)
      fprintf(stderr,
              "usage: matching posted|posted_reverse|unexpected|unexpected_reverse "
              "[COUNT,...], with 2 ranks\n");
    MPI_Finalize();
    return 2;
  }
  if (me == 0) printf("# Matching, %s\n# Waiting  Time (us)\n", variant);
  for (char* word = strtok(counts, ","); word != NULL; word = strtok(NULL, ",")) {
    const int count = atoi(word);
    if (count < 1 || count >= kMeeting) continue;
    values = malloc(sizeof *values * (size_t)count);
    requests = malloc(sizeof *requests * (size_t)count);
    const double time = measure(is_posted, count, strstr(variant, "reverse") != NULL);
    if (me == 0) printf("%-10d %.3f\n", count, time);
    fflush(stdout);
    free(values);
    free(requests);
  }
  free(counts);
  MPI_Finalize();
  return 0;
}
