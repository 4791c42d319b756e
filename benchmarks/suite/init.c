/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Time of MPI_Init, over the ranks. */
#include <stdio.h>

#include "bench_common.h"

static const struct bench_spec kSpec = {
    .name = "init", .purpose = "time of MPI_Init", .ranks = BENCH_RANKS_ANY};

int main(int argc, char** argv) {
  struct bench b;
  const double start = bench_now();
  if (!bench_begin(&b, &kSpec, argc, argv)) return b.exit_code;
  const double mine = (bench_now() - start) * 1e3;
  double sum = 0, least = 0, most = 0;
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (b.rank == 0) {
    printf("# init: time of MPI_Init\nnprocs: %d, min: %.2f ms, max: %.2f ms, avg: %.2f ms\n",
           b.ranks, least, most, sum / b.ranks);
  }
  return bench_end(&b);
}
