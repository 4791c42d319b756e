/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * What the random tests of collectives share: buffers whose whole memory is compared, values that
 * every rank works out for itself, calls in every form and width of counts. */
#ifndef REMIT_TESTS_MPI_RANDOM_COLL_H
#define REMIT_TESTS_MPI_RANDOM_COLL_H

#include <stdbool.h>

#include "forms.h"

static uint64_t state; /* the same at all ranks */
static uint32_t salt;
static int below(int bound) {
  return (int)(check_next(&state) % (uint64_t)bound);
}

/* What `from` has for `to`, at index i. */
static uint32_t value(int from, int to, int i) {
  const uint32_t x =
      (salt + (uint32_t)from * 7919u + (uint32_t)to * 104729u + (uint32_t)i) * 2654435761u;
  return x ^ (x >> 15);
}

/* Elements of 4 bytes, `stride` of them apart; what is between them must stay as it is. */
struct buffer {
  uint32_t* now;
  uint32_t* before;
  uint32_t* after;
  size_t words;
  int stride;
  bool shared; /* from MPI_Alloc_mem */
  MPI_Datatype type;
};
static struct buffer out, in;
static MPI_Datatype spaced, pair;
static MPI_Op compose_op;

static void make(struct buffer* b, int elements, bool strided) {
  b->stride = strided ? 3 : 1;
  b->type = strided ? spaced : MPI_UINT32_T;
  b->words = (size_t)elements * (size_t)b->stride + 4;
  b->shared = below(3) == 0;
  if (b->shared) {
    OK(MPI_Alloc_mem((MPI_Aint)(4 * b->words), MPI_INFO_NULL, &b->now));
  } else {
    b->now = malloc(4 * b->words);
  }
  b->before = malloc(4 * b->words);
  b->after = malloc(4 * b->words);
  for (size_t i = 0; i < b->words; ++i) b->before[i] = b->after[i] = 0xeeeeeeeeu;
}
static void release(struct buffer* b) {
  if (b->shared) {
    OK(MPI_Free_mem(b->now));
  } else {
    free(b->now);
  }
  free(b->before);
  free(b->after);
}
static void refill(void) {
  memcpy(out.now, out.before, 4 * out.words);
  memcpy(in.now, in.before, 4 * in.words);
}
/* Puts a block that `from` has for `to` into a buffer's contents from element `at` on. */
static void put(uint32_t* words, const struct buffer* b, int at, int from, int to, int n) {
  for (int i = 0; i < n; ++i) words[(size_t)(at + i) * (size_t)b->stride] = value(from, to, i);
}

enum { kMost = 64 };
static bool wide; /* the functions whose counts are MPI_Count */
/* Blocks of a vector, in the types of both widths. */
static int counts[kMost], places[kMost];
static MPI_Count wide_counts[kMost];
static MPI_Aint wide_places[kMost];
static void set_block(int i, int count, int place) {
  wide_counts[i] = counts[i] = count;
  wide_places[i] = places[i] = place;
}
/* An operation in its form. CALL with the counts of the chosen width, VECTOR_CALL with an array of
 * them: BLOCKS stands for counts and places. */
#define FORM(Name, name, ...)                                        \
  (form == kBlocking      ? MPI_##Name(__VA_ARGS__, comm)            \
   : form == kNonblocking ? MPI_I##name(__VA_ARGS__, comm, &request) \
                          : MPI_##Name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, &request))
#define WIDE_FORM(Name, name, ...)                                       \
  (form == kBlocking      ? MPI_##Name##_c(__VA_ARGS__, comm)            \
   : form == kNonblocking ? MPI_I##name##_c(__VA_ARGS__, comm, &request) \
                          : MPI_##Name##_init_c(__VA_ARGS__, comm, MPI_INFO_NULL, &request))
#define CALL(Name, name, ...) \
  (wide ? WIDE_FORM(Name, name, __VA_ARGS__) : FORM(Name, name, __VA_ARGS__))

/* One side of an alltoallw: blocks of types and at places (in bytes) of their own. */
struct sides {
  int counts[kMost], places[kMost];
  MPI_Count wide_counts[kMost];
  MPI_Aint wide_places[kMost];
  MPI_Datatype types[kMost];
};
/* Block i, of `count` elements that `from` has for `to`, every other one strided. `room`: words of
 * each block. */
static void add_side(struct sides* side, uint32_t* words, int i, int count, int room, int from,
                     int to) {
  const int stride = (i + (int)(salt & 1)) % 2 == 0 ? 1 : 3;
  side->wide_counts[i] = side->counts[i] = count;
  side->wide_places[i] = side->places[i] = 4 * i * room;
  side->types[i] = stride == 1 ? MPI_UINT32_T : spaced;
  for (int k = 0; k < count; ++k) words[i * room + k * stride] = value(from, to, k);
}
static struct sides sent, got;

/* Pairs (a, b) as x -> a x + b, composed: associative, not commutative. */
static void compose(void* first, void* second, int* n, MPI_Datatype* type) {
  const uint32_t* left = first;
  uint32_t* right = second;
  (void)type;
  for (int i = 0; i < *n; ++i) {
    const uint32_t a = left[2 * i], b = left[2 * i + 1];
    right[2 * i + 1] += b * right[2 * i];
    right[2 * i] *= a;
  }
}

/* total = total op what rank r has, words [from, from + n). */
static void accumulate(uint32_t* total, int r, int from, int n, bool ordered) {
  if (!ordered) {
    for (int i = 0; i < n; ++i) total[i] += value(r, 0, from + i);
    return;
  }
  for (int i = 0; i + 1 < n; i += 2) {
    uint32_t right[2] = {value(r, 0, from + i), value(r, 0, from + i + 1)};
    int one = 1;
    compose(total + i, right, &one, NULL);
    memcpy(total + i, right, 8);
  }
}

/* The types and the operation. */
static void start_random(const char* name) {
  state = check_seed(name);
  OK(MPI_Type_create_resized(MPI_UINT32_T, 0, 12, &spaced));
  OK(MPI_Type_commit(&spaced));
  OK(MPI_Type_contiguous(2, MPI_UINT32_T, &pair));
  OK(MPI_Type_commit(&pair));
  OK(MPI_Op_create(compose, 0, &compose_op));
}
static void end_random(void) {
  OK(MPI_Op_free(&compose_op));
  OK(MPI_Type_free(&pair));
  OK(MPI_Type_free(&spaced));
}

/* Runs the operation that was called to its end, compares all memory, and gives it back. */
static bool judge(int code) {
  CHECK(code == MPI_SUCCESS);
  complete(refill);
  const bool right = memcmp(in.now, in.after, 4 * in.words) == 0 &&
                     memcmp(out.now, out.before, 4 * out.words) == 0;
  CHECK(right);
  release(&out);
  release(&in);
  return right;
}

#endif
