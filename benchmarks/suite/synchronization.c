/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Synchronization of one-sided communication, without operations. Each program is this file; which
   one it is says the name under which it was started. */
#include "exposed.h"

enum { kWindowBytes = 4096 }; /* of each rank, in windows that are made and freed */

/* What the calls need. */
struct place {
  const struct bench* bench;
  struct exposed exposed;
  MPI_Group neighbours;
  int neighbour_count;
  void* memory; /* for windows that bring none */
};

static void lock(struct place* p, int target) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, p->exposed.win);
  MPI_Win_unlock(target, p->exposed.win);
}

static void call_lock(struct place* p) {
  lock(p, 1);
}

static void call_lock_of_one(struct place* p) {
  lock(p, 0);
}

static void call_lock_all(struct place* p) {
  MPI_Win_lock_all(0, p->exposed.win);
  MPI_Win_unlock_all(p->exposed.win);
}

static void call_fence(struct place* p) {
  MPI_Win_fence(0, p->exposed.win);
}

static void call_pscw(struct place* p) {
  MPI_Win_post(p->neighbours, 0, p->exposed.win);
  MPI_Win_start(p->neighbours, 0, p->exposed.win);
  MPI_Win_complete(p->exposed.win);
  MPI_Win_wait(p->exposed.win);
}

static void call_make(struct place* p) {
  MPI_Win win;
  exposed_open(p->bench, kWindowBytes, &p->memory, &win);
  exposed_close(p->bench, p->memory, &win);
}

/* Who makes the calls, and what is shown. */
enum callers {
  kFirst, /* rank 0; its time of a call */
  kEach,  /* all ranks; the average of their times */
  kInTurn /* all ranks, of which one waits for the other; the time of all over all calls */
};

struct program {
  const char* name;
  const char* purpose;
  enum bench_ranks ranks;
  enum callers callers;
  int iterations;
  void (*call)(struct place* p);
};

static const struct program kPrograms[] = {
    {"lock", "time of an exclusive MPI_Win_lock and MPI_Win_unlock", BENCH_RANKS_AT_LEAST2, kFirst,
     10000, call_lock},
    {"lock_all", "time of MPI_Win_lock_all and MPI_Win_unlock_all", BENCH_RANKS_AT_LEAST2, kFirst,
     10000, call_lock_all},
    {"lock_contended", "time from one owner to the next of a lock that all ranks want",
     BENCH_RANKS_AT_LEAST2, kInTurn, 10000, call_lock_of_one},
    {"fence", "time of MPI_Win_fence", BENCH_RANKS_ANY, kEach, 10000, call_fence},
    {"pscw", "time of post, start, complete and wait with both neighbours in a ring",
     BENCH_RANKS_AT_LEAST2, kEach, 10000, call_pscw},
    {"win_create", "time of making and freeing a window of 4 KB a rank", BENCH_RANKS_ANY, kEach,
     100, call_make},
};

static void make_calls(const struct program* program, struct place* p, int calls) {
  if (program->callers == kFirst && p->bench->rank != 0) return;
  for (int i = 0; i < calls; ++i) program->call(p);
}

/* Microseconds of a call of this rank, with the time that the slowest rank takes in *longest. */
static double time_calls(const struct program* program, struct place* p, int calls,
                         double* longest) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = bench_now();
  make_calls(program, p, calls);
  const double mine = (bench_now() - start) * 1e6 / calls;
  MPI_Allreduce(&mine, longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

/* What the table shows. */
static double figure(const struct program* program, const struct bench* b, double mine,
                     double longest) {
  double sum = 0;
  if (program->callers == kFirst) return longest;
  if (program->callers == kInTurn) return longest / b->ranks;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum / b->ranks;
}

static struct bench_row measure(const struct program* program, struct place* p) {
  const struct bench* b = p->bench;
  struct bench_row row = {0, 1e30, 0, bench_iterations(b, 0)};
  make_calls(program, p, bench_warmup(b, 0));
  for (int batch = 0; batch < BENCH_BATCHES; ++batch) {
    const int calls = bench_batch(b, row.iterations, batch);
    double longest = 0;
    if (calls == 0) continue;
    const double mine = time_calls(program, p, calls, &longest);
    const double value = figure(program, b, mine, longest);
    row.value += value * calls / row.iterations;
    if (value < row.min) row.min = value;
    if (value > row.max) row.max = value;
  }
  return row;
}

/* Adds one to a word of rank 0 from all ranks, by reading and writing it under the lock: how many
   additions were lost. */
static long lost_additions(struct place* p, int rounds) {
  const MPI_Win win = p->exposed.win;
  const MPI_Aint at = p->exposed.places[0].word;
  int64_t number = 0;
  for (int i = 0; i < rounds; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&number, 1, MPI_INT64_T, 0, at, 1, MPI_INT64_T, win);
    MPI_Win_flush(0, win);
    ++number;
    MPI_Put(&number, 1, MPI_INT64_T, 0, at, 1, MPI_INT64_T, win);
    MPI_Win_unlock(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (p->bench->rank != 0) return 0;
  exposed_own(&p->exposed);
  number = *p->exposed.word;
  exposed_release(&p->exposed);
  const int64_t lost = (int64_t)rounds * p->bench->ranks - number;
  return (long)(lost < 0 ? -lost : lost);
}

/* The ranks before and behind this one in a ring. */
static void find_neighbours(struct place* p) {
  const struct bench* b = p->bench;
  const int ranks[2] = {(b->rank + 1) % b->ranks, (b->rank + b->ranks - 1) % b->ranks};
  MPI_Group world;
  p->neighbour_count = b->ranks > 2 ? 2 : b->ranks - 1;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, p->neighbour_count, ranks, &p->neighbours);
  MPI_Group_free(&world);
}

static int run(const struct program* program, int argc, char** argv) {
  const struct bench_spec spec = {.name = program->name,
                                  .purpose = program->purpose,
                                  .ranks = program->ranks,
                                  .unit = 1,
                                  .iterations = program->iterations,
                                  .warmup = program->iterations / 10,
                                  .one_sided = true};
  struct bench b;
  long wrong = 0;
  if (!bench_begin(&b, &spec, argc, argv)) return b.exit_code;
  struct place p = {.bench = &b};
  exposed_make(&b, BENCH_DESTINATION, 0, 1, &p.exposed);
  if (!exposed_brings_memory(&b)) p.memory = bench_take_memory(&b, kWindowBytes);
  find_neighbours(&p);
  bench_header(&b, "Time (us)", NULL);
  if (program->call == call_fence) MPI_Win_fence(MPI_MODE_NOPRECEDE, p.exposed.win);
  const struct bench_row row = measure(program, &p);
  if (program->call == call_fence) MPI_Win_fence(MPI_MODE_NOSUCCEED, p.exposed.win);
  if (program->callers == kInTurn) wrong = lost_additions(&p, bench_checked_rounds(&b, 0));
  bench_print(&b, 0, &row, -1, wrong);
  if (!exposed_brings_memory(&b)) bench_return_memory(&b, p.memory);
  MPI_Group_free(&p.neighbours);
  exposed_free(&p.exposed);
  return bench_end(&b);
}

int main(int argc, char** argv) {
  enum { kCount = sizeof kPrograms / sizeof kPrograms[0] };
  const int which = bench_choose(argv[0], kPrograms, kCount, sizeof kPrograms[0]);
  return which < 0 ? 2 : run(&kPrograms[which], argc, argv);
}
