/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * MPI_Alltoallw, MPI_Reduce_scatter, MPI_Reduce_scatter_block, MPI_Scan and MPI_Exscan in all forms
 * (blocking, nonblocking, persistent, each with ints and with MPI_Counts) against results worked
 * out by hand: in place, zero counts, derived types, ordered operations; and their wrong arguments.
 */
#include "forms.h"

static int large; /* the functions with MPI_Count */

/* name(args) in the form and width of the moment */
#define FORM(name, iname, ...)                                       \
  (form == kBlocking      ? MPI_##name(__VA_ARGS__, comm)            \
   : form == kNonblocking ? MPI_##iname(__VA_ARGS__, comm, &request) \
                          : MPI_##name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, &request))
#define FORM_C(name, iname, ...)                                         \
  (form == kBlocking      ? MPI_##name##_c(__VA_ARGS__, comm)            \
   : form == kNonblocking ? MPI_##iname##_c(__VA_ARGS__, comm, &request) \
                          : MPI_##name##_init_c(__VA_ARGS__, comm, MPI_INFO_NULL, &request))

/* An element: an affine map x -> a x + b modulo a prime. Composition is associative, not
 * commutative. Sums are taken of its two numbers by themselves. */
struct map {
  uint32_t a, b;
};
static MPI_Datatype map_type;
static MPI_Op compose_op;
static int ordered; /* compose_op, else MPI_SUM on twice as many numbers */

static struct map composed(struct map x, struct map y) {
  const uint64_t a = (uint64_t)x.a * y.a % 65521u;
  const uint64_t b = ((uint64_t)x.b * y.a + y.b) % 65521u;
  return (struct map){(uint32_t)a, (uint32_t)b};
}
static void compose(void* in, void* inout, int* n, MPI_Datatype* type) {
  const struct map* first = in;
  struct map* second = inout;
  if (*type != map_type) ++check_failures;
  for (int i = 0; i < *n; ++i) second[i] = composed(first[i], second[i]);
}
static struct map element(int rank, int i) {
  return (struct map){(uint32_t)((rank * 10007 + i * 13 + 1) % 65521),
                      (uint32_t)((rank * 31 + i * 7 + 5) % 65521)};
}
/* The reduction of element i over the ranks [0, ranks). */
static struct map reduced(int ranks, int i) {
  struct map all = element(0, i);
  for (int r = 1; r < ranks; ++r) {
    const struct map one = element(r, i);
    all = ordered ? composed(all, one) : (struct map){all.a + one.a, all.b + one.b};
  }
  return all;
}
static int same(struct map x, struct map y) {
  return x.a == y.a && x.b == y.b;
}

/* The state of a reduction: what `again` needs. */
static struct map *in, *out;
static int length, in_place;
static const struct map kUntouched = {77777, 88888};

static void refill(void) {
  for (int i = 0; i < length; ++i) {
    in[i] = element(me, i);
    out[i] = in_place ? in[i] : kUntouched;
  }
  out[length] = kUntouched;
}
static void begin(int n) {
  length = n;
  in = malloc(sizeof *in * (size_t)(n + 1));
  out = malloc(sizeof *out * (size_t)(n + 1));
  refill();
}
static void end(void) {
  int good = same(out[length], kUntouched);
  for (int i = 0; i < length; ++i) good &= same(in[i], element(me, i));
  CHECK(good);
  free(in);
  free(out);
}
#define SEND (in_place ? MPI_IN_PLACE : (const void*)in)
#define TYPE (ordered ? map_type : MPI_UINT32_T)
#define OP (ordered ? compose_op : MPI_SUM)
#define WIDTH (ordered ? 1 : 2)

static void test_scan(int n, int exclusive) {
  begin(n);
  const int count = n * WIDTH;
  int code;
  if (exclusive)
    code = large ? FORM_C(Exscan, Iexscan, SEND, out, count, TYPE, OP)
                 : FORM(Exscan, Iexscan, SEND, out, count, TYPE, OP);
  else
    code = large ? FORM_C(Scan, Iscan, SEND, out, count, TYPE, OP)
                 : FORM(Scan, Iscan, SEND, out, count, TYPE, OP);
  CHECK(code == MPI_SUCCESS);
  complete(refill);
  int good = 1;
  const int ranks = exclusive ? me : me + 1;
  for (int i = 0; i < n && ranks > 0; ++i) good &= same(out[i], reduced(ranks, i));
  CHECK(good);
  end();
}

static void check_block(int first, int n) {
  int good = 1;
  for (int i = 0; i < n; ++i) good &= same(out[i], reduced(size, first + i));
  for (int i = n; i < length; ++i) good &= same(out[i], in_place ? in[i] : kUntouched);
  CHECK(good);
}

static void test_reduce_scatter_block(int n) {
  begin(n * size);
  const int count = n * WIDTH;
  const int code =
      large ? FORM_C(Reduce_scatter_block, Ireduce_scatter_block, SEND, out, count, TYPE, OP)
            : FORM(Reduce_scatter_block, Ireduce_scatter_block, SEND, out, count, TYPE, OP);
  CHECK(code == MPI_SUCCESS);
  complete(refill);
  check_block(me * n, n);
  end();
}

/* Rank r gets n + r elements, every third none. */
static int share(int n, int r) {
  return r % 3 == 1 ? 0 : n + r;
}

static void test_reduce_scatter(int n) {
  int* counts = malloc(sizeof *counts * (size_t)size);
  MPI_Count* wide = malloc(sizeof *wide * (size_t)size);
  int total = 0, first = 0;
  for (int r = 0; r < size; ++r) {
    if (r == me) first = total;
    total += share(n, r);
    wide[r] = counts[r] = share(n, r) * WIDTH;
  }
  begin(total);
  const int code = large ? FORM_C(Reduce_scatter, Ireduce_scatter, SEND, out, wide, TYPE, OP)
                         : FORM(Reduce_scatter, Ireduce_scatter, SEND, out, counts, TYPE, OP);
  CHECK(code == MPI_SUCCESS);
  complete(refill);
  check_block(first, share(n, me));
  end();
  free(counts);
  free(wide);
}

/* alltoallw: a and b exchange n + (a + b) % 4 ints, nothing if a + b is a multiple of 5. Towards
 * even ranks they lie one in three, from odd ranks they are pairs if their number is even. */
static MPI_Datatype spaced_type, pair_type;
static int* w_in;
static int* w_out;
static int w_n;

static int between(int a, int b) {
  return (a + b) % 5 == 0 ? 0 : w_n + (a + b) % 4;
}
static int w_value(int from, int to, int i) {
  return from * 100003 + to * 1009 + i;
}
static int stride_to(int peer) {
  return peer % 2 == 0 ? 3 : 1;
}
static int w_begin(int peer) { /* in ints */
  int at = 1;
  for (int r = 0; r < peer; ++r) at += between(me, r) * 3 + 1;
  return at;
}
static void w_refill(void) {
  const int total = w_begin(size);
  for (int i = 0; i < total; ++i) w_in[i] = w_out[i] = -7;
  for (int r = 0; r < size; ++r) {
    int* slot = (in_place ? w_in : w_out) + w_begin(r);
    for (int i = 0; i < between(me, r); ++i) slot[i * stride_to(r)] = w_value(me, r, i);
  }
}

static void test_alltoallw(int n) {
  w_n = n;
  const int total = w_begin(size);
  w_in = malloc(sizeof(int) * (size_t)total);
  w_out = malloc(sizeof(int) * (size_t)total);
  w_refill();
  int* counts = malloc(sizeof(int) * (size_t)size);
  int* recv_counts = malloc(sizeof(int) * (size_t)size);
  int* displs = malloc(sizeof(int) * (size_t)size);
  MPI_Count* wide = malloc(sizeof(MPI_Count) * (size_t)size);
  MPI_Count* recv_wide = malloc(sizeof(MPI_Count) * (size_t)size);
  MPI_Aint* wide_displs = malloc(sizeof(MPI_Aint) * (size_t)size);
  MPI_Datatype* types = malloc(sizeof(MPI_Datatype) * (size_t)size);
  MPI_Datatype* recv_types = malloc(sizeof(MPI_Datatype) * (size_t)size);
  for (int r = 0; r < size; ++r) {
    const int ints = between(me, r);
    const int pairs = !in_place && stride_to(r) == 1 && ints % 2 == 0;
    displs[r] = w_begin(r) * (int)sizeof(int);
    wide_displs[r] = displs[r];
    wide[r] = counts[r] = ints;
    recv_wide[r] = recv_counts[r] = pairs ? ints / 2 : ints;
    types[r] = stride_to(r) == 3 ? spaced_type : MPI_INT;
    recv_types[r] = pairs ? pair_type : types[r];
  }
  const void* send = in_place ? MPI_IN_PLACE : w_out;
  const int code = large ? FORM_C(Alltoallw, Ialltoallw, send, wide, wide_displs, types, w_in,
                                  recv_wide, wide_displs, recv_types)
                         : FORM(Alltoallw, Ialltoallw, send, counts, displs, types, w_in,
                                recv_counts, displs, recv_types);
  CHECK(code == MPI_SUCCESS);
  complete(w_refill);
  int good = 1;
  for (int r = 0; r < size; ++r) {
    const int *slot = w_in + w_begin(r), stride = stride_to(r);
    for (int i = 0; i < between(me, r) * stride; ++i)
      good &= slot[i] == (i % stride == 0 ? w_value(r, me, i / stride) : -7);
  }
  CHECK(good);
  free(w_in);
  free(w_out);
  free(counts);
  free(recv_counts);
  free(displs);
  free(wide);
  free(recv_wide);
  free(wide_displs);
  free(types);
  free(recv_types);
}

/* Types, operations and arrays of types may go while a request needs them. */
static void test_lifetimes(void) {
  MPI_Datatype type;
  MPI_Op op;
  MPI_Datatype* types = malloc(sizeof(MPI_Datatype) * (size_t)size);
  int* counts = calloc((size_t)size, sizeof(int));
  int* displs = calloc((size_t)size, sizeof(int));
  int* from = calloc((size_t)size, sizeof(int));
  int* to = calloc((size_t)size, sizeof(int));
  MPI_Request requests[2];
  OK(MPI_Type_contiguous(1, MPI_INT, &type));
  OK(MPI_Type_commit(&type));
  for (int r = 0; r < size; ++r) {
    counts[r] = 1;
    displs[r] = r * (int)sizeof(int);
    types[r] = type;
    from[r] = me * 100 + r;
  }
  OK(MPI_Ialltoallw(from, counts, displs, types, to, counts, displs, types, comm, &requests[0]));
  OK(MPI_Type_contiguous(2, MPI_UINT32_T, &map_type));
  OK(MPI_Type_commit(&map_type));
  OK(MPI_Op_create(compose, 0, &op));
  struct map mine = element(me, 3), result = mine;
  ordered = 1;
  const MPI_Datatype kept = map_type;
  OK(MPI_Iscan(&mine, &result, 1, map_type, op, comm, &requests[1]));
  OK(MPI_Type_free(&type));
  OK(MPI_Op_free(&op));
  OK(MPI_Type_free(&map_type));
  map_type = kept; /* what the operation is told */
  OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  for (int r = 0; r < size; ++r) CHECK(to[r] == r * 100 + me);
  CHECK(same(result, reduced(me + 1, 3)));
  free(types);
  free(counts);
  free(displs);
  free(from);
  free(to);
}

static void test_all(int most) {
  static const int kCounts[] = {0, 1, 2, 7, 100, 1500, 30000};
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  OK(MPI_Type_contiguous(2, MPI_UINT32_T, &map_type));
  OK(MPI_Type_commit(&map_type));
  OK(MPI_Op_create(compose, 0, &compose_op));
  for (form = 0; form < kForms; ++form) {
    for (int c = 0; c < most; ++c) {
      const int n = kCounts[c];
      for (int way = 0; way < 8; ++way) {
        large = way & 1;
        in_place = way / 2 & 1;
        ordered = way / 4;
        test_scan(n, 0);
        test_scan(n, 1);
        if (n <= 1500) {
          test_reduce_scatter(n);
          test_reduce_scatter_block(n);
          if (!ordered) test_alltoallw(n);
        }
      }
    }
  }
  OK(MPI_Op_free(&compose_op));
  OK(MPI_Type_free(&map_type));
  test_lifetimes();
}

static void test_errors(void) {
  const MPI_Comm c = MPI_COMM_WORLD;
  const size_t n = (size_t)check_size;
  int* ones = malloc(sizeof(int) * n);
  int* negative = malloc(sizeof(int) * n);
  int* places = calloc(n, sizeof(int));
  int* values = calloc(2 * n + 2, sizeof(int));
  int* results = values + n + 1;
  MPI_Datatype* types = malloc(sizeof(MPI_Datatype) * n);
  MPI_Datatype* wrong = malloc(sizeof(MPI_Datatype) * n);
  MPI_Datatype raw;
  OK(MPI_Type_contiguous(2, MPI_INT, &raw)); /* never committed */
  for (size_t i = 0; i < n; ++i) {
    ones[i] = negative[i] = 1;
    types[i] = wrong[i] = MPI_INT;
  }
  negative[n - 1] = -4;
  EXPECT(MPI_ERR_COMM, "comm", MPI_Scan(values, results, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL));
  EXPECT(MPI_ERR_COUNT, "count is -1", MPI_Scan(values, results, -1, MPI_INT, MPI_SUM, c));
  EXPECT(MPI_ERR_COUNT, "count is -2", MPI_Exscan_c(values, results, -2, MPI_INT, MPI_SUM, c));
  EXPECT(MPI_ERR_TYPE, "committed", MPI_Scan(values, results, 1, raw, MPI_SUM, c));
  EXPECT(MPI_ERR_OP, "MPI_OP_NULL", MPI_Exscan(values, results, 1, MPI_INT, MPI_OP_NULL, c));
  EXPECT(MPI_ERR_OP, "MPI_BAND", MPI_Scan(values, results, 1, MPI_FLOAT, MPI_BAND, c));
  EXPECT(MPI_ERR_BUFFER, "MPI_IN_PLACE", MPI_Scan(values, values, 1, MPI_INT, MPI_SUM, c));
  EXPECT(MPI_ERR_BUFFER, "recvbuf", MPI_Scan(values, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, c));
  EXPECT(MPI_ERR_BUFFER, "null", MPI_Scan(NULL, results, 1, MPI_INT, MPI_SUM, c));
  EXPECT(MPI_ERR_ARG, "request", MPI_Iscan(values, results, 1, MPI_INT, MPI_SUM, c, NULL));
  EXPECT(MPI_ERR_COUNT, "recvcount is -3",
         MPI_Reduce_scatter_block(values, results, -3, MPI_INT, MPI_SUM, c));
  EXPECT(MPI_ERR_COUNT, "too large",
         MPI_Reduce_scatter_block_c(values, results, INT64_MAX, MPI_INT, MPI_SUM, c));
  EXPECT(MPI_ERR_ARG, "counts", MPI_Reduce_scatter(values, results, NULL, MPI_INT, MPI_SUM, c));
  EXPECT(MPI_ERR_COUNT, "is -4",
         MPI_Reduce_scatter(values, results, negative, MPI_INT, MPI_SUM, c));
  EXPECT(MPI_ERR_OP, "op",
         MPI_Reduce_scatter_init(values, results, ones, MPI_INT, MPI_OP_NULL, c, MPI_INFO_NULL,
                                 &request));
  EXPECT(MPI_ERR_BUFFER, "recvbuf",
         MPI_Reduce_scatter(values, MPI_IN_PLACE, ones, MPI_INT, MPI_SUM, c));
  EXPECT(MPI_ERR_COUNT, "is -4",
         MPI_Alltoallw(values, negative, places, types, results, ones, places, types, c));
  EXPECT(MPI_ERR_COUNT, "is -4",
         MPI_Alltoallw(values, ones, places, types, results, negative, places, types, c));
  EXPECT(MPI_ERR_ARG, "sdispls",
         MPI_Alltoallw(values, ones, NULL, types, results, ones, places, types, c));
  EXPECT(MPI_ERR_ARG, "sendtypes",
         MPI_Alltoallw(values, ones, places, NULL, results, ones, places, types, c));
  wrong[n - 1] = raw;
  EXPECT(MPI_ERR_TYPE, "recvtypes",
         MPI_Alltoallw(values, ones, places, types, results, ones, places, wrong, c));
  wrong[n - 1] = MPI_DATATYPE_NULL;
  EXPECT(MPI_ERR_TYPE, "MPI_DATATYPE_NULL",
         MPI_Ialltoallw(values, ones, places, wrong, results, ones, places, types, c, &request));
  for (size_t i = 0; i < n; ++i) wrong[i] = MPI_DATATYPE_NULL;
  OK(MPI_Alltoallw(NULL, places, places, wrong, NULL, places, places, wrong, c)); /* no data */
  /* the first member's result is undefined: it needs no buffer */
  OK(MPI_Exscan(values, check_rank == 0 ? NULL : results, 1, MPI_INT, MPI_SUM, c));
  OK(MPI_Type_free(&raw));
  free(ones);
  free(negative);
  free(places);
  free(values);
  free(types);
  free(wrong);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  OK(MPI_Type_create_resized(MPI_INT, 0, 3 * (MPI_Aint)sizeof(int), &spaced_type));
  OK(MPI_Type_commit(&spaced_type));
  OK(MPI_Type_contiguous(2, MPI_INT, &pair_type));
  OK(MPI_Type_commit(&pair_type));
  comm = MPI_COMM_WORLD;
  test_all(check_size > 4 ? 6 : 7);
  /* ranks turned round */
  OK(MPI_Comm_split(MPI_COMM_WORLD, 0, check_size - check_rank, &comm));
  test_all(5);
  OK(MPI_Comm_free(&comm));
  /* halves at the same time */
  OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, check_rank, &comm));
  test_all(4);
  OK(MPI_Comm_free(&comm));
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  test_errors();
  OK(MPI_Type_free(&spaced_type));
  OK(MPI_Type_free(&pair_type));
  return check_end("coll_reduce");
}
