/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* What every program of the suite shares: options, buffers, data patterns, timing, output columns.
 */
#ifndef REMIT_BENCHMARKS_SUITE_BENCH_COMMON_H
#define REMIT_BENCHMARKS_SUITE_BENCH_COMMON_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/** How many ranks a program runs with. */
enum bench_ranks {
  BENCH_RANKS_ANY,      /**< one or more */
  BENCH_RANKS_TWO,      /**< exactly two */
  BENCH_RANKS_EVEN,     /**< an even number: the first half is paired with the second half */
  BENCH_RANKS_AT_LEAST2 /**< two or more */
};

/** What a program is: its name, its defaults and the options that make sense for it. */
struct bench_spec {
  const char* name;
  const char* purpose; /**< one line for -h and the header of the table */
  enum bench_ranks ranks;
  size_t min_size; /**< smallest message by default, bytes */
  size_t max_size; /**< largest message by default, bytes; 0: the program has no sizes */
  size_t unit;     /**< message sizes are multiples of this, bytes; smaller ones are skipped */
  int iterations;  /**< default for messages up to 8 KB; a tenth of it above */
  int warmup;      /**< likewise; not timed */
  bool window;     /**< the program sends windows of messages (-W, -b) */
  bool collective; /**< the call is a collective: it has a nonblocking form (-n), and may be timed
                        with the barriers between the calls (-B) */
};

enum { BENCH_MAX_SIZES = 128 };

/** One running benchmark: the parsed options and this rank's place. */
struct bench {
  const struct bench_spec* spec;
  int rank;
  int ranks;
  size_t sizes[BENCH_MAX_SIZES]; /**< message sizes to measure, in order, bytes */
  int size_count;
  int iterations;    /**< -i; 0: the default for each size */
  int warmup;        /**< -x; -1: the default for each size */
  int window;        /**< -W: messages in flight */
  bool many_buffers; /**< -b multiple: each message of a window has its own buffer */
  bool validate;     /**< -c */
  bool alloc_mem;    /**< -a */
  bool full;         /**< -f */
  bool nonblocking;  /**< -n: the nonblocking form, and MPI_Wait */
  bool with_barrier; /**< -B: time the barrier behind each call, too */
  long errors;       /**< wrong bytes seen, by this rank */
  int exit_code;     /**< what main returns when bench_begin says no */
};

/** One line of the table; `value` in the program's unit, the others only shown with -f. */
struct bench_row {
  double value;
  double min;
  double max;
  int iterations;
};

/** Initializes MPI and reads the options. False: help or a mistake was printed (once, by rank 0),
 *  MPI is finalized, and main returns `exit_code`. */
bool bench_begin(struct bench* b, const struct bench_spec* spec, int argc, char** argv);

/** Finalizes MPI; returns main's exit status: 1 if any rank saw wrong data. */
int bench_end(struct bench* b);

/** Iterations for messages of `size` bytes. */
int bench_iterations(const struct bench* b, size_t size);
/** Warm-up iterations for messages of `size` bytes. */
int bench_warmup(const struct bench* b, size_t size);
/** Exchanges of which every byte is checked with -c. */
int bench_checked_rounds(const struct bench* b, size_t size);
/** The largest message size to be measured, bytes. */
size_t bench_largest(const struct bench* b);

/** Page-aligned memory of `bytes`, every page touched; ends the job if there is none. */
void* bench_alloc(const struct bench* b, size_t bytes);
void bench_free(const struct bench* b, void* memory);

/** Writes the pattern of `seed`: neighbouring blocks and neighbouring seeds differ. */
void bench_fill(void* buffer, size_t bytes, unsigned seed);
/** Number of bytes that differ from the pattern of `seed`. */
long bench_wrong(const void* buffer, size_t bytes, unsigned seed);

/** Monotonic time in seconds (the same clock whatever the MPI library). */
double bench_now(void);

/** Prints the table's header (rank 0). `columns`: title of the value, e.g. "Latency (us)". */
void bench_header(const struct bench* b, const char* value, const char* second);
/** Prints a line (rank 0) and, with -c, whether all ranks' data was right. Collective.
 *  `errors`: wrong bytes this rank saw at this size. `second`: negative if there is no such column.
 */
void bench_print(struct bench* b, size_t size, const struct bench_row* row, double second,
                 long errors);

#endif
