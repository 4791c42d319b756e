/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* What every program of the suite shares that needs MPI: begin and end, buffers, lines of output.
 */
#ifndef REMIT_BENCHMARKS_SUITE_BENCH_COMMON_H
#define REMIT_BENCHMARKS_SUITE_BENCH_COMMON_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench_memory.h"
#include "bench_options.h"

/** Initializes MPI, reads the options and starts the neighbours. False: help or a mistake was
 *  printed (once, by rank 0), MPI is finalized, and main returns `exit_code`. */
bool bench_begin(struct bench* b, const struct bench_spec* spec, int argc, char** argv);

/** Ends the neighbours, finalizes MPI; returns main's exit status: 1 if any rank saw wrong data. */
int bench_end(struct bench* b);

/** Ends this rank with exit status 2, for a mistake in the options that rank 0 has named, which all
 *  ranks find. */
void bench_refuse(struct bench* b);

/** Buffers of one side for calls of up to `bytes`, as the options say, every page touched;
 *  `together` of them if they do not rotate. Ends the job if they cannot be had. */
void bench_make_buffers(struct bench* b, enum bench_side side, size_t bytes, size_t together,
                        struct bench_buffers* buffers);
/** Memory of `room` bytes from malloc or, as the options say, MPI_Alloc_mem; ends the job if it
 * cannot be had. */
void* bench_take_memory(const struct bench* b, size_t room);
void bench_return_memory(const struct bench* b, void* memory);
/** Touches such memory, which has the room that bench_buffers_room() says, and makes the buffers of
 *  one side out of it. */
void bench_place_buffers(struct bench* b, enum bench_side side, void* memory, size_t bytes,
                         size_t together, struct bench_buffers* buffers);
void bench_free_buffers(const struct bench* b, struct bench_buffers* buffers);

/** Memory of `bytes` as malloc gives it, cleared; ends the job if there is none. */
void* bench_alloc(const struct bench* b, size_t bytes);

/** Prints a line (rank 0) and, with -c, whether all ranks' data was right. Collective.
 *  `errors`: wrong bytes this rank saw at this size. `second`: negative if there is no such column.
 */
void bench_print(struct bench* b, size_t size, const struct bench_row* row, double second,
                 long errors);

#endif
