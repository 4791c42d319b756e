/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Neighbourhood collectives on grids and random graphs that every rank knows as a whole, so that
 * each can work out what must arrive: all forms, widths, types; the same neighbour several times,
 * oneself, nobody. */
#include "forms.h"

/* What this rank sends and receives. Edge e of mine goes to dst[e]; slot s of mine is filled by
 * edge edge[s] of src[s]. */
enum { kMost = 64 };
static int nsrc, src[kMost], edge[kMost];
static int ndst, dst[kMost];
static uint64_t state; /* the same everywhere */
static int wide;       /* large-count functions */

static int below(int n) {
  return n <= 0 ? 0 : (int)(check_next(&state) % (uint64_t)n);
}
static int value(int rank, int e, int i) {
  return rank * 100003 + e * 1009 + i * 7 + 1;
}
/* Elements on edge e of a rank, where these differ. */
static int part(int n, int rank, int e) {
  return n == 0 || rank < 0 ? n : n + (rank * 3 + e) % 4 - 1;
}

struct type {
  MPI_Datatype handle;
  int stride; /* in ints */
};
static struct type types[2];

static int* make(int n) {
  int* b = malloc(sizeof(int) * (size_t)(n + 1));
  for (int i = 0; i <= n; ++i) b[i] = -7;
  return b;
}
static void fill(int* b, const struct type* t, int first, int n, int e) {
  for (int i = 0; i < n; ++i) b[(first + i) * t->stride] = value(me, e, i);
}
/* A slot holds what `rank` sent on its edge `e`; nobody's slot holds what it held before. */
static int holds(const int* b, const struct type* t, int first, int n, int rank, int e) {
  for (int i = 0; i < n; ++i)
    if (b[(first + i) * t->stride] != (rank == MPI_PROC_NULL ? -7 : value(rank, e, i))) return 0;
  return 1;
}
static int untouched(const int* b, const struct type* t, int n) {
  for (int i = 0; i < n * t->stride; ++i)
    if (i % t->stride != 0 && b[i] != -7) return 0;
  return 1;
}

