/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Synchronization of windows of every kind: fences, post and start in rings and stars, locks that
 * keep others out, and what a flush makes visible. */
#include <sched.h>

#include "windows.h"

enum { kRounds = 40 };

static struct window w;
static int* mine; /* this rank's memory */

static MPI_Aint at(int target, int i) {
  return place(&w, target, (MPI_Aint)sizeof(int) * i);
}

static void fences(void) {
  mine[check_size] = 0;
  OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, w.win));
  for (int round = 0; round < kRounds; ++round) {
    const int out = 1000 * round + check_rank;
    for (int i = 0; i < check_size; ++i)
      OK(MPI_Put(&out, 1, MPI_INT, i, at(i, check_rank), 1, MPI_INT, w.win));
    OK(MPI_Win_fence(0, w.win));
    for (int i = 0; i < check_size; ++i) CHECK(mine[i] == 1000 * round + i);
    OK(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, w.win));
  }
  int sum = 0;
  for (int i = 0; i < check_size; ++i)
    OK(MPI_Accumulate(&(int){1}, 1, MPI_INT, i, at(i, check_size), 1, MPI_INT, MPI_SUM, w.win));
  OK(MPI_Win_fence(0, w.win));
  OK(MPI_Get(&sum, 1, MPI_INT, 0, at(0, check_size), 1, MPI_INT, w.win));
  OK(MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE, w.win));
  CHECK(sum == check_size && mine[check_size] == check_size);
}

static MPI_Group group_of(const int* ranks, int n) {
  MPI_Group world, group;
  OK(MPI_Win_get_group(w.win, &world));
  OK(MPI_Group_incl(world, n, ranks, &group));
  OK(MPI_Group_free(&world));
  return group;
}

static void end_exposure(int by_test) {
  int flag = 0;
  if (!by_test) OK(MPI_Win_wait(w.win));
  while (by_test && !flag) {
    OK(MPI_Win_test(w.win, &flag));
    if (!flag) sched_yield();
  }
}

/* Each exposes to its left and accesses its right neighbour. */
static void ring(void) {
  const int right = (check_rank + 1) % check_size;
  const int left = (check_rank + check_size - 1) % check_size;
  MPI_Group from = group_of(&left, 1), to = group_of(&right, 1);
  for (int round = 0; round < kRounds; ++round) {
    const int out = 7 * round + check_rank;
    mine[0] = -1;
    OK(MPI_Win_post(from, round % 3 == 1 ? MPI_MODE_NOSTORE : 0, w.win));
    OK(MPI_Win_start(to, 0, w.win));
    OK(MPI_Put(&out, 1, MPI_INT, right, at(right, 0), 1, MPI_INT, w.win));
    OK(MPI_Win_complete(w.win));
    end_exposure(round % 2);
    CHECK(mine[0] == 7 * round + left);
  }
  OK(MPI_Group_free(&from));
  OK(MPI_Group_free(&to));
}

/* Rank 0 exposes to all others, which come at any time; then the other way round. */
static void star(void) {
  int* others = malloc((size_t)check_size * sizeof *others);
  for (int i = 1; i < check_size; ++i) others[i - 1] = i;
  MPI_Group rest = group_of(others, check_size - 1), hub = group_of(&(int){0}, 1);
  for (int round = 0; round < kRounds; ++round) {
    if (check_rank == 0) {
      mine[0] = 0;
      OK(MPI_Win_post(rest, 0, w.win));
      end_exposure(round % 2);
      CHECK(mine[0] == (check_size - 1) * round);
      OK(MPI_Win_start(rest, 0, w.win));
      for (int i = 1; i < check_size; ++i)
        OK(MPI_Put(&round, 1, MPI_INT, i, at(i, 1), 1, MPI_INT, w.win));
      OK(MPI_Win_complete(w.win));
    } else {
      OK(MPI_Win_start(hub, 0, w.win));
      OK(MPI_Accumulate(&round, 1, MPI_INT, 0, at(0, 0), 1, MPI_INT, MPI_SUM, w.win));
      OK(MPI_Win_complete(w.win));
      OK(MPI_Win_post(hub, 0, w.win));
      OK(MPI_Win_wait(w.win));
      CHECK(mine[1] == round);
    }
  }
  OK(MPI_Group_free(&rest));
  OK(MPI_Group_free(&hub));
  free(others);
}

/* Epochs with nobody, and one that the program knows to match. */
static void empty_groups(void) {
  OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, w.win));
  OK(MPI_Win_start(MPI_GROUP_EMPTY, 0, w.win));
  OK(MPI_Win_complete(w.win));
  OK(MPI_Win_wait(w.win));
  MPI_Group all;
  OK(MPI_Win_get_group(w.win, &all));
  OK(MPI_Win_post(all, MPI_MODE_NOCHECK, w.win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_start(all, MPI_MODE_NOCHECK, w.win));
  OK(MPI_Win_complete(w.win));
  OK(MPI_Win_wait(w.win));
  OK(MPI_Group_free(&all));
}

