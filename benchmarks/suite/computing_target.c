/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* One operation and its flush, or one synchronization, while the target computes and calls nothing
   of MPI: passive communication takes what it takes always, other waits until the target is back.
 */
#include <stdio.h>
#include <stdlib.h>

#include "exposed.h"

enum { kOrigin = 0, kTarget = 1, kLargest = 1 << 20, kBlocks = 64, kBlock = 64 };
static const double kComputes = 0.3,
                    kHead = 0.02; /* seconds, and when within them the origin begins */

/* What the operations use. */
struct place {
  struct exposed exposed;
  char* local;
  int64_t result;
  MPI_Datatype vector; /* kBlocks of kBlock bytes, with as many between them */
  int atomics;         /* which have been made */
};

/* A row of the table. */
struct row {
  const char* name;
  void (*operation)(struct place* p, int bytes);
  int bytes;
  bool open; /* in an epoch of MPI_Win_lock_all, with a flush; else it brings its epoch */
};

static void put(struct place* p, int bytes) {
  MPI_Put(p->local, bytes, MPI_CHAR, kTarget, p->exposed.places[kTarget].first, bytes, MPI_CHAR,
          p->exposed.win);
}

static void get(struct place* p, int bytes) {
  MPI_Get(p->local, bytes, MPI_CHAR, kTarget, p->exposed.places[kTarget].first, bytes, MPI_CHAR,
          p->exposed.win);
}

static void put_vector(struct place* p, int bytes) {
  (void)bytes;
  MPI_Put(p->local, 1, p->vector, kTarget, p->exposed.places[kTarget].first, 1, p->vector,
          p->exposed.win);
}

static void accumulate(struct place* p, int bytes) {
  const int count = bytes / (int)sizeof(uint64_t);
  MPI_Accumulate(p->local, count, MPI_UINT64_T, kTarget, p->exposed.places[kTarget].first, count,
                 MPI_UINT64_T, MPI_SUM, p->exposed.win);
}

static void fetch_and_op(struct place* p, int bytes) {
  static const int64_t kOne = 1;
  (void)bytes;
  MPI_Fetch_and_op(&kOne, &p->result, MPI_INT64_T, kTarget, p->exposed.places[kTarget].word,
                   MPI_SUM, p->exposed.win);
  ++p->atomics;
}

static void compare_and_swap(struct place* p, int bytes) {
  static int64_t old, swapped;
  (void)bytes;
  old = p->atomics;
  swapped = ++p->atomics;
  MPI_Compare_and_swap(&swapped, &old, &p->result, MPI_INT64_T, kTarget,
                       p->exposed.places[kTarget].word, p->exposed.win);
}

static void lock_and_put(struct place* p, int bytes) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, kTarget, 0, p->exposed.win);
  if (bytes > 0) put(p, bytes);
  MPI_Win_unlock(kTarget, p->exposed.win);
}

static void lock_all_and_put(struct place* p, int bytes) {
  MPI_Win_lock_all(0, p->exposed.win);
  if (bytes > 0) put(p, bytes);
  MPI_Win_unlock_all(p->exposed.win);
}

static const struct row kRows[] = {
    {"put-8B", put, 8, true},
    {"put-4KB", put, 4 << 10, true},
    {"put-1MB", put, kLargest, true},
    {"get-8B", get, 8, true},
    {"get-4KB", get, 4 << 10, true},
    {"get-1MB", get, kLargest, true},
    {"put-vector", put_vector, 0, true},
    {"fetch-and-op", fetch_and_op, 0, true},
    {"compare-and-swap", compare_and_swap, 0, true},
    {"accumulate-8B", accumulate, 8, true},
    {"accumulate-8KB", accumulate, 8 << 10, true},
    {"lock", lock_and_put, 0, false},
    {"lock-put", lock_and_put, 8, false},
    {"lock-all", lock_all_and_put, 0, false},
    {"lock-all-put", lock_all_and_put, 8, false},
};

static void operate(struct place* p, const struct row* row) {
  row->operation(p, row->bytes);
  if (row->open) MPI_Win_flush(kTarget, p->exposed.win);
}

/* Without a call of MPI. */
static void compute(double until) {
  volatile double result = 1;
  while (bench_now() < until) {
    for (int i = 0; i < 1000; ++i) result = result * 0.999 + 0.001;
  }
}

/* Microseconds of the origin. */
static double time_once(const struct bench* b, struct place* p, const struct row* row) {
  double taken = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = bench_now();
  if (b->rank == kTarget) {
    compute(start + kComputes);
  } else {
    compute(start + kHead);
    const double begin = bench_now();
    operate(p, row);
    taken = (bench_now() - begin) * 1e6;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return taken;
}

static int order(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void measure(const struct bench* b, struct place* p, const struct row* row) {
  const int times = bench_iterations(b, 0);
  double* taken = bench_alloc(b, (size_t)times * sizeof *taken);
  const bool open = row->open && b->rank == kOrigin;
  if (open) MPI_Win_lock_all(0, p->exposed.win);
  for (int i = 0; i < bench_warmup(b, 0) && b->rank == kOrigin; ++i) operate(p, row);
  for (int i = 0; i < times; ++i) taken[i] = time_once(b, p, row);
  if (open) MPI_Win_unlock_all(p->exposed.win);
  qsort(taken, (size_t)times, sizeof *taken, order);
  if (b->rank == kOrigin) {
    printf("%-16s %12.2f %12.2f %12.2f\n", row->name, taken[times / 2], taken[0], taken[times - 1]);
  }
  fflush(stdout);
  free(taken);
}

/* Whether all atomic operations have come to the target. */
static long lost_atomics(struct place* p, int rank) {
  int made = p->atomics;
  MPI_Bcast(&made, 1, MPI_INT, kOrigin, MPI_COMM_WORLD);
  if (rank != kTarget) return 0;
  exposed_own(&p->exposed);
  const long lost = made != *p->exposed.word;
  exposed_release(&p->exposed);
  return lost;
}

static const struct bench_spec kSpec = {
    .name = "computing_target",
    .purpose =
        "one operation and flush, begun 20 ms after the target has begun to compute for 300 ms",
    .ranks = BENCH_RANKS_TWO,
    .unit = 1,
    .iterations = 3,
    .warmup = 1,
    .one_sided = true};

int main(int argc, char** argv) {
  struct bench b;
  if (!bench_begin(&b, &kSpec, argc, argv)) return b.exit_code;
  struct place p = {.local = bench_alloc(&b, kLargest)};
  exposed_make(&b, BENCH_DESTINATION, kLargest, 1, &p.exposed);
  MPI_Type_vector(kBlocks, kBlock, 2 * kBlock, MPI_CHAR, &p.vector);
  MPI_Type_commit(&p.vector);
  bench_describe(&b);
  if (b.rank == kOrigin)
    printf("%-16s %12s %12s %12s\n", "# Operation", "Median (us)", "Min", "Max");
  for (size_t i = 0; i < sizeof kRows / sizeof kRows[0]; ++i) measure(&b, &p, &kRows[i]);
  b.errors += lost_atomics(&p, b.rank);
  MPI_Type_free(&p.vector);
  exposed_free(&p.exposed);
  free(p.local);
  return bench_end(&b);
}
