/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * How types were made: random types from all constructors in both forms, taken apart and made
 * again from their envelopes and contents; types by property; arguments that are wrong. */
#include "check.h"

static uint64_t state;
static int below(int n) {
  return (int)(check_next(&state) % (uint64_t)n);
}
static int between(int low, int high) {
  return low + below(high - low + 1);
}

enum { kMost = 5, kRoom = 1 << 20 };

static int is_predefined(MPI_Datatype type) {
  MPI_Count ni, na, nc, nd;
  int combiner = 0;
  OK(MPI_Type_get_envelope_c(type, &ni, &na, &nc, &nd, &combiner));
  switch (combiner) {
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
    case MPI_COMBINER_VALUE_INDEX:
      return 1;
    default:
      return 0;
  }
}
static void drop(MPI_Datatype* type) {
  if (!is_predefined(*type)) OK(MPI_Type_free(type));
}

static MPI_Datatype basic(void) {
  const MPI_Datatype named[] = {MPI_BYTE,
                                MPI_SHORT,
                                MPI_INT,
                                MPI_DOUBLE,
                                MPI_SHORT_INT,
                                MPI_C_DOUBLE_COMPLEX,
                                MPI_LONG_DOUBLE_INT,
                                MPI_2INT};
  MPI_Datatype type = named[below(8)];
  switch (below(10)) {
    case 0:
      OK(MPI_Type_create_f90_real(7, MPI_UNDEFINED, &type));
      break;
    case 1:
      OK(MPI_Type_create_f90_integer(12, &type));
      break;
    case 2:
      OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT64_T, &type));
      break;
    default:
      break;
  }
  return type;
}

/* Arguments in all widths. */
struct numbers {
  int ints[kMost];
  MPI_Aint aints[kMost];
  MPI_Count counts[kMost];
};
static struct numbers draw(int n, int low, int high) {
  struct numbers drawn;
  for (int i = 0; i < kMost; ++i) {
    drawn.ints[i] = i < n ? between(low, high) : 0;
    drawn.aints[i] = drawn.counts[i] = drawn.ints[i];
  }
  return drawn;
}

static MPI_Datatype make(int depth);

static void make_struct(int depth, int large, MPI_Datatype* type) {
  const int n = between(0, 4);
  const struct numbers lengths = draw(n, 0, 3), places = draw(n, -60, 60);
  MPI_Datatype parts[kMost];
  for (int i = 0; i < n; ++i) parts[i] = make(depth - 1);
  if (large)
    OK(MPI_Type_create_struct_c(n, lengths.counts, places.counts, parts, type));
  else
    OK(MPI_Type_create_struct(n, lengths.ints, places.aints, parts, type));
  for (int i = 0; i < n; ++i) drop(&parts[i]);
}

