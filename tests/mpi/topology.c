/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Cartesian, graph and distributed graph topologies: on any number of ranks, random grids among
 * them. */
#define _GNU_SOURCE
#include <sched.h>

#include "check.h"

enum { kMost = 6 };

static int product(const int* sizes, int count) {
  int all = 1;
  for (int i = 0; i < count; ++i) all *= sizes[i];
  return all;
}

/* --- MPI_Dims_create --- */

/* Tries all decreasing factors of n: the smallest difference wins, then the largest smallest one,
 * then the largest second smallest. */
static int is_better(const int* now, const int* best, int count) {
  const int range = now[0] - now[count - 1], best_range = best[0] - best[count - 1];
  if (best[0] == 0 || range != best_range) return best[0] == 0 || range < best_range;
  for (int i = count - 1; i >= 0; --i)
    if (now[i] != best[i]) return now[i] > best[i];
  return 0;
}

static void try_factors(int n, int count, int at, int* now, int* best) {
  if (at == count) {
    if (n == 1 && is_better(now, best, count)) memcpy(best, now, (size_t)count * sizeof(int));
    return;
  }
  for (int factor = 1; factor <= n && (at == 0 || factor <= now[at - 1]); ++factor) {
    if (n % factor != 0) continue;
    now[at] = factor;
    try_factors(n / factor, count, at + 1, now, best);
  }
}

static void dimensions(void) {
  for (int n = 1; n <= 400; ++n) {
    for (int count = 1; count <= 4; ++count) {
      int dims[4] = {0}, now[4], expected[4] = {0};
      OK(MPI_Dims_create(n, count, dims));
      try_factors(n, count, 0, now, expected);
      CHECK(memcmp(dims, expected, (size_t)count * sizeof(int)) == 0);
    }
  }
  const int large[] = {2147483647, 2147483646, 1 << 30, 735134400, 1073676289};
  for (int i = 0; i < 5; ++i) {
    for (int count = 1; count <= kMost; ++count) {
      int dims[kMost] = {0};
      OK(MPI_Dims_create(large[i], count, dims));
      CHECK(product(dims, count) == large[i]);
      for (int d = 1; d < count; ++d) CHECK(dims[d - 1] >= dims[d]);
    }
  }
  int fixed[3] = {0, 3, 0}, full[2] = {4, 3};
  OK(MPI_Dims_create(60, 3, fixed));
  CHECK(fixed[0] == 5 && fixed[1] == 3 && fixed[2] == 4);
  OK(MPI_Dims_create(12, 2, full));
  EXPECT(MPI_ERR_DIMS, "nnodes", MPI_Dims_create(13, 2, full));
  fixed[0] = 0;
  EXPECT(MPI_ERR_DIMS, "nnodes", MPI_Dims_create(61, 3, fixed));
  fixed[0] = -1;
  EXPECT(MPI_ERR_DIMS, "dims[0]", MPI_Dims_create(60, 3, fixed));
  EXPECT(MPI_ERR_ARG, "nnodes", MPI_Dims_create(0, 1, fixed));
  EXPECT(MPI_ERR_DIMS, "ndims", MPI_Dims_create(4, -1, fixed));
  EXPECT(MPI_ERR_ARG, "dims", MPI_Dims_create(4, 1, NULL));
  OK(MPI_Dims_create(1, 0, NULL));
}

/* --- grids --- */

/* Everybody sends its rank along each dimension and gets the one that MPI_Cart_shift names. */
static void shift_round(MPI_Comm grid, int count, uint64_t* state) {
  int rank;
  OK(MPI_Comm_rank(grid, &rank));
  for (int d = 0; d < count; ++d) {
    int from, to, got = -1;
    const int distance = (int)(check_next(state) % 9) - 4;
    OK(MPI_Cart_shift(grid, d, distance, &from, &to));
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, to, 1, &got, 1, MPI_INT, from, 1, grid, MPI_STATUS_IGNORE));
    CHECK(got == (from == MPI_PROC_NULL ? -1 : from));
  }
}

