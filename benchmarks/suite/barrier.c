/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Time of MPI_Barrier. */
#include "collective.h"

static void call(const struct collective_args* a) {
  (void)a;
  MPI_Barrier(MPI_COMM_WORLD);
}

static const struct collective kCollective = {.spec = {.name = "barrier",
                                                       .purpose = "time of MPI_Barrier",
                                                       .ranks = BENCH_RANKS_ANY,
                                                       .min_size = 0,
                                                       .max_size = 0,
                                                       .unit = 1,
                                                       .iterations = 1000,
                                                       .warmup = 200},
                                              .send_blocks = false,
                                              .receive_blocks = false,
                                              .call = call,
                                              .fill = NULL,
                                              .wrong = NULL};

int main(int argc, char** argv) {
  return collective_main(&kCollective, argc, argv);
}
