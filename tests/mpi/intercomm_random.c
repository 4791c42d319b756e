/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Random collectives between two groups against results that every rank works out for itself: each
 * operation, form and width of counts, root in either group, sizes from nothing to many, strided
 * types, counts of both groups that differ where they may. Argument: steps. Ranks below
 * check_size / 2 are the first group. */
#include "random_coll.h"
#include "two_groups.h"

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
  kReduce,
  kAllreduce,
  kReduceScatter,
  kReduceScatterBlock,
  kOperations
};

/* What an operation has where: the root's MPI_COMM_WORLD rank, and the argument that names it. */
static int root, root_argument;
static bool is_root, faces_root;
static void choose_root(void) {
  root = below(check_size);
  const bool in_first = root < check_size / 2;
  faces_root = in_first != first;
  is_root = root == check_rank;
  root_argument = faces_root ? root - other_first : is_root ? MPI_ROOT : MPI_PROC_NULL;
}

/* Elements of what `from` has for `to` where that differs. */
static int part(int n, int from, int to) {
  return n == 0 ? 0 : (n + from * 5 + to * 3) % (n + 1);
}
/* Blocks of all members of the other group; `mine` says that they are from this process to them. */
static void cut(int n, bool vector, bool mine) {
  int next = 0;
  for (int r = other - 1; r >= 0; --r) {
    const int from = mine ? check_rank : other_first + r, to = mine ? other_first + r : check_rank;
    set_block(r, vector ? part(n, from, to) : n, vector ? next : r * n);
    next += counts[r] + 1;
  }
}

static int bcast(int n) {
  if (is_root) put(out.before, &out, 0, root, 0, n);
  if (faces_root) put(in.after, &in, 0, root, 0, n);
  refill();
  struct buffer* b = is_root ? &out : &in;
  return CALL(Bcast, bcast, b->now, n, b->type, root_argument);
}

static int gather(bool vector, int n) {
  const int mine = vector ? part(n, check_rank, root) : n;
  if (faces_root) put(out.before, &out, 0, check_rank, root, mine);
  cut(n, vector, false);
  for (int r = 0; r < other && is_root; ++r)
    put(in.after, &in, places[r], other_first + r, check_rank, counts[r]);
  refill();
  const MPI_Datatype s = out.type, t = in.type;
  const int a = root_argument;
  if (!vector) return CALL(Gather, gather, out.now, n, s, in.now, n, t, a);
  return wide
             ? WIDE_FORM(Gatherv, gatherv, out.now, mine, s, in.now, wide_counts, wide_places, t, a)
             : FORM(Gatherv, gatherv, out.now, mine, s, in.now, counts, places, t, a);
}

static int scatter(bool vector, int n) {
  const int mine = vector ? part(n, root, check_rank) : n;
  if (faces_root) put(in.after, &in, 0, root, check_rank, mine);
  cut(n, vector, true);
  for (int r = 0; r < other && is_root; ++r)
    put(out.before, &out, places[r], check_rank, other_first + r, counts[r]);
  refill();
  const MPI_Datatype s = out.type, t = in.type;
  const int a = root_argument;
  if (!vector) return CALL(Scatter, scatter, out.now, n, s, in.now, n, t, a);
  return wide ? WIDE_FORM(Scatterv, scatterv, out.now, wide_counts, wide_places, s, in.now, mine, t,
                          a)
              : FORM(Scatterv, scatterv, out.now, counts, places, s, in.now, mine, t, a);
}

/* The groups contribute different numbers: n of the first, `back` of the second. */
static int allgather(bool vector, int n, int back) {
  const int given = first ? n : back, taken = first ? back : n;
  const int mine = vector ? part(given, check_rank, 0) : given;
  put(out.before, &out, 0, check_rank, 0, mine);
  int next = 0;
  for (int r = other - 1; r >= 0; --r) {
    const int from = other_first + r;
    set_block(r, vector ? part(taken, from, 0) : taken, vector ? next : r * taken);
    next += counts[r] + 1;
    put(in.after, &in, places[r], from, 0, counts[r]);
  }
  refill();
  const MPI_Datatype s = out.type, t = in.type;
  if (!vector) return CALL(Allgather, allgather, out.now, mine, s, in.now, taken, t);
  return wide ? WIDE_FORM(Allgatherv, allgatherv, out.now, mine, s, in.now, wide_counts,
                          wide_places, t)
              : FORM(Allgatherv, allgatherv, out.now, mine, s, in.now, counts, places, t);
}

static int alltoall(bool vector, int n, int back) {
  const int given = first ? n : back, taken = first ? back : n;
  static struct sides to;
  cut(given, vector, true);
  for (int r = 0; r < other; ++r) {
    to.wide_counts[r] = to.counts[r] = counts[r];
    to.wide_places[r] = to.places[r] = places[r];
    put(out.before, &out, places[r], check_rank, other_first + r, counts[r]);
  }
  cut(taken, vector, false);
  for (int r = 0; r < other; ++r)
    put(in.after, &in, places[r], other_first + r, check_rank, counts[r]);
  refill();
  const MPI_Datatype s = out.type, t = in.type;
  if (!vector) return CALL(Alltoall, alltoall, out.now, given, s, in.now, taken, t);
  return wide ? WIDE_FORM(Alltoallv, alltoallv, out.now, to.wide_counts, to.wide_places, s, in.now,
                          wide_counts, wide_places, t)
              : FORM(Alltoallv, alltoallv, out.now, to.counts, to.places, s, in.now, counts, places,
                     t);
}