/* What MPI_Cart_shift must say, from the coordinates alone. */
static int expected_neighbor(MPI_Comm grid, const int* coords, int dimension, int distance,
                             int size, int periodic) {
  int at[kMost], rank;
  memcpy(at, coords, sizeof at);
  at[dimension] += distance;
  if (!periodic && (at[dimension] < 0 || at[dimension] >= size)) return MPI_PROC_NULL;
  OK(MPI_Cart_rank(grid, at, &rank));
  return rank;
}

static void check_grid(MPI_Comm grid, int count, const int* dims, const int* periods,
                       uint64_t* state) {
  int number, got_dims[kMost], got_periods[kMost], own[kMost] = {0}, rank, size, kind;
  OK(MPI_Topo_test(grid, &kind));
  CHECK(kind == MPI_CART);
  OK(MPI_Cartdim_get(grid, &number));
  CHECK(number == count);
  OK(MPI_Comm_rank(grid, &rank));
  OK(MPI_Comm_size(grid, &size));
  CHECK(size == product(dims, count));
  OK(MPI_Cart_get(grid, kMost, got_dims, got_periods, own));
  for (int d = 0; d < count; ++d) CHECK(got_dims[d] == dims[d] && !got_periods[d] == !periods[d]);
  for (int i = 0, expected = 0; i < size; ++i, ++expected) {
    int coords[kMost] = {0}, back, row_major = 0;
    OK(MPI_Cart_coords(grid, i, kMost, coords));
    for (int d = 0; d < count; ++d) row_major = row_major * dims[d] + coords[d];
    CHECK(row_major == expected);
    if (i == rank) CHECK(memcmp(coords, own, (size_t)count * sizeof(int)) == 0);
    for (int d = 0; d < count; ++d)
      if (periods[d]) coords[d] += dims[d] * ((int)(check_next(state) % 7) - 3);
    OK(MPI_Cart_rank(grid, coords, &back));
    CHECK(back == i);
  }
  for (int d = 0; d < count; ++d) {
    int from, to;
    const int distance = (int)(check_next(state) % 21) - 10;
    OK(MPI_Cart_shift(grid, d, distance, &from, &to));
    CHECK(to == expected_neighbor(grid, own, d, distance, dims[d], periods[d]));
    CHECK(from == expected_neighbor(grid, own, d, -distance, dims[d], periods[d]));
  }
  shift_round(grid, count, state);
}

/* Every slice has the members that share the dropped coordinates, in row-major order. */
static void check_slices(MPI_Comm grid, int count, const int* dims, const int* periods,
                         uint64_t* state) {
  int remain[kMost], kept_dims[kMost], kept_periods[kMost], kept = 0, rank;
  OK(MPI_Comm_rank(grid, &rank));
  for (int d = 0; d < count; ++d) {
    remain[d] = (int)(check_next(state) % 2);
    if (!remain[d]) continue;
    kept_dims[kept] = dims[d];
    kept_periods[kept++] = periods[d];
  }
  MPI_Comm slice;
  OK(MPI_Cart_sub(grid, remain, &slice));
  check_grid(slice, kept, kept_dims, kept_periods, state);
  int size, color = 0, coords[kMost] = {0};
  OK(MPI_Cart_coords(grid, rank, kMost, coords));
  for (int d = 0; d < count; ++d)
    if (!remain[d]) color = color * dims[d] + coords[d];
  OK(MPI_Comm_size(slice, &size));
  int* colors = malloc((size_t)size * sizeof(int));
  OK(MPI_Allgather(&color, 1, MPI_INT, colors, 1, MPI_INT, slice));
  for (int i = 0; i < size; ++i) CHECK(colors[i] == color);
  free(colors);
  OK(MPI_Comm_free(&slice));
}

