/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Operations with random derived types on both sides, against a model of what each rank has written
 * to the others. */
#include "windows.h"

enum { kSlot = 512, kMost = 256, kOps = 120 }; /* integers of a rank's slot at each other; ... */

static struct window w;
static uint64_t state;
static int* model; /* what this rank's slots hold, by target */

static int below(int n) {
  return (int)(check_next(&state) % (uint64_t)n);
}

/* A type and which integers it is made of, in the order of its type map. */
struct shape {
  MPI_Datatype type;
  int n;
  int offsets[kMost];
  int span; /* integers from the first to behind the last */
};

static void add(struct shape* s, int offset) {
  s->offsets[s->n++] = offset;
  if (offset + 1 > s->span) s->span = offset + 1;
}

/* `n` integers in blocks of `block` (which divides n), by one of the constructors. */
static void make_shape(struct shape* s, int n, int block) {
  const int blocks = n / block, gap = below(4);
  MPI_Datatype inner;
  int lengths[kMost], displacements[kMost];
  MPI_Aint bytes[kMost];
  s->n = s->span = 0;
  switch (below(6)) {
    case 0: /* one block */
      for (int i = 0; i < n; ++i) add(s, i);
      OK(MPI_Type_contiguous(n, MPI_INT, &s->type));
      break;
    case 1: /* equal gaps */
      for (int i = 0; i < n; ++i) add(s, i / block * (block + gap) + i % block);
      OK(MPI_Type_vector(blocks, block, block + gap, MPI_INT, &s->type));
      break;
    case 2: /* blocks in falling order */
      for (int i = 0; i < blocks; ++i) displacements[i] = (blocks - 1 - i) * (block + gap);
      for (int i = 0; i < n; ++i) add(s, displacements[i / block] + i % block);
      OK(MPI_Type_create_indexed_block(blocks, block, displacements, MPI_INT, &s->type));
      break;
    case 3: { /* unequal gaps */
      int next = 0;
      for (int i = 0; i < blocks; ++i) {
        lengths[i] = block;
        displacements[i] = next + below(3);
        next = displacements[i] + block;
      }
      for (int i = 0; i < n; ++i) add(s, displacements[i / block] + i % block);
      OK(MPI_Type_indexed(blocks, lengths, displacements, MPI_INT, &s->type));
      break;
    }
    case 4: { /* of two types, in bytes */
      const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
      lengths[0] = block;
      lengths[1] = n - block;
      bytes[0] = (MPI_Aint)sizeof(int) * (n + gap);
      bytes[1] = (MPI_Aint)sizeof(int) * (gap / 2);
      for (int i = 0; i < block; ++i) add(s, n + gap + i);
      for (int i = 0; i < n - block; ++i) add(s, gap / 2 + i);
      OK(MPI_Type_create_struct(2, lengths, bytes, types, &s->type));
      break;
    }
    default: /* a type of types with another extent */
      for (int i = 0; i < n; ++i) add(s, i / block * (block + gap) + i % block);
      OK(MPI_Type_contiguous(block, MPI_INT, &inner));
      OK(MPI_Type_create_resized(inner, 0, (MPI_Aint)sizeof(int) * (block + gap), &s->type));
      OK(MPI_Type_free(&inner));
      OK(MPI_Type_contiguous(blocks, s->type, &inner));
      OK(MPI_Type_free(&s->type));
      s->type = inner;
  }
  OK(MPI_Type_commit(&s->type));
}

/* Several elements of a type follow each other at its extent: the model takes that from MPI. */
static int offset_of(const struct shape* s, int i) {
  MPI_Aint lb, extent;
  OK(MPI_Type_get_extent(s->type, &lb, &extent));
  return i / s->n * (int)(extent / (MPI_Aint)sizeof(int)) + s->offsets[i % s->n];
}

