/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Derived datatypes in messages: other types on the two sides, truncation, counts, packing,
 * negative strides, absolute addresses, empty types, types freed in use, large counts. */
#include <stddef.h>
#include <unistd.h>

#include "check.h"

static int right, left;

/* Sends with one description and receives with another; the bytes must arrive in order. */
static void exchange(const void* out, MPI_Count out_count, MPI_Datatype out_type, void* in,
                     MPI_Count in_count, MPI_Datatype in_type, MPI_Status* status) {
  MPI_Request request;
  OK(MPI_Irecv_c(in, in_count, in_type, left, 1, MPI_COMM_WORLD, &request));
  OK(MPI_Send_c(out, out_count, out_type, right, 1, MPI_COMM_WORLD));
  OK(MPI_Wait(&request, status));
}

enum { kInts = 4000 };
static int source[4 * kInts], target[4 * kInts];

static void clear(void) {
  for (int i = 0; i < 4 * kInts; ++i) {
    source[i] = check_rank * 100000 + i;
    target[i] = -1;
  }
}

/* The ints of `picked` (n of them) of the left neighbour stand at target[0..n), or at `places`. */
static int arrived(int n, const int* picked, const int* places) {
  char* touched = calloc(4 * kInts, 1);
  int good = 1;
  for (int i = 0; i < n; ++i) {
    const int at = places != NULL ? places[i] : i;
    good &= target[at] == left * 100000 + picked[i];
    touched[at] = 1;
  }
  for (int i = 0; i < 4 * kInts; ++i) good &= touched[i] || target[i] == -1;
  free(touched);
  return good;
}

/* A type, what it picks from an array of ints for a count, and back. */
static void both_ways(MPI_Datatype type, int count, int n, const int* picked) {
  MPI_Status status;
  int got = -1;
  clear();
  exchange(source, count, type, target, n, MPI_INT, &status);
  CHECK(arrived(n, picked, NULL));
  OK(MPI_Get_count(&status, MPI_INT, &got));
  CHECK(got == n);
  clear();
  exchange(source, n, MPI_INT, target, count, type, &status);
  int* straight = malloc(sizeof(int) * (size_t)(n + 1));
  for (int i = 0; i < n; ++i) straight[i] = i;
  CHECK(arrived(n, straight, picked));
  OK(MPI_Get_count(&status, type, &got));
  CHECK(got == count);
  OK(MPI_Get_elements(&status, type, &got));
  CHECK(got == n);
  clear();
  exchange(source, count, type, target, count, type, &status);
  CHECK(arrived(n, picked, picked));
  free(straight);
}