static void random_grids(uint64_t* state) {
  for (int round = 0; round < 30; ++round) {
    const int count = 1 + (int)(check_next(state) % kMost);
    const int points = 1 + (int)(check_next(state) % (uint64_t)check_size);
    int dims[kMost] = {0}, periods[kMost], mapped;
    OK(MPI_Dims_create(points, count, dims));
    for (int d = 0; d < count; ++d) {
      const int other = (int)(check_next(state) % (uint64_t)count), swapped = dims[d];
      dims[d] = dims[other];
      dims[other] = swapped;
    }
    for (int d = 0; d < count; ++d) periods[d] = (int)(check_next(state) % 3);
    OK(MPI_Cart_map(MPI_COMM_WORLD, count, dims, periods, &mapped));
    MPI_Comm grid, copy;
    OK(MPI_Cart_create(MPI_COMM_WORLD, count, dims, periods, round % 2, &grid));
    CHECK((grid == MPI_COMM_NULL) == (mapped == MPI_UNDEFINED));
    uint64_t mine = *state;
    check_next(state);
    if (grid == MPI_COMM_NULL) continue;
    int rank;
    OK(MPI_Comm_rank(grid, &rank));
    CHECK(rank == (round % 2 ? mapped : check_rank)); /* reordered as MPI_Cart_map says */
    check_grid(grid, count, dims, periods, &mine);
    check_slices(grid, count, dims, periods, &mine);
    OK(MPI_Comm_dup(grid, &copy));
    check_grid(copy, count, dims, periods, &mine);
    OK(MPI_Comm_free(&copy));
    OK(MPI_Comm_free(&grid));
  }
}

static void grids_without_dimensions(void) {
  MPI_Comm point, slice;
  int number = -1, rank = -1;
  OK(MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &point));
  CHECK((point == MPI_COMM_NULL) == (check_rank != 0));
  if (point == MPI_COMM_NULL) return;
  OK(MPI_Cartdim_get(point, &number));
  CHECK(number == 0);
  OK(MPI_Cart_rank(point, NULL, &rank));
  CHECK(rank == 0);
  OK(MPI_Cart_coords(point, 0, 0, NULL));
  OK(MPI_Cart_get(point, 0, NULL, NULL, NULL));
  EXPECT(MPI_ERR_ARG, "direction", MPI_Cart_shift(point, 0, 1, &rank, &number));
  OK(MPI_Cart_sub(point, NULL, &slice));
  OK(MPI_Comm_free(&slice));
  OK(MPI_Comm_free(&point));
}

static void wrong_grids(void) {
  MPI_Comm grid, world = MPI_COMM_WORLD;
  const int n = check_size;
  int dims[2] = {n, 1}, zero[2] = {0, 1}, many[2] = {n, 2}, periods[2] = {0, 1}, coords[2] = {n, 0};
  int huge[3] = {1 << 30, 1 << 30, 1 << 30}, out[3], rank, other;
  EXPECT(MPI_ERR_DIMS, "ndims", MPI_Cart_create(world, -1, dims, periods, 0, &grid));
  EXPECT(MPI_ERR_ARG, "dims", MPI_Cart_create(world, 2, NULL, periods, 0, &grid));
  EXPECT(MPI_ERR_ARG, "periods", MPI_Cart_create(world, 2, dims, NULL, 0, &grid));
  EXPECT(MPI_ERR_DIMS, "dims[0]", MPI_Cart_create(world, 2, zero, periods, 0, &grid));
  EXPECT(MPI_ERR_ARG, "dims", MPI_Cart_create(world, 2, many, periods, 0, &grid));
  EXPECT(MPI_ERR_ARG, "dims", MPI_Cart_create(world, 3, huge, huge, 0, &grid));
  EXPECT(MPI_ERR_ARG, "comm_cart", MPI_Cart_create(world, 2, dims, periods, 0, NULL));
  EXPECT(MPI_ERR_COMM, "comm", MPI_Cart_create(MPI_COMM_NULL, 2, dims, periods, 0, &grid));
  EXPECT(MPI_ERR_TOPOLOGY, "Cartesian", MPI_Cart_rank(world, coords, &rank));
  EXPECT(MPI_ERR_TOPOLOGY, "Cartesian", MPI_Cart_sub(world, dims, &grid));
  OK(MPI_Topo_test(world, &rank));
  CHECK(rank == MPI_UNDEFINED);
  OK(MPI_Cart_create(world, 2, dims, periods, 0, &grid));
  EXPECT(MPI_ERR_ARG, "coords[0]", MPI_Cart_rank(grid, coords, &rank));
  coords[0] = -1;
  EXPECT(MPI_ERR_ARG, "coords[0]", MPI_Cart_rank(grid, coords, &rank));
  EXPECT(MPI_ERR_RANK, "rank", MPI_Cart_coords(grid, n, 2, out));
  EXPECT(MPI_ERR_RANK, "rank", MPI_Cart_coords(grid, -1, 2, out));
  EXPECT(MPI_ERR_ARG, "maxdims", MPI_Cart_coords(grid, 0, -1, out));
  EXPECT(MPI_ERR_ARG, "direction", MPI_Cart_shift(grid, 2, 1, &rank, &other));
  EXPECT(MPI_ERR_ARG, "direction", MPI_Cart_shift(grid, -1, 1, &rank, &other));
  EXPECT(MPI_ERR_ARG, "rank_dest", MPI_Cart_shift(grid, 1, 1, &rank, NULL));
  EXPECT(MPI_ERR_TOPOLOGY, "graph", MPI_Graphdims_get(grid, &rank, &other));
  out[1] = out[2] = 77; /* arrays shorter than the grid has dimensions */
  OK(MPI_Cart_coords(grid, n - 1, 1, out));
  CHECK(out[0] == n - 1 && out[1] == 77);
  OK(MPI_Cart_shift(grid, 1, INT32_MIN, &rank, &other));
  CHECK(rank == check_rank && other == check_rank);
  OK(MPI_Cart_shift(grid, 0, INT32_MAX, &rank, &other));
  CHECK(rank == MPI_PROC_NULL && other == MPI_PROC_NULL);
  OK(MPI_Comm_free(&grid));
}

