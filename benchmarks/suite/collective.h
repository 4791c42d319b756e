/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The measuring loop of the collective benchmarks; each program adds its call, its data, its check.
 */
#ifndef REMIT_BENCHMARKS_SUITE_COLLECTIVE_H
#define REMIT_BENCHMARKS_SUITE_COLLECTIVE_H

#include "bench_common.h"

/** One call of a collective: `size` is the message size, bytes; a buffer of blocks has one of
 *  `size` bytes for each rank. `round` makes the data of successive checked calls differ. */
struct collective_args {
  char* send;
  char* receive;
  size_t size;
  int rank;
  int ranks;
  int round;
};

/** A collective benchmark. */
struct collective {
  struct bench_spec spec;
  bool send_blocks;    /**< the send buffer has one block for each rank, else one block */
  bool receive_blocks; /**< likewise the receive buffer */
  void (*call)(const struct collective_args* a);
  void (*fill)(const struct collective_args* a);  /**< writes the data to be sent */
  long (*wrong)(const struct collective_args* a); /**< wrong bytes or elements received */
};

/** The root of the rooted collectives. */
enum { COLLECTIVE_ROOT = 0 };

/** Seed of the block that `source` sends to `target` (0 if it sends the same to all). */
unsigned collective_seed(const struct collective_args* a, int source, int target);
/** Writes floats whose sum over the ranks is exact. */
void collective_fill_floats(const struct collective_args* a);
/** Elements of `receive` that are not that sum. */
long collective_wrong_sums(const struct collective_args* a);

/** Times `c` over all sizes: the average over the ranks of each rank's time in the call, with a
 *  barrier (not timed) between calls; returns main's exit status. */
int collective_main(const struct collective* c, int argc, char** argv);

#endif
