/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * The last rank dies while the others wait for it in a window: window_deaths.py looks at what they
 * say.
 *     window_deaths lock|read|start|complete|flush|wait|test|fence|free
 * The word is what they wait in: for the lock of rank 0, which the last rank has, to write or to
 * read; or in the MPI_Win_ function of that name, with a put to the last rank before complete and
 * flush. */
#define _GNU_SOURCE
#include "deaths.h"

static MPI_Win win;
static MPI_Group last, others;

/* What the others have got of it by then reaches them. */
static void die(void) {
  deaths_rest(200);
  raise(SIGKILL);
}

static int want_lock(void) {
  const int code = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  if (code == MPI_SUCCESS) OK(MPI_Win_unlock(0, win));
  return code;
}

static int wait_for_last(int by_tests) {
  int code, flag = 0;
  OK(MPI_Win_post(last, 0, win));
  if (!by_tests) return MPI_Win_wait(win);
  do {
    code = MPI_Win_test(win, &flag);
  } while (code == MPI_SUCCESS && !flag);
  return code;
}

/* The error of the put, or else of what completes it. */
static int put_to_last(int (*complete)(void)) {
  static const int64_t kValue = 5;
  const int code = MPI_Put(&kValue, 1, MPI_INT64_T, check_size - 1, 0, 1, MPI_INT64_T, win);
  const int end = complete();
  return code != MPI_SUCCESS ? code : end;
}

static int complete(void) {
  return MPI_Win_complete(win);
}

static int flush(void) {
  const int code = MPI_Win_flush(check_size - 1, win);
  MPI_Win_unlock_all(win);
  return code;
}

static int run(const char* mode) {
  if (strcmp(mode, "lock") == 0 || strcmp(mode, "read") == 0) return want_lock();
  if (strcmp(mode, "start") == 0) return MPI_Win_start(last, 0, win);
  if (strcmp(mode, "complete") == 0) return put_to_last(complete);
  if (strcmp(mode, "flush") == 0) return put_to_last(flush);
  if (strcmp(mode, "wait") == 0) return wait_for_last(0);
  if (strcmp(mode, "test") == 0) return wait_for_last(1);
  if (strcmp(mode, "fence") == 0) return MPI_Win_fence(0, win);
  if (strcmp(mode, "free") == 0) return MPI_Win_free(&win);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "";
  void* memory;
  MPI_Group all;
  deaths_start(&argc, &argv);
  const int dying = check_size - 1;
  OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
  OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
  OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
  OK(MPI_Group_incl(all, 1, &dying, &last));
  OK(MPI_Group_excl(all, 1, &dying, &others));
  OK(MPI_Group_free(&all));
  if (check_rank == dying && strcmp(mode, "lock") == 0)
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
  if (check_rank == dying && strcmp(mode, "read") == 0)
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
  if (strcmp(mode, "complete") == 0) {
    if (check_rank == dying) OK(MPI_Win_post(others, 0, win));
    if (check_rank != dying) OK(MPI_Win_start(last, 0, win));
  }
  if (strcmp(mode, "flush") == 0 && check_rank != dying) OK(MPI_Win_lock_all(0, win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == dying) die();
  /* Nobody is there any more, but not everybody knows. */
  if (strcmp(mode, "complete") == 0 || strcmp(mode, "flush") == 0) deaths_rest(300);
  return deaths_end(run(mode));
}
