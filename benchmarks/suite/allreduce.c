/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Time of MPI_Allreduce, sum of floats. */
#include "collective.h"

static void call(const struct collective_args* a) {
  MPI_Allreduce(a->send, a->receive, (int)(a->size / sizeof(float)), MPI_FLOAT, MPI_SUM,
                MPI_COMM_WORLD);
}

static const struct collective kCollective = {
    .spec = {.name = "allreduce",
             .purpose = "time of MPI_Allreduce, sum of floats",
             .ranks = BENCH_RANKS_ANY,
             .min_size = 4,
             .max_size = (size_t)1 << 20,
             .unit = 4,
             .iterations = 1000,
             .warmup = 200},
    .send_blocks = false,
    .receive_blocks = false,
    .call = call,
    .fill = collective_fill_floats,
    .wrong = collective_wrong_sums};

int main(int argc, char** argv) {
  return collective_main(&kCollective, argc, argv);
}
