/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Half a ping-pong, all pairs at once. */
#include "pairs.h"

static const struct bench_spec kSpec = {.name = "multi_lat",
                                        .purpose = "half a ping-pong, all pairs at once",
                                        .ranks = BENCH_RANKS_EVEN,
                                        .min_size = 1,
                                        .max_size = (size_t)4 << 20,
                                        .unit = 1,
                                        .iterations = 10000,
                                        .warmup = 1000,
                                        .buffers = true};

int main(int argc, char** argv) {
  return pairs_latency_main(&kSpec, argc, argv);
}
