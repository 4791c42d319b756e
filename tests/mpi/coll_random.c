/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Random collectives against results that every rank works out for itself: each operation, form and
 * width of counts, root, in place or not, sizes from nothing to megabytes, contiguous and strided
 * types, memory of MPI_Alloc_mem and of malloc, operations that commute and one that does not;
 * neighbours on a random graph. Arguments: steps in each of two communicators. */
#include "random_coll.h"

enum {
  kBarrier,
  kBcast,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kNeighborAllgather,
  kNeighborAllgatherv,
  kNeighborAlltoall,
  kNeighborAlltoallv,
  kNeighborAlltoallw,
  kReduce,
  kAllreduce,
  kReduceScatter,
  kReduceScatterBlock,
  kScan,
  kExscan,
  kOperations
};

/* Rank r's part of a vector of blocks; they lie in falling order with gaps. */
static void cut(int n) {
  int next = 0;
  for (int r = size - 1; r >= 0; --r) {
    set_block(r, n == 0 ? 0 : (n + r * 5) % (n + 1), next);
    next += counts[r] + 1;
  }
}
/* Blocks of n, one behind the other. */
static void line_up(int n) {
  for (int r = 0; r < size; ++r) set_block(r, n, r * n);
}

static int bcast(int n, int root) {
  if (me == root) put(in.before, &in, 0, root, 0, n);
  put(in.after, &in, 0, root, 0, n);
  refill();
  return CALL(Bcast, bcast, in.now, n, in.type, root);
}

static int gather(bool vector, int n, int root, bool in_place) {
  const int mine = counts[me];
  in_place = in_place && me == root;
  put(out.before, &out, 0, me, 0, mine);
  if (in_place) put(in.before, &in, places[me], me, 0, mine);
  for (int r = 0; r < size && me == root; ++r) put(in.after, &in, places[r], r, 0, counts[r]);
  refill();
  const void* send = in_place ? MPI_IN_PLACE : out.now;
  const MPI_Datatype s = out.type, t = in.type;
  if (!vector) return CALL(Gather, gather, send, n, s, in.now, n, t, root);
  return wide
             ? WIDE_FORM(Gatherv, gatherv, send, mine, s, in.now, wide_counts, wide_places, t, root)
             : FORM(Gatherv, gatherv, send, mine, s, in.now, counts, places, t, root);
}

static int scatter(bool vector, int n, int root, bool in_place) {
  const int mine = counts[me];
  in_place = in_place && me == root;
  for (int r = 0; r < size && me == root; ++r) put(out.before, &out, places[r], 0, r, counts[r]);
  if (!in_place) put(in.after, &in, 0, 0, me, mine);
  refill();
  void* receive = in_place ? MPI_IN_PLACE : in.now;
  const MPI_Datatype s = out.type, t = in.type;
  if (!vector) return CALL(Scatter, scatter, out.now, n, s, receive, n, t, root);
  return wide ? WIDE_FORM(Scatterv, scatterv, out.now, wide_counts, wide_places, s, receive, mine,
                          t, root)
              : FORM(Scatterv, scatterv, out.now, counts, places, s, receive, mine, t, root);
}

static int allgather(bool vector, int n, bool in_place) {
  const int mine = counts[me];
  put(out.before, &out, 0, me, 0, mine);
  if (in_place) put(in.before, &in, places[me], me, 0, mine);
  for (int r = 0; r < size; ++r) put(in.after, &in, places[r], r, 0, counts[r]);
  refill();
  const void* send = in_place ? MPI_IN_PLACE : out.now;
  const MPI_Datatype s = out.type, t = in.type;
  if (!vector) return CALL(Allgather, allgather, send, n, s, in.now, n, t);
  return wide
             ? WIDE_FORM(Allgatherv, allgatherv, send, mine, s, in.now, wide_counts, wide_places, t)
             : FORM(Allgatherv, allgatherv, send, mine, s, in.now, counts, places, t);
}

