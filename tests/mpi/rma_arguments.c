/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Wrong arguments of every function for windows: the error class, raised on the window once there
 * is one, with words that name what is wrong. Nothing is done, and the window stays usable. */
#include "windows.h"

static struct window w;
static int calls; /* of the window's handler */
static MPI_Win called_with;
static void handler(MPI_Win* win, int* code, ...) {
  (void)code;
  ++calls;
  called_with = *win;
}
static void check_refused(int code, int error_class, const char* word, int line) {
  check_expect(code, error_class, word, __FILE__, line);
  check_that(calls == 1 && called_with == w.win, "the window's handler is called", __FILE__, line);
}
/* The window's handler hears of it, too. */
#define REFUSED(error_class, word, call) \
  (calls = 0, check_refused((call), (error_class), (word), __LINE__))

static MPI_Info info_with(const char* key, const char* value) {
  MPI_Info info;
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, key, value));
  return info;
}

static void creation(void) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const MPI_Info none = MPI_INFO_NULL;
  char memory[8];
  void* base = NULL;
  MPI_Win win = MPI_WIN_NULL;
  EXPECT(MPI_ERR_SIZE, "-1", MPI_Win_create(memory, -1, 1, none, comm, &win));
  EXPECT(MPI_ERR_DISP, "disp_unit is 0", MPI_Win_create(memory, 8, 0, none, comm, &win));
  EXPECT(MPI_ERR_DISP, "-4", MPI_Win_create_c(memory, 8, -4, none, comm, &win));
  EXPECT(MPI_ERR_DISP, "disp_unit",
         MPI_Win_create_c(memory, 8, (MPI_Aint)1 << 40, none, comm, &win));
  EXPECT(MPI_ERR_BASE, "null pointer", MPI_Win_create(NULL, 8, 1, none, comm, &win));
  EXPECT(MPI_ERR_ARG, "win", MPI_Win_create(memory, 8, 1, none, comm, NULL));
  EXPECT(MPI_ERR_COMM, "MPI_COMM_NULL", MPI_Win_create(memory, 8, 1, none, MPI_COMM_NULL, &win));
  EXPECT(MPI_ERR_SIZE, "-8", MPI_Win_allocate(-8, 1, none, comm, &base, &win));
  EXPECT(MPI_ERR_DISP, "disp_unit", MPI_Win_allocate_c(8, 0, none, comm, &base, &win));
  EXPECT(MPI_ERR_ARG, "baseptr", MPI_Win_allocate(8, 1, none, comm, NULL, &win));
  EXPECT(MPI_ERR_SIZE, "-8", MPI_Win_allocate_shared_c(-8, 1, none, comm, &base, &win));
  EXPECT(MPI_ERR_DISP, "disp_unit", MPI_Win_allocate_shared(8, -1, none, comm, &base, &win));
  EXPECT(MPI_ERR_ARG, "baseptr", MPI_Win_allocate_shared(8, 1, none, comm, NULL, &win));
  EXPECT(MPI_ERR_ARG, "win", MPI_Win_create_dynamic(none, comm, NULL));
  EXPECT(MPI_ERR_COMM, "comm", MPI_Win_create_dynamic(none, MPI_COMM_NULL, &win));
  CHECK(win == MPI_WIN_NULL);
}

static void infos(void) {
  static const char* const kWrong[][2] = {
      {"no_locks", "yes"},
      {"same_size", "1"},
      {"same_disp_unit", ""},
      {"alloc_shared_noncontig", "TRUE"},
      {"accumulate_ordering", "rrr"},
      {"accumulate_ordering", "rar,,waw"},
      {"accumulate_ops", "sum"},
      {"mpi_minimum_memory_alignment", "48"},
      {"mpi_minimum_memory_alignment", "0"},
      {"mpi_accumulate_granularity", "-1"},
      {"mpi_accumulate_granularity", "8 bytes"},
  };
  char memory[8];
  void* base = NULL;
  MPI_Win win = MPI_WIN_NULL;
  for (size_t i = 0; i < sizeof kWrong / sizeof kWrong[0]; ++i) {
    const char* const key = kWrong[i][0];
    MPI_Info info = info_with(key, kWrong[i][1]);
    EXPECT(MPI_ERR_INFO_VALUE, key, MPI_Win_create(memory, 8, 1, info, MPI_COMM_WORLD, &win));
    EXPECT(MPI_ERR_INFO_VALUE, key, MPI_Win_allocate(8, 1, info, MPI_COMM_WORLD, &base, &win));
    EXPECT(MPI_ERR_INFO_VALUE, key, MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win));
    REFUSED(MPI_ERR_INFO_VALUE, key, MPI_Win_set_info(w.win, info));
    OK(MPI_Info_free(&info));
  }
  MPI_Info used;
  REFUSED(MPI_ERR_INFO, "info", MPI_Win_set_info(w.win, MPI_INFO_NULL));
  REFUSED(MPI_ERR_ARG, "info_used", MPI_Win_get_info(w.win, NULL));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_get_info(MPI_WIN_NULL, &used));
}

