/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * A program that ends without MPI_Win_free: whoever is in MPI_Finalize is a target still, also of
 * those that it has never heard of. */
#define _DEFAULT_SOURCE
#include <unistd.h>

#include "windows.h"

enum { kRounds = 20, kPause = 5000 /* microseconds */ };

/* The others are in MPI_Finalize, all but the last one. */
static void reach_all(struct window* w) {
  OK(MPI_Win_lock_all(0, w->win));
  for (int64_t round = 0; round < kRounds; ++round) {
    usleep(kPause);
    for (int rank = 0; rank < check_size; ++rank) {
      int64_t sum = -1, got = -1;
      const int64_t one = 1;
      OK(MPI_Put(&round, 1, MPI_INT64_T, rank, place(w, rank, 0), 1, MPI_INT64_T, w->win));
      OK(MPI_Fetch_and_op(&one, &sum, MPI_INT64_T, rank, place(w, rank, 8), MPI_SUM, w->win));
      OK(MPI_Win_flush(rank, w->win));
      OK(MPI_Get(&got, 1, MPI_INT64_T, rank, place(w, rank, 0), 1, MPI_INT64_T, w->win));
      OK(MPI_Win_flush(rank, w->win));
      CHECK(got == round && sum == round);
    }
  }
  OK(MPI_Win_unlock_all(w->win));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  /* Static, so that a checker of leaks finds them: they are left on purpose. */
  static struct window created, allocated;
  make_window(&created, kCreated, 16, 8, MPI_INFO_NULL);
  make_window(&allocated, kAllocated, 16, 8, MPI_INFO_NULL);
  if (check_rank == check_size - 1) {
    reach_all(&created);
    reach_all(&allocated);
    printf("rma_unfreed: %s (%d ranks)\n", check_failures == 0 ? "passed" : "FAILED", check_size);
  }
  MPI_Finalize();
  return check_failures != 0;
}