static void constructors(void) {
  static int picked[kInts];
  MPI_Datatype type, inner;
  int n = 0;
  OK(MPI_Type_contiguous(10, MPI_INT, &type));
  OK(MPI_Type_commit(&type));
  for (n = 0; n < 300; ++n) picked[n] = n;
  both_ways(type, 30, 300, picked);
  OK(MPI_Type_free(&type));

  OK(MPI_Type_vector(50, 3, 7, MPI_INT, &type));
  OK(MPI_Type_commit(&type));
  n = 0;
  for (int e = 0; e < 10; ++e)
    for (int b = 0; b < 50; ++b)
      for (int i = 0; i < 3; ++i) picked[n++] = e * (49 * 7 + 3) + b * 7 + i;
  both_ways(type, 10, n, picked);
  OK(MPI_Type_free(&type));

  /* a negative stride sends the blocks from the last one back; it begins in the middle */
  OK(MPI_Type_create_hvector(20, 2, -5 * (MPI_Aint)sizeof(int), MPI_INT, &inner));
  const MPI_Aint middle = 100 * (MPI_Aint)sizeof(int);
  const int once = 1;
  OK(MPI_Type_create_hindexed(1, &once, &middle, inner, &type));
  OK(MPI_Type_commit(&type));
  n = 0;
  for (int b = 0; b < 20; ++b)
    for (int i = 0; i < 2; ++i) picked[n++] = 100 - 5 * b + i;
  both_ways(type, 1, n, picked);
  OK(MPI_Type_free(&type));
  OK(MPI_Type_free(&inner));

  const int lengths[4] = {3, 0, 5, 1}, places[4] = {40, 17, 2, 0};
  OK(MPI_Type_indexed(4, lengths, places, MPI_INT, &type));
  OK(MPI_Type_commit(&type));
  n = 0;
  for (int e = 0; e < 4; ++e)
    for (int b = 0; b < 4; ++b)
      for (int i = 0; i < lengths[b]; ++i) picked[n++] = e * 43 + places[b] + i;
  both_ways(type, 4, n, picked);
  OK(MPI_Type_free(&type));

  OK(MPI_Type_create_indexed_block(4, 2, places, MPI_INT, &inner));
  OK(MPI_Type_create_resized(inner, 0, 50 * (MPI_Aint)sizeof(int), &type));
  OK(MPI_Type_commit(&type));
  n = 0;
  for (int e = 0; e < 20; ++e)
    for (int b = 0; b < 4; ++b)
      for (int i = 0; i < 2; ++i) picked[n++] = e * 50 + places[b] + i;
  both_ways(type, 20, n, picked);
  OK(MPI_Type_free(&type));
  OK(MPI_Type_free(&inner));

  for (int order = 0; order < 2; ++order) {
    const int sizes[3] = {10, 12, 14}, subsizes[3] = {3, 4, 5}, starts[3] = {2, 0, 9};
    OK(MPI_Type_create_subarray(3, sizes, subsizes, starts, order ? MPI_ORDER_FORTRAN : MPI_ORDER_C,
                                MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    n = 0;
    if (order) {
      for (int z = 0; z < 5; ++z)
        for (int y = 0; y < 4; ++y)
          for (int x = 0; x < 3; ++x) picked[n++] = ((z + 9) * 12 + y) * 10 + x + 2;
    } else {
      for (int x = 0; x < 3; ++x)
        for (int y = 0; y < 4; ++y)
          for (int z = 0; z < 5; ++z) picked[n++] = ((x + 2) * 12 + y) * 14 + z + 9;
    }
    both_ways(type, 1, n, picked);
    OK(MPI_Type_free(&type));
  }
}

struct mixed {
  char letter;
  double number;
  short pair[2];
  long long big;
};

static MPI_Datatype make_mixed(void) {
  MPI_Datatype type, sized;
  const int lengths[4] = {1, 1, 2, 1};
  const MPI_Aint places[4] = {offsetof(struct mixed, letter), offsetof(struct mixed, number),
                              offsetof(struct mixed, pair), offsetof(struct mixed, big)};
  const MPI_Datatype parts[4] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_LONG_LONG};
  OK(MPI_Type_create_struct(4, lengths, places, parts, &type));
  OK(MPI_Type_create_resized(type, 0, sizeof(struct mixed), &sized));
  OK(MPI_Type_commit(&sized));
  OK(MPI_Type_free(&type));
  return sized;
}

static void structs(void) {
  MPI_Datatype type = make_mixed();
  for (int n = 1; n <= 10000; n *= 10) {
    struct mixed* out = calloc((size_t)n, sizeof *out);
    struct mixed* in = calloc((size_t)n, sizeof *in);
    MPI_Status status;
    int count = -1, elements = -1;
    for (int i = 0; i < n; ++i)
      out[i] = (struct mixed){(char)i, i + 0.5, {(short)i, (short)-i}, (long long)i << 33};
    exchange(out, n, type, in, n, type, &status);
    int good = 1;
    for (int i = 0; i < n; ++i)
      good &= in[i].letter == out[i].letter && in[i].number == out[i].number &&
              in[i].pair[1] == out[i].pair[1] && in[i].big == out[i].big;
    CHECK(good);
    OK(MPI_Get_count(&status, type, &count));
    OK(MPI_Get_elements(&status, type, &elements));
    CHECK(count == n && elements == 5 * n);
    free(out);
    free(in);
  }
  /* part of a struct: no whole element, three basic ones (a char, a double, a short) */
  struct mixed one = {0};
  char piece[1 + sizeof(double) + sizeof(short)] = {'x'};
  MPI_Status status;
  int count = -1, elements = -1;
  exchange(piece, sizeof piece, MPI_BYTE, &one, 1, type, &status);
  OK(MPI_Get_count(&status, type, &count));
  OK(MPI_Get_elements(&status, type, &elements));
  CHECK(count == MPI_UNDEFINED && elements == 3 && one.letter == 'x');
  OK(MPI_Type_free(&type));
}

static void truncation(void) {
  MPI_Datatype type;
  MPI_Request request;
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Type_vector(1000, 1, 2, MPI_INT, &type));
  OK(MPI_Type_commit(&type));
  for (int n = 1; n <= 3; ++n) {
    clear();
    OK(MPI_Irecv(target, 1, type, left, 1, MPI_COMM_WORLD, &request));
    OK(MPI_Send(source, n * 999, MPI_INT, right, 1, MPI_COMM_WORLD));
    if (n == 1) {
      OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
      FAILS(MPI_ERR_TRUNCATE, MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    int good = 1;
    for (int i = 0; i < 999; ++i)
      good &= target[2 * i] == left * 100000 + i && target[2 * i + 1] == -1;
    for (int i = 2000; i < 4 * kInts; ++i) good &= target[i] == -1;
    CHECK(good);
  }
  OK(MPI_Type_free(&type));
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

static void packing(void) {
  MPI_Datatype type = make_mixed();
  struct mixed out[7], in[7];
  int size = 0, ints = 0, position = 0, numbers[3] = {1, 2, 3}, back[3] = {0, 0, 0};
  memset(out, 0, sizeof out);
  memset(in, 0, sizeof in);
  for (int i = 0; i < 7; ++i) out[i] = (struct mixed){'a', i * 0.25, {1, (short)i}, -i};
  OK(MPI_Pack_size(7, type, MPI_COMM_WORLD, &size));
  OK(MPI_Pack_size(3, MPI_INT, MPI_COMM_WORLD, &ints));
  char* buffer = malloc((size_t)(size + ints));
  char* received = malloc((size_t)(size + ints));
  OK(MPI_Pack(numbers, 3, MPI_INT, buffer, size + ints, &position, MPI_COMM_WORLD));
  OK(MPI_Pack(out, 7, type, buffer, size + ints, &position, MPI_COMM_WORLD));
  CHECK(position > 0 && position <= size + ints);
  MPI_Status status;
  exchange(buffer, position, MPI_PACKED, received, size + ints, MPI_PACKED, &status);
  int got = 0, from = 0;
  OK(MPI_Get_count(&status, MPI_PACKED, &got));
  CHECK(got == position);
  OK(MPI_Unpack(received, got, &from, back, 3, MPI_INT, MPI_COMM_WORLD));
  OK(MPI_Unpack(received, got, &from, in, 7, type, MPI_COMM_WORLD));
  CHECK(from == got && memcmp(back, numbers, sizeof back) == 0);
  for (int i = 0; i < 7; ++i) CHECK(in[i].number == i * 0.25 && in[i].big == -i);
  free(buffer);
  free(received);
  OK(MPI_Type_free(&type));
}

static void absolute_addresses(void) {
  MPI_Datatype type;
  int first = check_rank, *second = malloc(sizeof(int)), third[5] = {0, 1, 2, 3, check_rank};
  int in[3] = {-1, -1, -1};
  MPI_Aint places[3];
  const int lengths[3] = {1, 1, 1};
  const MPI_Datatype parts[3] = {MPI_INT, MPI_INT, MPI_INT};
  *second = 10 * check_rank;
  OK(MPI_Get_address(&first, &places[0]));
  OK(MPI_Get_address(second, &places[1]));
  OK(MPI_Get_address(&third[4], &places[2]));
  OK(MPI_Type_create_struct(3, lengths, places, parts, &type));
  OK(MPI_Type_commit(&type));
  MPI_Status status;
  exchange(MPI_BOTTOM, 1, type, in, 3, MPI_INT, &status);
  CHECK(in[0] == left && in[1] == 10 * left && in[2] == left);
  exchange(in, 3, MPI_INT, MPI_BOTTOM, 1, type, &status);
  const int left_of_left = (left + check_size - 1) % check_size;
  CHECK(first == left_of_left && *second == 10 * left_of_left && third[4] == left_of_left);
  first = check_rank;
  OK(MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD));
  CHECK(first == 0);
  OK(MPI_Type_free(&type));
  free(second);
}

static void empty_types(void) {
  MPI_Datatype nothing, spaced;
  MPI_Status status;
  int count = -1;
  OK(MPI_Type_contiguous(0, MPI_INT, &nothing));
  OK(MPI_Type_create_resized(nothing, 0, 64, &spaced));
  OK(MPI_Type_commit(&nothing));
  OK(MPI_Type_commit(&spaced));
  clear();
  exchange(source, 5, nothing, target, 0, MPI_INT, &status);
  exchange(source, 100, spaced, target, 7, spaced, &status);
  OK(MPI_Get_count(&status, MPI_INT, &count));
  CHECK(count == 0);
  OK(MPI_Get_count(&status, nothing, &count));
  CHECK(count == 0);
  exchange(NULL, 0, MPI_INT, NULL, 3, nothing, &status);
  OK(MPI_Allgather(source, 2, spaced, target, 2, spaced, MPI_COMM_WORLD));
  CHECK(target[0] == -1);
  OK(MPI_Type_free(&nothing));
  OK(MPI_Type_free(&spaced));
}

/* A type may be freed right after the call that uses it. */
static void freed_in_use(void) {
  enum { kTimes = 50 };
  MPI_Request requests[2 * kTimes];
  clear();
  for (int i = 0; i < kTimes; ++i) {
    MPI_Datatype type;
    OK(MPI_Type_vector(i % 2 ? 10 : kInts, 1, 2, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    int* in = i < kTimes - 1 ? target + 2 * kInts * (i % 2) : target;
    OK(MPI_Irecv(in, 1, type, left, i, MPI_COMM_WORLD, &requests[i]));
    OK(MPI_Isend(source, 1, type, right, i, MPI_COMM_WORLD, &requests[kTimes + i]));
    OK(MPI_Type_free(&type));
    CHECK(type == MPI_DATATYPE_NULL);
  }
  OK(MPI_Waitall(2 * kTimes, requests, MPI_STATUSES_IGNORE));
  CHECK(target[0] == left * 100000 && target[2 * kInts - 2] == left * 100000 + 2 * kInts - 2);
  CHECK(target[1] == -1);
  MPI_Datatype type;
  MPI_Request persistent, collective;
  OK(MPI_Type_contiguous(10, MPI_INT, &type));
  OK(MPI_Type_commit(&type));
  OK(MPI_Recv_init(target, 1, type, left, 1, MPI_COMM_WORLD, &persistent));
  OK(MPI_Ibcast(target + 100, 1, type, 0, MPI_COMM_WORLD, &collective));
  OK(MPI_Type_free(&type));
  OK(MPI_Wait(&collective, MPI_STATUS_IGNORE));
  for (int i = 0; i < 3; ++i) {
    OK(MPI_Start(&persistent));
    OK(MPI_Send(source + i, 10, MPI_INT, right, 1, MPI_COMM_WORLD));
    OK(MPI_Wait(&persistent, MPI_STATUS_IGNORE));
    CHECK(target[9] == left * 100000 + 9 + i);
  }
  OK(MPI_Request_free(&persistent));
}

/* Descriptions of more than 2^31 elements and bytes; a message of them if memory is plenty. */
static void large_counts(void) {
  MPI_Datatype type;
  MPI_Count size = 0, lower = 0, extent = 0;
  const MPI_Count huge = (MPI_Count)3 << 30;
  int narrow = 0;
  OK(MPI_Type_contiguous_c(huge, MPI_DOUBLE, &type));
  OK(MPI_Type_size_c(type, &size));
  OK(MPI_Type_get_extent_c(type, &lower, &extent));
  CHECK(size == 8 * huge && extent == 8 * huge && lower == 0);
  OK(MPI_Type_size(type, &narrow));
  CHECK(narrow == MPI_UNDEFINED);
  OK(MPI_Type_free(&type));
  OK(MPI_Type_vector_c(huge, 1, 4, MPI_BYTE, &type));
  OK(MPI_Type_size_c(type, &size));
  OK(MPI_Type_get_extent_c(type, &lower, &extent));
  CHECK(size == huge && extent == (huge - 1) * 4 + 1);
  OK(MPI_Type_free(&type));
  const long long free_bytes = (long long)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
  if (getenv("REMIT_TEST_LARGE") == NULL || check_size != 2 || free_bytes < (20LL << 30)) return;
  /* every second byte of 2^31 + 10 pairs, received without gaps */
  const MPI_Count n = ((MPI_Count)1 << 31) + 10;
  OK(MPI_Type_vector_c(n, 1, 2, MPI_BYTE, &type));
  OK(MPI_Type_commit(&type));
  MPI_Status status;
  if (check_rank == 0) {
    unsigned char* out = malloc((size_t)n * 2);
    for (MPI_Count i = 0; i < n; ++i) out[2 * i] = check_byte(3, (size_t)i);
    OK(MPI_Send(out, 1, type, 1, 0, MPI_COMM_WORLD));
    free(out);
  } else {
    unsigned char* in = calloc(1, (size_t)n);
    OK(MPI_Recv_c(in, n, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &status));
    CHECK(check_filled(in, (size_t)n, 3));
    OK(MPI_Get_count(&status, MPI_BYTE, &narrow));
    CHECK(narrow == MPI_UNDEFINED);
    OK(MPI_Get_count_c(&status, MPI_BYTE, &size));
    CHECK(size == n);
    free(in);
  }
  OK(MPI_Type_free(&type));
}

/* Bounds come from the type map, which is a list of basic types and displacements (MPI-5.0, section
 * 5.1.6): what pads a type that is used in another one counts as a distance between its copies, not
 * behind the last of them. Other MPIs have 463 and 480
 * (docs/decisions/extents-from-the-type-map.md). */
static void padding(void) {
  MPI_Datatype inner, outer;
  MPI_Aint lower = -1, extent = -1;
  OK(MPI_Type_create_hvector(2, 1, 5, MPI_INT, &inner));
  OK(MPI_Type_get_extent(inner, &lower, &extent));
  CHECK(lower == 0 && extent == 12); /* 5 + 4, padded to ints */
  OK(MPI_Type_create_hvector(3, 5, 209, inner, &outer));
  OK(MPI_Type_get_true_extent(outer, &lower, &extent));
  CHECK(lower == 0 && extent == 2 * 209 + 4 * 12 + 5 + 4);
  OK(MPI_Type_get_extent(outer, &lower, &extent));
  CHECK(lower == 0 && extent == 476); /* 475, padded to ints */
  OK(MPI_Type_free(&outer));
  OK(MPI_Type_free(&inner));
  /* the bounds that the program sets are not padded, and hold where the type is used */
  OK(MPI_Type_create_resized(MPI_INT, 0, 9, &inner));
  OK(MPI_Type_create_hvector(3, 5, 209, inner, &outer));
  OK(MPI_Type_get_extent(outer, &lower, &extent));
  CHECK(lower == 0 && extent == 2 * 209 + 5 * 9);
  OK(MPI_Type_free(&outer));
  OK(MPI_Type_free(&inner));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  right = (check_rank + 1) % check_size;
  left = (check_rank + check_size - 1) % check_size;
  constructors();
  structs();
  truncation();
  packing();
  absolute_addresses();
  empty_types();
  freed_in_use();
  large_counts();
  padding();
  return check_end("types");
}
