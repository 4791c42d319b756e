/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Types by their properties (Fortran's parametric kinds, value-index pairs, sizes), distributed
 * arrays, external32, statuses that users fill in. */
#include <float.h>
#include <stddef.h>
#include <wchar.h>

#include "check.h"

static void parametric(void) {
  MPI_Datatype a, b, copy;
  int size = 0, ni, na, nd, combiner, ints[2] = {0, 0};
  OK(MPI_Type_create_f90_real(6, 30, &a));
  OK(MPI_Type_create_f90_real(6, 30, &b));
  CHECK(a == b);
  OK(MPI_Type_create_f90_real(5, 30, &b));
  CHECK(a != b);
  OK(MPI_Type_size(a, &size));
  CHECK(size == 4);
  OK(MPI_Type_get_envelope(a, &ni, &na, &nd, &combiner));
  CHECK(ni == 2 && na == 0 && nd == 0 && combiner == MPI_COMBINER_F90_REAL);
  OK(MPI_Type_get_contents(a, 2, 0, 0, ints, NULL, NULL));
  CHECK(ints[0] == 6 && ints[1] == 30);
  EXPECT(MPI_ERR_TYPE, "predefined", MPI_Type_free(&a));
  OK(MPI_Type_commit(&a));
  OK(MPI_Type_dup(a, &copy));
  OK(MPI_Type_get_envelope(copy, &ni, &na, &nd, &combiner));
  CHECK(combiner == MPI_COMBINER_DUP && nd == 1);
  OK(MPI_Type_get_contents(copy, 0, 0, 1, NULL, NULL, &b));
  CHECK(b == a);
  OK(MPI_Type_free(&copy));
  float x = 1.5F, y = 2.25F, sum = 0;
  OK(MPI_Reduce_local(&x, &y, 1, a, MPI_SUM));
  CHECK(y == 3.75F);
  OK(MPI_Allreduce(&x, &sum, 1, a, MPI_SUM, MPI_COMM_WORLD));
  CHECK(sum == 1.5F * (float)check_size);
  const struct {
    int p, r, size;
  } reals[] = {{MPI_UNDEFINED, 37, 4}, {7, MPI_UNDEFINED, 8}, {15, 307, 8},
               {33, 4931, 16},         {1, 308, 16},          {0, 0, 4}};
  for (int i = 0; i < 6; ++i) {
    OK(MPI_Type_create_f90_real(reals[i].p, reals[i].r, &a));
    OK(MPI_Type_size(a, &size));
    CHECK(size == reals[i].size);
    OK(MPI_Type_create_f90_complex(reals[i].p, reals[i].r, &a));
    OK(MPI_Type_size(a, &size));
    CHECK(size == 2 * reals[i].size);
  }
  const int ranges[][2] = {{1, 1}, {2, 1}, {3, 2}, {4, 2}, {9, 4}, {10, 8}, {18, 8}, {19, 16}};
  for (int i = 0; i < 8; ++i) {
    OK(MPI_Type_create_f90_integer(ranges[i][0], &a));
    OK(MPI_Type_size(a, &size));
    CHECK(size == ranges[i][1]);
  }
  EXPECT(MPI_ERR_ARG, "p = 40", MPI_Type_create_f90_real(40, 2, &a));
  EXPECT(MPI_ERR_ARG, "MPI_UNDEFINED",
         MPI_Type_create_f90_complex(MPI_UNDEFINED, MPI_UNDEFINED, &a));
  EXPECT(MPI_ERR_ARG, "r = 39", MPI_Type_create_f90_integer(39, &a));
  EXPECT(MPI_ERR_ARG, "newtype", MPI_Type_create_f90_integer(3, NULL));
}

static void by_size(void) {
  MPI_Datatype type;
  OK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type));
  CHECK(type == MPI_REAL8);
  OK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 1, &type));
  CHECK(type == MPI_INTEGER1);
  OK(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 8, &type));
  CHECK(type == MPI_COMPLEX8);
  FAILS(MPI_ERR_TYPE, MPI_Type_free(&type));
  EXPECT(MPI_ERR_ARG, "3 bytes", MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 3, &type));
  EXPECT(MPI_ERR_ARG, "typeclass is 7", MPI_Type_match_size(7, 4, &type));
}

