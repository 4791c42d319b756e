/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* What a benchmark is, how it is asked to measure, and the table that it prints. Needs no MPI. */
#ifndef REMIT_BENCHMARKS_SUITE_BENCH_OPTIONS_H
#define REMIT_BENCHMARKS_SUITE_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "bench_memory.h"
#include "bench_neighbour.h"

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
  const char* usage;   /**< how a program without MPI is started; null: by mpirun */
  enum bench_ranks ranks;
  size_t min_size; /**< smallest message by default, bytes */
  size_t max_size; /**< largest message by default, bytes; 0: the program has no sizes */
  size_t unit;     /**< message sizes are multiples of this, bytes; smaller ones are skipped */
  int iterations;  /**< default for messages up to 8 KB; a tenth of it above */
  int warmup;      /**< likewise; not timed */
  bool window;     /**< the program sends windows of messages (-W, -b) */
  bool buffers;    /**< its data lie in bench_buffers (-a, -o, -r, -t) */
  bool collective; /**< what it times is a call of all ranks, with barriers between the calls, or
                        with them timed, or without (-B, -L) */
  bool requests;   /**< the call has a nonblocking form (-n) */
  bool one_sided;  /**< it works on the memory of windows (-w) */
  bool epochs;     /**< with each synchronization that there is (-S) */
};

/** How a window comes by its memory. */
enum bench_window {
  BENCH_ALLOCATE, /**< MPI_Win_allocate */
  BENCH_CREATE,   /**< MPI_Win_create, of memory from malloc or (-a) MPI_Alloc_mem */
  BENCH_DYNAMIC,  /**< such memory, attached to a window of MPI_Win_create_dynamic */
  BENCH_SHARED    /**< MPI_Win_allocate_shared */
};

/** What completes one-sided operations. */
enum bench_sync {
  BENCH_FLUSH,       /**< MPI_Win_flush, within one epoch of MPI_Win_lock_all */
  BENCH_FLUSH_LOCAL, /**< likewise, with a flush only before the clock stops */
  BENCH_LOCK,        /**< MPI_Win_lock, shared, and unlock */
  BENCH_LOCK_ALL,    /**< MPI_Win_lock_all and unlock_all */
  BENCH_FENCE,       /**< MPI_Win_fence of all */
  BENCH_PSCW         /**< start and complete, and post and wait at the target */
};

/** What is timed of calls of all ranks. */
enum bench_mode {
  BENCH_BETWEEN_BARRIERS, /**< each call, in which all begin together; not the barrier behind it */
  BENCH_WITH_BARRIER,     /**< -B: each call and the barrier behind it */
  BENCH_BACK_TO_BACK      /**< -L: a loop of calls without barriers */
};

enum { BENCH_MAX_SIZES = 128, BENCH_BATCHES = 10 };

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
  bool touch;        /**< -t: data are written before they are sent and read when they have come */
  enum bench_mode mode;
  enum bench_window win;               /**< -w */
  enum bench_sync sync;                /**< -S */
  struct bench_placement placement;    /**< -o, -r */
  enum bench_neighbour neighbour;      /**< -N */
  struct bench_neighbours* neighbours; /**< which this rank has started */
  size_t begins[2]; /**< by side: how far behind a page the first buffer begins, for the header */
  long errors;      /**< wrong bytes seen, by this rank */
  int exit_code;    /**< what main returns when bench_begin says no */
};

/** One line of the table; `value` in the program's unit, the others only shown with -f. */
struct bench_row {
  double value;
  double min;
  double max;
  int iterations;
};

/** Which of several programs with one source this is, by the name under which it was started: an
 * index into `count` rows of `bytes` each, which begin with the program's name, a const char*; -1,
 * and says which there are, if it is none of them. */
int bench_choose(const char* argv0, const void* rows, size_t count, size_t bytes);

/** Reads the options into *b, whose rank and ranks are known. False: help or a mistake was printed
 *  (once, by rank 0), and main returns `exit_code`. */
bool bench_parse(struct bench* b, const struct bench_spec* spec, int argc, char** argv);

/** False: buffers of `bytes` are too large to rotate as was asked; rank 0 has said so. */
bool bench_can_rotate(const struct bench* b, size_t bytes);

/** Iterations for messages of `size` bytes. */
int bench_iterations(const struct bench* b, size_t size);
/** Warm-up iterations for messages of `size` bytes. */
int bench_warmup(const struct bench* b, size_t size);
/** With -f the iterations are timed in BENCH_BATCHES batches, whose best and worst are shown, else
 * in the first one; how many there are in this one. */
int bench_batch(const struct bench* b, int iterations, int batch);
/** Exchanges of which every byte is checked with -c. */
int bench_checked_rounds(const struct bench* b, size_t size);
/** The largest message size to be measured, bytes. */
size_t bench_largest(const struct bench* b);

/** Prints what is measured and under which conditions, as lines that begin with # (rank 0). */
void bench_describe(const struct bench* b);
/** Prints that and the table's header (rank 0). `value`: title of the value, e.g. "Latency (us)";
 *  `second`: that of another column, or null. */
void bench_header(const struct bench* b, const char* value, const char* second);
/** Prints a line. `second`: negative if there is no such column; `errors`: of all ranks, with -c.
 */
void bench_print_row(const struct bench* b, size_t size, const struct bench_row* row, double second,
                     long errors);

#endif
