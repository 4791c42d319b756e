/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Each operation on a window once, in both forms, on windows of every kind, to each rank: what it
 * moves, with MPI_PROC_NULL, and with nothing to move. */
#include "windows.h"

enum { kInts = 64, kSlot = kInts * sizeof(int) }; /* bytes that a rank has at each other one */

static struct window w;

static int value(int origin, int target, int i) {
  return 1000000 * origin + 1000 * target + i;
}

/* This rank's slot at the target. */
static MPI_Aint at(int target, int i) {
  return place(&w, target, (MPI_Aint)check_rank * kSlot + (MPI_Aint)sizeof(int) * i);
}

static void put_and_get(int target) {
  int out[8], in[8];
  for (int i = 0; i < 8; ++i) out[i] = value(check_rank, target, i);
  OK(MPI_Put(out, 4, MPI_INT, target, at(target, 0), 4, MPI_INT, w.win));
  OK(MPI_Put_c(out + 4, 4, MPI_INT, target, at(target, 4), 16, MPI_BYTE, w.win));
  OK(MPI_Win_flush(target, w.win));
  memset(in, 0, sizeof in);
  OK(MPI_Get(in, 4, MPI_INT, target, at(target, 0), 4, MPI_INT, w.win));
  OK(MPI_Get_c(in + 4, 4, MPI_INT, target, at(target, 4), 4, MPI_INT, w.win));
  OK(MPI_Win_flush_local(target, w.win));
  CHECK(memcmp(in, out, sizeof in) == 0);
}

/* What is put or got may be less than the other buffer has room for. */
static void shorter(int target) {
  int in[4] = {-1, -1, -1, -1};
  const int out[2] = {value(check_rank, target, 8), value(check_rank, target, 9)};
  OK(MPI_Put(out, 2, MPI_INT, target, at(target, 8), 4, MPI_INT, w.win));
  OK(MPI_Win_flush(target, w.win));
  OK(MPI_Get(in, 4, MPI_INT, target, at(target, 8), 2, MPI_INT, w.win));
  OK(MPI_Win_flush(target, w.win));
  CHECK(in[0] == out[0] && in[1] == out[1] && in[2] == -1 && in[3] == -1);
}

static void with_requests(int target) {
  int out[8], in[8];
  MPI_Request requests[4];
  for (int i = 0; i < 8; ++i) out[i] = value(check_rank, target, 12 + i);
  OK(MPI_Rput(out, 4, MPI_INT, target, at(target, 12), 4, MPI_INT, w.win, requests));
  OK(MPI_Rput_c(out + 4, 4, MPI_INT, target, at(target, 16), 4, MPI_INT, w.win, requests + 1));
  OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  OK(MPI_Win_flush_all(w.win));
  memset(in, 0, sizeof in);
  OK(MPI_Rget(in, 4, MPI_INT, target, at(target, 12), 4, MPI_INT, w.win, requests));
  OK(MPI_Rget_c(in + 4, 4, MPI_INT, target, at(target, 16), 4, MPI_INT, w.win, requests + 1));
  OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CHECK(memcmp(in, out, sizeof in) == 0);
  int before[2] = {-1, -1};
  const int add[2] = {5, 7};
  OK(MPI_Raccumulate(add, 1, MPI_INT, target, at(target, 12), 1, MPI_INT, MPI_SUM, w.win,
                     requests));
  OK(MPI_Raccumulate_c(add, 1, MPI_INT, target, at(target, 12), 1, MPI_INT, MPI_SUM, w.win,
                       requests + 1));
  OK(MPI_Rget_accumulate(add + 1, 1, MPI_INT, before, 1, MPI_INT, target, at(target, 12), 1,
                         MPI_INT, MPI_SUM, w.win, requests + 2));
  OK(MPI_Rget_accumulate_c(NULL, 0, MPI_INT, before + 1, 1, MPI_INT, target, at(target, 12), 1,
                           MPI_INT, MPI_NO_OP, w.win, requests + 3));
  OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
  for (int i = 0; i < 4; ++i) CHECK(requests[i] == MPI_REQUEST_NULL);
  CHECK(before[0] == out[0] + 10 && before[1] == out[0] + 17);
  OK(MPI_Win_flush(target, w.win));
}

