/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Time of MPI_Unpack of derived datatypes. */
#include "typed.h"

static void call(const struct typed_args* a) {
  int position = 0;
  MPI_Unpack(a->from, a->packed_bytes, &position, a->to, a->count, a->type, MPI_COMM_WORLD);
}

static const struct bench_spec kSpec = {.name = "unpack",
                                        .purpose = "time of MPI_Unpack of derived datatypes",
                                        .ranks = BENCH_RANKS_ANY,
                                        .min_size = 0,
                                        .max_size = 0,
                                        .unit = 1,
                                        .iterations = 1000,
                                        .warmup = 100,
                                        .buffers = true};
static const struct typed_program kProgram = {
    .spec = &kSpec, .call = call, .from_packed = true, .share = 1};

int main(int argc, char** argv) {
  return typed_main(&kProgram, argc, argv);
}
