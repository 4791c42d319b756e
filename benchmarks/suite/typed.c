/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* The layouts that scientific codes send: strided vectors, irregular lists, faces of a cube,
 * particles. */
#include "typed.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kDoubles = 8192, kEdge = 64, kMatrix = 256, kParticles = 4096 };

/* `blocks` of `length` doubles, each twice as far from the next one. */
static MPI_Datatype vector(int blocks, int length) {
  MPI_Datatype type;
  MPI_Type_vector(blocks, length, 2 * length, MPI_DOUBLE, &type);
  return type;
}
static MPI_Datatype small_vector(void) {
  return vector(16, 1);
}
static MPI_Datatype floats(void) {
  MPI_Datatype type;
  MPI_Type_vector(2 * kDoubles, 1, 2, MPI_FLOAT, &type);
  return type;
}
static MPI_Datatype doubles(void) {
  return vector(kDoubles, 1);
}
static MPI_Datatype triples(void) {
  MPI_Datatype type;
  MPI_Type_vector(kDoubles / 3, 3, 4, MPI_DOUBLE, &type);
  return type;
}
static MPI_Datatype lines(void) {
  return vector(kDoubles / 8, 8);
}
static MPI_Datatype kilobytes(void) {
  return vector(kDoubles / 128, 128);
}
static MPI_Datatype column(void) {
  MPI_Datatype type;
  MPI_Type_vector(kMatrix, 1, kMatrix, MPI_DOUBLE, &type);
  return type;
}

/* A matrix column by column: its transpose. */
static MPI_Datatype transpose(void) {
  MPI_Datatype one = column(), sized, type;
  MPI_Type_create_resized(one, 0, sizeof(double), &sized);
  MPI_Type_contiguous(kMatrix, sized, &type);
  MPI_Type_free(&one);
  MPI_Type_free(&sized);
  return type;
}

static MPI_Datatype indexed(void) {
  static int lengths[kDoubles], places[kDoubles];
  MPI_Datatype type;
  int n = 0, place = 0, sum = 0;
  for (; sum < kDoubles; ++n) {
    lengths[n] = 1 + n * 7 % 5;
    places[n] = place;
    place += lengths[n] + 1 + n % 3;
    sum += lengths[n];
  }
  MPI_Type_indexed(n, lengths, places, MPI_DOUBLE, &type);
  return type;
}
static MPI_Datatype indexed_block(void) {
  static int places[kDoubles];
  MPI_Datatype type;
  for (int i = 0; i < kDoubles; ++i) places[i] = 3 * i + i * 7 % 3;
  MPI_Type_create_indexed_block(kDoubles, 1, places, MPI_DOUBLE, &type);
  return type;
}

/* The face of a cube with ghost cells, across dimension `across` (0 varies slowest). */
static MPI_Datatype face(int across) {
  const int sizes[3] = {kEdge + 2, kEdge + 2, kEdge + 2};
  int subsizes[3] = {kEdge, kEdge, kEdge}, starts[3] = {1, 1, 1};
  MPI_Datatype type;
  subsizes[across] = 1;
  MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
  return type;
}
static MPI_Datatype face_x(void) {
  return face(0);
}
static MPI_Datatype face_y(void) {
  return face(1);
}
static MPI_Datatype face_z(void) {
  return face(2);
}

static MPI_Datatype particles(int fields, const int* lengths, const MPI_Aint* places,
                              const MPI_Datatype* types, MPI_Aint size) {
  MPI_Datatype one, sized, type;
  MPI_Type_create_struct(fields, lengths, places, types, &one);
  MPI_Type_create_resized(one, 0, size, &sized);
  MPI_Type_contiguous(kParticles, sized, &type);
  MPI_Type_free(&one);
  MPI_Type_free(&sized);
  return type;
}

/* struct {int id; double mass; char kind;} */
static MPI_Datatype structs(void) {
  const int lengths[3] = {1, 1, 1};
  const MPI_Aint places[3] = {0, 8, 16};
  const MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  return particles(3, lengths, places, types, 24);
}
/* struct {double position[3]; double unsent; float speed[3]; int id;} */
static MPI_Datatype wide_structs(void) {
  const int lengths[3] = {3, 3, 1};
  const MPI_Aint places[3] = {0, 32, 44};
  const MPI_Datatype types[3] = {MPI_DOUBLE, MPI_FLOAT, MPI_INT};
  return particles(3, lengths, places, types, 48);
}

struct layout {
  const char* name;
  MPI_Datatype (*make)(void);
};
static const struct layout kLayouts[] = {
    {"vector-small", small_vector},
    {"vector-4B", floats},
    {"vector-8B", doubles},
    {"vector-24B", triples},
    {"vector-64B", lines},
    {"vector-1KB", kilobytes},
    {"column", column},
    {"transpose", transpose},
    {"indexed", indexed},
    {"indexed-block", indexed_block},
    {"face-x", face_x},
    {"face-y", face_y},
    {"face-z", face_z},
    {"struct", structs},
    {"struct-wide", wide_structs},
};

/* Pack, unpack elsewhere, pack again: wrong bytes. */
static long lost_bytes(const struct bench* b, MPI_Datatype type, size_t extent, int packed_bytes) {
  const size_t packed = (size_t)packed_bytes;
  char* memory = bench_alloc(b, extent + 1);
  char* other = bench_alloc(b, extent + 1);
  char* once = bench_alloc(b, packed + 1);
  char* again = bench_alloc(b, packed + 1);
  int position = 0;
  bench_fill(memory, extent, 3);
  MPI_Pack(memory, 1, type, once, packed_bytes, &position, MPI_COMM_WORLD);
  position = 0;
  MPI_Unpack(once, packed_bytes, &position, other, 1, type, MPI_COMM_WORLD);
  position = 0;
  MPI_Pack(other, 1, type, again, packed_bytes, &position, MPI_COMM_WORLD);
  long wrong = 0;
  for (size_t i = 0; i < packed; ++i) wrong += once[i] != again[i];
  free(memory);
  free(other);
  free(once);
  free(again);
  return wrong;
}

