/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Memory that a window exposes: buffers, as the options say, and one word for flags and counters.
 */
#ifndef REMIT_BENCHMARKS_SUITE_EXPOSED_H
#define REMIT_BENCHMARKS_SUITE_EXPOSED_H

#include <stdint.h>

#include "bench_common.h"

/** Where a rank's part of a window begins, as displacements. */
struct exposed_place {
  MPI_Aint first; /**< its first buffer */
  MPI_Aint word;
};

/** A window of all ranks, and this rank's memory in it. All ranks have the same buffers and use
 * them in the same order, so that an origin knows where the target's next one is. */
struct exposed {
  const struct bench* bench;
  MPI_Win win;
  void* memory; /**< this rank's */
  struct bench_buffers buffers;
  volatile int64_t* word;       /**< alone in its cache line; zero at first */
  struct exposed_place* places; /**< by rank */
};

/** Makes a window of the kind that the options say, with `room` bytes of this rank; where the
 * window does not bring memory itself, *memory is what it gets. Collective. */
void exposed_open(const struct bench* b, size_t room, void** memory, MPI_Win* win);
/** Frees it. Memory that it did not bring stays. Collective. */
void exposed_close(const struct bench* b, void* memory, MPI_Win* win);
/** Whether windows of that kind bring memory. */
bool exposed_brings_memory(const struct bench* b);

/** Makes a window with buffers of one side, each of up to `bytes`, and `together` of them if they
 * do not rotate. Collective. */
void exposed_make(struct bench* b, enum bench_side side, size_t bytes, size_t together,
                  struct exposed* exposed);
void exposed_free(struct exposed* exposed);

/** The displacement of the target's next buffer; this rank's next one is the one after it, too. */
MPI_Aint exposed_next(struct exposed* exposed, int target);

/** Between these two this rank may read and write its own part, if no epoch is open at this rank.
 */
void exposed_own(struct exposed* exposed);
void exposed_release(struct exposed* exposed);

#endif
