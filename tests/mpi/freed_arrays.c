/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Programs that overwrite and free arrays of counts, displacements and types as soon as a
 * nonblocking or persistent collective has been called, as bindings of other languages do: every
 * function that takes such arrays, in both widths, within a group, between two and among
 * neighbours. */
#include "two_groups.h"

enum { kWithin, kBetween, kAmongNeighbors, kPlaces };
static int place;
static int wide;   /* large-count functions */
static int factor; /* elements are a small number of so many */

/* Arrays that live until their collective was called. */
enum { kMostArrays = 6 };
static void* arrays[kMostArrays];
static size_t lengths[kMostArrays];
static int array_count;

static void* new_array(size_t bytes) {
  void* made = malloc(bytes + 1);
  lengths[array_count] = bytes;
  arrays[array_count++] = made;
  return made;
}

/* Values i of an array, as the function that is tested wants them. */
static void* numbers(int n, int as_counts, MPI_Count (*value)(int)) {
  if (!as_counts) {
    int* narrow = new_array(sizeof(int) * (size_t)n);
    for (int i = 0; i < n; ++i) narrow[i] = (int)value(i);
    return narrow;
  }
  MPI_Count* made = new_array(sizeof(MPI_Count) * (size_t)n);
  for (int i = 0; i < n; ++i) made[i] = value(i);
  return made;
}

static MPI_Datatype pair; /* of ints, a derived type */
static void* types(int n) {
  MPI_Datatype* made = new_array(sizeof(MPI_Datatype) * (size_t)n);
  for (int i = 0; i < n; ++i) made[i] = pair;
  return made;
}

/* What no collective may see any more. */
static void forget_arrays(void) {
  for (int i = 0; i < array_count; ++i) {
    memset(arrays[i], 0x61, lengths[i]);
    free(arrays[i]);
  }
  array_count = 0;
}

/* Peers are the members of the group, of the other one, or the neighbours: the ranks behind and
 * ahead of this one, which are sources and destinations in this order. */
static int peers;
static int my_name;
static int name_of_peer(int i) {
  if (place == kWithin) return i;
  if (place == kBetween) return i + (first ? 1000 : 0);
  return (me + (i == 0 ? size - 1 : 1)) % size;
}
/* What leaves to the rank behind arrives there from ahead. Up to two ranks have one neighbour
 * twice, and edges between the same two match in their order. */
static int edge_name(int i, int sending) {
  if (place != kAmongNeighbors) return 0;
  return sending || size <= 2 ? i : 1 - i;
}

/* Pairs from one process to another. */
static int pairs(int from, int to, int edge) {
  return ((from * 3 + to * 5 + edge) % 4) * factor;
}
static MPI_Count sends(int i) {
  return pairs(my_name, name_of_peer(i), edge_name(i, 1));
}
static MPI_Count receives(int i) {
  return pairs(name_of_peer(i), my_name, edge_name(i, 0));
}
/* What everybody gets from one process. */
static MPI_Count share(int name) {
  return (name % 3 + 1) * factor;
}
static MPI_Count shares(int i) {
  return share(name_of_peer(i));
}

static MPI_Count sum_before(MPI_Count (*value)(int), int i) {
  MPI_Count sum = 0;
  for (int k = 0; k < i; ++k) sum += value(k) + 1; /* a gap of one pair between two blocks */
  return sum;
}
static MPI_Count send_place(int i) {
  return sum_before(sends, i);
}
static MPI_Count receive_place(int i) {
  return sum_before(receives, i);
}
static MPI_Count share_place(int i) {
  return sum_before(shares, i);
}
static MPI_Count send_byte(int i) {
  return send_place(i) * 8;
}
static MPI_Count receive_byte(int i) {
  return receive_place(i) * 8;
}

static int* out;
static int* in;
static size_t in_ints;
static void clear(void) {
  for (size_t i = 0; i < in_ints; ++i) in[i] = -1;
}
static void make_buffers(MPI_Count out_pairs, MPI_Count in_pairs) {
  out = malloc(sizeof(int) * (size_t)(2 * out_pairs + 1));
  in_ints = (size_t)(2 * in_pairs + 1);
  in = malloc(sizeof(int) * in_ints);
  clear();
}
static void free_buffers(void) {
  CHECK(in[in_ints - 1] == -1);
  free(out);
  free(in);
}

