/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Every predefined operation on every type that it is defined for (MPI-5.0, section 6.9.2), against
 * a plain loop; the other pairs give MPI_ERR_OP; MINLOC and MAXLOC; operations of the user. */
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

#include "check.h"

enum { kElements = 261 }; /* not a multiple of a vector */

static const MPI_Op kOps[] = {MPI_MAX,  MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND,
                              MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR};
enum { kMax, kMin, kSum, kProd, kLand, kBand, kLor, kBor, kLxor, kBxor, kOpCount };

/* The groups of types for which operations are defined. */
enum { kInteger = 1, kFloating = 2, kLogical = 4, kComplex = 8, kByte = 16, kAddress = 32 };
static int allowed(int op, int group) {
  switch (op) {
    case kMax:
    case kMin:
      return (group & (kInteger | kAddress | kFloating)) != 0;
    case kSum:
    case kProd:
      return (group & (kInteger | kAddress | kFloating | kComplex)) != 0;
    case kLand:
    case kLor:
    case kLxor:
      return (group & (kInteger | kLogical)) != 0;
    default:
      return (group & (kInteger | kAddress | kByte)) != 0;
  }
}

/* Small values, so that sums and products are exact in every type. */
static int small(int rank, int i) {
  return (rank * 7 + i * 3) % 3 + 1;
}

/* All operations on one type: `fold_*` lines are the plain loop. */
static void expect_result(MPI_Datatype type, int op, const void* in, size_t size,
                          const void* expected, const char* name) {
  char* out = malloc(kElements * size);
  char what[100];
  snprintf(what, sizeof what, "operation %d on %s", op, name);
  memset(out, 0x5a, kElements * size);
  check_that(MPI_Allreduce(in, out, kElements, type, kOps[op], MPI_COMM_WORLD) == MPI_SUCCESS, what,
             __FILE__, __LINE__);
  check_that(memcmp(out, expected, kElements * size) == 0, what, __FILE__, __LINE__);
  free(out);
}

static void expect_local(MPI_Datatype type, int op, const void* in, void* inout, size_t bytes,
                         const void* expected, const char* name) {
  char what[100];
  snprintf(what, sizeof what, "local operation %d on %s", op, name);
  check_that(MPI_Reduce_local(in, inout, kElements, type, kOps[op]) == MPI_SUCCESS, what, __FILE__,
             __LINE__);
  check_that(memcmp(inout, expected, bytes) == 0, what, __FILE__, __LINE__);
}

static void expect_refused(MPI_Datatype type, int op, const char* name) {
  char in[64] = {0}, out[64] = {0}, what[100];
  snprintf(what, sizeof what, "operation %d on %s is refused", op, name);
  check_that(
      check_class_of(MPI_Allreduce(in, out, 1, type, kOps[op], MPI_COMM_WORLD)) == MPI_ERR_OP, what,
      __FILE__, __LINE__);
  check_that(check_class_of(MPI_Reduce_local(in, out, 1, type, kOps[op])) == MPI_ERR_OP, what,
             __FILE__, __LINE__);
}

/* One function a C type; `fold` is the plain loop's step. */
#define BEGIN_TYPE(function, c_type)                                                             \
  static void function(MPI_Datatype type, int group, const char* name) {                         \
    c_type *in = malloc(sizeof(c_type) * kElements), *want = malloc(sizeof(c_type) * kElements), \
           *local = malloc(sizeof(c_type) * kElements);                                          \
    for (int op = 0; op < kOpCount; ++op) {                                                      \
      if (!allowed(op, group)) {                                                                 \
        expect_refused(type, op, name);                                                          \
        continue;                                                                                \
      }                                                                                          \
      for (int way = 0; way < 2; ++way) {                                                        \
        const int ranks = way == 0 ? check_size : 2;                                             \
        for (int i = 0; i < kElements; ++i) {                                                    \
          in[i] = (c_type)small(way == 0 ? check_rank : 0, i);                                   \
          local[i] = (c_type)small(1, i);                                                        \
          c_type a = (c_type)small(0, i);                                                        \
          for (int r = 1; r < ranks; ++r) {                                                      \
            const c_type b = (c_type)small(r, i);                                                \
            switch (op) {
#define END_TYPE                                                          \
  }                                                                       \
  }                                                                       \
  want[i] = a;                                                            \
  }                                                                       \
  if (way == 0) {                                                         \
    expect_result(type, op, in, sizeof *in, want, name);                  \
  } else {                                                                \
    expect_local(type, op, in, local, sizeof *in* kElements, want, name); \
  }                                                                       \
  }                                                                       \
  }                                                                       \
  free(in);                                                               \
  free(want);                                                             \
  free(local);                                                            \
  }
