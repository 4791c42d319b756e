/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The measuring loop of the collective benchmarks (collective.c); their calls, data and checks are
 * rows of collectives.c. */
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
  int* counts; /**< for each rank: `size` */
  int* displs; /**< and where its block begins, bytes; what does not fit an int is not measured */
  int* shares; /**< floats of a vector of `size` bytes, dealt out as evenly as possible */
  MPI_Datatype* types; /**< MPI_CHAR for each rank */
};

/** A collective benchmark. */
struct collective {
  const char* name;
  const char* purpose;
  size_t unit;         /**< message sizes are multiples of this, bytes */
  bool send_blocks;    /**< the send buffer has one block for each rank, else one block */
  bool receive_blocks; /**< likewise the receive buffer */
  void (*call)(const struct collective_args* a);
  void (*start)(const struct collective_args* a, MPI_Request* request); /**< the nonblocking form */
  void (*fill)(const struct collective_args* a);  /**< writes the data to be sent; null: no sizes */
  long (*wrong)(const struct collective_args* a); /**< wrong bytes or elements received */
};

/** The root of the rooted collectives. */
enum { COLLECTIVE_ROOT = 0 };

/** Seed of the block that `source` sends to `target` (0 if it sends the same to all). */
unsigned collective_seed(const struct collective_args* a, int source, int target);
/** Floats of each rank where all have equally many of a vector of about `size` bytes; 1 at least.
 */
int collective_share(const struct collective_args* a);
/** Writes so many floats, whose sum over ranks is exact. */
void collective_fill_floats(const struct collective_args* a, size_t count);
/** How many of the `count` floats in `receive` are not the sum over the first `ranks` ranks of the
 *  floats with the indices from `first` on. */
long collective_wrong_sums(const struct collective_args* a, int ranks, size_t first, size_t count);

/** Times `c` over all sizes: the average over the ranks of each rank's time in the call (with -n:
 * in the nonblocking form and MPI_Wait), with a barrier between calls, which is timed with -B only;
 * returns main's exit status. */
int collective_main(const struct collective* c, int argc, char** argv);

#endif