static void make_array(int large, MPI_Datatype old, MPI_Datatype* type) {
  const int n = between(1, 3), order = below(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  struct numbers sizes = draw(n, 1, 5), subsizes = sizes, starts = sizes;
  int distribs[kMost], dargs[kMost], grid[kMost], processes = 1;
  for (int d = 0; d < n; ++d) {
    subsizes.ints[d] = between(1, sizes.ints[d]);
    starts.ints[d] = between(0, sizes.ints[d] - subsizes.ints[d]);
    subsizes.counts[d] = subsizes.ints[d];
    starts.counts[d] = starts.ints[d];
    const int kinds[3] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    distribs[d] = kinds[below(3)];
    grid[d] = distribs[d] == MPI_DISTRIBUTE_NONE ? 1 : between(1, 3);
    dargs[d] = MPI_DISTRIBUTE_DFLT_DARG;
    if (distribs[d] == MPI_DISTRIBUTE_CYCLIC && below(2)) dargs[d] = between(1, 3);
    processes *= grid[d];
  }
  const int rank = below(processes), is_darray = below(2);
  if (is_darray && large)
    OK(MPI_Type_create_darray_c(processes, rank, n, sizes.counts, distribs, dargs, grid, order, old,
                                type));
  else if (is_darray)
    OK(MPI_Type_create_darray(processes, rank, n, sizes.ints, distribs, dargs, grid, order, old,
                              type));
  else if (large)
    OK(MPI_Type_create_subarray_c(n, sizes.counts, subsizes.counts, starts.counts, order, old,
                                  type));
  else
    OK(MPI_Type_create_subarray(n, sizes.ints, subsizes.ints, starts.ints, order, old, type));
}

static void make_indexed(int large, MPI_Datatype old, MPI_Datatype* type) {
  const int n = between(0, kMost), length = between(0, 3);
  const struct numbers lengths = draw(n, 0, 3), places = draw(n, -9, 9);
  switch (2 * below(4) + large) {
    case 0:
      OK(MPI_Type_indexed(n, lengths.ints, places.ints, old, type));
      break;
    case 1:
      OK(MPI_Type_indexed_c(n, lengths.counts, places.counts, old, type));
      break;
    case 2:
      OK(MPI_Type_create_hindexed(n, lengths.ints, places.aints, old, type));
      break;
    case 3:
      OK(MPI_Type_create_hindexed_c(n, lengths.counts, places.counts, old, type));
      break;
    case 4:
      OK(MPI_Type_create_indexed_block(n, length, places.ints, old, type));
      break;
    case 5:
      OK(MPI_Type_create_indexed_block_c(n, length, places.counts, old, type));
      break;
    case 6:
      OK(MPI_Type_create_hindexed_block(n, length, places.aints, old, type));
      break;
    default:
      OK(MPI_Type_create_hindexed_block_c(n, length, places.counts, old, type));
      break;
  }
}

static void make_regular(int large, MPI_Datatype old, MPI_Datatype* type) {
  const int count = between(0, 4), length = between(0, 3), stride = between(-5, 5);
  switch (2 * below(3) + large) {
    case 0:
      OK(MPI_Type_contiguous(count, old, type));
      break;
    case 1:
      OK(MPI_Type_contiguous_c(count, old, type));
      break;
    case 2:
      OK(MPI_Type_vector(count, length, stride, old, type));
      break;
    case 3:
      OK(MPI_Type_vector_c(count, length, stride, old, type));
      break;
    case 4:
      OK(MPI_Type_create_hvector(count, length, 7 * stride, old, type));
      break;
    default:
      OK(MPI_Type_create_hvector_c(count, length, 7 * stride, old, type));
      break;
  }
}

static MPI_Datatype make(int depth) {
  if (depth == 0) return basic();
  const int large = below(2);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (below(5) == 0) {
    make_struct(depth, large, &type);
    return type;
  }
  MPI_Datatype old = make(depth - 1);
  switch (below(5)) {
    case 0:
      make_regular(large, old, &type);
      break;
    case 1:
      make_indexed(large, old, &type);
      break;
    case 2:
      make_array(large, old, &type);
      break;
    case 3:
      OK(MPI_Type_dup(old, &type));
      break;
    default: {
      const int lower = between(-20, 20), extent = between(-60, 100);
      if (large)
        OK(MPI_Type_create_resized_c(old, lower, extent, &type));
      else
        OK(MPI_Type_create_resized(old, lower, extent, &type));
    }
  }
  drop(&old);
  return type;
}

/* What MPI_Type_get_contents_c gives, with more room than needed. */
struct parts {
  MPI_Count ni, na, nc, nd;
  int combiner;
  int ints[64];
  MPI_Aint addresses[64];
  MPI_Count counts[64];
  MPI_Datatype types[64];
};

static void take_apart(MPI_Datatype type, struct parts* p) {
  OK(MPI_Type_get_envelope_c(type, &p->ni, &p->na, &p->nc, &p->nd, &p->combiner));
  if (p->combiner == MPI_COMBINER_NAMED) return;
  OK(MPI_Type_get_contents_c(type, 64, 64, 64, 64, p->ints, p->addresses, p->counts, p->types));
  int ni = -1, na = -1, nd = -1, combiner = -1;
  if (p->nc > 0) {
    FAILS(MPI_ERR_TYPE, MPI_Type_get_envelope(type, &ni, &na, &nd, &combiner));
    FAILS(MPI_ERR_TYPE, MPI_Type_get_contents(type, 64, 64, 64, p->ints, p->addresses, p->types));
    return;
  }
  OK(MPI_Type_get_envelope(type, &ni, &na, &nd, &combiner));
  CHECK(ni == p->ni && na == p->na && nd == p->nd && combiner == p->combiner);
  int ints[64];
  MPI_Aint addresses[64];
  MPI_Datatype types[64];
  OK(MPI_Type_get_contents(type, ni, na, nd, ints, addresses, types));
  CHECK(ni == 0 || memcmp(ints, p->ints, sizeof(int) * (size_t)ni) == 0);
  CHECK(na == 0 || memcmp(addresses, p->addresses, sizeof(MPI_Aint) * (size_t)na) == 0);
  for (int i = 0; i < nd; ++i) {
    if (is_predefined(p->types[i])) CHECK(types[i] == p->types[i]);
    drop(&types[i]);
  }
}

static MPI_Datatype again(MPI_Datatype type);

static void small_again(const struct parts* p, const MPI_Datatype* old, MPI_Datatype* type) {
  const int *i = p->ints, n = p->ni > 0 ? i[0] : 0;
  const MPI_Aint* a = p->addresses;
  switch (p->combiner) {
    case MPI_COMBINER_DUP:
      OK(MPI_Type_dup(old[0], type));
      break;
    case MPI_COMBINER_CONTIGUOUS:
      OK(MPI_Type_contiguous(n, old[0], type));
      break;
    case MPI_COMBINER_VECTOR:
      OK(MPI_Type_vector(n, i[1], i[2], old[0], type));
      break;
    case MPI_COMBINER_HVECTOR:
      OK(MPI_Type_create_hvector(n, i[1], a[0], old[0], type));
      break;
    case MPI_COMBINER_INDEXED:
      OK(MPI_Type_indexed(n, i + 1, i + 1 + n, old[0], type));
      break;
    case MPI_COMBINER_HINDEXED:
      OK(MPI_Type_create_hindexed(n, i + 1, a, old[0], type));
      break;
    case MPI_COMBINER_INDEXED_BLOCK:
      OK(MPI_Type_create_indexed_block(n, i[1], i + 2, old[0], type));
      break;
    case MPI_COMBINER_HINDEXED_BLOCK:
      OK(MPI_Type_create_hindexed_block(n, i[1], a, old[0], type));
      break;
    case MPI_COMBINER_STRUCT:
      OK(MPI_Type_create_struct(n, i + 1, a, old, type));
      break;
    case MPI_COMBINER_SUBARRAY:
      OK(MPI_Type_create_subarray(n, i + 1, i + 1 + n, i + 1 + 2 * n, i[1 + 3 * n], old[0], type));
      break;
    case MPI_COMBINER_DARRAY: {
      const int d = i[2];
      OK(MPI_Type_create_darray(i[0], i[1], d, i + 3, i + 3 + d, i + 3 + 2 * d, i + 3 + 3 * d,
                                i[3 + 4 * d], old[0], type));
      break;
    }
    case MPI_COMBINER_RESIZED:
      OK(MPI_Type_create_resized(old[0], a[0], a[1], type));
      break;
    case MPI_COMBINER_F90_REAL:
      OK(MPI_Type_create_f90_real(i[0], i[1], type));
      break;
    case MPI_COMBINER_F90_INTEGER:
      OK(MPI_Type_create_f90_integer(i[0], type));
      break;
    case MPI_COMBINER_VALUE_INDEX:
      OK(MPI_Type_get_value_index(old[0], old[1], type));
      break;
    default:
      CHECK(!"a combiner that no constructor above has");
  }
}

static void large_again(const struct parts* p, const MPI_Datatype* old, MPI_Datatype* type) {
  const int* i = p->ints;
  const MPI_Count *c = p->counts, n = c[0];
  switch (p->combiner) {
    case MPI_COMBINER_CONTIGUOUS:
      OK(MPI_Type_contiguous_c(n, old[0], type));
      break;
    case MPI_COMBINER_VECTOR:
      OK(MPI_Type_vector_c(n, c[1], c[2], old[0], type));
      break;
    case MPI_COMBINER_HVECTOR:
      OK(MPI_Type_create_hvector_c(n, c[1], c[2], old[0], type));
      break;
    case MPI_COMBINER_INDEXED:
      OK(MPI_Type_indexed_c(n, c + 1, c + 1 + n, old[0], type));
      break;
    case MPI_COMBINER_HINDEXED:
      OK(MPI_Type_create_hindexed_c(n, c + 1, c + 1 + n, old[0], type));
      break;
    case MPI_COMBINER_INDEXED_BLOCK:
      OK(MPI_Type_create_indexed_block_c(n, c[1], c + 2, old[0], type));
      break;
    case MPI_COMBINER_HINDEXED_BLOCK:
      OK(MPI_Type_create_hindexed_block_c(n, c[1], c + 2, old[0], type));
      break;
    case MPI_COMBINER_STRUCT:
      OK(MPI_Type_create_struct_c(n, c + 1, c + 1 + n, old, type));
      break;
    case MPI_COMBINER_SUBARRAY:
      CHECK(p->ni == 2 && p->nc == 3 * i[0]);
      OK(MPI_Type_create_subarray_c(i[0], c, c + i[0], c + 2 * i[0], i[1], old[0], type));
      break;
    case MPI_COMBINER_DARRAY: {
      const int d = i[2];
      CHECK(p->ni == 4 + 3 * d && p->nc == d);
      OK(MPI_Type_create_darray_c(i[0], i[1], d, c, i + 3, i + 3 + d, i + 3 + 2 * d, i[3 + 3 * d],
                                  old[0], type));
      break;
    }
    case MPI_COMBINER_RESIZED:
      OK(MPI_Type_create_resized_c(old[0], c[0], c[1], type));
      break;
    default:
      CHECK(!"a combiner that has no large form");
  }
}

static MPI_Datatype again(MPI_Datatype type) {
  struct parts p;
  MPI_Datatype old[64], made = MPI_DATATYPE_NULL;
  take_apart(type, &p);
  if (p.combiner == MPI_COMBINER_NAMED) return type;
  for (int i = 0; i < p.nd; ++i) {
    old[i] = again(p.types[i]);
    drop(&p.types[i]);
  }
  if (p.nc > 0)
    large_again(&p, old, &made);
  else
    small_again(&p, old, &made);
  for (int i = 0; i < p.nd; ++i) drop(&old[i]);
  return made;
}

static char memory[kRoom], packed[2][kRoom];

static void same(MPI_Datatype a, MPI_Datatype b) {
  MPI_Count x[5], y[5], low, bytes;
  MPI_Count* const both[2] = {x, y};
  MPI_Datatype types[2] = {a, b};
  for (int i = 0; i < 2; ++i) {
    OK(MPI_Type_size_c(types[i], &both[i][0]));
    OK(MPI_Type_get_extent_c(types[i], &both[i][1], &both[i][2]));
    OK(MPI_Type_get_true_extent_c(types[i], &both[i][3], &both[i][4]));
  }
  for (int i = 0; i < 5; ++i) CHECK(x[i] == y[i]);
  const MPI_Count reach = x[2] < 0 ? -x[2] : x[2];
  low = x[3] - reach;
  bytes = x[4] + 2 * reach;
  if (bytes > kRoom || 2 * x[0] > kRoom) return;
  MPI_Count end[2] = {0, 0};
  for (int i = 0; i < 2; ++i) {
    OK(MPI_Type_commit(&types[i]));
    const MPI_Aint base = MPI_Aint_diff((MPI_Aint)memory, (MPI_Aint)low);
    OK(MPI_Pack_c((void*)base, 2, types[i], packed[i], kRoom, &end[i], MPI_COMM_SELF));
  }
  CHECK(end[0] == end[1] && memcmp(packed[0], packed[1], (size_t)end[0]) == 0);
}

static void random_types(void) {
  state = check_seed("type_contents") + (uint64_t)check_rank;
  for (int i = 0; i < 1500; ++i) {
    MPI_Datatype type = make(between(1, 4));
    MPI_Datatype copy = again(type);
    same(type, copy);
    drop(&type);
    drop(&copy);
  }
}

/* A type from MPI_Type_get_contents is the user's own. */
static int deleted;
static int on_delete(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type, (void)key, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}
static void contents_are_objects(void) {
  MPI_Datatype inner, outer, taken;
  char name[MPI_MAX_OBJECT_NAME];
  int key = 0, count = 0, length = -1, found = 0, *value = NULL;
  OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, on_delete, &key, NULL));
  OK(MPI_Type_vector(3, 1, 2, MPI_INT, &inner));
  OK(MPI_Type_set_attr(inner, key, &count));
  OK(MPI_Type_set_name(inner, "inner"));
  OK(MPI_Type_contiguous(2, inner, &outer));
  OK(MPI_Type_get_contents(outer, 1, 0, 1, &count, NULL, &taken));
  CHECK(count == 2 && taken != MPI_DATATYPE_NULL);
  OK(MPI_Type_get_name(taken, name, &length));
  CHECK(length == 0);
  OK(MPI_Type_free(&taken));
  CHECK(deleted == 0);
  OK(MPI_Type_get_attr(inner, key, &value, &found));
  CHECK(found && value == &count);
  OK(MPI_Type_free(&inner));
  CHECK(deleted == 1);
  OK(MPI_Type_get_contents(outer, 9, 9, 9, &count, NULL, &taken));
  OK(MPI_Type_free(&outer));
  OK(MPI_Type_commit(&taken));
  int numbers[6] = {1, 2, 3, 4, 5, 6}, picked[3] = {0, 0, 0}, position = 0;
  OK(MPI_Pack(numbers, 1, taken, picked, sizeof picked, &position, MPI_COMM_SELF));
  CHECK(picked[0] == 1 && picked[1] == 3 && picked[2] == 5);
  OK(MPI_Type_free(&taken));
  OK(MPI_Type_free_keyval(&key));
}