#define INFO MPI_INFO_NULL
#define RUN(name, ...)                                                                          \
  do {                                                                                          \
    OK(form == kBlocking      ? MPI_Neighbor_##name(__VA_ARGS__, comm)                          \
       : form == kNonblocking ? MPI_Ineighbor_##name(__VA_ARGS__, comm, &request)               \
                              : MPI_Neighbor_##name##_init(__VA_ARGS__, comm, INFO, &request)); \
    complete(NULL);                                                                             \
  } while (0)
#define RUN_C(name, ...)                                                                          \
  do {                                                                                            \
    OK(form == kBlocking      ? MPI_Neighbor_##name##_c(__VA_ARGS__, comm)                        \
       : form == kNonblocking ? MPI_Ineighbor_##name##_c(__VA_ARGS__, comm, &request)             \
                              : MPI_Neighbor_##name##_init_c(__VA_ARGS__, comm, INFO, &request)); \
    complete(NULL);                                                                               \
  } while (0)

static void test_uniform(const struct type* t, int n) {
  int* mine = make(n * t->stride * (ndst + 1));
  int* all = make(n * t->stride * nsrc);
  fill(mine, t, 0, n, 0);
  if (wide)
    RUN_C(allgather, mine, n, t->handle, all, n, t->handle);
  else
    RUN(allgather, mine, n, t->handle, all, n, t->handle);
  for (int s = 0; s < nsrc; ++s) CHECK(holds(all, t, s * n, n, src[s], 0));
  CHECK(untouched(all, t, nsrc * n));
  free(all);

  all = make(n * t->stride * nsrc);
  for (int e = 0; e < ndst; ++e) fill(mine, t, e * n, n, e);
  if (wide)
    RUN_C(alltoall, mine, n, t->handle, all, n, t->handle);
  else
    RUN(alltoall, mine, n, t->handle, all, n, t->handle);
  for (int s = 0; s < nsrc; ++s) CHECK(holds(all, t, s * n, n, src[s], edge[s]));
  CHECK(untouched(all, t, nsrc * n));
  free(all);
  free(mine);
}

/* Counts, displacements with gaps of one element, in both widths; bytes for alltoallw. */
struct slots {
  int counts[kMost], displs[kMost];
  MPI_Count wide_counts[kMost];
  MPI_Aint wide_displs[kMost];
  int total;
};
static void add_slot(struct slots* s, int i, int count) {
  s->counts[i] = count;
  s->displs[i] = s->total;
  s->wide_counts[i] = count;
  s->wide_displs[i] = s->total;
  s->total += count + 1;
}

static void test_vectors(const struct type* t, int n) {
  struct slots out = {.total = 1}, in = {.total = 1};
  for (int s = 0; s < nsrc; ++s) add_slot(&in, s, part(n, src[s], 0));
  int* mine = make(part(n, me, 0) * t->stride);
  int* all = make(in.total * t->stride);
  fill(mine, t, 0, part(n, me, 0), 0);
  const int own = part(n, me, 0);
  if (wide)
    RUN_C(allgatherv, mine, own, t->handle, all, in.wide_counts, in.wide_displs, t->handle);
  else
    RUN(allgatherv, mine, own, t->handle, all, in.counts, in.displs, t->handle);
  for (int s = 0; s < nsrc; ++s) CHECK(holds(all, t, in.displs[s], in.counts[s], src[s], 0));
  CHECK(untouched(all, t, in.total));
  free(all);
  free(mine);

  in.total = 2;
  for (int s = 0; s < nsrc; ++s) add_slot(&in, s, part(n, src[s], edge[s]));
  for (int e = 0; e < ndst; ++e) add_slot(&out, e, part(n, me, e));
  mine = make(out.total * t->stride);
  all = make(in.total * t->stride);
  for (int e = 0; e < ndst; ++e) fill(mine, t, out.displs[e], out.counts[e], e);
  if (wide)
    RUN_C(alltoallv, mine, out.wide_counts, out.wide_displs, t->handle, all, in.wide_counts,
          in.wide_displs, t->handle);
  else
    RUN(alltoallv, mine, out.counts, out.displs, t->handle, all, in.counts, in.displs, t->handle);
  for (int s = 0; s < nsrc; ++s) CHECK(holds(all, t, in.displs[s], in.counts[s], src[s], edge[s]));
  CHECK(untouched(all, t, in.total));
  free(all);
  free(mine);
}

/* Each edge with a type of its own, which differs from the receiver's. */
static void test_types(int n) {
  MPI_Datatype out_types[kMost], in_types[kMost];
  struct slots out = {0}, in = {0};
  MPI_Aint out_bytes[kMost], in_bytes[kMost];
  int out_ints = 1, in_ints = 2;
  for (int e = 0; e < ndst; ++e) {
    const struct type* t = &types[(me + e) % 2];
    out_types[e] = t->handle;
    add_slot(&out, e, part(n, me, e));
    out_bytes[e] = (MPI_Aint)sizeof(int) * out_ints;
    out_ints += (out.counts[e] + 1) * t->stride;
  }
  for (int s = 0; s < nsrc; ++s) {
    const struct type* t = &types[(me + s / 2) % 2];
    in_types[s] = t->handle;
    add_slot(&in, s, part(n, src[s], edge[s]));
    in_bytes[s] = (MPI_Aint)sizeof(int) * in_ints;
    in_ints += (in.counts[s] + 1) * t->stride;
  }
  int* mine = make(out_ints);
  int* all = make(in_ints);
  for (int e = 0; e < ndst; ++e)
    fill(mine + out_bytes[e] / (MPI_Aint)sizeof(int), &types[(me + e) % 2], 0, out.counts[e], e);
  if (wide)
    RUN_C(alltoallw, mine, out.wide_counts, out_bytes, out_types, all, in.wide_counts, in_bytes,
          in_types);
  else
    RUN(alltoallw, mine, out.counts, out_bytes, out_types, all, in.counts, in_bytes, in_types);
  for (int s = 0; s < nsrc; ++s)
    CHECK(holds(all + in_bytes[s] / (MPI_Aint)sizeof(int), &types[(me + s / 2) % 2], 0,
                in.counts[s], src[s], edge[s]));
  free(all);
  free(mine);
}

static void test_all(void) {
  static const int kCounts[] = {0, 1, 5, 2000};
  for (form = kBlocking; form < kForms; ++form)
    for (wide = 0; wide < 2; ++wide)
      for (int i = 0; i < 4; ++i) {
        for (int t = 0; t < 2; ++t) {
          test_uniform(&types[t], kCounts[i]);
          test_vectors(&types[t], kCounts[i]);
        }
        test_types(kCounts[i]);
      }
}

static void test_grid(int dimensions) {
  int sizes[3] = {0}, periods[3];
  OK(MPI_Dims_create(check_size, dimensions, sizes));
  for (int i = 0; i < dimensions; ++i) {
    const int j = below(dimensions), size_i = sizes[i];
    sizes[i] = sizes[j];
    sizes[j] = size_i;
  }
  for (int i = 0; i < dimensions; ++i) periods[i] = below(3) != 0;
  OK(MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes, periods, 0, &comm));
  OK(MPI_Comm_rank(comm, &me));
  nsrc = ndst = 2 * dimensions;
  for (int i = 0; i < dimensions; ++i) OK(MPI_Cart_shift(comm, i, 1, &src[2 * i], &src[2 * i + 1]));
  for (int i = 0; i < nsrc; ++i) {
    dst[i] = src[i];
    edge[i] = i ^ 1; /* what went the other way */
  }
  test_all();
  OK(MPI_Comm_free(&comm));
}

/* Both ends list an edge; an edge from a node to itself is listed once. */
static void test_graph(void) {
  int* joins = calloc((size_t)(check_size * check_size), sizeof(int));
  int* index = malloc(sizeof(int) * (size_t)check_size);
  int* edges = malloc(sizeof(int) * (size_t)(8 * check_size));
  int total = 0;
  int* degree = calloc((size_t)check_size, sizeof(int));
  for (int i = 0; i < 3 * check_size; ++i) {
    const int a = below(check_size), b = below(check_size);
    if (degree[a] >= 8 || degree[b] >= 8 - (a == b)) continue;
    ++joins[a * check_size + b];
    ++degree[a];
    if (a != b) {
      ++joins[b * check_size + a];
      ++degree[b];
    }
  }
  nsrc = 0;
  for (int a = 0; a < check_size; ++a) {
    for (int b = 0; b < check_size; ++b)
      for (int i = 0; i < joins[a * check_size + b]; ++i) edges[total++] = b;
    index[a] = total;
  }
  OK(MPI_Graph_create(MPI_COMM_WORLD, check_size, index, edges, 0, &comm));
  OK(MPI_Comm_rank(comm, &me));
  const int first = me == 0 ? 0 : index[me - 1];
  nsrc = ndst = index[me] - first;
  for (int i = 0; i < nsrc; ++i) {
    const int peer = edges[first + i];
    dst[i] = src[i] = peer;
    int nth = 0, at = peer == 0 ? 0 : index[peer - 1];
    const int start = at;
    for (int j = 0; j < i; ++j) nth += src[j] == peer;
    for (; edges[at] != me || nth > 0; ++at) nth -= edges[at] == me;
    edge[i] = at - start;
  }
  test_all();
  OK(MPI_Comm_free(&comm));
  free(joins);
  free(degree);
  free(index);
  free(edges);
}

/* Random edges, with repeats and to oneself; each rank lists its sources in an order of its own. */
static void test_distributed(int most) {
  nsrc = ndst = 0;
  me = check_rank;
  for (int a = 0; a < check_size; ++a) {
    const int degree = below(most + 1);
    for (int e = 0; e < degree; ++e) {
      const int b = below(check_size);
      if (a == me) dst[ndst++] = b;
      if (b == me && nsrc < kMost) {
        src[nsrc] = a;
        edge[nsrc++] = e;
      }
    }
  }
  uint64_t mine = state + (uint64_t)me;
  for (int i = nsrc - 1; i > 0; --i) { /* exchange edges of different sources only */
    const int j = (int)(check_next(&mine) % (uint64_t)(i + 1));
    int between = 0;
    for (int k = j; k <= i; ++k) between += (src[k] == src[i]) + (src[k] == src[j]);
    if (between != 2) continue;
    const int s = src[i], e = edge[i];
    src[i] = src[j];
    edge[i] = edge[j];
    src[j] = s;
    edge[j] = e;
  }
  OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, nsrc, src, MPI_UNWEIGHTED, ndst, dst,
                                    MPI_UNWEIGHTED, INFO, 0, &comm));
  test_all();
  OK(MPI_Comm_free(&comm));
}