static void pairs(void) {
  MPI_Datatype type, other;
  int ni, na, nd, combiner;
  OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &type));
  CHECK(type == MPI_DOUBLE_INT);
  OK(MPI_Type_get_value_index(MPI_INT, MPI_INT, &type));
  CHECK(type == MPI_2INT);
  OK(MPI_Type_get_value_index(MPI_REAL, MPI_REAL, &type));
  CHECK(type == MPI_2REAL);
  OK(MPI_Type_get_value_index(MPI_FLOAT, MPI_FLOAT, &type));
  CHECK(type == MPI_DATATYPE_NULL);
  OK(MPI_Type_get_value_index(MPI_C_BOOL, MPI_INT, &type));
  CHECK(type == MPI_DATATYPE_NULL);
  OK(MPI_Type_get_value_index(MPI_UINT16_T, MPI_COUNT, &type));
  OK(MPI_Type_get_value_index(MPI_UINT16_T, MPI_COUNT, &other));
  CHECK(type != MPI_DATATYPE_NULL && type == other);
  OK(MPI_Type_get_envelope(type, &ni, &na, &nd, &combiner));
  CHECK(ni == 0 && na == 0 && nd == 2 && combiner == MPI_COMBINER_VALUE_INDEX);
  MPI_Datatype members[2];
  OK(MPI_Type_get_contents(type, 0, 0, 2, NULL, NULL, members));
  CHECK(members[0] == MPI_UINT16_T && members[1] == MPI_COUNT);
  FAILS(MPI_ERR_TYPE, MPI_Type_free(&type));
  struct pair {
    uint16_t value;
    MPI_Count index;
  };
  struct pair mine[3], best[3];
  MPI_Aint lower, extent;
  OK(MPI_Type_get_extent(type, &lower, &extent));
  CHECK(lower == 0 && extent == (MPI_Aint)sizeof(struct pair));
  for (int i = 0; i < 3; ++i) {
    mine[i].value = (uint16_t)(i == 0 ? 60000 + check_rank : i == 1 ? 9 : 60000 - check_rank);
    mine[i].index = ((MPI_Count)1 << 40) + check_rank;
  }
  OK(MPI_Allreduce(mine, best, 3, type, MPI_MAXLOC, MPI_COMM_WORLD));
  const MPI_Count first = (MPI_Count)1 << 40, last = first + check_size - 1;
  CHECK(best[0].value == 60000 + check_size - 1 && best[0].index == last);
  CHECK(best[1].value == 9 && best[1].index == first && best[2].index == first);
  OK(MPI_Allreduce(mine, best, 3, type, MPI_MINLOC, MPI_COMM_WORLD));
  CHECK(best[0].index == first && best[1].index == first && best[2].index == last);
  FAILS(MPI_ERR_OP, MPI_Allreduce(mine, best, 3, type, MPI_SUM, MPI_COMM_WORLD));
  FAILS(MPI_ERR_TYPE, MPI_Type_get_value_index(MPI_DATATYPE_NULL, MPI_INT, &type));
}

/* Who owns which element of a distributed array. */
static int owner(int index, int size, int processes, int distribution, int arg) {
  if (distribution == MPI_DISTRIBUTE_NONE) return 0;
  int block = arg;
  if (arg == MPI_DISTRIBUTE_DFLT_DARG)
    block = distribution == MPI_DISTRIBUTE_BLOCK ? (size + processes - 1) / processes : 1;
  return index / block % processes;
}

