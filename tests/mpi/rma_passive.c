/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Rank 0 does everything that passive targets allow while all others are out of MPI: they wait for
 * a file that it makes when it has done all. A target that has to help is waited for until the test
 * is ended. Before that each is talked to once, and answers. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "windows.h"

enum { kWords = 64, kDoublesAt = 256, kBytes = 4096, kRounds = 3 };

static void work(const struct window* w, int to, int round) {
  const int64_t one = 1;
  int64_t words[kWords], got[kWords], expected = round, wanted = round + 1;
  double sums[8];
  MPI_Datatype strided;
  for (int i = 0; i < kWords; ++i) words[i] = i;
  for (int i = 0; i < 8; ++i) sums[i] = i;

  OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, w->win));
  OK(MPI_Put(words, 16, MPI_INT64_T, to, place(w, to, 2048), 16, MPI_INT64_T, w->win));
  OK(MPI_Win_flush(to, w->win));
  OK(MPI_Get(got, 16, MPI_INT64_T, to, place(w, to, 2048), 16, MPI_INT64_T, w->win));
  OK(MPI_Win_unlock(to, w->win));
  CHECK(memcmp(got, words, 16 * sizeof *words) == 0);

  OK(MPI_Type_vector(8, 1, 2, MPI_INT64_T, &strided));
  OK(MPI_Type_commit(&strided));
  OK(MPI_Win_lock_all(0, w->win));
  OK(MPI_Put(words, 1, strided, to, place(w, to, 3072), 1, strided, w->win));
  OK(MPI_Win_flush(to, w->win));
  memset(got, 0, sizeof got);
  OK(MPI_Get(got, 1, strided, to, place(w, to, 3072), 1, strided, w->win));
  OK(MPI_Win_flush_local(to, w->win));
  for (int i = 0; i < 16; ++i) CHECK(got[i] == (i % 2 == 0 ? i : 0));
  OK(MPI_Fetch_and_op(&one, got, MPI_INT64_T, to, place(w, to, 0), MPI_SUM, w->win));
  OK(MPI_Win_flush(to, w->win));
  CHECK(got[0] == round);
  OK(MPI_Compare_and_swap(&wanted, &expected, got, MPI_INT64_T, to, place(w, to, 8), w->win));
  OK(MPI_Win_flush(to, w->win));
  CHECK(got[0] == round);
  OK(MPI_Accumulate(words, 8, MPI_INT64_T, to, place(w, to, 64), 8, MPI_INT64_T, MPI_SUM, w->win));
  OK(MPI_Accumulate(sums, 8, MPI_DOUBLE, to, place(w, to, kDoublesAt), 8, MPI_DOUBLE, MPI_SUM,
                    w->win));
  OK(MPI_Win_unlock_all(w->win));

  OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, w->win));
  OK(MPI_Get_accumulate(NULL, 0, MPI_DOUBLE, sums, 8, MPI_DOUBLE, to, place(w, to, kDoublesAt), 8,
                        MPI_DOUBLE, MPI_NO_OP, w->win));
  OK(MPI_Get_accumulate(NULL, 0, MPI_INT64_T, got, 8, MPI_INT64_T, to, place(w, to, 64), 8,
                        MPI_INT64_T, MPI_NO_OP, w->win));
  OK(MPI_Win_unlock(to, w->win));
  for (int i = 0; i < 8; ++i) CHECK(sums[i] == (round + 1) * i && got[i] == (round + 1) * i);
  OK(MPI_Type_free(&strided));
}

int main(int argc, char** argv) {
  char folder[] = "/tmp/rma_passive.XXXXXX";
  char file[64];
  struct window w[2];
  const struct timespec kRest = {0, 10 * 1000 * 1000};
  struct stat found;
  check_start(&argc, &argv);
  if (check_rank == 0) CHECK(mkdtemp(folder) != NULL);
  OK(MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD));
  snprintf(file, sizeof file, "%s/done", folder);
  for (int kind = 0; kind < 2; ++kind) {
    make_window(&w[kind], kind == 0 ? kCreated : kAllocated, kBytes, 1, MPI_INFO_NULL);
    for (int to = 1; check_rank == 0 && to < check_size; ++to) work(&w[kind], to, 0);
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 0) {
    for (int round = 1; round <= kRounds; ++round) {
      for (int to = 1; to < check_size; ++to) {
        for (int kind = 0; kind < 2; ++kind) work(&w[kind], to, round);
      }
    }
    FILE* const done = fopen(file, "w");
    CHECK(done != NULL);
    fclose(done);
  } else {
    while (stat(file, &found) != 0) nanosleep(&kRest, NULL);
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (check_rank == 0) {
    unlink(file);
    rmdir(folder);
  }
  for (int kind = 0; kind < 2; ++kind) free_window(&w[kind]);
  return check_end("rma_passive");
}
