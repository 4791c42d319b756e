/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Bandwidth and message rate of all pairs. */
#include "pairs.h"

static const struct bench_spec kSpec = {.name = "mbw_mr",
                                        .purpose = "bandwidth and message rate of all pairs",
                                        .ranks = BENCH_RANKS_EVEN,
                                        .min_size = 1,
                                        .max_size = (size_t)4 << 20,
                                        .unit = 1,
                                        .iterations = 1000,
                                        .warmup = 100,
                                        .window = true,
                                        .buffers = true};

int main(int argc, char** argv) {
  return pairs_window_main(&kSpec, PAIRS_MESSAGE_RATE, argc, argv);
}
