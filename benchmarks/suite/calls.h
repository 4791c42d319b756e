/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The data of collective calls, what must come of them, and the loop that times them. Needs no MPI:
 * the suite calls MPI's functions in it, raw_collectives loops of its own. */
#ifndef REMIT_BENCHMARKS_SUITE_CALLS_H
#define REMIT_BENCHMARKS_SUITE_CALLS_H

#include "bench_options.h"

/** The data of one call: `size` is the message size, bytes; a buffer of blocks has one of `size`
 *  bytes for each rank. `round` makes the data of successive calls differ. */
struct call_data {
  char* send;
  char* receive; /**< of a broadcast `send` is used at the root, and this elsewhere */
  size_t size;
  int rank;
  int ranks;
  int round;
};

/** What an operation does with its data. */
struct call_kind {
  size_t unit;         /**< message sizes are multiples of this, bytes */
  bool send_blocks;    /**< the send buffer has one block for each rank, else one block */
  bool receive_blocks; /**< likewise the receive buffer */
  void (*fill)(const struct call_data* d);  /**< writes the data to be sent */
  long (*wrong)(const struct call_data* d); /**< wrong bytes or elements received */
};

extern const struct call_kind kFromRoot;     /**< broadcast */
extern const struct call_kind kGathered;     /**< gather */
extern const struct call_kind kScattered;    /**< scatter */
extern const struct call_kind kAllGathered;  /**< allgather */
extern const struct call_kind kExchanged;    /**< alltoall */
extern const struct call_kind kSumAtRoot;    /**< reduce, of floats */
extern const struct call_kind kSum;          /**< allreduce */
extern const struct call_kind kShares;       /**< reduce_scatter */
extern const struct call_kind kEqualShares;  /**< reduce_scatter_block */
extern const struct call_kind kPrefix;       /**< scan */
extern const struct call_kind kPrefixBefore; /**< exscan */

/** The root of the rooted operations. */
enum { CALL_ROOT = 0 };

/** Floats of a rank where all have equally many of a vector of about `size` bytes; 1 at least. */
int call_equal_share(const struct call_data* d);
/** Floats of `rank` where a vector of `size` bytes is dealt out as evenly as possible. */
int call_share(const struct call_data* d, int rank);
/** Bytes of the buffers for messages of up to `largest` bytes. */
size_t call_bytes(const struct call_kind* kind, enum bench_side side, size_t largest, int ranks);

/** How calls are made and timed. */
struct call_loop {
  const struct bench* bench;
  const struct call_kind* kind; /**< null: the call has no data */
  struct call_data data;
  struct bench_buffers send, receive; /**< unused without data */
  void (*call)(void* context);        /**< one call with `data` */
  void (*barrier)(void* context);
  void* context;
};

/** Microseconds of a call of this rank, as the bench's mode says and with its iterations; with
 * touch the time in which the data are written and read is in it, and what was wrong is added to
 *  *wrong. */
double call_time(struct call_loop* loop, long* wrong);
/** Makes `rounds` calls whose data are checked; what is wrong. */
long call_check(struct call_loop* loop, int rounds);

#endif