static int value(int from, int to, int edge, MPI_Count i) {
  return from * 100003 + to * 1009 + edge * 31 + (int)i * 7 + 1;
}
static void fill(MPI_Count at, MPI_Count n, int to, int edge) {
  for (MPI_Count i = 0; i < 2 * n; ++i) out[2 * at + i] = value(my_name, to, edge, i);
}
static int holds(MPI_Count at, MPI_Count n, int from, int to, int edge) {
  for (MPI_Count i = 0; i < 2 * n; ++i)
    if (in[2 * at + i] != value(from, to, edge, i)) return 0;
  return in[2 * (at + n)] == -1;
}

#define INFO MPI_INFO_NULL
/* A call in its form and width; its arrays are gone when it has returned. */
#define CALL(lower, upper, ...)                                                                \
  do {                                                                                         \
    OK(form == kNonblocking ? (wide ? MPI_I##lower##_c(__VA_ARGS__, comm, &request)            \
                                    : MPI_I##lower(__VA_ARGS__, comm, &request))               \
                            : (wide ? MPI_##upper##_init_c(__VA_ARGS__, comm, INFO, &request)  \
                                    : MPI_##upper##_init(__VA_ARGS__, comm, INFO, &request))); \
    forget_arrays();                                                                           \
    complete(clear);                                                                           \
  } while (0)

/* Of an inter-communicator the last rank of the first group is the root. */
static int root_argument(int* is_root, int* is_other) {
  const int root = place == kBetween ? check_size / 2 - 1 : size - 1;
  *is_root = place == kBetween ? first && me == root : me == root;
  *is_other = place == kBetween ? !first : 1;
  if (place == kBetween && first) return *is_root ? MPI_ROOT : MPI_PROC_NULL;
  return root;
}

static void test_gatherv(void) {
  int is_root, is_other;
  const int root = root_argument(&is_root, &is_other);
  const MPI_Count own = share(my_name);
  make_buffers(own, share_place(peers));
  fill(0, own, 0, 0);
  void* counts = is_root ? numbers(peers, wide, shares) : NULL;
  void* displs = is_root ? numbers(peers, wide, share_place) : NULL;
  CALL(gatherv, Gatherv, out, (int)own, pair, in, counts, displs, pair, root);
  for (int i = 0; is_root && i < peers; ++i)
    CHECK(holds(share_place(i), shares(i), name_of_peer(i), 0, 0));
  free_buffers();
}

static void test_scatterv(void) {
  int is_root, is_other;
  const int root = root_argument(&is_root, &is_other);
  const MPI_Count own = share(my_name);
  make_buffers(share_place(peers), own + 1);
  for (int i = 0; is_root && i < peers; ++i) fill(share_place(i), shares(i), name_of_peer(i), 0);
  void* counts = is_root ? numbers(peers, wide, shares) : NULL;
  void* displs = is_root ? numbers(peers, wide, share_place) : NULL;
  CALL(scatterv, Scatterv, out, counts, displs, pair, in, (int)own, pair, root);
  const int from = place == kBetween ? check_size / 2 - 1 : size - 1;
  if (is_other) CHECK(holds(0, own, from, my_name, 0));
  free_buffers();
}

static void test_allgatherv(void) {
  const MPI_Count own = share(my_name);
  make_buffers(own, share_place(peers));
  fill(0, own, 0, 0);
  void* counts = numbers(peers, wide, shares);
  void* displs = numbers(peers, wide, share_place);
  if (place == kAmongNeighbors)
    CALL(neighbor_allgatherv, Neighbor_allgatherv, out, (int)own, pair, in, counts, displs, pair);
  else
    CALL(allgatherv, Allgatherv, out, (int)own, pair, in, counts, displs, pair);
  for (int i = 0; i < peers; ++i) CHECK(holds(share_place(i), shares(i), name_of_peer(i), 0, 0));
  free_buffers();
}

static void start_exchange(void) {
  make_buffers(send_place(peers), receive_place(peers));
  for (int i = 0; i < peers; ++i) fill(send_place(i), sends(i), name_of_peer(i), edge_name(i, 1));
}
static void end_exchange(void) {
  for (int i = 0; i < peers; ++i)
    CHECK(holds(receive_place(i), receives(i), name_of_peer(i), my_name, edge_name(i, 0)));
  free_buffers();
}

static void test_alltoallv(void) {
  start_exchange();
  void* out_counts = numbers(peers, wide, sends);
  void* out_displs = numbers(peers, wide, send_place);
  void* in_counts = numbers(peers, wide, receives);
  void* in_displs = numbers(peers, wide, receive_place);
  if (place == kAmongNeighbors)
    CALL(neighbor_alltoallv, Neighbor_alltoallv, out, out_counts, out_displs, pair, in, in_counts,
         in_displs, pair);
  else
    CALL(alltoallv, Alltoallv, out, out_counts, out_displs, pair, in, in_counts, in_displs, pair);
  end_exchange();
}

static void test_alltoallw(void) {
  start_exchange();
  const int wide_displs = wide || place == kAmongNeighbors;
  void* out_counts = numbers(peers, wide, sends);
  void* out_displs = numbers(peers, wide_displs, send_byte);
  void* in_counts = numbers(peers, wide, receives);
  void* in_displs = numbers(peers, wide_displs, receive_byte);
  void* out_types = types(peers);
  void* in_types = types(peers);
  if (place == kAmongNeighbors)
    CALL(neighbor_alltoallw, Neighbor_alltoallw, out, out_counts, out_displs, out_types, in,
         in_counts, in_displs, in_types);
  else
    CALL(alltoallw, Alltoallw, out, out_counts, out_displs, out_types, in, in_counts, in_displs,
         in_types);
  end_exchange();
}

/* Each member of the own group has a block, also on an inter-communicator, where the blocks of both
 * groups have the same number of elements in all. */
static int total;
static MPI_Count block(int i) {
  const int each = total / size;
  return i < size - 1 ? each : total - each * (size - 1);
}
static void test_reduce_scatter(void) {
  total = 12 * factor + 7;
  make_buffers(total, block(me) + 1);
  for (int i = 0; i < total; ++i) out[i] = i * 3 + my_name % 1000;
  void* counts = numbers(size, wide, block);
  CALL(reduce_scatter, Reduce_scatter, out, in, counts, MPI_INT, MPI_SUM);
  const int many = place == kBetween ? other : size;
  const MPI_Count begin = me * block(0);
  for (MPI_Count i = 0; i < block(me); ++i)
    CHECK(in[i] == (int)(begin + i) * 3 * many + many * (many - 1) / 2);
  CHECK(in[block(me)] == -1);
  free_buffers();
}

static void test_all(void) {
  if (place != kAmongNeighbors) {
    test_gatherv();
    test_scatterv();
    test_reduce_scatter();
  }
  test_allgatherv();
  test_alltoallv();
  test_alltoallw();
}

static void in_all_forms(void) {
  for (form = kNonblocking; form < kForms; ++form)
    for (wide = 0; wide < 2; ++wide)
      for (factor = 1; factor <= 3000; factor += 2999) test_all();
}

static void make_ring(void) {
  const int behind = (check_rank + check_size - 1) % check_size;
  const int ring[] = {behind, (check_rank + 1) % check_size};
  OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, ring, MPI_UNWEIGHTED, 2, ring,
                                    MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  OK(MPI_Type_contiguous(2, MPI_INT, &pair));
  OK(MPI_Type_commit(&pair));
  for (place = kWithin; place < kPlaces; ++place) {
    if (place == kBetween && check_size < 2) continue;
    if (place == kBetween) {
      setup();
    } else {
      if (place == kWithin)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
      else
        make_ring();
      OK(MPI_Comm_rank(comm, &me));
      OK(MPI_Comm_size(comm, &size));
    }
    peers = place == kBetween ? other : place == kWithin ? size : 2;
    my_name = me + (place == kBetween && !first ? 1000 : 0);
    in_all_forms();
    OK(MPI_Comm_free(&comm));
  }
  OK(MPI_Type_free(&pair));
  return check_end("freed_arrays");
}