#define ARITHMETIC(c_type) \
  case kSum:               \
    a = (c_type)(a + b);   \
    break;                 \
  case kProd:              \
    a = (c_type)(a * b);   \
    break;
#define ORDER          \
  case kMax:           \
    a = a > b ? a : b; \
    break;             \
  case kMin:           \
    a = a < b ? a : b; \
    break;
#define BITS(c_type)     \
  case kBand:            \
    a = (c_type)(a & b); \
    break;               \
  case kBor:             \
    a = (c_type)(a | b); \
    break;               \
  case kBxor:            \
    a = (c_type)(a ^ b); \
    break;
#define LOGIC(c_type)       \
  case kLand:               \
    a = (c_type)(a && b);   \
    break;                  \
  case kLor:                \
    a = (c_type)(a || b);   \
    break;                  \
  case kLxor:               \
    a = (c_type)(!a != !b); \
    break;

#define INTEGER(function, c_type) \
  BEGIN_TYPE(function, c_type) ARITHMETIC(c_type) ORDER BITS(c_type) LOGIC(c_type) END_TYPE
#define FLOATING(function, c_type) BEGIN_TYPE(function, c_type) ARITHMETIC(c_type) ORDER END_TYPE
#define COMPLEX(function, c_type) BEGIN_TYPE(function, c_type) ARITHMETIC(c_type) END_TYPE

INTEGER(of_i8, int8_t)
INTEGER(of_i16, int16_t)
INTEGER(of_i32, int32_t)
INTEGER(of_i64, int64_t)
INTEGER(of_u8, uint8_t)
INTEGER(of_u16, uint16_t)
INTEGER(of_u32, uint32_t)
INTEGER(of_u64, uint64_t)
FLOATING(of_float, float)
FLOATING(of_double, double)
COMPLEX(of_complex_float, float complex)
COMPLEX(of_complex_double, double complex)
BEGIN_TYPE(of_bool, bool)
LOGIC(bool)
END_TYPE

static void all_types(void) {
#define RUN(function, type, group) function(type, group, #type)
  RUN(of_i32, MPI_INT, kInteger);
  RUN(of_i16, MPI_SHORT, kInteger);
  RUN(of_i64, MPI_LONG, kInteger);
  RUN(of_i64, MPI_LONG_LONG, kInteger);
  RUN(of_i8, MPI_CHAR, kInteger); /* beyond the standard: other MPIs take it, programs use it */
  RUN(of_i8, MPI_SIGNED_CHAR, kInteger);
  RUN(of_u8, MPI_UNSIGNED_CHAR, kInteger);
  RUN(of_u16, MPI_UNSIGNED_SHORT, kInteger);
  RUN(of_u32, MPI_UNSIGNED, kInteger);
  RUN(of_u64, MPI_UNSIGNED_LONG, kInteger);
  RUN(of_u64, MPI_UNSIGNED_LONG_LONG, kInteger);
  RUN(of_i8, MPI_INT8_T, kInteger);
  RUN(of_i16, MPI_INT16_T, kInteger);
  RUN(of_i32, MPI_INT32_T, kInteger);
  RUN(of_i64, MPI_INT64_T, kInteger);
  RUN(of_u8, MPI_UINT8_T, kInteger);
  RUN(of_u16, MPI_UINT16_T, kInteger);
  RUN(of_u32, MPI_UINT32_T, kInteger);
  RUN(of_u64, MPI_UINT64_T, kInteger);
  RUN(of_i64, MPI_AINT, kAddress);
  RUN(of_i64, MPI_OFFSET, kAddress);
  RUN(of_i64, MPI_COUNT, kAddress);
  RUN(of_float, MPI_FLOAT, kFloating);
  RUN(of_double, MPI_DOUBLE, kFloating);
  RUN(of_complex_float, MPI_C_FLOAT_COMPLEX, kComplex);
  RUN(of_complex_float, MPI_C_COMPLEX, kComplex);
  RUN(of_complex_double, MPI_C_DOUBLE_COMPLEX, kComplex);
  RUN(of_bool, MPI_C_BOOL, kLogical);
  RUN(of_u8, MPI_BYTE, kByte);
#undef RUN
  /* characters are for printing: no operation (MPI-5.0, section 6.9.2) */
  for (int op = 0; op < kOpCount; ++op) expect_refused(MPI_WCHAR, op, "MPI_WCHAR");
}