static void test_arguments(void) {
  const int one[1] = {check_size};
  const int round[1] = {1};
  int a[2] = {0}, b[2] = {0}, counts[2] = {1, -1}, displs[2] = {0, 1};
  OK(MPI_Cart_create(MPI_COMM_WORLD, 1, one, round, 0, &comm));
  OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  MPI_Comm plain;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &plain));
  OK(MPI_Comm_set_errhandler(plain, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  EXPECT(MPI_ERR_TOPOLOGY, "topology", MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, plain));
  EXPECT(MPI_ERR_COMM, "comm", MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_NULL));
  EXPECT(MPI_ERR_COUNT, "-2", MPI_Neighbor_allgather(a, -2, MPI_INT, b, 1, MPI_INT, comm));
  EXPECT(MPI_ERR_BUFFER, "MPI_IN_PLACE",
         MPI_Neighbor_alltoall(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, comm));
  EXPECT(MPI_ERR_BUFFER, "recvbuf",
         MPI_Neighbor_allgather(a, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm));
  EXPECT(MPI_ERR_TYPE, "datatype",
         MPI_Neighbor_allgather(a, 1, MPI_DATATYPE_NULL, b, 1, MPI_INT, comm));
  EXPECT(MPI_ERR_COUNT, "recvcounts[1] is -1",
         MPI_Neighbor_allgatherv(a, 1, MPI_INT, b, counts, displs, MPI_INT, comm));
  EXPECT(MPI_ERR_COUNT, "sendcounts[1] is -1",
         MPI_Neighbor_alltoallv(a, counts, displs, MPI_INT, b, displs, displs, MPI_INT, comm));
  EXPECT(MPI_ERR_ARG, "request", MPI_Ineighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, comm, NULL));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
  OK(MPI_Comm_free(&plain));

  /* Several under way, and the communicator freed meanwhile. */
  MPI_Request requests[3];
  int c[2] = {-1, -1};
  a[0] = check_rank;
  a[1] = check_rank + 1000;
  OK(MPI_Ineighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, comm, &requests[0]));
  OK(MPI_Ineighbor_alltoall(a, 1, MPI_INT, c, 1, MPI_INT, comm, &requests[1]));
  OK(MPI_Ibarrier(comm, &requests[2]));
  OK(MPI_Comm_free(&comm));
  OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
  const int left = (check_rank + check_size - 1) % check_size;
  const int right = (check_rank + 1) % check_size;
  CHECK(b[0] == left && b[1] == right);
  CHECK(c[0] == left + 1000 && c[1] == right);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  size = check_size;
  state = check_seed("neighbors");
  types[0] = (struct type){MPI_INT, 1};
  MPI_Datatype spread;
  OK(MPI_Type_create_resized(MPI_INT, 0, 3 * (MPI_Aint)sizeof(int), &spread));
  OK(MPI_Type_commit(&spread));
  types[1] = (struct type){spread, 3};
  for (int dimensions = 1; dimensions <= 3; ++dimensions) test_grid(dimensions);
  test_graph();
  for (int i = 0; i < 3; ++i) test_distributed(1 + 2 * i);
  test_arguments();
  OK(MPI_Type_free(&spread));
  return check_end("neighbors");
}
