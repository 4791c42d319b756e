/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Processes that work on the same cores while a benchmark measures. Needs no MPI. */
#ifndef REMIT_BENCHMARKS_SUITE_BENCH_NEIGHBOUR_H
#define REMIT_BENCHMARKS_SUITE_BENCH_NEIGHBOUR_H

#include <stdbool.h>
#include <stddef.h>

/** What the other process of a core does. */
enum bench_neighbour {
  BENCH_ALONE,   /**< there is none */
  BENCH_COMPUTE, /**< computes, in registers */
  BENCH_STREAM   /**< streams through memory */
};

enum { BENCH_CPU_BYTES = 128 }; /**< of a set of processors, as sched_getaffinity() tells it */

/** The neighbours that a process has started. */
struct bench_neighbours;

/** Sets *kind to the one that an option's value names; false if there is none. */
bool bench_neighbour_named(const char* name, enum bench_neighbour* kind);
/** What it does, as "computes". */
const char* bench_neighbour_work(enum bench_neighbour kind);

/** To be called before anything is done: in a process that bench_neighbours_start() has started it
 *  works, and does not return. */
void bench_neighbour_main(int argc, char** argv);

/** The processors that this process may use, as bits. */
void bench_cpus(unsigned char cpus[BENCH_CPU_BYTES]);

/** Starts one process for each of these processors, and returns when all work; null, and says why,
 *  if that fails. They are this program again, without MPI, and end with the thread that calls
 * this, however it ends. */
struct bench_neighbours* bench_neighbours_start(enum bench_neighbour kind,
                                                const unsigned char cpus[BENCH_CPU_BYTES]);
/** Ends them. Null is none. */
void bench_neighbours_stop(struct bench_neighbours* neighbours);

#endif