static int alltoallw(int n) {
  const int room = 3 * n + 2;
  for (int r = 0; r < other; ++r) {
    const int peer = other_first + r;
    add_side(&sent, out.before, r, part(n, check_rank, peer), room, check_rank, peer);
    add_side(&got, in.after, r, part(n, peer, check_rank), room, peer, check_rank);
  }
  refill();
  return wide ? WIDE_FORM(Alltoallw, alltoallw, out.now, sent.wide_counts, sent.wide_places,
                          sent.types, in.now, got.wide_counts, got.wide_places, got.types)
              : FORM(Alltoallw, alltoallw, out.now, sent.counts, sent.places, sent.types, in.now,
                     got.counts, got.places, got.types);
}

static int move(int operation, int n, int back) {
  const bool any_types = operation == kAlltoallw;
  const bool strided[2] = {any_types || below(3) == 0, any_types || below(3) == 0};
  const int most = n > back ? n : back;
  make(&out, other * (most + 1), strided[0]);
  make(&in, other * (most + 1), strided[1]);
  switch (operation) {
    case kBcast:
      return bcast(n);
    case kGather:
    case kGatherv:
      return gather(operation == kGatherv, n);
    case kScatter:
    case kScatterv:
      return scatter(operation == kScatterv, n);
    case kAllgather:
    case kAllgatherv:
      return allgather(operation == kAllgatherv, n, back);
    case kAlltoallw:
      return alltoallw(n);
    default:
      return alltoall(operation == kAlltoallv, n, back);
  }
}

/* Everybody gets what the other group has, combined, or a block of it. */
static int reduce(int operation, int n) {
  const bool ordered = below(3) == 0;
  const int width = ordered ? 2 : 1;
  const MPI_Datatype t = ordered ? pair : MPI_UINT32_T;
  const MPI_Op op = ordered ? compose_op : MPI_SUM;
  const bool blocks = operation == kReduceScatter || operation == kReduceScatterBlock;
  const int total = blocks ? n * size * other : n;
  int from = 0, mine = total;
  for (int r = 0, left = total; r < size && blocks; ++r) {
    /* in blocks of one length, or the last member gets what others do without */
    const int even = operation == kReduceScatterBlock;
    const int count = even ? n * other : r == size - 1 ? left : part(n * other, r, 0);
    set_block(r, count, 0);
    if (r == me) from = total - left;
    left -= count;
  }
  if (blocks) mine = counts[me];
  make(&out, total * width, false);
  make(&in, total * width, false);
  if (operation != kReduce || faces_root) put(out.before, &out, 0, check_rank, 0, total * width);
  if (operation != kReduce || is_root) {
    for (int i = 0; i < mine * width; ++i) in.after[i] = value(other_first, 0, from * width + i);
    for (int r = 1; r < other; ++r)
      accumulate(in.after, other_first + r, from * width, mine * width, ordered);
  }
  refill();
  switch (operation) {
    case kReduce:
      return CALL(Reduce, reduce, out.now, in.now, n, t, op, root_argument);
    case kAllreduce:
      return CALL(Allreduce, allreduce, out.now, in.now, n, t, op);
    case kReduceScatter:
      return wide ? WIDE_FORM(Reduce_scatter, reduce_scatter, out.now, in.now, wide_counts, t, op)
                  : FORM(Reduce_scatter, reduce_scatter, out.now, in.now, counts, t, op);
    default:
      return CALL(Reduce_scatter_block, reduce_scatter_block, out.now, in.now, n * other, t, op);
  }
}

static int barrier(void) {
  make(&out, 0, false);
  make(&in, 0, false);
  refill();
  return form == kBlocking      ? MPI_Barrier(comm)
         : form == kNonblocking ? MPI_Ibarrier(comm, &request)
                                : MPI_Barrier_init(comm, MPI_INFO_NULL, &request);
}

static void run_one(int step) {
  static const int kMostOf[] = {1, 4, 300, 20000};
  const int operation = below(kOperations);
  const int most = kMostOf[below(4)] / (operation > kAllreduce ? check_size : 1);
  const int n = below(most + 1), back = below(most + 1);
  choose_root();
  form = below(kForms);
  wide = below(2) == 0;
  salt = (uint32_t)check_next(&state);
  const int code = operation == kBarrier ? barrier()
                   : operation < kReduce ? move(operation, n, back)
                                         : reduce(operation, n);
  if (!judge(code) && check_failures <= 3)
    fprintf(stderr,
            "rank %d: step %d, operation %d, form %d, wide %d, %d and %d elements, root %d\n",
            check_rank, step, operation, form, wide, n, back, root);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  start_random("intercomm_random");
  setup();
  const int steps = argc > 1 ? atoi(argv[1]) : 300;
  for (int i = 0; i < steps && check_failures == 0; ++i) run_one(i);
  OK(MPI_Comm_free(&comm));
  end_random();
  return check_end("intercomm_random");
}