static void accumulates(int target) {
  const int add[4] = {1, 2, 3, 4};
  int before[4] = {-1, -1, -1, -1};
  OK(MPI_Accumulate(add, 4, MPI_INT, target, at(target, 20), 4, MPI_INT, MPI_REPLACE, w.win));
  OK(MPI_Accumulate_c(add, 4, MPI_INT, target, at(target, 20), 4, MPI_INT, MPI_PROD, w.win));
  OK(MPI_Get_accumulate(add, 4, MPI_INT, before, 4, MPI_INT, target, at(target, 20), 4, MPI_INT,
                        MPI_SUM, w.win));
  OK(MPI_Win_flush(target, w.win));
  for (int i = 0; i < 4; ++i) CHECK(before[i] == add[i] * add[i]);
  OK(MPI_Get_accumulate_c(NULL, 0, MPI_DATATYPE_NULL, before, 4, MPI_INT, target, at(target, 20), 4,
                          MPI_INT, MPI_NO_OP, w.win));
  OK(MPI_Win_flush_local_all(w.win));
  for (int i = 0; i < 4; ++i) CHECK(before[i] == add[i] * add[i] + add[i]);
}

static void single_elements(int target) {
  int64_t got = -1, add = 40, swap = 99, expected = 42;
  OK(MPI_Fetch_and_op(&add, &got, MPI_INT64_T, target, at(target, 24), MPI_SUM, w.win));
  OK(MPI_Win_flush(target, w.win));
  CHECK(got == 0);
  add = 2;
  OK(MPI_Fetch_and_op(&add, &got, MPI_INT64_T, target, at(target, 24), MPI_SUM, w.win));
  OK(MPI_Win_flush(target, w.win));
  CHECK(got == 40);
  OK(MPI_Fetch_and_op(NULL, &got, MPI_INT64_T, target, at(target, 24), MPI_NO_OP, w.win));
  OK(MPI_Win_flush(target, w.win));
  CHECK(got == 42);
  OK(MPI_Compare_and_swap(&swap, &expected, &got, MPI_INT64_T, target, at(target, 24), w.win));
  OK(MPI_Win_flush(target, w.win));
  CHECK(got == 42);
  OK(MPI_Compare_and_swap(&swap, &expected, &got, MPI_INT64_T, target, at(target, 24), w.win));
  OK(MPI_Win_flush(target, w.win));
  CHECK(got == 99);
  const char byte = 'x';
  char old = 'o';
  OK(MPI_Fetch_and_op(&byte, &old, MPI_BYTE, target, at(target, 26), MPI_REPLACE, w.win));
  OK(MPI_Win_flush(target, w.win));
  CHECK(old == 0);
}

/* What a rank finds in its own memory when all are done. */
static void check_own_memory(void) {
  for (int origin = 0; origin < check_size; ++origin) {
    int* const slot = (int*)(w.base + origin * kSlot);
    for (int i = 0; i < 20; ++i) {
      int expected = value(origin, check_rank, i);
      if (i == 10 || i == 11) expected = 0;
      if (i == 12) expected += 17;
      CHECK(slot[i] == expected);
    }
    for (int i = 0; i < 4; ++i) CHECK(slot[20 + i] == (i + 1) * (i + 1) + i + 1);
    int64_t swapped;
    memcpy(&swapped, slot + 24, sizeof swapped);
    CHECK(swapped == 99);
    CHECK(*(char*)(slot + 26) == 'x');
    for (int i = 28; i < kInts; ++i) CHECK(slot[i] == 0);
  }
}

/* Nothing happens, and requests are complete. */
static void to_nobody(void) {
  int in[2] = {-1, -2}, out[2] = {3, 4};
  MPI_Request requests[4];
  const MPI_Aint far = 0;
  OK(MPI_Put(out, 2, MPI_INT, MPI_PROC_NULL, far, 2, MPI_INT, w.win));
  OK(MPI_Get(in, 2, MPI_INT, MPI_PROC_NULL, far, 2, MPI_INT, w.win));
  OK(MPI_Accumulate(out, 2, MPI_INT, MPI_PROC_NULL, far, 2, MPI_INT, MPI_SUM, w.win));
  OK(MPI_Get_accumulate(out, 2, MPI_INT, in, 2, MPI_INT, MPI_PROC_NULL, far, 2, MPI_INT, MPI_SUM,
                        w.win));
  OK(MPI_Fetch_and_op(out, in, MPI_INT, MPI_PROC_NULL, far, MPI_SUM, w.win));
  OK(MPI_Compare_and_swap(out, out + 1, in, MPI_INT, MPI_PROC_NULL, far, w.win));
  OK(MPI_Rput(out, 2, MPI_INT, MPI_PROC_NULL, far, 2, MPI_INT, w.win, requests));
  OK(MPI_Rget(in, 2, MPI_INT, MPI_PROC_NULL, far, 2, MPI_INT, w.win, requests + 1));
  OK(MPI_Raccumulate(out, 2, MPI_INT, MPI_PROC_NULL, far, 2, MPI_INT, MPI_SUM, w.win,
                     requests + 2));
  OK(MPI_Rget_accumulate(out, 2, MPI_INT, in, 2, MPI_INT, MPI_PROC_NULL, far, 2, MPI_INT, MPI_SUM,
                         w.win, requests + 3));
  for (int i = 0; i < 4; ++i) {
    int flag = 0;
    OK(MPI_Test(requests + i, &flag, MPI_STATUS_IGNORE));
    CHECK(flag == 1);
  }
  CHECK(in[0] == -1 && in[1] == -2);
}