/* --- graphs --- */

/* A ring of all ranks but the last, in which the first has also an edge to itself. */
static void graphs(void) {
  const int nodes = check_size > 1 ? check_size - 1 : 1;
  int* index = malloc((size_t)nodes * sizeof(int));
  int* edges = malloc((2 * (size_t)nodes + 1) * sizeof(int));
  int* copy = malloc((2 * (size_t)nodes + 1) * sizeof(int));
  int count = 0, kind, a, b;
  for (int i = 0; i < nodes; ++i) {
    edges[count++] = (i + 1) % nodes;
    edges[count++] = (i + nodes - 1) % nodes;
    if (i == 0) edges[count++] = 0;
    index[i] = count;
  }
  MPI_Comm ring, none, again;
  OK(MPI_Graph_map(MPI_COMM_WORLD, nodes, index, edges, &a));
  OK(MPI_Graph_create(MPI_COMM_WORLD, nodes, index, edges, 1, &ring));
  CHECK((ring == MPI_COMM_NULL) == (check_rank >= nodes));
  CHECK((a == MPI_UNDEFINED) == (check_rank >= nodes));
  if (ring != MPI_COMM_NULL) {
    OK(MPI_Comm_rank(ring, &b));
    CHECK(a == b); /* reordered as MPI_Graph_map says */
  }
  OK(MPI_Graph_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &none));
  CHECK(none == MPI_COMM_NULL);
  if (ring != MPI_COMM_NULL) {
    OK(MPI_Comm_dup(ring, &again));
    OK(MPI_Comm_free(&ring));
    OK(MPI_Topo_test(again, &kind));
    CHECK(kind == MPI_GRAPH);
    OK(MPI_Graphdims_get(again, &a, &b));
    CHECK(a == nodes && b == count);
    OK(MPI_Graph_get(again, nodes, count, copy, copy));
    CHECK(memcmp(copy, edges, (size_t)count * sizeof(int)) == 0);
    OK(MPI_Graph_neighbors_count(again, 0, &a));
    CHECK(a == 3);
    copy[1] = 77;
    OK(MPI_Graph_neighbors(again, nodes - 1, 1, copy));
    CHECK(copy[0] == 0 && copy[1] == 77);
    EXPECT(MPI_ERR_RANK, "rank", MPI_Graph_neighbors(again, nodes, 1, copy));
    EXPECT(MPI_ERR_TOPOLOGY, "Cartesian", MPI_Cartdim_get(again, &a));
    OK(MPI_Comm_free(&again));
  }
  EXPECT(MPI_ERR_ARG, "nnodes",
         MPI_Graph_create(MPI_COMM_WORLD, check_size + 1, index, edges, 0, &none));
  edges[0] = nodes;
  EXPECT(MPI_ERR_ARG, "edges[0]", MPI_Graph_create(MPI_COMM_WORLD, nodes, index, edges, 0, &none));
  index[0] = -1;
  EXPECT(MPI_ERR_ARG, "index[0]", MPI_Graph_create(MPI_COMM_WORLD, nodes, index, edges, 0, &none));
  free(index);
  free(edges);
  free(copy);
}