static void wrong_contents(void) {
  MPI_Datatype type, children[2];
  int ints[4], ni, na, nd, combiner;
  MPI_Aint addresses[2];
  MPI_Count n, c[4];
  EXPECT(MPI_ERR_TYPE, "MPI_INT",
         MPI_Type_get_contents(MPI_INT, 1, 1, 1, ints, addresses, children));
  FAILS(MPI_ERR_TYPE, MPI_Type_get_envelope(MPI_DATATYPE_NULL, &ni, &na, &nd, &combiner));
  OK(MPI_Type_get_envelope(MPI_FLOAT_INT, &ni, &na, &nd, &combiner));
  CHECK(ni == 0 && na == 0 && nd == 0 && combiner == MPI_COMBINER_NAMED);
  OK(MPI_Type_create_hvector(3, 2, 80, MPI_INT, &type));
  EXPECT(MPI_ERR_ARG, "num_addresses", MPI_Type_get_envelope(type, &ni, NULL, &nd, &combiner));
  EXPECT(MPI_ERR_ARG, "max_integers is 1",
         MPI_Type_get_contents(type, 1, 1, 1, ints, addresses, children));
  EXPECT(MPI_ERR_ARG, "max_addresses is 0",
         MPI_Type_get_contents(type, 2, 0, 1, ints, addresses, children));
  EXPECT(MPI_ERR_ARG, "max_datatypes is -1",
         MPI_Type_get_contents(type, 2, 1, -1, ints, addresses, children));
  EXPECT(MPI_ERR_ARG, "array_of_addresses",
         MPI_Type_get_contents(type, 2, 1, 1, ints, NULL, children));
  OK(MPI_Type_get_contents_c(type, 2, 1, 0, 1, ints, addresses, NULL, children));
  CHECK(ints[0] == 3 && ints[1] == 2 && addresses[0] == 80 && children[0] == MPI_INT);
  OK(MPI_Type_free(&type));
  const MPI_Count big = (MPI_Count)1 << 40;
  OK(MPI_Type_create_hvector_c(big, 2, 80, MPI_INT, &type));
  EXPECT(MPI_ERR_TYPE, "MPI_Type_get_envelope_c",
         MPI_Type_get_envelope(type, &ni, &na, &nd, &combiner));
  OK(MPI_Type_get_envelope_c(type, &n, &n, &c[3], &n, &combiner));
  CHECK(c[3] == 3 && combiner == MPI_COMBINER_HVECTOR);
  EXPECT(MPI_ERR_ARG, "max_large_counts is 2",
         MPI_Type_get_contents_c(type, 0, 0, 2, 1, NULL, NULL, c, children));
  OK(MPI_Type_get_contents_c(type, 0, 0, 3, 1, NULL, NULL, c, children));
  CHECK(c[0] == big && c[1] == 2 && c[2] == 80);
  OK(MPI_Type_free(&type));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  for (int i = 0; i < kRoom; ++i) memory[i] = (char)check_byte(5, (size_t)i);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  random_types();
  contents_are_objects();
  wrong_contents();
  return check_end("type_contents");
}