static void of_nothing(int target) {
  int nothing = -7;
  MPI_Request request;
  const MPI_Aint here = at(target, 0);
  OK(MPI_Put(NULL, 0, MPI_INT, target, here, 0, MPI_INT, w.win));
  OK(MPI_Get(&nothing, 0, MPI_INT, target, here, 0, MPI_INT, w.win));
  OK(MPI_Accumulate(&nothing, 0, MPI_INT, target, here, 0, MPI_INT, MPI_SUM, w.win));
  OK(MPI_Get_accumulate(&nothing, 0, MPI_INT, NULL, 0, MPI_INT, target, here, 0, MPI_INT, MPI_SUM,
                        w.win));
  /* Where there are no elements, it does not matter of which type. */
  OK(MPI_Accumulate(&nothing, 0, MPI_INT, target, here, 0, MPI_DOUBLE, MPI_SUM, w.win));
  OK(MPI_Get_accumulate(&nothing, 0, MPI_INT, NULL, 0, MPI_DOUBLE, target, here, 0, MPI_DOUBLE,
                        MPI_SUM, w.win));
  OK(MPI_Accumulate(&nothing, 0, MPI_BYTE, target, here, 0, MPI_BYTE, MPI_SUM, w.win));
  OK(MPI_Rput(&nothing, 0, MPI_INT, target, here, 0, MPI_INT, w.win, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  OK(MPI_Rget(&nothing, 0, MPI_INT, target, here, 0, MPI_INT, w.win, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  OK(MPI_Win_flush(target, w.win));
  CHECK(nothing == -7);
}

static void all_operations(int kind) {
  make_window(&w, kind, (MPI_Aint)check_size * kSlot, sizeof(int), MPI_INFO_NULL);
  OK(MPI_Win_lock_all(0, w.win));
  for (int i = 0; i < check_size; ++i) {
    const int target = (check_rank + i) % check_size;
    put_and_get(target);
    shorter(target);
    with_requests(target);
    accumulates(target);
    single_elements(target);
    of_nothing(target);
  }
  to_nobody();
  OK(MPI_Win_unlock_all(w.win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, w.win));
  check_own_memory();
  OK(MPI_Win_unlock(check_rank, w.win));
  free_window(&w);
}

/* Sizes and units differ, and some ranks have no memory. */
static void unequal_members(void) {
  const MPI_Aint bytes = check_rank % 2 == 0 ? 16 * (check_rank + 1) : 0;
  char* memory = malloc((size_t)bytes + 1);
  MPI_Win win;
  memset(memory, 0, (size_t)bytes);
  OK(MPI_Win_create_c(bytes > 0 ? memory : NULL, bytes, check_rank + 1, MPI_INFO_NULL,
                      MPI_COMM_WORLD, &win));
  OK(MPI_Win_fence(0, win));
  for (int target = 0; target < check_size; target += 2) {
    const char out = (char)(1 + check_rank);
    /* byte `check_rank` x (target + 1), which is within its memory for up to 16 ranks */
    OK(MPI_Put(&out, 1, MPI_CHAR, target, check_rank, 1, MPI_CHAR, win));
  }
  OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
  for (int i = 0; i < check_size && bytes > 0; ++i) CHECK(memory[i * (check_rank + 1)] == 1 + i);
  OK(MPI_Win_free(&win));
  free(memory);
}

/* Windows of other communicators: of this process alone, and of half of the ranks in reverse. */
static void other_groups(void) {
  MPI_Comm half;
  MPI_Win win;
  int* memory = NULL;
  OK(MPI_Win_allocate_c(8, 4, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &win));
  OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
  const int out = 77;
  OK(MPI_Put(&out, 1, MPI_INT, 0, 1, 1, MPI_INT, win));
  OK(MPI_Win_unlock(0, win));
  CHECK(memory[1] == 77);
  OK(MPI_Win_free(&win));
  OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, -check_rank, &half));
  int rank, size;
  OK(MPI_Comm_rank(half, &rank));
  OK(MPI_Comm_size(half, &size));
  OK(MPI_Win_allocate(4 * size, 4, MPI_INFO_NULL, half, &memory, &win));
  OK(MPI_Comm_free(&half)); /* the window stays */
  OK(MPI_Win_fence(0, win));
  for (int i = 0; i < size; ++i) OK(MPI_Put(&check_rank, 1, MPI_INT, i, rank, 1, MPI_INT, win));
  OK(MPI_Win_fence(0, win));
  for (int i = 1; i < size; ++i) CHECK(memory[i] == memory[i - 1] - 2);
  OK(MPI_Win_free(&win));
}

/* What a device may move by itself, once the target has told its keys: several of them under way,
 * with requests and without, and at once read again. */
static void large_moves(int kind) {
  enum { kTurns = 6, kMost = 300000, kPieces = 3 };
  const MPI_Aint piece = kMost / kPieces;
  const int target = (check_rank + 1) % check_size;
  struct window w;
  char* out = malloc(kMost);
  char* in = malloc(kMost);
  make_window(&w, kind, kMost, 4, MPI_INFO_NULL);
  for (int turn = 0; turn < kTurns; ++turn) {
    const uint64_t salt = (uint64_t)(turn * check_size + check_rank);
    check_fill(out, kMost, salt);
    memset(in, 0, kMost);
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w.win));
    if (turn % 2 == 0) {
      OK(MPI_Put(out, kMost, MPI_BYTE, target, place(&w, target, 0), kMost, MPI_BYTE, w.win));
      OK(MPI_Win_flush(target, w.win));
      OK(MPI_Get(in, kMost, MPI_BYTE, target, place(&w, target, 0), kMost, MPI_BYTE, w.win));
      OK(MPI_Win_flush_local(target, w.win));
    } else {
      MPI_Request requests[kPieces];
      for (int i = 0; i < kPieces; ++i)
        OK(MPI_Rput(out + i * piece, (int)piece, MPI_BYTE, target, place(&w, target, i * piece),
                    (int)piece, MPI_BYTE, w.win, &requests[i]));
      OK(MPI_Waitall(kPieces, requests, MPI_STATUSES_IGNORE));
      OK(MPI_Win_flush(target, w.win));
      for (int i = 0; i < kPieces; ++i)
        OK(MPI_Rget(in + i * piece, (int)piece, MPI_BYTE, target, place(&w, target, i * piece),
                    (int)piece, MPI_BYTE, w.win, &requests[i]));
      OK(MPI_Waitall(kPieces, requests, MPI_STATUSES_IGNORE));
    }
    CHECK(check_filled(in, kMost, salt));
    OK(MPI_Win_unlock(target, w.win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, w.win));
    const int origin = (check_rank + check_size - 1) % check_size;
    CHECK(check_filled(w.base, kMost, (uint64_t)(turn * check_size + origin)));
    OK(MPI_Win_unlock(check_rank, w.win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  free_window(&w);
  free(out);
  free(in);
}

/* Ranks that share no memory get no window of shared memory, and hear why. */
static void nothing_shared(void) {
  char* base;
  MPI_Win win;
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  EXPECT(MPI_ERR_RMA_SHARED, "shared memory",
         MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  /* Ranks of one host are told what forbids it; each alone shares with nobody. */
  MPI_Comm host;
  int size;
  OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  OK(MPI_Comm_size(host, &size));
  OK(MPI_Comm_set_errhandler(host, MPI_ERRORS_RETURN));
  if (size == 1) {
    OK(MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, host, &base, &win));
    OK(MPI_Win_free(&win));
  } else if (!check_shares_memory_of_host()) {
    EXPECT(MPI_ERR_RMA_SHARED, getenv("REMIT_DEVICES") ? "REMIT_DEVICES=" : "REMIT_SHM_ALLOC=no",
           MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, host, &base, &win));
  }
  OK(MPI_Comm_free(&host));
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  for (int kind = 0; kind < kWindowKinds; ++kind) {
    if (!kind_is_possible(kind)) continue;
    all_operations(kind);
    large_moves(kind);
  }
  unequal_members();
  other_groups();
  if (!check_shares_memory()) nothing_shared();
  return check_end("rma_basic");
}