static int alltoall(bool vector, int n, bool in_place) {
  /* r and q exchange (r + q) % 4 quarters of n */
  for (int r = 0; r < size && vector; ++r) set_block(r, n / 4 * ((me + r) % 4), r * (n + 1));
  for (int r = 0; r < size; ++r) {
    const struct buffer* b = in_place ? &in : &out;
    put(b->before, b, places[r], me, r, counts[r]);
    put(in.after, &in, places[r], r, me, counts[r]);
  }
  refill();
  const void* send = in_place ? MPI_IN_PLACE : out.now;
  const MPI_Datatype s = out.type, t = in.type;
  if (!vector) return CALL(Alltoall, alltoall, send, n, s, in.now, n, t);
  return wide ? WIDE_FORM(Alltoallv, alltoallv, send, wide_counts, wide_places, s, in.now,
                          wide_counts, wide_places, t)
              : FORM(Alltoallv, alltoallv, send, counts, places, s, in.now, counts, places, t);
}

static int alltoallw(int n, bool in_place) {
  const int room = 3 * n + 2;
  for (int r = 0; r < size; ++r) {
    const int count = n / 4 * ((me + r) % 4);
    add_side(&got, in.after, r, count, room, r, me);
    if (in_place) {
      add_side(&got, in.before, r, count, room, me, r);
    } else {
      add_side(&sent, out.before, r, count, room, me, r);
    }
  }
  refill();
  const void* send = in_place ? MPI_IN_PLACE : out.now;
  return wide ? WIDE_FORM(Alltoallw, alltoallw, send, sent.wide_counts, sent.wide_places,
                          sent.types, in.now, got.wide_counts, got.wide_places, got.types)
              : FORM(Alltoallw, alltoallw, send, sent.counts, sent.places, sent.types, in.now,
                     got.counts, got.places, got.types);
}

/* Blocks move: bcast to alltoallw. */
static int move(int operation, int n, int root, bool in_place) {
  const bool vector = operation == kGatherv || operation == kScatterv || operation == kAllgatherv;
  const bool any_types = operation == kAlltoallw;
  const bool strided[2] = {any_types || below(3) == 0, any_types || below(3) == 0};
  make(&out, size * (n + 1), strided[0]);
  make(&in, size * (n + 1), strided[1]);
  if (vector) {
    cut(n);
  } else {
    line_up(n);
  }
  switch (operation) {
    case kBcast:
      return bcast(n, root);
    case kGather:
    case kGatherv:
      return gather(vector, n, root, in_place);
    case kScatter:
    case kScatterv:
      return scatter(vector, n, root, in_place);
    case kAllgather:
    case kAllgatherv:
      return allgather(vector, n, in_place);
    case kAlltoallw:
      return alltoallw(n, in_place);
    default:
      return alltoall(operation == kAlltoallv, n, in_place);
  }
}

/* The graph of a communicator: everybody's edge k goes to the rank offsets[k] further on, which
 * finds it in its slot k. The same rank may come several times, oneself too. */
