/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Random operations on windows of every kind against a model of all memory, which every rank keeps
 * for itself: puts and gets of strided elements, accumulates in order within one origin, and those
 * that commute among all, in every kind of epoch. Arguments: epochs for each kind of window. */
#include <stdbool.h>

#include "check.h"

enum {
  kPrivate = 96,
  kShared = 32,
  kGroups = 4,
  kMostRanks = 8,
  kMostElements = 24,
  kMostKept = 8 * 3 * 6 + 1
};
enum { kCreate, kAllocate, kSharedMemory, kDynamic, kKinds };
enum { kFence, kExclusive, kSharedLock, kLockAll, kNoCheck, kPscw, kEpochs };

/* Words of one rank: a part for each origin, then those that all change. */
static int me, size, words;
static uint64_t* model[kMostRanks];
static uint64_t* memory; /* this rank's */
static MPI_Aint bases[kMostRanks];
static MPI_Win win;
static uint64_t rng;

static int below(int limit) {
  return (int)(check_next(&rng) % (uint64_t)limit);
}
static MPI_Aint place(int target, int word) {
  return bases[target] + word * 8;
}

/* Elements of a step: where they are at the target, and what they are. */
struct Elements {
  int count, block, stride, first;
  uint64_t values[kMostElements];
};

/* What operations read stays until their epoch has ended. */
static struct Elements kept[kMostKept];
static int kept_count;

static struct Elements* draw(void) {
  struct Elements* const e = &kept[kept_count++];
  e->count = below(4);
  e->block = 1 + below(6);
  e->stride = e->block + below(5);
  e->first = below(kPrivate - (e->count == 0 ? 1 : (e->count - 1) * e->stride + e->block) + 1);
  for (int i = 0; i < kMostElements; ++i) e->values[i] = check_next(&rng) % 1000;
  return e;
}

static MPI_Datatype strided(const struct Elements* e, MPI_Datatype element) {
  MPI_Datatype type;
  OK(MPI_Type_vector(e->count, e->block, e->stride, element, &type));
  OK(MPI_Type_commit(&type));
  return type;
}

static uint64_t* modelled(const struct Elements* e, int target, int origin, int i) {
  return &model[target][origin * kPrivate + e->first + i / e->block * e->stride + i % e->block];
}

static bool passive;
static void flush_if_passive(int target) {
  if (passive) OK(MPI_Win_flush(target, win));
}

/* --- operations on the part of one origin ----------------------------------------------------- */

static int put_word(const struct Elements* e, int origin, int i) {
  return (size + origin) * kPrivate + kGroups * kShared + e->first + i / e->block * e->stride +
         i % e->block;
}

/* Elements of puts are another part, for order among them and with accumulates needs a flush: where
 * there is none, one an epoch. */
static bool has_put[kMostRanks][kMostRanks];

static void put(int origin, int target) {
  if (has_put[origin][target] && !passive) return;
  has_put[origin][target] = true;
  struct Elements* e = draw();
  for (int i = 0; i < e->count * e->block; ++i)
    model[target][put_word(e, origin, i)] = e->values[i];
  if (origin != me) return;
  MPI_Datatype type = strided(e, MPI_UINT64_T);
  const MPI_Aint at = place(target, put_word(e, origin, 0));
  OK(MPI_Put(e->values, e->count * e->block, MPI_UINT64_T, target, at, 1, type, win));
  OK(MPI_Type_free(&type));
  flush_if_passive(target);
}

static uint64_t combined(MPI_Op op, uint64_t old, uint64_t value) {
  if (op == MPI_REPLACE) return value;
  if (op == MPI_SUM) return old + value;
  if (op == MPI_MAX) return old > value ? old : value;
  if (op == MPI_MIN) return old < value ? old : value;
  if (op == MPI_BXOR) return old ^ value;
  if (op == MPI_BAND) return old & value;
  return old; /* MPI_NO_OP */
}

static MPI_Op drawn_op(void) {
  const MPI_Op ops[] = {MPI_REPLACE, MPI_SUM, MPI_MAX, MPI_MIN, MPI_BXOR, MPI_BAND};
  return ops[below(6)];
}

