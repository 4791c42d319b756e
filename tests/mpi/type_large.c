/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * More than 2^31 elements and 4 GiB, in little memory: sparse mappings, and buffers whose pages are
 * the same ones again and again. */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

static const MPI_Count kMany = ((MPI_Count)1 << 31) + 4099;
static int peer;

static void exchange(const void* out, MPI_Count out_count, MPI_Datatype out_type, void* in,
                     MPI_Count in_count, MPI_Datatype in_type, MPI_Status* status) {
  OK(MPI_Sendrecv_c(out, out_count, out_type, peer, 1, in, in_count, in_type, peer, 1,
                    MPI_COMM_WORLD, status));
}

/* Blocks spread over more than 4 GiB, upwards and downwards. */
static void sparse(int direction) {
  enum { kBlocks = 321, kInts = 1000 };
  const size_t span = (size_t)kBlocks << 24; /* 5 GiB */
  char* memory =
      mmap(NULL, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    if (check_rank == 0) printf("type_large: no address space of %zu bytes\n", span);
    return;
  }
  const MPI_Count stride = (MPI_Count)direction * (1 << 24);
  const size_t first = direction > 0 ? 64 : (size_t)(kBlocks - 1) << 24;
  char* start = memory + first;
  MPI_Datatype type;
  MPI_Count lower, extent, position = 0;
  OK(MPI_Type_create_hvector_c(kBlocks, kInts, stride, MPI_INT, &type));
  OK(MPI_Type_commit(&type));
  OK(MPI_Type_get_true_extent_c(type, &lower, &extent));
  CHECK(extent == ((MPI_Count)(kBlocks - 1) << 24) + 4 * kInts);
  CHECK(lower == (direction > 0 ? 0 : -((MPI_Count)(kBlocks - 1) << 24)));
  int* packed = malloc(sizeof(int) * kBlocks * kInts);
  for (int i = 0; i < kBlocks * kInts; ++i) packed[i] = i * 7 + check_rank;
  OK(MPI_Unpack_c(packed, 4 * kBlocks * kInts, &position, start, 1, type, MPI_COMM_WORLD));
  const int* last = (const int*)(start + (ptrdiff_t)stride * (kBlocks - 1));
  CHECK(last[kInts - 1] == (kBlocks * kInts - 1) * 7 + check_rank);
  /* to a packed buffer of the peer, and from one into its scattered one */
  MPI_Status status;
  MPI_Count got = 0;
  exchange(start, 1, type, packed, kBlocks * kInts, MPI_INT, &status);
  int good = 1;
  for (int i = 0; i < kBlocks * kInts; ++i) good &= packed[i] == i * 7 + peer;
  CHECK(good);
  for (int i = 0; i < kBlocks * kInts; ++i) packed[i] = -i;
  exchange(packed, kBlocks * kInts, MPI_INT, start, 1, type, &status);
  OK(MPI_Get_elements_c(&status, type, &got));
  CHECK(got == kBlocks * kInts && last[kInts - 1] == -(kBlocks * kInts - 1));
  exchange(start, 1, type, start + 4 * kInts, 1, type, &status);
  position = 0;
  OK(MPI_Pack_c(start + 4 * kInts, 1, type, packed, 4 * kBlocks * kInts, &position,
                MPI_COMM_WORLD));
  for (int i = 0; i < kBlocks * kInts; ++i) good &= packed[i] == -i;
  CHECK(good && position == 4 * kBlocks * kInts);
  OK(MPI_Type_free(&type));
  free(packed);
  munmap(memory, span);
}

/* `bytes` of addresses over one megabyte-sized piece of memory after another: the same one. */
enum { kPiece = 1 << 26 };
static unsigned char* repeated(size_t bytes) {
  const int file = memfd_create("type_large", 0);
  if (file < 0 || ftruncate(file, kPiece) != 0) return NULL;
  const size_t pieces = (bytes + kPiece - 1) / kPiece;
  char* memory =
      mmap(NULL, pieces * kPiece, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  for (size_t i = 0; memory != MAP_FAILED && i < pieces; ++i) {
    if (mmap(memory + i * kPiece, kPiece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
             0) == MAP_FAILED)
      memory = MAP_FAILED;
  }
  close(file);
  return memory == MAP_FAILED ? NULL : (unsigned char*)memory;
}

static MPI_Count called, elements;
static void count_small(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)in, (void)inout, (void)type;
  ++called;
  elements += *length;
}
static void count_large(void* in, void* inout, MPI_Count* length, MPI_Datatype* type) {
  (void)in, (void)inout, (void)type;
  ++called;
  elements += *length;
}