/* What is no window, by each function. */
static void no_window(MPI_Win none) {
  int value = 0, flag = 0, unit = 0;
  MPI_Aint bytes = 0;
  void* base = NULL;
  MPI_Group group = MPI_GROUP_EMPTY;
  MPI_Request request;
  MPI_Win handle = none;
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_free(&handle));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_get_group(none, &group));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_attach(none, &value, 4));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_detach(none, &value));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_shared_query(none, 0, &bytes, &unit, &base));
  EXPECT(MPI_ERR_WIN, "win", MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Put_c(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, none));
  EXPECT(
      MPI_ERR_WIN, "win",
      MPI_Get_accumulate(&value, 1, MPI_INT, &flag, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Fetch_and_op(&value, &flag, MPI_INT, 0, 0, MPI_SUM, none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Compare_and_swap(&value, &unit, &flag, MPI_INT, 0, 0, none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Rput(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, none, &request));
  EXPECT(MPI_ERR_WIN, "win", MPI_Rget(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, none, &request));
  EXPECT(MPI_ERR_WIN, "win",
         MPI_Raccumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, none, &request));
  EXPECT(MPI_ERR_WIN, "win",
         MPI_Rget_accumulate(&value, 1, MPI_INT, &flag, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, none,
                             &request));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_fence(0, none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_start(MPI_GROUP_EMPTY, 0, none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_complete(none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_post(MPI_GROUP_EMPTY, 0, none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_wait(none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_test(none, &flag));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_unlock(0, none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_lock_all(0, none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_unlock_all(none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_flush(0, none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_flush_all(none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_flush_local(0, none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_flush_local_all(none));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_sync(none));
  CHECK(handle == none);
}

/* Arguments that all operations have, here of put and get. */
static void transfers(void) {
  int value[4] = {1, 2, 3, 4};
  MPI_Request request;
  const MPI_Aint here = place(&w, 0, 0);
  const MPI_Win win = w.win;
  MPI_Datatype vector;
  OK(MPI_Type_vector(2, 1, 2, MPI_INT, &vector));
  REFUSED(MPI_ERR_RANK, "target_rank",
          MPI_Put(value, 1, MPI_INT, check_size, here, 1, MPI_INT, win));
  REFUSED(MPI_ERR_RANK, "-9", MPI_Get(value, 1, MPI_INT, -9, here, 1, MPI_INT, win));
  REFUSED(MPI_ERR_COUNT, "origin_count", MPI_Put(value, -1, MPI_INT, 0, here, 1, MPI_INT, win));
  REFUSED(MPI_ERR_COUNT, "target_count", MPI_Get(value, 1, MPI_INT, 0, here, -1, MPI_INT, win));
  REFUSED(MPI_ERR_COUNT, "origin_count", MPI_Put_c(value, -1, MPI_INT, 0, here, 1, MPI_INT, win));
  REFUSED(MPI_ERR_COUNT, "target_count",
          MPI_Get_c(value, 1, MPI_INT, 0, here, (MPI_Count)1 << 62, MPI_INT, win));
  REFUSED(MPI_ERR_TYPE, "origin_datatype",
          MPI_Put(value, 1, MPI_DATATYPE_NULL, 0, here, 1, MPI_INT, win));
  REFUSED(MPI_ERR_TYPE, "target_datatype", MPI_Put(value, 2, MPI_INT, 0, here, 1, vector, win));
  REFUSED(MPI_ERR_TYPE, "commit", MPI_Get(value, 1, vector, 0, here, 2, MPI_INT, win));
  REFUSED(MPI_ERR_BUFFER, "null pointer", MPI_Put(NULL, 1, MPI_INT, 0, here, 1, MPI_INT, win));
  REFUSED(MPI_ERR_BUFFER, "MPI_IN_PLACE",
          MPI_Get(MPI_IN_PLACE, 1, MPI_INT, 0, here, 1, MPI_INT, win));
  REFUSED(MPI_ERR_TRUNCATE, "8 bytes", MPI_Put(value, 2, MPI_INT, 0, here, 1, MPI_INT, win));
  REFUSED(MPI_ERR_TRUNCATE, "8 bytes", MPI_Get(value, 1, MPI_INT, 0, here, 2, MPI_INT, win));
  REFUSED(MPI_ERR_ARG, "request", MPI_Rput(value, 1, MPI_INT, 0, here, 1, MPI_INT, win, NULL));
  REFUSED(MPI_ERR_ARG, "request", MPI_Rget(value, 1, MPI_INT, 0, here, 1, MPI_INT, win, NULL));
  REFUSED(MPI_ERR_RANK, "target_rank",
          MPI_Rput(value, 1, MPI_INT, check_size, here, 1, MPI_INT, win, &request));
  if (w.kind != kDynamic) {
    REFUSED(MPI_ERR_DISP, "target_disp is -1", MPI_Put(value, 1, MPI_INT, 0, -1, 1, MPI_INT, win));
  }
  OK(MPI_Type_free(&vector));
}

static void accumulates(void) {
  int value[2] = {1, 2}, result[2];
  double real = 0;
  MPI_Request request;
  MPI_Datatype pair, mixed;
  MPI_Op own;
  const MPI_Aint here = place(&w, 0, 0);
  const MPI_Win win = w.win;
  OK(MPI_Type_contiguous(2, MPI_INT, &pair));
  OK(MPI_Type_commit(&pair));
  OK(MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 4},
                            (MPI_Datatype[]){MPI_INT, MPI_FLOAT}, &mixed));
  OK(MPI_Type_commit(&mixed));
  OK(MPI_Op_create((MPI_User_function*)1, 1, &own));
  REFUSED(MPI_ERR_OP, "own", MPI_Accumulate(value, 1, MPI_INT, 0, here, 1, MPI_INT, own, win));
  REFUSED(MPI_ERR_OP, "op",
          MPI_Accumulate(value, 1, MPI_INT, 0, here, 1, MPI_INT, MPI_OP_NULL, win));
  REFUSED(MPI_ERR_OP, "MPI_NO_OP",
          MPI_Accumulate(value, 1, MPI_INT, 0, here, 1, MPI_INT, MPI_NO_OP, win));
  REFUSED(MPI_ERR_OP, "own",
          MPI_Raccumulate(value, 1, MPI_INT, 0, here, 1, MPI_INT, own, win, &request));
  REFUSED(MPI_ERR_OP, "op", MPI_Fetch_and_op(value, result, MPI_INT, 0, here, own, win));
  REFUSED(MPI_ERR_OP, "MPI_DOUBLE",
          MPI_Accumulate(&real, 1, MPI_DOUBLE, 0, here, 1, MPI_DOUBLE, MPI_BAND, win));
  REFUSED(MPI_ERR_TYPE, "type",
          MPI_Accumulate(value, 1, mixed, 0, here, 1, mixed, MPI_REPLACE, win));
  REFUSED(MPI_ERR_TYPE, "MPI_FLOAT",
          MPI_Accumulate(value, 1, MPI_FLOAT, 0, here, 1, MPI_INT, MPI_SUM, win));
  REFUSED(MPI_ERR_TYPE, "MPI_FLOAT",
          MPI_Get_accumulate(value, 1, MPI_INT, result, 1, MPI_FLOAT, 0, here, 1, MPI_INT, MPI_SUM,
                             win));
  REFUSED(MPI_ERR_TRUNCATE, "8 bytes",
          MPI_Accumulate(value, 2, MPI_INT, 0, here, 1, MPI_INT, MPI_SUM, win));
  REFUSED(
      MPI_ERR_TRUNCATE, "result",
      MPI_Get_accumulate(value, 2, MPI_INT, result, 1, MPI_INT, 0, here, 2, MPI_INT, MPI_SUM, win));
  REFUSED(MPI_ERR_COUNT, "result_count",
          MPI_Get_accumulate(value, 1, MPI_INT, result, -1, MPI_INT, 0, here, 1, MPI_INT, MPI_SUM,
                             win));
  REFUSED(
      MPI_ERR_BUFFER, "null pointer",
      MPI_Get_accumulate(value, 1, MPI_INT, NULL, 1, MPI_INT, 0, here, 1, MPI_INT, MPI_SUM, win));
  REFUSED(MPI_ERR_RANK, "target_rank",
          MPI_Accumulate(value, 1, MPI_INT, -5, here, 1, MPI_INT, MPI_SUM, win));
  REFUSED(MPI_ERR_ARG, "request",
          MPI_Rget_accumulate(value, 1, MPI_INT, result, 1, MPI_INT, 0, here, 1, MPI_INT, MPI_SUM,
                              win, NULL));
  REFUSED(MPI_ERR_TYPE, "derived", MPI_Fetch_and_op(value, result, pair, 0, here, MPI_SUM, win));
  REFUSED(MPI_ERR_TYPE, "derived", MPI_Compare_and_swap(value, value, result, pair, 0, here, win));
  REFUSED(MPI_ERR_TYPE, "MPI_DOUBLE",
          MPI_Compare_and_swap(&real, &real, result, MPI_DOUBLE, 0, here, win));
  REFUSED(MPI_ERR_TYPE, "MPI_2INT",
          MPI_Compare_and_swap(value, value, result, MPI_2INT, 0, here, win));
  REFUSED(MPI_ERR_RANK, "target_rank",
          MPI_Compare_and_swap(value, value, result, MPI_INT, check_size, here, win));
  REFUSED(MPI_ERR_BUFFER, "null pointer",
          MPI_Compare_and_swap(value, NULL, result, MPI_INT, 0, here, win));
  REFUSED(MPI_ERR_BUFFER, "null pointer",
          MPI_Fetch_and_op(value, NULL, MPI_INT, 0, here, MPI_SUM, win));
  OK(MPI_Op_free(&own));
  OK(MPI_Type_free(&pair));
  OK(MPI_Type_free(&mixed));
}

/* What a member has attached only that member knows, where operations go by messages: a flush says
 * that it is not enough, with the name that the window has there. Members of one host see by
 * themselves. */
static void unattached(void) {
  const int64_t value = 1;
  const int next = (check_rank + 1) % check_size;
  OK(MPI_Win_set_name(w.win, "halo"));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (next == check_rank) return;
  const MPI_Aint behind = place(&w, next, w.bytes);
  calls = 0;
  const int code = MPI_Put(&value, 1, MPI_INT64_T, next, behind, 1, MPI_INT64_T, w.win);
  if (code != MPI_SUCCESS) check_refused(code, MPI_ERR_RMA_RANGE, "displacement", __LINE__);
  if (code == MPI_SUCCESS) REFUSED(MPI_ERR_RMA_RANGE, "(halo)", MPI_Win_flush(next, w.win));
}

/* Bytes outside of the window, with target, displacement and size in the words. */
static void ranges(void) {
  if (!check_shares_memory() && w.kind == kDynamic) {
    unattached();
    return;
  }
  int64_t value[2] = {1, 2}, result;
  const MPI_Win win = w.win;
  MPI_Request request;
  const MPI_Aint last = place(&w, 0, w.bytes - 4), behind = place(&w, 0, w.bytes);
  REFUSED(MPI_ERR_RMA_RANGE, "target rank 0, displacement",
          MPI_Put(value, 1, MPI_INT64_T, 0, last, 1, MPI_INT64_T, win));
  REFUSED(MPI_ERR_RMA_RANGE, "target rank 0, displacement",
          MPI_Get(value, 1, MPI_INT, 0, behind, 1, MPI_INT, win));
  REFUSED(MPI_ERR_RMA_RANGE, "target rank 0, displacement",
          MPI_Accumulate(value, 1, MPI_INT64_T, 0, last, 1, MPI_INT64_T, MPI_SUM, win));
  REFUSED(MPI_ERR_RMA_RANGE, "target rank 0, displacement",
          MPI_Fetch_and_op(value, &result, MPI_INT64_T, 0, last, MPI_SUM, win));
  REFUSED(MPI_ERR_RMA_RANGE, "target rank 0, displacement",
          MPI_Compare_and_swap(value, value, &result, MPI_INT64_T, 0, last, win));
  REFUSED(MPI_ERR_RMA_RANGE, "target rank 0, displacement",
          MPI_Rget(value, 1, MPI_INT64_T, 0, last, 1, MPI_INT64_T, win, &request));
  if (w.kind == kDynamic) return;
  REFUSED(MPI_ERR_RMA_RANGE, "displacement",
          MPI_Put(value, 1, MPI_INT, 0, (MPI_Aint)1 << 62, 1, MPI_INT, win));
  MPI_Datatype far;
  OK(MPI_Type_create_hindexed(2, (int[]){1, 1}, (MPI_Aint[]){0, w.bytes}, MPI_INT, &far));
  OK(MPI_Type_commit(&far));
  REFUSED(MPI_ERR_RMA_RANGE, "target rank 0, displacement",
          MPI_Put(value, 2, MPI_INT, 0, 0, 1, far, win));
  OK(MPI_Type_free(&far));
}

static void synchronization(void) {
  const MPI_Win win = w.win;
  int flag = 0, value = 0;
  MPI_Group world, odd;
  MPI_Request request;
  const MPI_Aint here = place(&w, 0, 0);
  REFUSED(MPI_ERR_ASSERT, "MPI_MODE_NOPRECEDE", MPI_Win_fence(MPI_MODE_NOCHECK, win));
  REFUSED(MPI_ERR_ASSERT, "assert", MPI_Win_fence(1, win));
  REFUSED(MPI_ERR_ASSERT, "assert", MPI_Win_start(MPI_GROUP_EMPTY, MPI_MODE_NOPUT, win));
  REFUSED(MPI_ERR_ASSERT, "assert", MPI_Win_post(MPI_GROUP_EMPTY, MPI_MODE_NOSUCCEED, win));
  REFUSED(MPI_ERR_ASSERT, "assert", MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOSTORE, win));
  REFUSED(MPI_ERR_ASSERT, "assert", MPI_Win_lock_all(-1, win));
  REFUSED(MPI_ERR_LOCKTYPE, "lock_type is 7", MPI_Win_lock(7, 0, 0, win));
  REFUSED(MPI_ERR_RANK, "rank", MPI_Win_lock(MPI_LOCK_SHARED, check_size, 0, win));
  REFUSED(MPI_ERR_RANK, "rank", MPI_Win_unlock(-7, win));
  REFUSED(MPI_ERR_RANK, "rank", MPI_Win_flush(check_size, win));
  REFUSED(MPI_ERR_RANK, "rank", MPI_Win_flush_local(check_size, win));
  REFUSED(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Win_start(MPI_GROUP_NULL, 0, win));
  REFUSED(MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Win_post(MPI_GROUP_NULL, 0, win));
  REFUSED(MPI_ERR_ARG, "flag", MPI_Win_test(win, NULL));
  REFUSED(MPI_ERR_ARG, "group", MPI_Win_get_group(win, NULL));
  /* without an epoch */
  REFUSED(MPI_ERR_RMA_SYNC, "epoch", MPI_Put(&value, 1, MPI_INT, 0, here, 1, MPI_INT, win));
  REFUSED(MPI_ERR_RMA_SYNC, "epoch", MPI_Get(&value, 1, MPI_INT, 0, here, 1, MPI_INT, win));
  REFUSED(MPI_ERR_RMA_SYNC, "epoch",
          MPI_Accumulate(&value, 1, MPI_INT, 0, here, 1, MPI_INT, MPI_SUM, win));
  REFUSED(MPI_ERR_RMA_SYNC, "epoch",
          MPI_Fetch_and_op(&value, &flag, MPI_INT, 0, here, MPI_SUM, win));
  REFUSED(MPI_ERR_RMA_SYNC, "epoch",
          MPI_Compare_and_swap(&value, &value, &flag, MPI_INT, 0, here, win));
  REFUSED(MPI_ERR_RMA_SYNC, "lock",
          MPI_Rput(&value, 1, MPI_INT, 0, here, 1, MPI_INT, win, &request));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_start", MPI_Win_complete(win));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_post", MPI_Win_wait(win));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_post", MPI_Win_test(win, &flag));
  REFUSED(MPI_ERR_RMA_SYNC, "locked", MPI_Win_unlock(0, win));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_lock_all", MPI_Win_unlock_all(win));
  REFUSED(MPI_ERR_RMA_SYNC, "passive", MPI_Win_flush(0, win));
  REFUSED(MPI_ERR_RMA_SYNC, "passive", MPI_Win_flush_all(win));
  REFUSED(MPI_ERR_RMA_SYNC, "passive", MPI_Win_flush_local(0, win));
  REFUSED(MPI_ERR_RMA_SYNC, "passive", MPI_Win_flush_local_all(win));
  /* a group that is not of the window: only possible with a smaller window */
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  OK(MPI_Group_incl(
      world, 1,
      (int[]){check_size - 1 - check_rank == check_rank ? (check_rank + 1) % check_size
                                                        : check_size - 1 - check_rank},
      &odd));
  MPI_Win own;
  OK(MPI_Win_create(&value, 4, 1, MPI_INFO_NULL, MPI_COMM_SELF, &own));
  OK(MPI_Win_set_errhandler(own, MPI_ERRORS_RETURN));
  if (check_size > 1) EXPECT(MPI_ERR_GROUP, "group", MPI_Win_start(odd, 0, own));
  if (check_size > 1) EXPECT(MPI_ERR_GROUP, "group", MPI_Win_post(odd, 0, own));
  OK(MPI_Win_free(&own));
  OK(MPI_Group_free(&odd));
  OK(MPI_Group_free(&world));
}

/* Epochs inside of others, and ends of other epochs than the one that is open. */
static void nested_epochs(void) {
  const MPI_Win win = w.win;
  MPI_Win handle = win;
  const int me = check_rank, other = (check_rank + 1) % check_size;
  int value = 0;
  MPI_Request request;
  const MPI_Aint here = place(&w, me, 0);
  OK(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win));
  REFUSED(MPI_ERR_RMA_SYNC, "already", MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_lock", MPI_Win_lock_all(0, win));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_lock", MPI_Win_fence(0, win));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_lock", MPI_Win_start(MPI_GROUP_EMPTY, 0, win));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_lock", MPI_Win_unlock_all(win));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_lock", MPI_Win_free(&handle));
  if (other != me) {
    REFUSED(MPI_ERR_RMA_SYNC, "not locked",
            MPI_Put(&value, 1, MPI_INT, other, place(&w, other, 0), 1, MPI_INT, win));
    REFUSED(MPI_ERR_RMA_SYNC, "not locked", MPI_Win_unlock(other, win));
  }
  OK(MPI_Get(&value, 1, MPI_INT, me, here, 1, MPI_INT, win));
  OK(MPI_Win_unlock(me, win));
  OK(MPI_Win_lock_all(0, win));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_lock_all", MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_lock_all", MPI_Win_lock_all(0, win));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_unlock_all", MPI_Win_unlock(me, win));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_lock_all", MPI_Win_free(&handle));
  OK(MPI_Win_unlock_all(win));
  OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, win));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_post", MPI_Win_post(MPI_GROUP_EMPTY, 0, win));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_post", MPI_Win_free(&handle));
  OK(MPI_Win_wait(win));
  OK(MPI_Win_start(MPI_GROUP_EMPTY, 0, win));
  REFUSED(MPI_ERR_RMA_SYNC, "group", MPI_Put(&value, 1, MPI_INT, me, here, 1, MPI_INT, win));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_start", MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_start", MPI_Win_start(MPI_GROUP_EMPTY, 0, win));
  OK(MPI_Win_complete(win));
  OK(MPI_Win_fence(0, win));
  OK(MPI_Get(&value, 1, MPI_INT, me, here, 1, MPI_INT, win));
  REFUSED(MPI_ERR_RMA_SYNC, "lock",
          MPI_Rget(&value, 1, MPI_INT, me, here, 1, MPI_INT, win, &request));
  REFUSED(MPI_ERR_RMA_SYNC, "MPI_Win_fence", MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win));
  REFUSED(MPI_ERR_RMA_SYNC, "passive", MPI_Win_flush(me, win));
  OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
  CHECK(handle == win);
}