static int by_value(const void* a, const void* b) {
  return *(const int*)a - *(const int*)b;
}

/* Random edges, each named by a random member, must reach both of their ends. */
static void distributed_graphs(uint64_t* state) {
  enum { kEdges = 40 };
  int from[kEdges], to[kEdges], weight[kEdges], degrees[kEdges];
  int my_from[kEdges], my_to[kEdges], my_weight[kEdges], n = 0, ins = 0, outs = 0;
  int expected_in[kEdges], expected_out[kEdges];
  for (int i = 0; i < kEdges; ++i) {
    from[i] = (int)(check_next(state) % (uint64_t)check_size);
    to[i] = (int)(check_next(state) % (uint64_t)check_size);
    weight[i] = from[i] * 1000 + to[i];
    degrees[i] = 1;
    if ((int)(check_next(state) % (uint64_t)check_size) == check_rank || check_size == 1) {
      my_from[n] = from[i];
      my_to[n] = to[i];
      my_weight[n++] = weight[i];
    }
  }
  /* All draw the same numbers, so exactly one member names each edge. */
  MPI_Comm graph, copy;
  OK(MPI_Dist_graph_create(MPI_COMM_WORLD, n, my_from, degrees, my_to,
                           n == 0 ? MPI_WEIGHTS_EMPTY : my_weight, MPI_INFO_NULL, 1, &graph));
  OK(MPI_Comm_dup(graph, &copy));
  OK(MPI_Comm_free(&graph));
  int in_degree, out_degree, weighted, kind, own;
  OK(MPI_Comm_rank(copy, &own)); /* the ranks are new ones: the order may be another one */
  for (int i = 0; i < kEdges; ++i) {
    if (to[i] == own) expected_in[ins++] = weight[i];
    if (from[i] == own) expected_out[outs++] = weight[i];
  }
  int in[kEdges], in_weight[kEdges], out[kEdges], out_weight[kEdges];
  OK(MPI_Topo_test(copy, &kind));
  CHECK(kind == MPI_DIST_GRAPH);
  OK(MPI_Dist_graph_neighbors_count(copy, &in_degree, &out_degree, &weighted));
  CHECK(in_degree == ins && out_degree == outs && weighted == 1);
  OK(MPI_Dist_graph_neighbors(copy, kEdges, in, in_weight, kEdges, out, out_weight));
  for (int i = 0; i < ins; ++i) CHECK(in_weight[i] == in[i] * 1000 + own);
  for (int i = 0; i < outs; ++i) CHECK(out_weight[i] == own * 1000 + out[i]);
  qsort(in_weight, (size_t)ins, sizeof(int), by_value);
  qsort(out_weight, (size_t)outs, sizeof(int), by_value);
  qsort(expected_in, (size_t)ins, sizeof(int), by_value);
  qsort(expected_out, (size_t)outs, sizeof(int), by_value);
  CHECK(memcmp(in_weight, expected_in, (size_t)ins * sizeof(int)) == 0);
  CHECK(memcmp(out_weight, expected_out, (size_t)outs * sizeof(int)) == 0);
  OK(MPI_Comm_free(&copy));
}

