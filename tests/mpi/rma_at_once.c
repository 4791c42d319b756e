/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Windows, and counters of notifications, that are used as soon as they are there, and freed as
 * soon as they were: no member waits for another one in between. */
#include <mpi_remit.h>

#include "check.h"

enum { kRounds = 200, kMostRanks = 64 };

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  if (check_size > kMostRanks) return check_end("rma_at_once");
  for (int round = 0; round < kRounds; ++round) {
    int64_t memory[kMostRanks] = {0};
    const int64_t value = round + 1;
    MPI_Request all_here;
    MPI_Win win;
    OK(MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_lock_all(round % 2 ? MPI_MODE_NOCHECK : 0, win));
    for (int i = 0; i < check_size; ++i) {
      const int target = (check_rank + i) % check_size;
      OK(MPI_Put(&value, 1, MPI_INT64_T, target, check_rank, 1, MPI_INT64_T, win));
      OK(MPI_Win_flush(target, win));
    }
    OK(MPIX_Win_create_notify(win, 1));
    for (int i = 0; i < check_size; ++i) {
      const int target = (check_rank + i) % check_size;
      OK(MPIX_Put_notify(&value, 1, MPI_INT64_T, target, check_rank, 1, MPI_INT64_T, 0, win));
    }
    OK(MPIX_Win_get_notify_request(win, 0, check_size, &all_here));
    OK(MPI_Wait(&all_here, MPI_STATUS_IGNORE));
    for (int i = 0; i < check_size; ++i) CHECK(memory[i] == value);
    OK(MPI_Win_unlock_all(win));
    if (round % 3 == 0) OK(MPIX_Win_free_notify(win));
    OK(MPI_Win_free(&win));
  }
  return check_end("rma_at_once");
}