/* Functions that windows of other kinds have. */
static void flavors(void) {
  static char memory[64];
  MPI_Aint bytes = 0;
  int unit = 0;
  void* base = NULL;
  if (w.kind == kDynamic) {
    REFUSED(MPI_ERR_RMA_FLAVOR, "dynamic", MPI_Win_shared_query(w.win, 0, &bytes, &unit, &base));
    REFUSED(MPI_ERR_SIZE, "-1", MPI_Win_attach(w.win, memory, -1));
    REFUSED(MPI_ERR_BASE, "null pointer", MPI_Win_attach(w.win, NULL, 8));
    OK(MPI_Win_attach(w.win, memory, sizeof memory));
    REFUSED(MPI_ERR_RMA_ATTACH, "attach", MPI_Win_attach(w.win, memory + 8, 8));
    REFUSED(MPI_ERR_RMA_ATTACH, "attach", MPI_Win_detach(w.win, memory + 8));
    OK(MPI_Win_detach(w.win, memory));
    REFUSED(MPI_ERR_RMA_ATTACH, "attach", MPI_Win_detach(w.win, memory));
    return;
  }
  REFUSED(MPI_ERR_RMA_FLAVOR, "MPI_Win_create_dynamic", MPI_Win_attach(w.win, memory, 8));
  REFUSED(MPI_ERR_RMA_FLAVOR, "MPI_Win_create_dynamic", MPI_Win_detach(w.win, memory));
  REFUSED(MPI_ERR_RANK, "rank", MPI_Win_shared_query(w.win, check_size, &bytes, &unit, &base));
  REFUSED(MPI_ERR_ARG, "size", MPI_Win_shared_query(w.win, 0, NULL, &unit, &base));
  REFUSED(MPI_ERR_ARG, "disp_unit", MPI_Win_shared_query(w.win, 0, &bytes, NULL, &base));
  REFUSED(MPI_ERR_ARG, "baseptr", MPI_Win_shared_query(w.win, 0, &bytes, &unit, NULL));
}