/* A counter that is read and written in two steps: only an exclusive lock keeps it right. */
static void exclusive_locks(int target) {
  const int own = check_size + 1;
  if (check_rank == target) {
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w.win));
    mine[own] = 0;
    OK(MPI_Win_unlock(target, w.win));
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int round = 0; round < kRounds; ++round) {
    int value = -1;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w.win));
    OK(MPI_Get(&value, 1, MPI_INT, target, at(target, own), 1, MPI_INT, w.win));
    OK(MPI_Win_flush(target, w.win));
    ++value;
    OK(MPI_Put(&value, 1, MPI_INT, target, at(target, own), 1, MPI_INT, w.win));
    OK(MPI_Win_unlock(target, w.win));
    if (round % 5 == 0) { /* readers see a number that was there */
      OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w.win));
      OK(MPI_Get(&value, 1, MPI_INT, target, at(target, own), 1, MPI_INT, w.win));
      OK(MPI_Win_unlock(target, w.win));
      CHECK(value > round && value <= kRounds * check_size);
    }
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == target) {
    OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w.win));
    CHECK(mine[own] == kRounds * check_size);
    OK(MPI_Win_unlock(target, w.win));
  }
}

/* Several targets are locked at once, in any order of unlocking. */
static void several_locks(void) {
  const int slot = check_size + 2;
  for (int i = 0; i < check_size; ++i) OK(MPI_Win_lock(MPI_LOCK_SHARED, i, 0, w.win));
  for (int i = 0; i < check_size; ++i)
    OK(MPI_Accumulate(&(int){1}, 1, MPI_INT, i, at(i, slot), 1, MPI_INT, MPI_SUM, w.win));
  OK(MPI_Win_flush_all(w.win));
  for (int i = 0; i < check_size; ++i) OK(MPI_Win_unlock((i + check_rank) % check_size, w.win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, check_rank, MPI_MODE_NOCHECK, w.win));
  CHECK(mine[slot] == check_size);
  mine[slot] = 0;
  OK(MPI_Win_unlock(check_rank, w.win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* A token goes round by puts that the target looks for: a flush has made it visible. */
static void flushed_token(void) {
  const int next = (check_rank + 1) % check_size, slot = check_size + 3;
  OK(MPI_Win_lock_all(0, w.win));
  for (int round = 1; round <= kRounds; ++round) {
    int seen = 0;
    if (check_rank == 0) {
      OK(MPI_Accumulate(&round, 1, MPI_INT, next, at(next, slot), 1, MPI_INT, MPI_REPLACE, w.win));
      OK(MPI_Win_flush(next, w.win));
    }
    while (seen != round) {
      OK(MPI_Fetch_and_op(NULL, &seen, MPI_INT, check_rank, at(check_rank, slot), MPI_NO_OP,
                          w.win));
      OK(MPI_Win_flush(check_rank, w.win));
      if (seen != round) sched_yield();
    }
    if (check_rank != 0) {
      OK(MPI_Accumulate(&round, 1, MPI_INT, next, at(next, slot), 1, MPI_INT, MPI_REPLACE, w.win));
      OK(MPI_Win_flush_local(next, w.win));
    }
    OK(MPI_Win_flush_all(w.win));
    OK(MPI_Win_flush_local_all(w.win));
  }
  OK(MPI_Win_unlock_all(w.win));
}

/* The last rank puts something to rank 0, which looks for it with calls that have nothing to wait
   for, while operations of its own are under way elsewhere. */
static void looked_for(void) {
  const int last = check_size - 1, slot = check_size + 5, other = check_size + 6;
  volatile int* const seen = &mine[slot];
  if (check_size < 3) return;
  for (int way = 1; way <= 3; ++way) {
    if (check_rank == 0 && way == 1) {
      OK(MPI_Win_lock_all(0, w.win));
      OK(MPI_Put(&way, 1, MPI_INT, last, at(last, other), 1, MPI_INT, w.win));
      while (*seen != way) {
        OK(MPI_Win_flush(1, w.win));
        sched_yield();
      }
      OK(MPI_Win_unlock_all(w.win));
    } else if (check_rank == 0) {
      while (*seen != way) {
        OK(way == 2 ? MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w.win) : MPI_Win_lock_all(0, w.win));
        OK(way == 2 ? MPI_Win_unlock(0, w.win) : MPI_Win_unlock_all(w.win));
        sched_yield();
      }
    } else if (check_rank == last) {
      OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w.win));
      OK(MPI_Put(&way, 1, MPI_INT, 0, at(0, slot), 1, MPI_INT, w.win));
      OK(MPI_Win_unlock(0, w.win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  mine[slot] = 0;
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Stores and loads of the owner beside operations of others, with MPI_Win_sync between. */
static void own_stores(void) {
  const int slot = check_size + 4;
  const int next = (check_rank + 1) % check_size;
  int got = -1;
  OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, w.win));
  for (int round = 0; round < kRounds; ++round) {
    mine[slot] = check_rank + round;
    OK(MPI_Win_sync(w.win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_sync(w.win));
    OK(MPI_Get(&got, 1, MPI_INT, next, at(next, slot), 1, MPI_INT, w.win));
    OK(MPI_Win_flush(next, w.win));
    CHECK(got == next + round);
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  OK(MPI_Win_unlock_all(w.win));
}

/* One kind of epoch after another on one window. */
static void all_kinds_of_epochs(void) {
  fences();
  ring();
  if (check_size > 1) star();
  empty_groups();
  for (int i = 0; i < check_size; ++i) exclusive_locks(i);
  several_locks();
  flushed_token();
  looked_for();
  own_stores();
  fences();
  OK(MPI_Win_sync(w.win));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  for (int kind = 0; kind < kWindowKinds; ++kind) {
    if (!kind_is_possible(kind)) continue;
    make_window(&w, kind, (MPI_Aint)sizeof(int) * (check_size + 8), sizeof(int), MPI_INFO_NULL);
    mine = (int*)w.base;
    all_kinds_of_epochs();
    free_window(&w);
  }
  return check_end("rma_sync");
}
