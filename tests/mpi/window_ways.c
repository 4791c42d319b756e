/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * A window of each kind, in each of which every rank puts to, gets from and adds to the next one,
 * and windows of one member, as many as the first argument says. A last one is not freed. What the
 * statistics say of all of them is looked at by window_ways.sh. */
#include "windows.h"

static void use(const struct window* w) {
  const int next = (check_rank + 1) % check_size;
  const int64_t one = 1;
  int64_t got = -1;
  OK(MPI_Win_lock_all(0, w->win));
  OK(MPI_Put(&one, 1, MPI_INT64_T, next, place(w, next, 0), 1, MPI_INT64_T, w->win));
  OK(MPI_Win_flush(next, w->win));
  OK(MPI_Accumulate(&one, 1, MPI_INT64_T, next, place(w, next, 0), 1, MPI_INT64_T, MPI_SUM,
                    w->win));
  OK(MPI_Win_flush(next, w->win));
  OK(MPI_Get(&got, 1, MPI_INT64_T, next, place(w, next, 0), 1, MPI_INT64_T, w->win));
  OK(MPI_Win_unlock_all(w->win));
  CHECK(got == 2);
}

int main(int argc, char** argv) {
  struct window w;
  static MPI_Win win; /* so that a checker of leaks finds the one that is left on purpose */
  void* memory;
  check_start(&argc, &argv);
  for (int kind = 0; kind < kWindowKinds; ++kind) {
    if (kind == kShared && getenv("WINDOW_WAYS_UNSHARED") != NULL) continue;
    make_window(&w, kind, 64, 1, MPI_INFO_NULL);
    if (kind == kAllocated) OK(MPI_Win_set_name(w.win, "halo"));
    use(&w);
    free_window(&w);
  }
  for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; --i) {
    OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &win));
    OK(MPI_Win_free(&win));
  }
  OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &win));
  return check_end("window_ways");
}