static void inter_communicator(void) {
  if (check_size < 2) return;
  MPI_Comm half, inter;
  MPI_Win win = MPI_WIN_NULL;
  char memory[8];
  void* base;
  OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, 0, &half));
  OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - check_rank % 2, 3, &inter));
  OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
  EXPECT(MPI_ERR_COMM, "inter", MPI_Win_create(memory, 8, 1, MPI_INFO_NULL, inter, &win));
  EXPECT(MPI_ERR_COMM, "inter", MPI_Win_allocate(8, 1, MPI_INFO_NULL, inter, &base, &win));
  EXPECT(MPI_ERR_COMM, "inter", MPI_Win_create_dynamic(MPI_INFO_NULL, inter, &win));
  OK(MPI_Comm_free(&inter));
  OK(MPI_Comm_free(&half));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_Errhandler mine;
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  OK(MPI_Win_create_errhandler(handler, &mine));
  creation();
  inter_communicator();
  no_window(MPI_WIN_NULL);
  no_window((MPI_Win)MPI_COMM_WORLD);
  for (int kind = 0; kind < kWindowKinds; ++kind) {
    if (!kind_is_possible(kind)) continue;
    make_window(&w, kind, 64, 4, MPI_INFO_NULL);
    OK(MPI_Win_set_errhandler(w.win, mine));
    infos();
    flavors();
    synchronization();
    OK(MPI_Win_lock_all(0, w.win));
    transfers();
    accumulates();
    ranges();
    OK(MPI_Win_unlock_all(w.win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 64; ++i) CHECK(w.base[i] == 0);
    nested_epochs();
    free_window(&w);
  }
  OK(MPI_Errhandler_free(&mine));
  return check_end("rma_arguments");
}
