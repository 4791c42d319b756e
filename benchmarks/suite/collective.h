/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The benchmarks of collectives (collective.c); their calls are rows of collectives.c, their data
 * and the loop that times them are in calls.c. */
#ifndef REMIT_BENCHMARKS_SUITE_COLLECTIVE_H
#define REMIT_BENCHMARKS_SUITE_COLLECTIVE_H

#include "bench_common.h"
#include "calls.h"

/** One call of a collective. */
struct collective_args {
  const struct call_data* data;
  int* counts; /**< for each rank: the size of a block */
  int* displs; /**< and where its block begins, bytes; what does not fit an int is not measured */
  int* shares; /**< floats of a vector, dealt out as evenly as possible */
  MPI_Datatype* types; /**< MPI_CHAR for each rank */
};

/** A collective benchmark. */
struct collective {
  const char* name;
  const char* purpose;
  const struct call_kind* kind; /**< null: it has no data */
  void (*call)(const struct collective_args* a);
  void (*start)(const struct collective_args* a, MPI_Request* request); /**< the nonblocking form */
};

/** Times `c` over all sizes: the average over the ranks of each rank's time in the call (with -n:
 * in the nonblocking form and MPI_Wait), with a barrier between calls, which is timed with -B only,
 * or (-L) without barriers; returns main's exit status. */
int collective_main(const struct collective* c, int argc, char** argv);

#endif
