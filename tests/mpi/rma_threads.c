/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Windows and MPI_THREAD_MULTIPLE: the threads of each rank change the same words, have windows of
 * their own whose locks they want, wait for notifications and signals, and complete requests, at
 * the same time. The argument is how often. */
#include <mpi_remit.h>

#include "check_threads.h"
#include "windows.h"

enum { kNumbers = 16, kBytes = kNumbers * 8 };

static int rounds = 200;
static struct window shared;        /* of all threads */
static struct window own[kThreads]; /* of the threads of the same number */

/* Word `i` of a rank. */
static MPI_Aint at(const struct window* w, int rank, int i) {
  if (w->kind == kDynamic) return w->bases[rank] + 8 * i;
  return i * (8 / w->unit);
}

/* Adds one, by each way in turn, to words that all threads of all ranks change. */
static void* count_together(void* argument) {
  const int64_t one = 1;
  uint64_t random = 1 + (uint64_t)(long)argument + 100u * (uint64_t)check_rank;
  for (int round = 0; round < rounds; ++round) {
    const int target = (int)(check_next(&random) % (uint64_t)check_size);
    const MPI_Aint word = at(&shared, target, (int)(check_next(&random) % kNumbers));
    int64_t old = 0, seen = -1, next;
    switch (round % 3) {
      case 0:
        OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, word, 1, MPI_INT64_T, MPI_SUM, shared.win));
        break;
      case 1:
        OK(MPI_Fetch_and_op(&one, &old, MPI_INT64_T, target, word, MPI_SUM, shared.win));
        break;
      default:
        for (int code = MPI_SUCCESS; seen != old && code == MPI_SUCCESS;) {
          if (seen >= 0) old = seen;
          next = old + 1;
          OK(code =
                 MPI_Compare_and_swap(&next, &old, &seen, MPI_INT64_T, target, word, shared.win));
          OK(MPI_Win_flush(target, shared.win));
        }
    }
    OK(MPI_Win_flush(target, shared.win));
  }
  return NULL;
}

static void check_counts(void) {
  int64_t mine = 0, all = 0;
  OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, check_rank, 0, shared.win));
  for (int i = 0; i < kNumbers; ++i) mine += ((const int64_t*)(void*)shared.base)[i];
  OK(MPI_Win_unlock(check_rank, shared.win));
  OK(MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
  CHECK(all == (int64_t)check_size * kThreads * rounds);
}

/* Each thread of rank 0 keeps a number, which the threads of its number read and write. */
static void* count_under_locks(void* argument) {
  struct window* const w = &own[(long)argument];
  const MPI_Aint word = at(w, 0, 0);
  for (int round = 0; round < rounds; ++round) {
    int64_t number = -1;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win));
    OK(MPI_Get(&number, 1, MPI_INT64_T, 0, word, 1, MPI_INT64_T, w->win));
    OK(MPI_Win_flush(0, w->win));
    ++number;
    OK(MPI_Put(&number, 1, MPI_INT64_T, 0, word, 1, MPI_INT64_T, w->win));
    OK(MPI_Win_unlock(0, w->win));
  }
  return NULL;
}

static void check_numbers(void) {
  for (int t = 0; t < kThreads; ++t) {
    int64_t number = -1;
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, own[t].win));
    OK(MPI_Get(&number, 1, MPI_INT64_T, 0, at(&own[t], 0, 0), 1, MPI_INT64_T, own[t].win));
    OK(MPI_Win_unlock(0, own[t].win));
    CHECK(number == (int64_t)check_size * rounds);
  }
}

/* Each thread puts to that of its number at the right, and waits for the left one: in turn by a
 * persistent request, by a request for a value, and by a signal. */
static void* pass_around(void* argument) {
  const int t = (int)(long)argument;
  const int right = (check_rank + 1) % check_size;
  const MPI_Aint word = at(&shared, right, t), signal = at(&shared, right, kThreads + t);
  const MPI_Aint own_signal = at(&shared, check_rank, kThreads + t);
  volatile int64_t* const mine = (volatile int64_t*)(void*)shared.base;
  MPI_Request persistent, request;
  OK(MPIX_Notify_init(shared.win, MPI_ANY_SOURCE, t, 1, MPI_INFO_NULL, &persistent));
  for (int64_t round = 1; round <= rounds; ++round) {
    const int signals = round % 4 == 0;
    /* Thread 0 of both neighbours may be in other rounds: the word is right once it was told. */
    if (signals) {
      OK(MPIX_Put_signal(&round, 1, MPI_INT64_T, right, word, 1, MPI_INT64_T, signal, 1, MPI_SUM,
                         shared.win));
    }
    OK(MPIX_Put_notify(&round, 1, MPI_INT64_T, right, word, 1, MPI_INT64_T, t, shared.win));
    OK(MPI_Win_flush_local(right, shared.win));
    if (signals) {
      OK(MPIX_Signal_wait(shared.win, own_signal, MPIX_CMP_GE, (uint64_t)round / 4));
      CHECK(mine[t] >= round);
    }
    if (round % 2 == 0) {
      OK(MPIX_Win_get_notify_request(shared.win, t, round, &request));
      OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    OK(MPI_Start(&persistent));
    OK(MPI_Wait(&persistent, MPI_STATUS_IGNORE));
    CHECK(mine[t] >= round);
  }
  OK(MPI_Request_free(&persistent));
  return NULL;
}

/* Puts and gets with requests, to places that nobody else has. */
static void* complete_requests(void* argument) {
  const int t = (int)(long)argument, slot = 2 * kThreads + t;
  const int target = (check_rank + 1) % check_size;
  for (int64_t round = 0; round < rounds; ++round) {
    int64_t back = -1;
    const int64_t value = 1000 * round + t;
    MPI_Request request;
    OK(MPI_Rput(&value, 1, MPI_INT64_T, target, at(&shared, target, slot), 1, MPI_INT64_T,
                shared.win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Win_flush(target, shared.win));
    OK(MPI_Rget(&back, 1, MPI_INT64_T, target, at(&shared, target, slot), 1, MPI_INT64_T,
                shared.win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(back == value);
  }
  return NULL;
}

static void clear(void) {
  OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, check_rank, 0, shared.win));
  memset(shared.base, 0, kBytes);
  OK(MPI_Win_unlock(check_rank, shared.win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void run_on(int kind) {
  make_window(&shared, kind, kBytes, 8, MPI_INFO_NULL);
  for (int t = 0; t < kThreads; ++t) make_window(&own[t], kind, 8, 8, MPI_INFO_NULL);
  OK(MPI_Win_lock_all(0, shared.win));
  run_threads(count_together);
  OK(MPI_Win_unlock_all(shared.win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  check_counts();
  run_threads(count_under_locks);
  check_numbers();
  clear();
  OK(MPIX_Win_create_notify(shared.win, kThreads));
  OK(MPI_Win_lock_all(0, shared.win));
  run_threads(pass_around);
  run_threads(complete_requests);
  OK(MPI_Win_unlock_all(shared.win));
  OK(MPIX_Win_free_notify(shared.win));
  for (int t = 0; t < kThreads; ++t) free_window(&own[t]);
  free_window(&shared);
}

int main(int argc, char** argv) {
  int provided;
  if (argc > 1) rounds = atoi(argv[1]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &check_size);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  for (int kind = 0; kind < kWindowKinds; ++kind) {
    if (kind_is_possible(kind)) run_on(kind);
  }
  return check_end("rma_threads");
}