/* long double has padding bytes: compared by value */
static void long_doubles(void) {
  long double in[kElements], out[kElements];
  for (int op = kMax; op <= kProd; ++op) {
    for (int i = 0; i < kElements; ++i) in[i] = small(check_rank, i);
    OK(MPI_Allreduce(in, out, kElements, MPI_LONG_DOUBLE, kOps[op], MPI_COMM_WORLD));
    int good = 1;
    for (int i = 0; i < kElements; ++i) {
      long double a = small(0, i);
      for (int r = 1; r < check_size; ++r) {
        const long double b = small(r, i);
        a = op == kMax   ? (a > b ? a : b)
            : op == kMin ? (a < b ? a : b)
            : op == kSum ? a + b
                         : a * b;
      }
      good &= out[i] == a;
    }
    CHECK(good);
  }
}

/* Ties go to the lower index. */
#define LOCATION(function, c_type)                                                                \
  struct function##_pair {                                                                        \
    c_type value;                                                                                 \
    int index;                                                                                    \
  };                                                                                              \
  static void function(MPI_Datatype type) {                                                       \
    struct function##_pair in[kElements], out[kElements];                                         \
    for (int max = 0; max < 2; ++max) {                                                           \
      memset(in, 0, sizeof in);                                                                   \
      for (int i = 0; i < kElements; ++i) {                                                       \
        in[i].value = (c_type)small(check_rank, i);                                               \
        in[i].index = (check_rank * 5 + 3) % (check_size + 1);                                    \
      }                                                                                           \
      OK(MPI_Allreduce(in, out, kElements, type, max ? MPI_MAXLOC : MPI_MINLOC, MPI_COMM_WORLD)); \
      int good = 1;                                                                               \
      for (int i = 0; i < kElements; ++i) {                                                       \
        c_type best = (c_type)small(0, i);                                                        \
        int at = 3 % (check_size + 1);                                                            \
        for (int r = 1; r < check_size; ++r) {                                                    \
          const c_type v = (c_type)small(r, i);                                                   \
          const int index = (r * 5 + 3) % (check_size + 1);                                       \
          if (v == best ? index < at : max ? v > best : v < best) {                               \
            best = v;                                                                             \
            at = index;                                                                           \
          }                                                                                       \
        }                                                                                         \
        good &= out[i].value == best && out[i].index == at;                                       \
      }                                                                                           \
      CHECK(good);                                                                                \
    }                                                                                             \
  }
LOCATION(loc_int, int)
LOCATION(loc_short, short)
LOCATION(loc_long, long)
LOCATION(loc_float, float)
LOCATION(loc_double, double)
LOCATION(loc_long_double, long double)