static void adjacent_graphs(void) {
  const int next = (check_rank + 1) % check_size;
  const int previous = (check_rank + check_size - 1) % check_size;
  const int weights[2] = {5, 0}, both[2] = {next, previous};
  int ins, outs, weighted, own, in[2], out[2], in_weight[2] = {77, 77}, out_weight[2];
  MPI_Comm graph;
  OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, both, MPI_UNWEIGHTED, 1, &next,
                                    MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
  OK(MPI_Dist_graph_neighbors_count(graph, &ins, &outs, &weighted));
  CHECK(ins == 2 && outs == 1 && weighted == 0);
  OK(MPI_Dist_graph_neighbors(graph, 2, in, in_weight, 1, out, MPI_UNWEIGHTED));
  CHECK(in[0] == next && in[1] == previous && out[0] == next && in_weight[0] == 77);
  OK(MPI_Comm_free(&graph));
  OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 2, both, weights,
                                    MPI_INFO_NULL, 1, &graph));
  OK(MPI_Dist_graph_neighbors_count(graph, &ins, &outs, &weighted));
  CHECK(ins == 0 && outs == 2 && weighted == 1);
  OK(MPI_Dist_graph_neighbors(graph, 0, NULL, MPI_WEIGHTS_EMPTY, 2, out, out_weight));
  OK(MPI_Comm_rank(graph, &own));
  CHECK(out[0] == (own + 1) % check_size && out_weight[0] == 5 && out_weight[1] == 0);
  CHECK(out[1] == (own + check_size - 1) % check_size);
  OK(MPI_Comm_free(&graph));
  const int bad = check_size, negative = -2;
#define ADJACENT(in_count, in_ranks, in_weights, out_count, out_ranks, out_weights)         \
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in_count, in_ranks, in_weights, out_count, \
                                 out_ranks, out_weights, MPI_INFO_NULL, 0, &graph)
  EXPECT(MPI_ERR_RANK, "sources[0]", ADJACENT(1, &bad, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED));
  EXPECT(MPI_ERR_RANK, "destinations[0]",
         ADJACENT(0, NULL, MPI_UNWEIGHTED, 1, &bad, MPI_UNWEIGHTED));
  EXPECT(MPI_ERR_ARG, "indegree", ADJACENT(-1, &next, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED));
  EXPECT(MPI_ERR_ARG, "sourceweights[0]", ADJACENT(1, &next, &negative, 1, &next, weights));
  EXPECT(MPI_ERR_ARG, "MPI_WEIGHTS_EMPTY",
         ADJACENT(1, &next, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY));
  EXPECT(MPI_ERR_ARG, "MPI_UNWEIGHTED", ADJACENT(1, &next, MPI_UNWEIGHTED, 1, &next, weights));
  EXPECT(MPI_ERR_ARG, "degrees[0]",
         MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &next, &negative, &next, MPI_UNWEIGHTED,
                               MPI_INFO_NULL, 0, &graph));
  const int two[2] = {next, next}, too_many[2] = {INT32_MAX, INT32_MAX};
  EXPECT(MPI_ERR_ARG, "degrees",
         MPI_Dist_graph_create(MPI_COMM_WORLD, 2, two, too_many, &next, MPI_UNWEIGHTED,
                               MPI_INFO_NULL, 0, &graph));
  EXPECT(MPI_ERR_INFO, "info",
         MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, MPI_UNWEIGHTED,
                               (MPI_Info)MPI_COMM_WORLD, 0, &graph));
  EXPECT(MPI_ERR_TOPOLOGY, "distributed graph",
         MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, &ins, &outs, &weighted));
}

/* What a process may run on, as one number; processes that may run on the same share it. */
static unsigned long long where_bound(void) {
  cpu_set_t set;
  unsigned long long sum = 0;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  for (unsigned i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set)) sum = sum * 31 + i + 1;
  return sum;
}

static int is_one_host(void) {
  MPI_Comm host;
  int size = 0;
  OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  OK(MPI_Comm_size(host, &size));
  OK(MPI_Comm_free(&host));
  return size == check_size;
}

/* The weight of all edges between old neighbours of a ring of pairs that run on different cores. */
static long crossing(const int* process_of, const unsigned long long* where, const int* partner) {
  long sum = 0;
  for (int i = 0; i < check_size; ++i)
    if (where[process_of[i]] != where[process_of[partner[i]]]) sum += 100;
  return sum;
}