/* Two in a row on the same elements: the order of one origin is kept. */
static void accumulate(int origin, int target) {
  struct Elements* e = draw();
  for (int step = 0; step < 2; ++step) {
    const MPI_Op op = drawn_op();
    for (int i = 0; i < e->count * e->block; ++i) {
      uint64_t* word = modelled(e, target, origin, i);
      *word = combined(op, *word, e->values[i]);
    }
    if (origin != me) continue;
    MPI_Datatype type = strided(e, MPI_UINT64_T);
    const MPI_Aint at = place(target, origin * kPrivate + e->first);
    OK(MPI_Accumulate(e->values, e->count * e->block, MPI_UINT64_T, target, at, 1, type, op, win));
    OK(MPI_Type_free(&type));
  }
}

/* What was there before is told. The result is looked at once it must be there. */
static uint64_t results[kMostKept][kMostElements], expected[kMostKept][kMostElements];
static int results_due;

static void get_accumulate(int origin, int target) {
  struct Elements* e = draw();
  const MPI_Op op = below(3) == 0 ? MPI_NO_OP : drawn_op();
  const int n = e->count * e->block;
  const int slot = results_due;
  for (int i = 0; i < n; ++i) {
    uint64_t* word = modelled(e, target, origin, i);
    if (origin == me) expected[slot][i] = *word;
    *word = combined(op, *word, e->values[i]);
  }
  if (origin != me) return;
  for (int i = n; i < kMostElements; ++i) expected[slot][i] = results[slot][i];
  ++results_due;
  MPI_Datatype type = strided(e, MPI_UINT64_T);
  const MPI_Aint at = place(target, origin * kPrivate + e->first);
  OK(MPI_Get_accumulate(e->values, n, MPI_UINT64_T, results[slot], n, MPI_UINT64_T, target, at, 1,
                        type, op, win));
  OK(MPI_Type_free(&type));
}

static void swap_one(int origin, int target) {
  struct Elements* e = draw();
  const int word = origin * kPrivate + below(kPrivate);
  const bool right = below(2) == 0;
  const int slot = results_due;
  const uint64_t old = model[target][word];
  e->values[1] = right ? old : old + 1;
  if (right) model[target][word] = e->values[0];
  if (origin != me) return;
  memcpy(expected[slot], results[slot], sizeof expected[slot]);
  expected[slot][0] = old;
  ++results_due;
  OK(MPI_Compare_and_swap(&e->values[0], &e->values[1], results[slot], MPI_UINT64_T, target,
                          place(target, word), win));
}

/* --- operations of all on the same elements --------------------------------------------------- */

static void add_up(int origin, int target) {
  struct Elements* e = draw();
  const int group = below(kGroups);
  const int n = 1 + below(8);
  const int at = size * kPrivate + group * kShared + below(kShared - 8);
  for (int i = 0; i < n; ++i) {
    uint64_t* word = &model[target][at + i];
    double sum, real = (double)e->values[i];
    memcpy(&sum, word, 8);
    sum += real;
    if (group == 0) *word += e->values[i];
    if (group == 1) *word ^= e->values[i];
    if (group == 2 && *word < e->values[i]) *word = e->values[i];
    if (group == 3) memcpy(word, &sum, 8);
    if (group == 3) memcpy(&e->values[i], &real, 8);
  }
  if (origin != me) return;
  const MPI_Op ops[] = {MPI_SUM, MPI_BXOR, MPI_MAX, MPI_SUM};
  const MPI_Datatype type = group == 3 ? MPI_DOUBLE : MPI_UINT64_T;
  const MPI_Aint there = place(target, at);
  if (n == 1) {
    OK(MPI_Fetch_and_op(e->values, &e->values[kMostElements - 1], type, target, there, ops[group],
                        win));
  } else {
    OK(MPI_Accumulate(e->values, n, type, target, there, n, type, ops[group], win));
  }
}

/* --- epochs ----------------------------------------------------------------------------------- */

static void operate(int origin, int target) {
  switch (below(6)) {
    case 0:
      put(origin, target);
      break;
    case 1:
      accumulate(origin, target);
      break;
    case 2:
      get_accumulate(origin, target);
      break;
    case 3:
      swap_one(origin, target);
      break;
    default:
      add_up(origin, target);
      break;
  }
}

static void see_results(void) {
  for (int slot = 0; slot < results_due; ++slot)
    CHECK(memcmp(results[slot], expected[slot], sizeof results[slot]) == 0);
  results_due = 0;
}

