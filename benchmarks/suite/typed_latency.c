/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Half a ping-pong of derived datatypes. */
#include "typed.h"

static void call(const struct typed_args* a) {
  const int peer = 1 - a->rank;
  if (a->rank == 0) MPI_Send(a->from, a->count, a->type, peer, 1, MPI_COMM_WORLD);
  MPI_Recv(a->to, a->count, a->type, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (a->rank == 1) MPI_Send(a->from, a->count, a->type, peer, 1, MPI_COMM_WORLD);
}

static const struct bench_spec kSpec = {.name = "typed_latency",
                                        .purpose = "half a ping-pong of derived datatypes",
                                        .ranks = BENCH_RANKS_TWO,
                                        .min_size = 0,
                                        .max_size = 0,
                                        .unit = 1,
                                        .iterations = 1000,
                                        .warmup = 100,
                                        .buffers = true};
static const struct typed_program kProgram = {.spec = &kSpec, .call = call, .share = 2};

int main(int argc, char** argv) {
  return typed_main(&kProgram, argc, argv);
}