/* Each process talks much to one partner and little to its neighbours. With reorder the partners
 * come together, if they are bound; the graph stays the one that was described. */
static void reordered_graphs(uint64_t* state, int adjacent) {
  int* partner = malloc((size_t)check_size * sizeof(int));
  int* process_of = malloc((size_t)check_size * sizeof(int));
  int* in_order = malloc((size_t)check_size * sizeof(int));
  unsigned long long* where = malloc((size_t)check_size * sizeof *where);
  const unsigned long long here = where_bound();
  for (int i = 0; i < check_size; ++i) partner[i] = in_order[i] = i;
  for (int i = check_size - 1; i > 0; --i) { /* random pairs; an odd one has itself */
    const int j = (int)(check_next(state) % (uint64_t)(i + 1)), kept = partner[i];
    partner[i] = partner[j];
    partner[j] = kept;
  }
  int* shuffled = malloc((size_t)check_size * sizeof(int));
  memcpy(shuffled, partner, (size_t)check_size * sizeof(int));
  for (int i = 0; i < check_size; ++i) partner[shuffled[i]] = shuffled[i];
  for (int i = 0; i + 1 < check_size; i += 2) {
    partner[shuffled[i]] = shuffled[i + 1];
    partner[shuffled[i + 1]] = shuffled[i];
  }
  const int edges[3] = {partner[check_rank], (check_rank + 1) % check_size,
                        (check_rank + check_size - 1) % check_size};
  const int weights[3] = {100, 1, 1}, degree = 3;
  MPI_Comm graph;
  if (adjacent) {
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, edges, weights, 3, edges, weights,
                                      MPI_INFO_NULL, 1, &graph));
  } else {
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &check_rank, &degree, edges, weights, MPI_INFO_NULL,
                             1, &graph));
  }
  int own, in[3], out[3], in_weights[3], out_weights[3];
  OK(MPI_Comm_rank(graph, &own));
  OK(MPI_Allgather(&check_rank, 1, MPI_INT, process_of, 1, MPI_INT, graph));
  OK(MPI_Allgather(&here, 1, MPI_UNSIGNED_LONG_LONG, where, 1, MPI_UNSIGNED_LONG_LONG,
                   MPI_COMM_WORLD));
  OK(MPI_Dist_graph_neighbors(graph, 3, in, in_weights, 3, out, out_weights));
  int found = 0;
  for (int i = 0; i < 3; ++i) found += out[i] == partner[own] && out_weights[i] == 100;
  CHECK(found >= 1);
  if (adjacent) {
    CHECK(out[0] == partner[own] && out[1] == (own + 1) % check_size);
    CHECK(in[0] == partner[own] && in[2] == (own + check_size - 1) % check_size);
  }
  CHECK(process_of[own] == check_rank);
  CHECK(crossing(process_of, where, partner) <= crossing(in_order, where, partner));
  /* Pairs fit together where every core has an even number of processes. Processes of several hosts
   * are left in their order. */
  int even = is_one_host();
  for (int i = 0; i < check_size; ++i) {
    int together = 0;
    for (int j = 0; j < check_size; ++j) together += where[i] == where[j];
    even &= together % 2 == 0;
  }
  if (even) CHECK(crossing(process_of, where, partner) == 0);
  /* Its edges carry messages. */
  int got[3] = {-1, -1, -1};
  OK(MPI_Neighbor_allgather(&own, 1, MPI_INT, got, 1, MPI_INT, graph));
  for (int i = 0; i < 3; ++i) CHECK(got[i] == in[i]);
  OK(MPI_Comm_free(&graph));
  free(shuffled);
  free(where);
  free(in_order);
  free(process_of);
  free(partner);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  uint64_t state = check_seed("topology");
  if (check_rank == 0) dimensions();
  random_grids(&state);
  grids_without_dimensions();
  wrong_grids();
  graphs();
  for (int i = 0; i < 10; ++i) distributed_graphs(&state);
  adjacent_graphs();
  for (int i = 0; i < 4; ++i) reordered_graphs(&state, i % 2);
  return check_end("topology");
}
