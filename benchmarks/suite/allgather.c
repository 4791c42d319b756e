/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Time of MPI_Allgather. */
#include "collective.h"

static void call(const struct collective_args* a) {
  MPI_Allgather(a->send, (int)a->size, MPI_CHAR, a->receive, (int)a->size, MPI_CHAR,
                MPI_COMM_WORLD);
}

static void fill(const struct collective_args* a) {
  bench_fill(a->send, a->size, collective_seed(a, a->rank, 0));
}

static long wrong(const struct collective_args* a) {
  long bad = 0;
  for (int i = 0; i < a->ranks; ++i) {
    bad += bench_wrong(a->receive + (size_t)i * a->size, a->size, collective_seed(a, i, 0));
  }
  return bad;
}

static const struct collective kCollective = {.spec = {.name = "allgather",
                                                       .purpose = "time of MPI_Allgather",
                                                       .ranks = BENCH_RANKS_ANY,
                                                       .min_size = 1,
                                                       .max_size = (size_t)1 << 20,
                                                       .unit = 1,
                                                       .iterations = 1000,
                                                       .warmup = 200},
                                              .send_blocks = false,
                                              .receive_blocks = true,
                                              .call = call,
                                              .fill = fill,
                                              .wrong = wrong};

int main(int argc, char** argv) {
  return collective_main(&kCollective, argc, argv);
}