static void distributed(int order) {
  enum { kX = 7, kY = 10, kZ = 3, kAll = kX * kY * kZ };
  const int sizes[3] = {kX, kY, kZ}, grid[3] = {2, 3, 1};
  const int kinds[][3] = {{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE},
                          {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
                          {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}};
  const int dargs[][3] = {{MPI_DISTRIBUTE_DFLT_DARG, 2, MPI_DISTRIBUTE_DFLT_DARG},
                          {3, 4, 2},
                          {MPI_DISTRIBUTE_DFLT_DARG, 7, MPI_DISTRIBUTE_DFLT_DARG}};
  int array[kAll], part[kAll];
  for (int i = 0; i < kAll; ++i) array[i] = i;
  for (int c = 0; c < 3; ++c) {
    for (int rank = 0; rank < 6; ++rank) {
      MPI_Datatype type;
      int position = 0, n = 0, good = 1;
      MPI_Aint lower, extent;
      OK(MPI_Type_create_darray(6, rank, 3, sizes, kinds[c], dargs[c], grid, order, MPI_INT,
                                &type));
      OK(MPI_Type_commit(&type));
      OK(MPI_Type_get_extent(type, &lower, &extent));
      CHECK(lower == 0 && extent == (MPI_Aint)sizeof array);
      OK(MPI_Pack(array, 1, type, part, sizeof part, &position, MPI_COMM_SELF));
      for (int i = 0; i < kAll; ++i) {
        const int z = order == MPI_ORDER_C ? i % kZ : i / (kX * kY);
        const int y = order == MPI_ORDER_C ? i / kZ % kY : i / kX % kY;
        const int x = order == MPI_ORDER_C ? i / (kZ * kY) : i % kX;
        const int at = (owner(x, kX, 2, kinds[c][0], dargs[c][0]) * 3 +
                        owner(y, kY, 3, kinds[c][1], dargs[c][1])) +
                       owner(z, kZ, 1, kinds[c][2], dargs[c][2]);
        if (at == rank) good &= part[n++] == i;
      }
      CHECK(good && position == n * (int)sizeof(int));
      OK(MPI_Type_free(&type));
    }
  }
}

static void wrong_arrays(void) {
  MPI_Datatype type;
  int sizes[2] = {8, 8}, block[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE}, args[2], grid[2];
  args[0] = args[1] = MPI_DISTRIBUTE_DFLT_DARG;
  grid[0] = 4;
  grid[1] = 1;
#define DARRAY(size, rank, n, order) \
  MPI_Type_create_darray(size, rank, n, sizes, block, args, grid, order, MPI_INT, &type)
  EXPECT(MPI_ERR_ARG, "rank is 4", DARRAY(4, 4, 2, MPI_ORDER_C));
  EXPECT(MPI_ERR_ARG, "size is 5", DARRAY(5, 0, 2, MPI_ORDER_C));
  EXPECT(MPI_ERR_ARG, "order is 3", DARRAY(4, 0, 2, 3));
  EXPECT(MPI_ERR_ARG, "dimensions", DARRAY(4, 0, 0, MPI_ORDER_C));
  EXPECT(MPI_ERR_COUNT, "ndims", DARRAY(4, 0, -1, MPI_ORDER_C));
  args[0] = 1;
  EXPECT(MPI_ERR_ARG, "array_of_dargs[0] is 1", DARRAY(4, 0, 2, MPI_ORDER_C));
  args[0] = 2;
  block[1] = 99;
  EXPECT(MPI_ERR_ARG, "array_of_distribs[1] is 99", DARRAY(4, 0, 2, MPI_ORDER_C));
  block[1] = MPI_DISTRIBUTE_NONE;
  grid[0] = grid[1] = 2;
  args[0] = 4;
  EXPECT(MPI_ERR_ARG, "array_of_psizes[1] is 2", DARRAY(4, 0, 2, MPI_ORDER_C));
  sizes[0] = 0;
  grid[0] = 4;
  grid[1] = 1;
  EXPECT(MPI_ERR_ARG, "array_of_gsizes[0] is 0", DARRAY(4, 0, 2, MPI_ORDER_C));
  EXPECT(MPI_ERR_TYPE, "oldtype",
         MPI_Type_create_darray(4, 0, 2, sizes, block, args, grid, MPI_ORDER_C, MPI_DATATYPE_NULL,
                                &type));
#undef DARRAY
  /* a process of a large array that owns nothing, and one of 2^42 elements */
  const MPI_Count huge[1] = {(MPI_Count)1 << 42}, small[1] = {2};
  const int cyclic[1] = {MPI_DISTRIBUTE_CYCLIC}, four[1] = {4},
            dflt[1] = {MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Count size, lower, extent;
  OK(MPI_Type_create_darray_c(4, 3, 1, small, cyclic, dflt, four, MPI_ORDER_C, MPI_INT, &type));
  OK(MPI_Type_size_c(type, &size));
  OK(MPI_Type_get_extent_c(type, &lower, &extent));
  CHECK(size == 0 && lower == 0 && extent == 8);
  OK(MPI_Type_free(&type));
  OK(MPI_Type_create_darray_c(4, 3, 1, huge, cyclic, four, four, MPI_ORDER_C, MPI_INT, &type));
  OK(MPI_Type_size_c(type, &size));
  OK(MPI_Type_get_true_extent_c(type, &lower, &extent));
  CHECK(size == huge[0] && lower == 48 && extent == 4 * huge[0] - 48);
  OK(MPI_Type_free(&type));
}

/* Big-endian bytes of a number. */
static void put(unsigned char* to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to[i] = (unsigned char)(value >> (8 * (bytes - 1 - i)));
}

static void one_external(MPI_Datatype type, const void* value, int native,
                         const unsigned char* wire, int bytes) {
  unsigned char out[64], back[64];
  MPI_Aint size = 0, position = 3;
  memset(out, 0xee, sizeof out);
  memset(back, 0, sizeof back);
  OK(MPI_Pack_external_size("external32", 1, type, &size));
  CHECK(size == bytes);
  OK(MPI_Pack_external("external32", value, 1, type, out, 3 + bytes, &position));
  CHECK(position == 3 + bytes && memcmp(out + 3, wire, (size_t)bytes) == 0);
  CHECK(out[2] == 0xee && out[3 + bytes] == 0xee);
  position = 3;
  OK(MPI_Unpack_external("external32", out, 3 + bytes, &position, back, 1, type));
  CHECK(position == 3 + bytes && memcmp(back, value, (size_t)native) == 0);
}

static void external_basics(void) {
  unsigned char wire[32];
  const long numbers[] = {0, 1, -1, -2147483647 - 1, 2147483647, 0x12345678};
  for (int i = 0; i < 6; ++i) {
    const long value = numbers[i];
    const int narrow = (int)value;
    const long long wide = (long long)value * (1 << 20);
    put(wire, (uint64_t)value, 4);
    one_external(MPI_LONG, &value, sizeof value, wire, 4);
    one_external(MPI_INT, &narrow, sizeof narrow, wire, 4);
    one_external(MPI_INTEGER, &narrow, sizeof narrow, wire, 4);
    one_external(MPI_LOGICAL, &narrow, sizeof narrow, wire, 4);
    put(wire, (uint64_t)wide, 8);
    one_external(MPI_LONG_LONG, &wide, sizeof wide, wire, 8);
    one_external(MPI_AINT, &wide, sizeof wide, wire, 8);
    one_external(MPI_OFFSET, &wide, sizeof wide, wire, 8);
    one_external(MPI_COUNT, &wide, sizeof wide, wire, 8);
    one_external(MPI_INTEGER8, &wide, sizeof wide, wire, 8);
  }
  const unsigned long positive = 0xfedcba98UL;
  put(wire, positive, 4);
  one_external(MPI_UNSIGNED_LONG, &positive, sizeof positive, wire, 4);
  const short tiny = -2;
  put(wire, 0xfffe, 2);
  one_external(MPI_SHORT, &tiny, sizeof tiny, wire, 2);
  one_external(MPI_REAL2, &tiny, sizeof tiny, wire, 2);
  const wchar_t letter = 0x20ac;
  put(wire, 0x20ac, 2);
  one_external(MPI_WCHAR, &letter, sizeof letter, wire, 2);
  const char byte = 'r';
  one_external(MPI_CHAR, &byte, 1, (const unsigned char*)"r", 1);
  one_external(MPI_PACKED, &byte, 1, (const unsigned char*)"r", 1);
  const _Bool truth = 1;
  one_external(MPI_C_BOOL, &truth, sizeof truth, (const unsigned char*)"\1", 1);
  const float f[2] = {-1.5F, 0.25F};
  put(wire, 0xbfc00000, 4);
  put(wire + 4, 0x3e800000, 4);
  one_external(MPI_FLOAT, f, sizeof(float), wire, 4);
  one_external(MPI_C_FLOAT_COMPLEX, f, sizeof f, wire, 8);
  one_external(MPI_2REAL, f, sizeof f, wire, 8);
  const double d[2] = {1e300, -2};
  put(wire, 0x7e37e43c8800759cULL, 8);
  put(wire + 8, 0xc000000000000000ULL, 8);
  one_external(MPI_DOUBLE, d, sizeof(double), wire, 8);
  one_external(MPI_DOUBLE_COMPLEX, d, sizeof d, wire, 16);
  /* -3 * 2^100 as binary128: sign, exponent 101 + 16383, fraction 1000... */
  long double big;
  memset(&big, 0, sizeof big);
  big = -3.0L * 0x1p100L;
  memset(wire, 0, sizeof wire);
  put(wire, 0x8000 | (16383 + 101), 2);
  wire[2] = 0x80;
  /* without the bytes that an 80-bit number leaves alone */
  one_external(MPI_LONG_DOUBLE, &big, LDBL_MANT_DIG == 64 ? 10 : sizeof big, wire, 16);
  const struct {
    long value;
    int index;
  } pair = {-5, 7};
  put(wire, (uint64_t)-5, 4);
  put(wire + 4, 7, 4);
  one_external(MPI_LONG_INT, &pair, sizeof(long) + sizeof(int), wire, 8);
}

/* All bytes of every predefined type survive; the sizes of table 14.2. */
static void external_all(void) {
  const struct {
    MPI_Datatype type;
    int bytes;
  } rows[] = {{MPI_UNSIGNED_CHAR, 1},
              {MPI_SIGNED_CHAR, 1},
              {MPI_UNSIGNED_SHORT, 2},
              {MPI_UNSIGNED, 4},
              {MPI_UNSIGNED_LONG_LONG, 8},
              {MPI_INT8_T, 1},
              {MPI_INT16_T, 2},
              {MPI_INT32_T, 4},
              {MPI_INT64_T, 8},
              {MPI_UINT8_T, 1},
              {MPI_UINT16_T, 2},
              {MPI_UINT32_T, 4},
              {MPI_UINT64_T, 8},
              {MPI_CXX_BOOL, 1},
              {MPI_CXX_FLOAT_COMPLEX, 8},
              {MPI_CXX_DOUBLE_COMPLEX, 16},
              {MPI_CHARACTER, 1},
              {MPI_REAL, 4},
              {MPI_DOUBLE_PRECISION, 8},
              {MPI_COMPLEX, 8},
              {MPI_INTEGER1, 1},
              {MPI_INTEGER2, 2},
              {MPI_INTEGER4, 4},
              {MPI_INTEGER16, 16},
              {MPI_REAL4, 4},
              {MPI_REAL8, 8},
              {MPI_REAL16, 16},
              {MPI_COMPLEX4, 4},
              {MPI_COMPLEX8, 8},
              {MPI_COMPLEX16, 16},
              {MPI_COMPLEX32, 32},
              {MPI_LOGICAL1, 1},
              {MPI_LOGICAL2, 2},
              {MPI_LOGICAL4, 4},
              {MPI_LOGICAL8, 8},
              {MPI_LOGICAL16, 16},
              {MPI_C_LONG_DOUBLE_COMPLEX, 32},
              {MPI_CXX_LONG_DOUBLE_COMPLEX, 32},
              {MPI_FLOAT_INT, 8},
              {MPI_DOUBLE_INT, 12},
              {MPI_2INT, 8},
              {MPI_SHORT_INT, 6},
              {MPI_LONG_DOUBLE_INT, 20},
              {MPI_2DOUBLE_PRECISION, 16},
              {MPI_2INTEGER, 8}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    enum { kElements = 700 };
    static char native[64 * kElements], back[64 * kElements], wire[64 * kElements];
    MPI_Count size = 0, bytes = 0, position = 0;
    MPI_Aint lower, extent;
    memset(native, 0, sizeof native);
    memset(back, 0, sizeof back);
    OK(MPI_Type_size_c(rows[i].type, &size));
    OK(MPI_Type_get_extent(rows[i].type, &lower, &extent));
    OK(MPI_Pack_external_size_c("external32", kElements, rows[i].type, &bytes));
    CHECK(bytes == (MPI_Count)kElements * rows[i].bytes);
    /* long doubles in native form; for the others any bytes will do */
    const int extended = rows[i].type == MPI_LONG_DOUBLE_INT ||
                         rows[i].type == MPI_C_LONG_DOUBLE_COMPLEX ||
                         rows[i].type == MPI_CXX_LONG_DOUBLE_COMPLEX;
    MPI_Count packed_size = size * kElements, unpacked = 0;
    if (extended) {
      for (int e = 0; e < kElements; ++e)
        for (int part = 0; part < (rows[i].bytes == 32 ? 2 : 1); ++part) {
          long double value;
          memset(&value, 0, sizeof value);
          value = (e - 350) * 1.0e-3L;
          memcpy(native + e * extent + part * (int)sizeof value, &value,
                 LDBL_MANT_DIG == 64 ? 10 : 16);
        }
    } else {
      char* random = malloc((size_t)packed_size);
      check_fill(random, (size_t)packed_size, i);
      OK(MPI_Unpack_c(random, packed_size, &unpacked, native, kElements, rows[i].type,
                      MPI_COMM_SELF));
      free(random);
    }
    OK(MPI_Pack_external_c("external32", native, kElements, rows[i].type, wire, bytes, &position));
    CHECK(position == bytes);
    position = 0;
    OK(MPI_Unpack_external_c("external32", wire, bytes, &position, back, kElements, rows[i].type));
    CHECK(position == bytes && memcmp(native, back, (size_t)(kElements * extent)) == 0);
  }
}

static void external_derived(void) {
  /* {long, char, gap, double[2]} strided; a parametric and a pair type inside */
  struct item {
    long number;
    char letter;
    double values[2];
    struct {
      double value;
      int64_t index;
    } pair;
  };
  MPI_Datatype pair, inner, sized, type;
  OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT64_T, &pair));
  const int lengths[4] = {1, 1, 2, 1};
  const MPI_Aint places[4] = {offsetof(struct item, number), offsetof(struct item, letter),
                              offsetof(struct item, values), offsetof(struct item, pair)};
  const MPI_Datatype parts[4] = {MPI_LONG, MPI_CHAR, MPI_DOUBLE, pair};
  OK(MPI_Type_create_struct(4, lengths, places, parts, &inner));
  OK(MPI_Type_create_resized(inner, 0, sizeof(struct item), &sized));
  OK(MPI_Type_vector(500, 1, 2, sized, &type));
  OK(MPI_Type_commit(&type));
  enum { kItem = 4 + 1 + 16 + 16, kItems = 500 };
  static struct item out[2 * kItems], in[2 * kItems];
  static unsigned char wire[kItem * kItems];
  MPI_Count size = 0, position = 0;
  memset(out, 0, sizeof out);
  memset(in, 0, sizeof in);
  for (int i = 0; i < 2 * kItems; ++i) {
    out[i].number = i % 2 ? (long)i << 40 : -i;
    out[i].letter = (char)i;
    out[i].values[1] = i * 0.5;
    out[i].pair.value = -i;
    out[i].pair.index = (int64_t)i << 33;
  }
  OK(MPI_Pack_external_size_c("external32", 1, type, &size));
  CHECK(size == sizeof wire);
  OK(MPI_Pack_external_c("external32", out, 1, type, wire, size, &position));
  unsigned char expected[kItem];
  put(expected, (uint64_t)-8, 4);
  expected[4] = 8;
  put(expected + 5, 0, 8);
  put(expected + 13, 0x4010000000000000ULL, 8);
  put(expected + 21, 0xc020000000000000ULL, 8);
  put(expected + 29, 8ULL << 33, 8);
  CHECK(position == size && memcmp(wire + 4 * kItem, expected, kItem) == 0);
  position = 0;
  OK(MPI_Unpack_external_c("external32", wire, size, &position, in, 1, type));
  int good = 1;
  for (int i = 0; i < 2 * kItems; ++i)
    good &= i % 2 ? in[i].number == 0 && in[i].pair.index == 0
                  : in[i].number == out[i].number && in[i].letter == out[i].letter &&
                        in[i].values[1] == out[i].values[1] &&
                        in[i].pair.value == out[i].pair.value &&
                        in[i].pair.index == out[i].pair.index;
  CHECK(good && position == size);
  OK(MPI_Type_free(&type));
  OK(MPI_Type_free(&sized));
  OK(MPI_Type_free(&inner));
}

