/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Time of MPI_Pack of derived datatypes. */
#include "typed.h"

static void call(const struct typed_args* a) {
  int position = 0;
  MPI_Pack(a->memory, a->count, a->type, a->packed, a->packed_bytes, &position, MPI_COMM_WORLD);
}

static const struct bench_spec kSpec = {.name = "pack",
                                        .purpose = "time of MPI_Pack of derived datatypes",
                                        .ranks = BENCH_RANKS_ANY,
                                        .min_size = 0,
                                        .max_size = 0,
                                        .unit = 1,
                                        .iterations = 1000,
                                        .warmup = 100};

int main(int argc, char** argv) {
  return typed_main(&kSpec, call, 1, argc, argv);
}