static void random_operation(int target) {
  static int out[2 * kSlot], in[2 * kSlot], expected[2 * kSlot];
  const int block = 1 + below(4), n = block * (1 + below(8)), count = 1 + below(2);
  struct shape origin, to, result;
  make_shape(&origin, n, block);
  make_shape(&to, n, block);
  make_shape(&result, n, block);
  const int reach = offset_of(&to, n * count - 1) + to.span + 1;
  const int start = below(kSlot - (reach < kSlot / 2 ? reach : kSlot / 2));
  const MPI_Aint at =
      place(&w, target, (MPI_Aint)sizeof(int) * ((MPI_Aint)check_rank * kSlot + start));
  int* there = model + target * kSlot + start;
  for (int i = 0; i < 2 * kSlot; ++i) {
    out[i] = below(1 << 20);
    in[i] = expected[i] = -1 - i;
  }
  const int what = below(5);
  const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_BXOR, MPI_REPLACE};
  const int op = below(4);
  switch (what) {
    case 0:
      OK(MPI_Put(out, count, origin.type, target, at, count, to.type, w.win));
      break;
    case 1:
      OK(MPI_Get(in, count, result.type, target, at, count, to.type, w.win));
      break;
    case 2:
      OK(MPI_Accumulate(out, count, origin.type, target, at, count, to.type, ops[op], w.win));
      break;
    case 3:
      OK(MPI_Get_accumulate(out, count, origin.type, in, count, result.type, target, at, count,
                            to.type, ops[op], w.win));
      break;
    default:
      OK(MPI_Get_accumulate(NULL, 0, MPI_INT, in, count, result.type, target, at, count, to.type,
                            MPI_NO_OP, w.win));
  }
  for (int i = 0; i < n * count; ++i) {
    int* const element = there + offset_of(&to, i);
    const int operand = out[offset_of(&origin, i)];
    if (what == 1 || what >= 3) expected[offset_of(&result, i)] = *element;
    if (what == 0) *element = operand;
    if (what == 2 || what == 3) {
      if (op == 0) *element += operand;
      if (op == 1 && operand > *element) *element = operand;
      if (op == 2) *element ^= operand;
      if (op == 3) *element = operand;
    }
  }
  OK(MPI_Type_free(&origin.type)); /* the operation may still be under way */
  OK(MPI_Type_free(&to.type));
  OK(MPI_Type_free(&result.type));
  OK(MPI_Win_flush(target, w.win));
  CHECK(memcmp(in, expected, sizeof in) == 0);
}

/* Each rank's slots at all others are as its model has them. */
static void compare(void) {
  static int got[kSlot];
  for (int target = 0; target < check_size; ++target) {
    OK(MPI_Get(got, kSlot, MPI_INT, target,
               place(&w, target, (MPI_Aint)sizeof(int) * check_rank * kSlot), kSlot, MPI_INT,
               w.win));
    OK(MPI_Win_flush(target, w.win));
    CHECK(memcmp(got, model + target * kSlot, sizeof got) == 0);
  }
}

/* Pairs have holes, which stay as they are; the result of MPI_MAXLOC is the pair's. */
static void pairs(void) {
  struct {
    double value;
    int index;
  } out = {3.5, 11}, in;
  memset(&in, 0, sizeof in);
  const int target = (check_rank + 1) % check_size;
  const MPI_Aint at = place(&w, target, (MPI_Aint)sizeof(int) * check_rank * kSlot);
  OK(MPI_Put(&out, 1, MPI_DOUBLE_INT, target, at, 1, MPI_DOUBLE_INT, w.win));
  OK(MPI_Win_flush(target, w.win));
  out.value = 4.5;
  out.index = 5;
  OK(MPI_Fetch_and_op(&out, &in, MPI_DOUBLE_INT, target, at, MPI_MAXLOC, w.win));
  OK(MPI_Win_flush(target, w.win));
  CHECK(in.value == 3.5 && in.index == 11);
  OK(MPI_Get_accumulate(NULL, 0, MPI_DOUBLE_INT, &in, 1, MPI_DOUBLE_INT, target, at, 1,
                        MPI_DOUBLE_INT, MPI_NO_OP, w.win));
  OK(MPI_Win_flush(target, w.win));
  CHECK(in.value == 4.5 && in.index == 5);
  struct {
    short value;
    int index;
  } a = {9, 100000}, b = {0, 0};
  OK(MPI_Accumulate(&a, 1, MPI_SHORT_INT, target, at, 1, MPI_SHORT_INT, MPI_REPLACE, w.win));
  OK(MPI_Win_flush(target, w.win));
  OK(MPI_Get(&b, 1, MPI_SHORT_INT, target, at, 1, MPI_SHORT_INT, w.win));
  OK(MPI_Win_flush(target, w.win));
  CHECK(b.value == 9 && b.index == 100000);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  const uint64_t seed = check_seed("rma_types");
  model = malloc((size_t)check_size * kSlot * sizeof *model);
  for (int kind = 0; kind < kWindowKinds; ++kind) {
    if (!kind_is_possible(kind)) continue;
    state = seed + (uint64_t)(1000 * kind + check_rank);
    memset(model, 0, (size_t)check_size * kSlot * sizeof *model);
    make_window(&w, kind, (MPI_Aint)sizeof(int) * check_size * kSlot, sizeof(int), MPI_INFO_NULL);
    OK(MPI_Win_lock_all(0, w.win));
    for (int i = 0; i < kOps; ++i) random_operation(below(check_size));
    compare();
    pairs();
    OK(MPI_Win_unlock_all(w.win));
    free_window(&w);
  }
  free(model);
  return check_end("rma_types");
}
