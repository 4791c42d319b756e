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

   Prints COUNT and microseconds. No more than kTimed messages of each COUNT are timed, so that a
   library whose cost grows with COUNT comes to an end; the others go in order, untimed. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kTimed = 1000, kWarmUp = 100, kPassSeconds = 1, kMostPasses = 50 };
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

static double posted(int count, int timed, bool reverse) {
  for (int i = 0; i < count; ++i) {
    values[i] = -1;
    MPI_Irecv(&values[i], sizeof values[i], MPI_CHAR, 1 - me, i, MPI_COMM_WORLD, &requests[i]);
  }
  meet();
  const double start = MPI_Wtime();
  for (int i = 0; i < timed; ++i) {
    const int tag = tag_of(i, count, timed, reverse);
    if (me == 0) send_tag(tag);
    MPI_Wait(&requests[tag], MPI_STATUS_IGNORE);
    if (me == 1) send_tag(tag);
  }
  const double seconds = (MPI_Wtime() - start) / 2;
  for (int i = timed; i < count; ++i) send_tag(tag_of(i, count, timed, reverse));
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < count; ++i) check(values[i], i);
  return seconds;
}

static double unexpected(int count, int timed, bool reverse) {
  for (int i = 0; i < count; ++i) {
    values[i] = i;
    MPI_Isend(&values[i], sizeof values[i], MPI_CHAR, 1 - me, i, MPI_COMM_WORLD, &requests[i]);
  }
  meet(); /* behind them: they are all here */
  const double start = MPI_Wtime();
  double seconds = 0;
  for (int i = 0; i < count; ++i) {
    const int tag = tag_of(i, count, timed, reverse);
    long value = -1;
    if (i == timed) seconds = MPI_Wtime() - start;
    MPI_Recv(&value, sizeof value, MPI_CHAR, 1 - me, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(value, tag);
  }
  if (count == timed) seconds = MPI_Wtime() - start;
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  return seconds;
}

static double measure(bool is_posted, int count, bool reverse) {
  const int timed = count < kTimed ? count : kTimed;
  double (*pass)(int, int, bool) = is_posted ? posted : unexpected;
  double best = 0, spent = 0;
  pass(count < kWarmUp ? count : kWarmUp, count < kWarmUp ? count : kWarmUp, false);
  for (int i = 0; i < kMostPasses; ++i) {
    const double begin = MPI_Wtime();
    const double each = pass(count, timed, reverse) / timed;
    if (i == 0 || each < best) best = each;
    spent += MPI_Wtime() - begin;
    int enough = spent > kPassSeconds;
    MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (enough) break;
  }
  return best * 1e6;
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
