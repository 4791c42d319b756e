/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Bandwidth of windows of messages, one direction. */
#include "pairs.h"

static const struct bench_spec kSpec = {
    .name = "bw",
    .purpose = "bandwidth of windows of messages, one direction",
    .ranks = BENCH_RANKS_TWO,
    .min_size = 1,
    .max_size = (size_t)4 << 20,
    .unit = 1,
    .iterations = 1000,
    .warmup = 100,
    .window = true,
    .buffers = true};

int main(int argc, char** argv) {
  return pairs_window_main(&kSpec, PAIRS_BANDWIDTH, argc, argv);
}