static void locations(void) {
  int in = 0, out = 0;
  loc_int(MPI_2INT);
  loc_short(MPI_SHORT_INT);
  loc_long(MPI_LONG_INT);
  loc_float(MPI_FLOAT_INT);
  loc_double(MPI_DOUBLE_INT);
  loc_long_double(MPI_LONG_DOUBLE_INT);
  FAILS(MPI_ERR_OP, MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_MAXLOC, MPI_COMM_WORLD));
  FAILS(MPI_ERR_OP, MPI_Allreduce(&in, &out, 1, MPI_2INT, MPI_SUM, MPI_COMM_WORLD));
}

/* A 2x2 matrix product modulo a prime: associative, not commutative. */
struct matrix {
  uint32_t a[4];
};
static MPI_Datatype matrix_type;
static MPI_Count longest_call;
static void multiply(const struct matrix* in, struct matrix* inout, MPI_Count n) {
  longest_call = n > longest_call ? n : longest_call;
  for (MPI_Count i = 0; i < n; ++i) {
    const uint32_t *x = in[i].a, *y = inout[i].a;
    const struct matrix product = {
        {(x[0] * y[0] + x[1] * y[2]) % 30011u, (x[0] * y[1] + x[1] * y[3]) % 30011u,
         (x[2] * y[0] + x[3] * y[2]) % 30011u, (x[2] * y[1] + x[3] * y[3]) % 30011u}};
    inout[i] = product;
  }
}
static void multiply_int(void* in, void* inout, int* n, MPI_Datatype* type) {
  if (*type != matrix_type) ++check_failures;
  multiply(in, inout, *n);
}
static void multiply_count(void* in, void* inout, MPI_Count* n, MPI_Datatype* type) {
  if (*type != matrix_type) ++check_failures;
  multiply(in, inout, *n);
}
static struct matrix matrix_of(int rank, int i) {
  const uint32_t r = (uint32_t)rank, j = (uint32_t)i;
  return (struct matrix){{(r + j + 1) % 30011u, (2 * r + j) % 30011u, j % 30011u, r + 3}};
}

static void user_operations(void) {
  static struct matrix in[kElements * 20], out[kElements * 20];
  MPI_Op ops[2];
  int commutes = -1;
  OK(MPI_Type_contiguous(4, MPI_UINT32_T, &matrix_type));
  OK(MPI_Type_commit(&matrix_type));
  OK(MPI_Op_create(multiply_int, 0, &ops[0]));
  OK(MPI_Op_create_c(multiply_count, 0, &ops[1]));
  OK(MPI_Op_commutative(ops[0], &commutes));
  CHECK(commutes == 0);
  OK(MPI_Op_commutative(MPI_SUM, &commutes));
  CHECK(commutes == 1);
  for (int n = 0; n <= kElements * 20; n = n * 3 + 1) {
    for (int form = 0; form < 4; ++form) {
      for (int i = 0; i < n; ++i) in[i] = matrix_of(check_rank, i);
      memset(out, 0, sizeof out);
      MPI_Request request;
      const int root = n % check_size;
      MPI_Op op = ops[form % 2];
      if (form < 2) {
        OK(MPI_Allreduce(in, out, n, matrix_type, op, MPI_COMM_WORLD));
      } else {
        OK(MPI_Ireduce(in, out, n, matrix_type, op, root, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
      }
      int good = 1;
      for (int i = 0; i < n && (form < 2 || check_rank == root); ++i) {
        struct matrix all = matrix_of(check_size - 1, i);
        for (int r = check_size - 2; r >= 0; --r) {
          const struct matrix one = matrix_of(r, i);
          multiply(&one, &all, 1);
        }
        good &= memcmp(&all, &out[i], sizeof all) == 0;
      }
      CHECK(good);
    }
  }
  /* freed while in use */
  MPI_Request request;
  in[0] = matrix_of(check_rank, 0);
  OK(MPI_Iallreduce(in, out, 1, matrix_type, ops[0], MPI_COMM_WORLD, &request));
  OK(MPI_Op_free(&ops[0]));
  CHECK(ops[0] == MPI_OP_NULL);
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  OK(MPI_Op_free(&ops[1]));
  OK(MPI_Type_free(&matrix_type));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  all_types();
  long_doubles();
  locations();
  user_operations();
  return check_end("reduce_ops");
}
