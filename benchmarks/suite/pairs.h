/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Point-to-point measurements between pairs of ranks: ping-pong, and windows of messages. */
#ifndef REMIT_BENCHMARKS_SUITE_PAIRS_H
#define REMIT_BENCHMARKS_SUITE_PAIRS_H

#include "bench_common.h"

/** How a window of messages flows, and what the table shows. */
enum pairs_kind {
  PAIRS_BANDWIDTH,     /**< first half to second half, MB/s of all pairs */
  PAIRS_BIDIRECTIONAL, /**< both directions at once, MB/s of both */
  PAIRS_MESSAGE_RATE   /**< like BANDWIDTH, with a column of messages a second */
};

/** Half the round trip of a blocking send and receive, averaged over the pairs; returns main's
 *  exit status. */
int pairs_latency_main(const struct bench_spec* spec, int argc, char** argv);

/** Windows of nonblocking messages; returns main's exit status. */
int pairs_window_main(const struct bench_spec* spec, enum pairs_kind kind, int argc, char** argv);

#endif
