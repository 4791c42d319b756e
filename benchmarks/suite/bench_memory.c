/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Where the data of a benchmark lie, and the patterns in them. */
#define _GNU_SOURCE
#include "bench_memory.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

/* What malloc of glibc does: a block begins behind 16 bytes of its own, and from 128 KB on it is a
   mapping. A smaller buffer that rotates has cache lines of its own all the same. */
enum { kMallocHeader = 16, kMapped = 128 << 10, kCacheLine = 64, kWords = 16 };

static size_t round_up(size_t value, size_t unit) {
  return (value + unit - 1) / unit * unit;
}

static size_t stride_of(const struct bench_placement* placement, size_t bytes) {
  if (placement->placed) return round_up(bytes > 0 ? bytes : 1, BENCH_PAGE);
  return round_up(bytes + kMallocHeader, bytes >= kMapped ? BENCH_PAGE : kCacheLine);
}

size_t bench_buffers_room(const struct bench_placement* placement, size_t bytes, size_t together) {
  const size_t plain = bytes > 0 ? bytes : 1;
  const size_t slack = 2 * (size_t)BENCH_PAGE; /* up to the first page, and behind it */
  if (placement->rotate > 0) return placement->rotate + slack;
  if (!placement->placed && together == 1) return plain;
  return stride_of(placement, bytes) * together + slack;
}

size_t bench_least_rotation(const struct bench_placement* placement, size_t bytes) {
  return 2 * stride_of(placement, bytes);
}

static size_t common_divisor(size_t a, size_t b) {
  while (b > 0) {
    const size_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* How far to go among `count` buffers so that each is used once before any is used again: about the
   golden section, which spreads neighbours in time over the memory. */
static size_t step_among(size_t count) {
  size_t step = (size_t)((double)count * 0.618);
  if (step < 1) step = 1;
  while (common_divisor(count, step) != 1) ++step;
  return step;
}

void bench_buffers_divide(struct bench_buffers* buffers, size_t bytes) {
  const struct bench_placement* placement = buffers->placement;
  buffers->at = 0;
  buffers->stride = stride_of(placement, bytes);
  buffers->count = buffers->together;
  buffers->step = 1;
  if (placement->rotate == 0) return;
  buffers->count = placement->rotate / buffers->stride;
  if (buffers->count == 0) buffers->count = 1;
  buffers->step = step_among(buffers->count);
}

void bench_buffers_make(struct bench_buffers* buffers, const struct bench_placement* placement,
                        enum bench_side side, char* memory, size_t bytes, size_t together) {
  const size_t behind = round_up((size_t)(uintptr_t)memory, BENCH_PAGE) - (size_t)(uintptr_t)memory;
  buffers->memory = memory;
  buffers->room = bench_buffers_room(placement, bytes, together);
  buffers->placement = placement;
  buffers->together = together;
  if (placement->placed) {
    buffers->first = memory + behind + placement->offset[side];
  } else {
    const bool whole = placement->rotate == 0 && together == 1;
    buffers->first = whole ? memory : memory + behind + kMallocHeader;
  }
  bench_buffers_divide(buffers, bytes);
}

/* --- patterns ------------------------------------------------------------------------------ */

/* Words of 32 bits, each a multiplicative hash of its position: no period that a chunk size could
   hide. They are made sixteen at a time, since compilers turn that into vector instructions, and
   copied, since buffers begin at any address. */
static const uint32_t kGolden = 2654435761u;

static void first_words(uint32_t words[kWords], unsigned seed) {
  for (uint32_t i = 0; i < kWords; ++i) words[i] = (seed * 40503u + i) * kGolden;
}

static void next_words(uint32_t words[kWords]) {
  for (int i = 0; i < kWords; ++i) words[i] += kWords * kGolden;
}

void bench_fill(void* buffer, size_t bytes, unsigned seed) {
  uint32_t words[kWords];
  char* to = buffer;
  first_words(words, seed);
  for (; bytes >= sizeof words; bytes -= sizeof words, to += sizeof words) {
    memcpy(to, words, sizeof words);
    next_words(words);
  }
  memcpy(to, words, bytes);
}

static long count_wrong(const unsigned char* buffer, size_t bytes, unsigned seed) {
  uint32_t words[kWords];
  unsigned char expected[sizeof words];
  long wrong = 0;
  first_words(words, seed);
  for (size_t i = 0; i < bytes; ++i) {
    if (i > 0 && i % sizeof words == 0) next_words(words);
    memcpy(expected, words, sizeof words);
    wrong += buffer[i] != expected[i % sizeof words];
  }
  return wrong;
}

long bench_wrong(const void* buffer, size_t bytes, unsigned seed) {
  uint32_t words[kWords], seen[kWords], differ[kWords] = {0};
  const char* from = buffer;
  size_t left = bytes;
  first_words(words, seed);
  for (; left >= sizeof words; left -= sizeof words, from += sizeof words) {
    memcpy(seen, from, sizeof words);
    for (int i = 0; i < kWords; ++i) differ[i] |= seen[i] ^ words[i];
    next_words(words);
  }
  uint32_t any = memcmp(from, words, left) != 0;
  for (int i = 0; i < kWords; ++i) any |= differ[i];
  return any == 0 ? 0 : count_wrong(buffer, bytes, seed);
}

/* Below 128, and without a period below eight megabytes: sums over many ranks are exact. */
static inline int small_number(uint32_t index) {
  return (int)((index ^ index >> 7 ^ index >> 14) & 127u);
}

void bench_fill_floats(void* buffer, size_t count, int rank, int round) {
  float values[kWords];
  char* to = buffer;
  uint32_t index = (uint32_t)round;
  for (; count > 0; index += kWords) {
    const size_t now = count < kWords ? count : kWords;
    for (uint32_t i = 0; i < kWords; ++i) values[i] = (float)(small_number(index + i) + rank);
    if (now == kWords) {
      memcpy(to, values, sizeof values);
    } else {
      memcpy(to, values, now * sizeof *values);
    }
    to += now * sizeof *values;
    count -= now;
  }
}

static long wrong_values(const float values[kWords], uint32_t index, int ranks, size_t count) {
  const int more = ranks * (ranks - 1) / 2;
  int wrong = 0;
  for (uint32_t i = 0; i < kWords; ++i) {
    const int differs = values[i] != (float)(small_number(index + i) * ranks + more);
    wrong += differs & (i < count);
  }
  return wrong;
}

long bench_wrong_sums(const void* buffer, size_t count, size_t first, int ranks, int round) {
  float values[kWords] = {0};
  const char* from = buffer;
  uint32_t index = (uint32_t)first + (uint32_t)round;
  long wrong = 0;
  for (; count >= kWords; count -= kWords, from += sizeof values, index += kWords) {
    memcpy(values, from, sizeof values);
    wrong += wrong_values(values, index, ranks, kWords);
  }
  memcpy(values, from, count * sizeof *values);
  return wrong + wrong_values(values, index, ranks, count);
}

double bench_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