static void external_wrong(void) {
  char wire[16];
  MPI_Aint position = 0, size = 0;
  const long wide = 1L << 33;
  const wchar_t letter = 0x1f600;
  const int number = 4;
  MPI_Datatype type;
  EXPECT(MPI_ERR_CONVERSION, "4 bytes",
         MPI_Pack_external("external32", &wide, 1, MPI_LONG, wire, 16, &position));
  EXPECT(MPI_ERR_CONVERSION, "2 bytes",
         MPI_Pack_external("external32", &letter, 1, MPI_WCHAR, wire, 16, &position));
  CHECK(position == 0);
  EXPECT(MPI_ERR_UNSUPPORTED_DATAREP, "native",
         MPI_Pack_external_size("native", 1, MPI_INT, &size));
  EXPECT(
      MPI_ERR_TRUNCATE, "position 13",
      (position = 13, MPI_Pack_external("external32", &number, 1, MPI_INT, wire, 16, &position)));
  EXPECT(MPI_ERR_TRUNCATE, "position -1",
         (position = -1, MPI_Unpack_external("external32", wire, 16, &position, wire, 1, MPI_INT)));
  position = 0;
  FAILS(MPI_ERR_COUNT, MPI_Pack_external("external32", &number, -1, MPI_INT, wire, 16, &position));
  OK(MPI_Pack_external("external32", NULL, 0, MPI_INT, NULL, 0, &position));
  OK(MPI_Type_contiguous(2, MPI_INT, &type));
  FAILS(MPI_ERR_TYPE, MPI_Pack_external("external32", wire, 1, type, wire, 16, &position));
  OK(MPI_Type_free(&type));
  MPI_Count large = 0;
  OK(MPI_Pack_external_size_c("external32", (MPI_Count)1 << 60, MPI_INT, &large));
  CHECK(large == (MPI_Count)1 << 62);
  FAILS(MPI_ERR_COUNT, MPI_Pack_external_size_c("external32", INT64_MAX, MPI_INT, &large));
}

