/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Time of MPI_Reduce, sum of floats. */
#include "collective.h"

static void call(const struct collective_args* a) {
  MPI_Reduce(a->send, a->receive, (int)(a->size / sizeof(float)), MPI_FLOAT, MPI_SUM,
             COLLECTIVE_ROOT, MPI_COMM_WORLD);
}

static void fill(const struct collective_args* a) {
  collective_fill_floats(a);
}

static long wrong(const struct collective_args* a) {
  return a->rank == COLLECTIVE_ROOT ? collective_wrong_sums(a) : 0;
}

static const struct collective kCollective = {
    .spec = {.name = "reduce",
             .purpose = "time of MPI_Reduce, sum of floats",
             .ranks = BENCH_RANKS_ANY,
             .min_size = 4,
             .max_size = (size_t)1 << 20,
             .unit = 4,
             .iterations = 1000,
             .warmup = 200},
    .send_blocks = false,
    .receive_blocks = false,
    .call = call,
    .fill = fill,
    .wrong = wrong};

int main(int argc, char** argv) {
  return collective_main(&kCollective, argc, argv);
}