static void synchronize(int kind, bool begins) {
  MPI_Group group;
  OK(MPI_Win_get_group(win, &group));
  if (kind == kFence) OK(MPI_Win_fence(begins ? MPI_MODE_NOPRECEDE : MPI_MODE_NOSUCCEED, win));
  if (kind == kLockAll && begins) OK(MPI_Win_lock_all(0, win));
  if (kind == kNoCheck && begins) OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
  if ((kind == kLockAll || kind == kNoCheck) && !begins) OK(MPI_Win_unlock_all(win));
  if (kind == kPscw && begins) {
    OK(MPI_Win_post(group, 0, win));
    OK(MPI_Win_start(group, 0, win));
  }
  if (kind == kPscw && !begins) {
    int done = 0;
    OK(MPI_Win_complete(win));
    if (me % 2 == 0) OK(MPI_Win_wait(win));
    while (me % 2 == 1 && !done) OK(MPI_Win_test(win, &done));
  }
  OK(MPI_Group_free(&group));
}

/* All ranks draw the same operations, and each carries out its own. */
static void epoch(void) {
  const int kind = below(kEpochs);
  const bool locks = kind == kExclusive || kind == kSharedLock;
  passive = locks || kind == kLockAll || kind == kNoCheck;
  kept_count = 0;
  memset(has_put, 0, sizeof has_put);
  synchronize(kind, true);
  for (int origin = 0; origin < size; ++origin) {
    const int turns = below(4);
    for (int turn = 0; turn < turns; ++turn) {
      const int target = below(size);
      const int operations = below(7);
      const bool mine = origin == me && locks;
      if (mine) {
        OK(MPI_Win_lock(kind == kExclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, win));
      }
      for (int i = 0; i < operations; ++i) operate(origin, target);
      if (mine) OK(MPI_Win_unlock(target, win));
    }
  }
  synchronize(kind, false);
  see_results();
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* What is in all windows: got from the others, and loaded from this rank's. */
static void look(void) {
  uint64_t* got = malloc((size_t)words * 8);
  const int target = below(size);
  const int other = (target + me) % size;
  OK(MPI_Win_lock_all(0, win));
  OK(MPI_Get(got, words, MPI_UINT64_T, other, place(other, 0), words, MPI_UINT64_T, win));
  OK(MPI_Win_flush_local(other, win));
  CHECK(memcmp(got, model[other], (size_t)words * 8) == 0);
  OK(MPI_Win_unlock_all(win));
  OK(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win));
  CHECK(memcmp(memory, model[me], (size_t)words * 8) == 0);
  OK(MPI_Win_unlock(me, win));
  free(got);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void make(int kind) {
  const MPI_Aint bytes = (MPI_Aint)words * 8;
  MPI_Aint base = 0;
  if (kind == kAllocate) {
    OK(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
  } else if (kind == kSharedMemory) {
    OK(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
  } else {
    memory = malloc((size_t)bytes);
  }
  if (kind == kCreate) {
    OK(MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  } else if (kind == kDynamic) {
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_attach(win, memory, bytes));
    OK(MPI_Get_address(memory, &base));
  }
  OK(MPI_Allgather(&base, 1, MPI_AINT, bases, 1, MPI_AINT, MPI_COMM_WORLD));
  OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, win));
  memset(memory, 0, (size_t)bytes);
  OK(MPI_Win_unlock(me, win));
  for (int r = 0; r < size; ++r) memset(model[r], 0, (size_t)bytes);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  const int epochs = argc > 1 ? atoi(argv[1]) : 60;
  rng = check_seed("rma_random");
  me = check_rank;
  size = check_size;
  words = 2 * size * kPrivate + kGroups * kShared;
  for (int r = 0; r < size; ++r) model[r] = malloc((size_t)words * 8);
  for (int kind = 0; kind < kKinds && size <= kMostRanks; ++kind) {
    if (kind == kSharedMemory && !check_shares_memory()) continue;
    make(kind);
    for (int i = 0; i < epochs; ++i) {
      epoch();
      look();
    }
    if (kind == kDynamic) OK(MPI_Win_detach(win, memory));
    OK(MPI_Win_free(&win));
    if (kind == kCreate || kind == kDynamic) free(memory);
  }
  for (int r = 0; r < size; ++r) free(model[r]);
  return check_end("rma_random");
}
