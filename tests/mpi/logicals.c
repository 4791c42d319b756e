/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Logical reductions on Fortran's types: with C's values, and with those of another compiler, set
 * by MPI_Abi_set_fortran_booleans (once a process, so each run has one: the program's argument). */
#include "check.h"

static int yes = 1, no = 0; /* .TRUE. and .FALSE. of a default LOGICAL */

enum { kMost = 70 };

/* Element i of rank r, as truth. */
static int truth(int rank, int i) {
  return (i * 7 + rank * (i + 3)) % 5 != 0;
}

/* Writes element i of a type of `size` bytes. Any other value than .FALSE. is true. */
static void put(void* buffer, int size, int i, int value) {
  const long long number = value;
  char* at = (char*)buffer + (size_t)i * (size_t)size;
  memset(at, value < 0 ? 0xff : 0, (size_t)size);
  memcpy(at, &number, size < 8 ? (size_t)size : 8); /* little-endian */
}
static int is(const void* buffer, int size, int i, int value) {
  char expected[16];
  put(expected, size, 0, value);
  return memcmp((const char*)buffer + (size_t)i * (size_t)size, expected, (size_t)size) == 0;
}

static int expected(MPI_Op op, int i, int ranks) {
  int all = 1, any = 0, odd = 0;
  for (int r = 0; r < ranks; ++r) {
    all &= truth(r, i);
    any |= truth(r, i);
    odd ^= truth(r, i);
  }
  return op == MPI_LAND ? all : op == MPI_LOR ? any : odd;
}

static void fill(void* buffer, int size, int rank, int own_yes, int own_no) {
  for (int i = 0; i < kMost; ++i) put(buffer, size, i, truth(rank, i) ? own_yes : own_no);
}

/* Every way to reduce, for one type and operation; `own_yes` and `own_no` are the type's. */
static void reduce(MPI_Datatype type, MPI_Op op, int own_yes, int own_no) {
  static char mine[16 * kMost], result[16 * kMost], other[16 * kMost];
  int size;
  OK(MPI_Type_size(type, &size));
  fill(mine, size, check_rank, own_yes, own_no);
  memset(result, 0x55, sizeof result);
  OK(MPI_Allreduce(mine, result, kMost, type, op, MPI_COMM_WORLD));
  for (int i = 0; i < kMost; ++i)
    CHECK(is(result, size, i, expected(op, i, check_size) ? own_yes : own_no));
  if (check_size == 1) return;
  memset(result, 0x55, sizeof result);
  OK(MPI_Reduce(mine, result, 1, type, op, check_size - 1, MPI_COMM_WORLD));
  if (check_rank == check_size - 1)
    CHECK(is(result, size, 0, expected(op, 0, check_size) ? own_yes : own_no));
  MPI_Request request;
  OK(MPI_Iallreduce(mine, result, kMost, type, op, MPI_COMM_WORLD, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  for (int i = 0; i < kMost; ++i)
    CHECK(is(result, size, i, expected(op, i, check_size) ? own_yes : own_no));
  OK(MPI_Allreduce_init(mine, result, kMost, type, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  for (int round = 0; round < 2; ++round) {
    memset(result, 0x55, sizeof result);
    OK(MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(is(result, size, 3, expected(op, 3, check_size) ? own_yes : own_no));
  }
  OK(MPI_Request_free(&request));
  OK(MPI_Scan(mine, result, kMost, type, op, MPI_COMM_WORLD));
  for (int i = 0; i < kMost && check_rank > 0; ++i)
    CHECK(is(result, size, i, expected(op, i, check_rank + 1) ? own_yes : own_no));
  fill(mine, size, 0, own_yes, own_no);
  fill(other, size, 1, own_yes, own_no);
  OK(MPI_Reduce_local(mine, other, kMost, type, op));
  for (int i = 0; i < kMost; ++i) CHECK(is(other, size, i, expected(op, i, 2) ? own_yes : own_no));
  fill(other, size, 1, own_yes, own_no);
  OK(MPI_Reduce_local_c(mine, other, 0, type, op));
  CHECK(is(other, size, 0, truth(1, 0) ? own_yes : own_no));
}

/* What is neither value is true, and comes out as .TRUE. */
static void odd_values(void) {
  int in[4] = {no, no, no == 5 ? 6 : 5, yes}, out[4] = {no, no == 3 ? 4 : 3, no, yes};
  OK(MPI_Reduce_local(in, out, 4, MPI_LOGICAL, MPI_LOR));
  CHECK(out[0] == no && out[1] == yes && out[2] == yes && out[3] == yes);
  int b[2] = {no == 9 ? 8 : 9, yes};
  OK(MPI_Reduce_local(in + 2, b, 2, MPI_LOGICAL, MPI_LXOR));
  CHECK(b[0] == no && b[1] == no);
}

int main(int argc, char** argv) {
  const char* compiler = argc > 1 ? argv[1] : "";
  int got_yes = 77, got_no = 77, is_set = -1;
  long long wide = 1;
  OK(MPI_Abi_get_fortran_booleans(4, &got_yes, &got_no, &is_set));
  CHECK(is_set == 0);
  if (strcmp(compiler, "minus") == 0) yes = -1;
  if (strcmp(compiler, "swapped") == 0) yes = 0, no = -1;
  if (compiler[0] != '\0') OK(MPI_Abi_set_fortran_booleans(4, &yes, &no));
  check_start(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (compiler[0] != '\0') {
    OK(MPI_Abi_get_fortran_booleans(4, &got_yes, &got_no, &is_set));
    CHECK(is_set == 1 && got_yes == yes && got_no == no);
    EXPECT(MPI_ERR_ABI, "already", MPI_Abi_set_fortran_booleans(4, &yes, &no));
    OK(MPI_Abi_get_fortran_booleans(8, &wide, &wide, &is_set));
    CHECK(is_set == 0 && wide == 1);
  }
  EXPECT(MPI_ERR_ARG, "logical_size is 3", MPI_Abi_set_fortran_booleans(3, &yes, &no));
  EXPECT(MPI_ERR_ARG, "logical_true", MPI_Abi_set_fortran_booleans(4, NULL, &no));
  const MPI_Datatype logicals[] = {MPI_LOGICAL,  MPI_LOGICAL1, MPI_LOGICAL2,
                                   MPI_LOGICAL4, MPI_LOGICAL8, MPI_LOGICAL16};
  const MPI_Datatype others[] = {MPI_C_BOOL, MPI_CXX_BOOL, MPI_INT, MPI_INT64_T};
  const MPI_Op ops[] = {MPI_LAND, MPI_LOR, MPI_LXOR};
  for (int o = 0; o < 3; ++o) {
    for (int t = 0; t < 6; ++t) {
      int size;
      OK(MPI_Type_size(logicals[t], &size));
      if (size > 0) reduce(logicals[t], ops[o], yes, no);
    }
    for (int t = 0; t < 4; ++t) reduce(others[t], ops[o], 1, 0); /* C's, whatever Fortran has */
  }
  odd_values();
  EXPECT(MPI_ERR_OP, "MPI_SUM", MPI_Reduce_local(&yes, &no, 1, MPI_LOGICAL, MPI_SUM));
  return check_end("logicals");
}
