/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Where the data of a benchmark lie, and the patterns in them. Needs no MPI. */
#ifndef REMIT_BENCHMARKS_SUITE_BENCH_MEMORY_H
#define REMIT_BENCHMARKS_SUITE_BENCH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

enum { BENCH_PAGE = 4096 };

/** The two kinds of buffers. */
enum bench_side {
  BENCH_SOURCE,     /**< data are sent from there */
  BENCH_DESTINATION /**< and received there */
};

/** Where buffers are to lie. All zero: one of each side, as malloc gives it. */
struct bench_placement {
  bool placed; /**< each begins `offset` bytes behind a page, by side; else as malloc gives it */
  size_t offset[2]; /**< below BENCH_PAGE */
  size_t rotate;    /**< bytes a side of which each call takes another buffer; 0: always the same */
};

/** The buffers of one side. They are used in turn; often it is one. */
struct bench_buffers {
  char* first;
  size_t stride; /**< from one to the next, bytes */
  size_t count;
  size_t step; /**< how many further the next one is that is used, modulo `count` */
  size_t at;   /**< the next one to be used */
  const struct bench_placement* placement;
  size_t together; /**< without rotation: how many there are, for calls in flight at once */
  char* memory;    /**< what they lie in */
  size_t room;     /**< and its bytes */
};

/** Bytes of memory for the buffers of a side, each of up to `bytes`, `together` of them if they do
 *  not rotate. */
size_t bench_buffers_room(const struct bench_placement* placement, size_t bytes, size_t together);

/** Makes buffers out of `memory`, which has that room for them and stays the caller's. */
void bench_buffers_make(struct bench_buffers* buffers, const struct bench_placement* placement,
                        enum bench_side side, char* memory, size_t bytes, size_t together);

/** From here on buffers of `bytes`, no more than they were made for. */
void bench_buffers_divide(struct bench_buffers* buffers, size_t bytes);

/** The least --rotate with which two buffers of `bytes` alternate. */
size_t bench_least_rotation(const struct bench_placement* placement, size_t bytes);

/** The buffer of the next call. Those that rotate come in an order that no prefetcher foresees. */
static inline char* bench_next(struct bench_buffers* buffers) {
  char* const buffer = buffers->first + buffers->at * buffers->stride;
  buffers->at += buffers->step;
  if (buffers->at >= buffers->count) buffers->at -= buffers->count;
  return buffer;
}

/** Writes the pattern of `seed`, about as fast as memory is copied: neighbouring blocks and
 *  neighbouring seeds differ. */
void bench_fill(void* buffer, size_t bytes, unsigned seed);
/** Number of bytes that differ from the pattern of `seed`; as fast, if it is none. */
long bench_wrong(const void* buffer, size_t bytes, unsigned seed);

/** Writes `count` floats of small whole numbers, at any address: those of `round` from the one with
 *  the index 0 on, each greater by `rank`. */
void bench_fill_floats(void* buffer, size_t count, int rank, int round);
/** How many of `count` floats are not the sums of what bench_fill_floats() writes on the first
 *  `ranks` ranks, from the index `first` on. */
long bench_wrong_sums(const void* buffer, size_t count, size_t first, int ranks, int round);

/** Monotonic time in seconds (the same clock whatever the MPI library). */
double bench_now(void);

#endif
