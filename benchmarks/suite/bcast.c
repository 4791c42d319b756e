/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Time of MPI_Bcast. */
#include "collective.h"

static void call(const struct collective_args* a) {
  MPI_Bcast(a->receive, (int)a->size, MPI_CHAR, COLLECTIVE_ROOT, MPI_COMM_WORLD);
}

static void fill(const struct collective_args* a) {
  if (a->rank == COLLECTIVE_ROOT) bench_fill(a->receive, a->size, collective_seed(a, 0, 0));
}

static long wrong(const struct collective_args* a) {
  return bench_wrong(a->receive, a->size, collective_seed(a, 0, 0));
}

static const struct collective kCollective = {.spec = {.name = "bcast",
                                                       .purpose = "time of MPI_Bcast",
                                                       .ranks = BENCH_RANKS_ANY,
                                                       .min_size = 1,
                                                       .max_size = (size_t)1 << 20,
                                                       .unit = 1,
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