static void wrong_constructors(void) {
  MPI_Datatype type;
  const int lengths[3] = {1, 2, -3}, places[3] = {0, 4, 9}, zeros[1] = {0}, ones[1] = {1};
  const MPI_Aint far[3] = {0, 16, 64};
  const MPI_Datatype parts[3] = {MPI_INT, MPI_DATATYPE_NULL, MPI_INT};
  EXPECT(MPI_ERR_COUNT, "count is -1", MPI_Type_contiguous(-1, MPI_INT, &type));
  EXPECT(MPI_ERR_ARG, "blocklength is -2", MPI_Type_vector(1, -2, 1, MPI_INT, &type));
  EXPECT(MPI_ERR_ARG, "array_of_blocklengths[2] is -3",
         MPI_Type_indexed(3, lengths, places, MPI_INT, &type));
  EXPECT(MPI_ERR_ARG, "array_of_displacements", MPI_Type_indexed(3, lengths, NULL, MPI_INT, &type));
  EXPECT(MPI_ERR_ARG, "blocklength is -1",
         MPI_Type_create_indexed_block(3, -1, places, MPI_INT, &type));
  EXPECT(MPI_ERR_TYPE, "array_of_types", MPI_Type_create_struct(3, lengths, far, parts, &type));
  EXPECT(MPI_ERR_ARG, "array_of_sizes",
         MPI_Type_create_subarray(1, NULL, ones, zeros, MPI_ORDER_C, MPI_INT, &type));
  EXPECT(MPI_ERR_ARG, "0 elements",
         MPI_Type_create_subarray(1, ones, zeros, zeros, MPI_ORDER_C, MPI_INT, &type));
  EXPECT(MPI_ERR_TYPE, "oldtype", MPI_Type_dup(MPI_DATATYPE_NULL, &type));
  EXPECT(MPI_ERR_ARG, "newtype", MPI_Type_create_resized(MPI_INT, 0, 8, NULL));
  EXPECT(MPI_ERR_TYPE, "MPI_INT", (type = MPI_INT, MPI_Type_free(&type)));
  EXPECT(MPI_ERR_ARG, "63 bits", MPI_Type_contiguous_c(INT64_MAX, MPI_INT, &type));
}