/* A layout for measuring. */
struct made {
  const char* name;
  MPI_Datatype type;
  size_t bytes; /* which it spans */
  int packed_bytes;
};

static struct made make_layout(const struct layout* layout) {
  struct made made = {.name = layout->name, .type = layout->make()};
  MPI_Aint lower, extent;
  MPI_Type_commit(&made.type);
  MPI_Type_get_true_extent(made.type, &lower, &extent);
  MPI_Pack_size(1, made.type, MPI_COMM_WORLD, &made.packed_bytes);
  made.bytes = (size_t)(lower + extent);
  return made;
}

/* Bytes of its data where they are packed, or not. */
static size_t bytes_of(const struct made* made, bool packed) {
  return packed ? (size_t)made->packed_bytes : made->bytes;
}

/* One layout's calls, one after the other. */
struct calls {
  typed_call* call;
  struct typed_args args;
  struct bench_buffers *from, *to;
  size_t from_bytes, to_bytes;
  int number;
  bool touch;
  uint64_t sums[2]; /* of what must come of an even and an odd call */
  long wrong;       /* calls of which something else came */
};

static uint64_t sum_of(const char* memory, size_t bytes) {
  uint64_t sum = 0, word = 0;
  for (; bytes >= sizeof word; bytes -= sizeof word, memory += sizeof word) {
    memcpy(&word, memory, sizeof word);
    sum += word;
  }
  word = 0;
  memcpy(&word, memory, bytes);
  return sum + word;
}

static void call_once(struct calls* c) {
  const unsigned parity = (unsigned)c->number++ % 2;
  c->args.from = bench_next(c->from);
  c->args.to = bench_next(c->to);
  if (c->touch) bench_fill(c->args.from, c->from_bytes, parity);
  c->call(&c->args);
  if (c->touch) c->wrong += sum_of(c->args.to, c->to_bytes) != c->sums[parity];
}

static void call_often(struct calls* c, int rounds) {
  for (int i = 0; i < rounds; ++i) call_once(c);
}

/* Notes what comes of an even and an odd call, in memory that all buffers begin with. That nothing
   is lost on the way says lost_bytes(). */
static void note_sums(struct calls* c) {
  const bool touch = c->touch;
  c->touch = true;
  for (int i = 0; i < 2; ++i) {
    call_once(c);
    c->sums[i] = sum_of(c->args.to, c->to_bytes);
  }
  c->wrong = 0;
  c->touch = touch;
}

/* All memory is as it was at first, gaps of layouts that were measured before, too. */
static void divide(struct bench_buffers* buffers, size_t bytes) {
  memset(buffers->memory, 1, buffers->room);
  bench_buffers_divide(buffers, bytes);
}

static void measure(struct bench* b, const struct typed_program* program, const struct made* made,
                    struct bench_buffers* from, struct bench_buffers* to) {
  struct calls c = {.call = program->call, .from = from, .to = to, .touch = b->touch};
  c.args = (struct typed_args){
      .type = made->type, .count = 1, .packed_bytes = made->packed_bytes, .rank = b->rank};
  c.from_bytes = bytes_of(made, program->from_packed);
  c.to_bytes = bytes_of(made, program->to_packed);
  divide(from, c.from_bytes);
  divide(to, c.to_bytes);
  b->errors += lost_bytes(b, made->type, made->bytes, made->packed_bytes);
  note_sums(&c);
  const int iterations = bench_iterations(b, 0);
  call_often(&c, bench_warmup(b, 0));
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = bench_now();
  call_often(&c, iterations);
  double mine = (bench_now() - start) * 1e6 / iterations / program->share, sum = 0;
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (b->rank == 0) {
    printf("%-14s %14.3f %14d\n", made->name, sum / b->ranks, made->packed_bytes);
  }
  fflush(stdout);
  b->errors += c.wrong;
}

int typed_main(const struct typed_program* program, int argc, char** argv) {
  enum { kCount = sizeof kLayouts / sizeof kLayouts[0] };
  struct bench b;
  struct bench_buffers from, to;
  struct made made[kCount];
  size_t largest[2] = {0, 0};
  if (!bench_begin(&b, program->spec, argc, argv)) return b.exit_code;
  for (int i = 0; i < kCount; ++i) {
    made[i] = make_layout(&kLayouts[i]);
    const size_t bytes[2] = {bytes_of(&made[i], program->from_packed),
                             bytes_of(&made[i], program->to_packed)};
    for (int side = 0; side < 2; ++side) {
      if (bytes[side] > largest[side]) largest[side] = bytes[side];
    }
  }
  bench_make_buffers(&b, BENCH_SOURCE, largest[BENCH_SOURCE], 1, &from);
  bench_make_buffers(&b, BENCH_DESTINATION, largest[BENCH_DESTINATION], 1, &to);
  bench_describe(&b);
  if (b.rank == 0) printf("%-14s %14s %14s\n", "# Layout", "Time (us)", "Bytes");
  for (int i = 0; i < kCount; ++i) {
    measure(&b, program, &made[i], &from, &to);
    MPI_Type_free(&made[i].type);
  }
  bench_free_buffers(&b, &from);
  bench_free_buffers(&b, &to);
  return bench_end(&b);
}
