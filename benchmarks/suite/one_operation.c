/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* One-sided operations and synchronizations one at a time, on an allocated window, of which nobody
   else wants anything: what benchmarks/instructions counts under callgrind. Prints nothing. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kTarget = 1, kNumbers = 1024 };

/* What the operations use. */
struct place {
  MPI_Win win;
  int rank;
  double numbers[kNumbers];
  int64_t value, compared, result;
};

static void put(struct place* p) {
  MPI_Put(&p->value, 1, MPI_INT64_T, kTarget, 0, 1, MPI_INT64_T, p->win);
}

static void rput(struct place* p) {
  MPI_Request request;
  MPI_Rput(&p->value, 1, MPI_INT64_T, kTarget, 0, 1, MPI_INT64_T, p->win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void get(struct place* p) {
  MPI_Get(&p->result, 1, MPI_INT64_T, kTarget, 0, 1, MPI_INT64_T, p->win);
}

static void flush(struct place* p) {
  put(p);
  MPI_Win_flush(kTarget, p->win);
}

static void fetch_and_op(struct place* p) {
  MPI_Fetch_and_op(&p->value, &p->result, MPI_INT64_T, kTarget, 0, MPI_SUM, p->win);
}

static void compare_and_swap(struct place* p) {
  MPI_Compare_and_swap(&p->value, &p->compared, &p->result, MPI_INT64_T, kTarget, 0, p->win);
}

static void accumulate(struct place* p) {
  MPI_Accumulate(p->numbers, 1, MPI_DOUBLE, kTarget, 0, 1, MPI_DOUBLE, MPI_SUM, p->win);
}

static void accumulate_many(struct place* p) {
  MPI_Accumulate(p->numbers, kNumbers, MPI_DOUBLE, kTarget, 0, kNumbers, MPI_DOUBLE, MPI_SUM,
                 p->win);
}

static void lock(struct place* p) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, kTarget, 0, p->win);
  MPI_Win_unlock(kTarget, p->win);
}

static void lock_all(struct place* p) {
  MPI_Win_lock_all(0, p->win);
  MPI_Win_unlock_all(p->win);
}

/* The second rank comes when the first one has been waiting for a while. */
static void fence(struct place* p) {
  static const struct timespec kPause = {0, 20 * 1000 * 1000};
  if (p->rank != 0) nanosleep(&kPause, NULL);
  MPI_Win_fence(0, p->win);
}

/* Who makes the calls, and in which epoch. */
enum kind { kOpen, /* the first rank, in one of MPI_Win_lock_all */ kAlone, kTogether };

static const struct {
  const char* name;
  void (*call)(struct place* p);
  enum kind kind;
} kCalls[] = {
    {"put", put, kOpen},
    {"rput", rput, kOpen},
    {"get", get, kOpen},
    {"flush", flush, kOpen},
    {"fetch_and_op", fetch_and_op, kOpen},
    {"compare_and_swap", compare_and_swap, kOpen},
    {"accumulate", accumulate, kOpen},
    {"accumulate_many", accumulate_many, kOpen},
    {"lock", lock, kAlone},
    {"lock_all", lock_all, kAlone},
    {"fence", fence, kTogether},
};

/* usage: one_operation COUNT NAME [multiple]; two ranks; `multiple`: MPI_THREAD_MULTIPLE */
int main(int argc, char** argv) {
  static struct place p;
  void* memory = NULL;
  int size = 0, level = 0;
  bool known = false;
  const int count = argc > 1 ? atoi(argv[1]) : 100;
  const char* const name = argc > 2 ? argv[2] : "put";
  const bool multiple = argc > 3 && strcmp(argv[3], "multiple") == 0;
  MPI_Init_thread(&argc, &argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
  MPI_Win_allocate(sizeof p.numbers, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &p.win);
  memset(memory, 0, sizeof p.numbers);
  MPI_Barrier(MPI_COMM_WORLD);
  for (size_t call = 0; call < sizeof kCalls / sizeof kCalls[0]; ++call) {
    if (strcmp(kCalls[call].name, name) != 0) continue;
    known = true;
    if (p.rank != 0 && kCalls[call].kind != kTogether) continue;
    if (kCalls[call].kind == kOpen) MPI_Win_lock_all(0, p.win);
    for (int i = 0; i < count; ++i) {
      kCalls[call].call(&p);
      MPI_Comm_size(MPI_COMM_WORLD, &size); /* where what was counted is written down */
    }
    if (kCalls[call].kind == kOpen) MPI_Win_unlock_all(p.win);
    if (kCalls[call].kind == kTogether) MPI_Win_fence(MPI_MODE_NOSUCCEED, p.win);
  }
  MPI_Win_free(&p.win);
  MPI_Finalize();
  return known ? 0 : 2;
}