static void statuses(void) {
  MPI_Status status;
  MPI_Datatype type;
  int count = 0, flag = -1;
  MPI_Count large = 0;
  memset(&status, 0, sizeof status);
  const int lengths[2] = {2, 1};
  const MPI_Aint places[2] = {0, 8};
  const MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE_INT};
  OK(MPI_Type_create_struct(2, lengths, places, parts, &type));
  for (int n = 0; n < 20; ++n) {
    OK(MPI_Status_set_elements(&status, type, n));
    OK(MPI_Get_elements(&status, type, &count));
    CHECK(count == n);
    OK(MPI_Get_count(&status, type, &count));
    CHECK(count == (n % 4 == 0 ? n / 4 : MPI_UNDEFINED));
    OK(MPI_Status_set_elements(&status, MPI_DOUBLE_INT, n));
    OK(MPI_Get_elements(&status, MPI_DOUBLE_INT, &count));
    CHECK(count == n);
  }
  const MPI_Count huge = (MPI_Count)5 << 33;
  OK(MPI_Status_set_elements_c(&status, type, huge));
  OK(MPI_Get_elements_c(&status, type, &large));
  CHECK(large == huge);
  OK(MPI_Get_elements(&status, type, &count));
  CHECK(count == MPI_UNDEFINED);
  OK(MPI_Status_set_elements_x(&status, MPI_BYTE, huge + 1));
  OK(MPI_Get_elements_x(&status, MPI_BYTE, &large));
  CHECK(large == huge + 1);
  FAILS(MPI_ERR_COUNT, MPI_Status_set_elements_c(&status, MPI_DOUBLE, INT64_MAX));
  FAILS(MPI_ERR_COUNT, MPI_Status_set_elements(&status, MPI_INT, -1));
  FAILS(MPI_ERR_COUNT, MPI_Status_set_elements_x(&status, MPI_INT, -1));
  FAILS(MPI_ERR_ARG, MPI_Status_set_elements(MPI_STATUS_IGNORE, MPI_INT, 1));
  FAILS(MPI_ERR_TYPE, MPI_Status_set_elements(&status, MPI_DATATYPE_NULL, 1));
  OK(MPI_Type_free(&type));
  OK(MPI_Status_set_cancelled(&status, 1));
  OK(MPI_Test_cancelled(&status, &flag));
  CHECK(flag == 1);
  OK(MPI_Get_elements_x(&status, MPI_BYTE, &large));
  CHECK(large == huge + 1);
  OK(MPI_Status_set_cancelled(&status, 0));
  OK(MPI_Test_cancelled(&status, &flag));
  CHECK(flag == 0);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  parametric();
  by_size();
  pairs();
  distributed(MPI_ORDER_C);
  distributed(MPI_ORDER_FORTRAN);
  wrong_arrays();
  wrong_constructors();
  external_basics();
  external_all();
  external_derived();
  external_wrong();
  statuses();
  return check_end("type_kinds");
}