enum { kDegree = 5 };
static MPI_Comm graph;
static int degree, offsets[kDegree];
static int source_of(int k) {
  return (me - offsets[k] + size) % size;
}
static void make_graph(void) {
  int sources[kDegree], destinations[kDegree];
  degree = below(kDegree + 1);
  for (int k = 0; k < degree; ++k) {
    offsets[k] = below(size);
    sources[k] = source_of(k);
    destinations[k] = (me + offsets[k]) % size;
  }
  OK(MPI_Dist_graph_create_adjacent(comm, degree, sources, MPI_UNWEIGHTED, degree, destinations,
                                    MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
}

/* Elements that `from` sends on its edge k where these differ. */
static int part(int n, int from, int k) {
  return n == 0 ? 0 : (n + (from + k) * 5) % (n + 1);
}

static int neighbor_allgather(bool vector, int n) {
  const int mine = vector ? part(n, me, 0) : n;
  put(out.before, &out, 0, me, 0, mine);
  for (int k = 0; k < degree; ++k) {
    set_block(k, vector ? part(n, source_of(k), 0) : n, k * (vector ? n + 1 : n));
    put(in.after, &in, places[k], source_of(k), 0, counts[k]);
  }
  refill();
  const MPI_Datatype s = out.type, t = in.type;
  if (!vector) return CALL(Neighbor_allgather, neighbor_allgather, out.now, n, s, in.now, n, t);
  return wide ? WIDE_FORM(Neighbor_allgatherv, neighbor_allgatherv, out.now, mine, s, in.now,
                          wide_counts, wide_places, t)
              : FORM(Neighbor_allgatherv, neighbor_allgatherv, out.now, mine, s, in.now, counts,
                     places, t);
}

static int neighbor_alltoall(bool vector, int n) {
  for (int k = 0; k < degree; ++k) {
    const int place = k * (vector ? n + 1 : n);
    sent.wide_counts[k] = sent.counts[k] = vector ? part(n, me, k) : n;
    sent.wide_places[k] = sent.places[k] = place;
    set_block(k, vector ? part(n, source_of(k), k) : n, place);
    put(out.before, &out, place, me, k, sent.counts[k]);
    put(in.after, &in, place, source_of(k), k, counts[k]);
  }
  refill();
  const MPI_Datatype s = out.type, t = in.type;
  if (!vector) return CALL(Neighbor_alltoall, neighbor_alltoall, out.now, n, s, in.now, n, t);
  return wide ? WIDE_FORM(Neighbor_alltoallv, neighbor_alltoallv, out.now, sent.wide_counts,
                          sent.wide_places, s, in.now, wide_counts, wide_places, t)
              : FORM(Neighbor_alltoallv, neighbor_alltoallv, out.now, sent.counts, sent.places, s,
                     in.now, counts, places, t);
}

static MPI_Aint sent_bytes[kMost], got_bytes[kMost];
static int neighbor_alltoallw(int n) {
  const int room = 3 * n + 2;
  for (int k = 0; k < degree; ++k) {
    add_side(&sent, out.before, k, part(n, me, k), room, me, k);
    add_side(&got, in.after, k, part(n, source_of(k), k), room, source_of(k), k);
    sent_bytes[k] = sent.places[k];
    got_bytes[k] = got.places[k];
  }
  refill();
  return wide ? WIDE_FORM(Neighbor_alltoallw, neighbor_alltoallw, out.now, sent.wide_counts,
                          sent_bytes, sent.types, in.now, got.wide_counts, got_bytes, got.types)
              : FORM(Neighbor_alltoallw, neighbor_alltoallw, out.now, sent.counts, sent_bytes,
                     sent.types, in.now, got.counts, got_bytes, got.types);
}

static int talk_to_neighbors(int operation, int n) {
  const MPI_Comm members = comm;
  const bool any_types = operation == kNeighborAlltoallw;
  const bool strided[2] = {any_types || below(3) == 0, any_types || below(3) == 0};
  make(&out, (degree + 1) * (n + 1), strided[0]);
  make(&in, (degree + 1) * (n + 1), strided[1]);
  comm = graph;
  const int code = any_types ? neighbor_alltoallw(n)
                   : operation == kNeighborAllgather || operation == kNeighborAllgatherv
                       ? neighbor_allgather(operation == kNeighborAllgatherv, n)
                       : neighbor_alltoall(operation == kNeighborAlltoallv, n);
  comm = members;
  return code;
}

/* The first words of the result of ranks [0, last]. */
static void expect(int last, int from, int n, bool ordered) {
  for (int i = 0; i < n; ++i) in.after[i] = value(0, 0, from + i);
  for (int r = 1; r <= last; ++r) accumulate(in.after, r, from, n, ordered);
}

/* Where the calls of reductions find their operands. */
struct operands {
  const void* send;
  MPI_Datatype type;
  MPI_Op op;
};
static int call_reduction(int operation, struct operands o, int n, int root) {
  switch (operation) {
    case kReduce:
      return CALL(Reduce, reduce, o.send, in.now, n, o.type, o.op, root);
    case kAllreduce:
      return CALL(Allreduce, allreduce, o.send, in.now, n, o.type, o.op);
    case kReduceScatter:
      return wide ? WIDE_FORM(Reduce_scatter, reduce_scatter, o.send, in.now, wide_counts, o.type,
                              o.op)
                  : FORM(Reduce_scatter, reduce_scatter, o.send, in.now, counts, o.type, o.op);
    case kReduceScatterBlock:
      return CALL(Reduce_scatter_block, reduce_scatter_block, o.send, in.now, n, o.type, o.op);
    case kScan:
      return CALL(Scan, scan, o.send, in.now, n, o.type, o.op);
    default:
      return CALL(Exscan, exscan, o.send, in.now, n, o.type, o.op);
  }
}

static int reduce(int operation, int n, int root, bool in_place) {
  const bool ordered = below(3) == 0;
  const int width = ordered ? 2 : 1;
  const bool blocks = operation == kReduceScatter || operation == kReduceScatterBlock;
  int total = 0, first = 0;
  for (int r = 0; r < size; ++r) {
    if (r == me) first = total;
    set_block(r, operation == kReduceScatter ? (n + r * 5) % (n + 1) : n, 0);
    total += counts[r];
  }
  const int elements = blocks ? total : n;
  make(&out, elements * width, false);
  make(&in, elements * width, false);
  in_place = in_place && (operation != kReduce || me == root);
  for (int i = 0; i < elements * width; ++i) {
    (in_place ? in : out).before[i] = value(me, 0, i);
    if (in_place) in.after[i] = in.before[i];
  }
  const bool has_result = (operation != kReduce || me == root) && (operation != kExscan || me > 0);
  if (blocks) {
    if (in_place) memcpy(in.after, in.before, 4 * in.words);
    expect(size - 1, first * width, counts[me] * width, ordered);
  } else if (has_result) {
    const int last = operation == kScan ? me : operation == kExscan ? me - 1 : size - 1;
    expect(last, 0, n * width, ordered);
  }
  refill();
  const struct operands operands = {in_place ? MPI_IN_PLACE : out.now,
                                    ordered ? pair : MPI_UINT32_T, ordered ? compose_op : MPI_SUM};
  const int code = call_reduction(operation, operands, n, root);
  /* In place, what is behind one's own block, and the first member's result of exscan, are
   * undefined. */
  if (blocks && in_place) in.words = (size_t)(counts[me] * width);
  if (operation == kExscan && me == 0) in.words = 0;
  return code;
}

static int barrier(void) {
  make(&out, 0, false);
  make(&in, 0, false);
  refill();
  return form == kBlocking      ? MPI_Barrier(comm)
         : form == kNonblocking ? MPI_Ibarrier(comm, &request)
                                : MPI_Barrier_init(comm, MPI_INFO_NULL, &request);
}

static void run_one(int step, int largest) {
  const int operation = below(kOperations);
  const int kind = below(4);
  const int most = kind == 0 ? 4 : kind == 1 ? 300 : kind == 2 ? 8000 : largest;
  const int n = below(most + 1);
  const int root = below(size);
  const bool in_place = below(3) == 0;
  form = below(kForms);
  wide = below(2) == 0;
  salt = (uint32_t)check_next(&state);
  const int code = operation == kBarrier            ? barrier()
                   : operation < kNeighborAllgather ? move(operation, n, root, in_place)
                   : operation < kReduce            ? talk_to_neighbors(operation, n)
                                                    : reduce(operation, n, root, in_place);
  if (!judge(code) && check_failures <= 3)
    fprintf(stderr,
            "rank %d: step %d, operation %d, form %d, wide %d, %d elements, root %d, in place %d\n",
            me, step, operation, form, wide, n, root, in_place);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  start_random("coll_random");
  const int steps = argc > 1 ? atoi(argv[1]) : 150;
  for (int round = 0; round < 2; ++round) {
    /* the world, then its ranks turned round */
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, round == 0 ? check_rank : check_size - check_rank, &comm));
    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Comm_size(comm, &size));
    make_graph();
    for (int i = 0; i < steps && check_failures == 0; ++i) run_one(i, 300000 / size);
    OK(MPI_Comm_free(&graph));
    OK(MPI_Comm_free(&comm));
  }
  end_random();
  return check_end("coll_random");
}