static void many(void) {
  unsigned char *out = repeated((size_t)kMany), *in = repeated((size_t)kMany);
  if (out == NULL || in == NULL) {
    if (check_rank == 0) printf("type_large: no memory to map repeatedly\n");
    return;
  }
  MPI_Status status;
  MPI_Count got = 0;
  int narrow = 0;
  check_fill(out, kPiece, (uint64_t)check_rank + 7);
  memset(in, 0, kPiece);
  exchange(out, kMany, MPI_BYTE, in, kMany, MPI_BYTE, &status);
  CHECK(check_filled(in, kPiece, (uint64_t)peer + 7));
  OK(MPI_Get_count_c(&status, MPI_BYTE, &got));
  OK(MPI_Get_count(&status, MPI_BYTE, &narrow));
  CHECK(got == kMany && narrow == MPI_UNDEFINED);
  FAILS(MPI_ERR_TRUNCATE, MPI_Sendrecv_c(out, kMany, MPI_BYTE, peer, 1, in, 10, MPI_BYTE, peer, 1,
                                         MPI_COMM_WORLD, MPI_STATUS_IGNORE));

  /* every byte by itself, with gaps: 2^31 blocks */
  MPI_Datatype type;
  MPI_Count position = 0, size = 0;
  OK(MPI_Type_vector_c(kMany / 2, 1, 2, MPI_BYTE, &type));
  OK(MPI_Type_commit(&type));
  OK(MPI_Pack_size_c(1, type, MPI_COMM_WORLD, &size));
  CHECK(size == kMany / 2);
  OK(MPI_Pack_c(out, 1, type, in, size, &position, MPI_COMM_WORLD));
  int good = position == size;
  /* the last pass over the repeated piece wrote its first bytes */
  const size_t begin = (size_t)(size / kPiece) * kPiece;
  for (size_t i = begin; i < (size_t)size; ++i) good &= in[i] == out[2 * i];
  CHECK(good);
  OK(MPI_Type_free(&type));

  check_fill(out, kPiece, 1);
  check_fill(in, kPiece, 2);
  OK(MPI_Reduce_local_c(out, in, kMany, MPI_BYTE, MPI_BOR));
  for (size_t i = 0; i < kPiece; ++i) good &= in[i] == (check_byte(1, i) | check_byte(2, i));
  CHECK(good);
  MPI_Op op;
  OK(MPI_Op_create_c(count_large, 1, &op));
  OK(MPI_Reduce_local_c(out, in, kMany, MPI_BYTE, op));
  CHECK(called == 1 && elements == kMany);
  OK(MPI_Op_free(&op));
  called = elements = 0;
  OK(MPI_Op_create(count_small, 1, &op));
  OK(MPI_Reduce_local_c(out, in, kMany, MPI_BYTE, op));
  CHECK(called > 1 && elements == kMany);
  OK(MPI_Op_free(&op));

  /* more elements than an int counts, of nothing */
  MPI_Datatype nothing, spaced;
  OK(MPI_Type_contiguous(0, MPI_INT, &nothing));
  OK(MPI_Type_create_resized(nothing, 0, 1, &spaced));
  OK(MPI_Type_commit(&spaced));
  exchange(out, kMany, spaced, in, 8 * kMany, spaced, &status);
  OK(MPI_Get_elements_c(&status, spaced, &got));
  CHECK(got == 0);
  OK(MPI_Type_free(&spaced));
  OK(MPI_Type_free(&nothing));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  peer = check_size - 1 - check_rank;
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  sparse(1);
  sparse(-1);
  many();
  return check_end("type_large");
}
