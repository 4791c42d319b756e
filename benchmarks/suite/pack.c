/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Time of MPI_Pack of derived datatypes. */
#include "typed.h"

static void call(const struct typed_args* a) {
  int position = 0;
  MPI_Pack(a->from, a->count, a->type, a->to, a->packed_bytes, &position, MPI_COMM_WORLD);
}

static const struct bench_spec kSpec = {.name = "pack",
                                        .purpose = "time of MPI_Pack of derived datatypes",
                                        .ranks = BENCH_RANKS_ANY,
                                        .min_size = 0,
                                        .max_size = 0,
                                        .unit = 1,
                                        .iterations = 1000,
                                        .warmup = 100,
                                        .buffers = true};
static const struct typed_program kProgram = {
    .spec = &kSpec, .call = call, .to_packed = true, .share = 1};

int main(int argc, char** argv) {
  return typed_main(&kProgram, argc, argv);
}
