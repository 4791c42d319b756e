/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The least an MPI program does: start, synchronize, end. For timing a launch from outside. */
#include <stdio.h>

#include "bench_common.h"

static const struct bench_spec kSpec = {
    .name = "hello", .purpose = "start, barrier, end", .ranks = BENCH_RANKS_ANY};

int main(int argc, char** argv) {
  struct bench b;
  if (!bench_begin(&b, &kSpec, argc, argv)) return b.exit_code;
  MPI_Barrier(MPI_COMM_WORLD);
  if (b.rank == 0) printf("# hello: a test with %d %s\n", b.ranks, b.ranks == 1 ? "rank" : "ranks");
  return bench_end(&b);
}
