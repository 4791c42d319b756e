/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Random collectives against results that every rank works out for itself: each operation, form,
 * root, in place or not, sizes from nothing to megabytes, contiguous and strided types, memory of
 * MPI_Alloc_mem and of malloc, operations that commute and one that does not. */
#include <stdbool.h>

#include "forms.h"

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
  kReduce,
  kAllreduce,
  kReduceScatter,
  kReduceScatterBlock,
  kScan,
  kExscan,
  kOperations
};

static uint64_t state; /* the same at all ranks */
static uint32_t salt;
static int below(int bound) {
  return (int)(check_next(&state) % (uint64_t)bound);
}

/* What `from` has for `to`, at index i. */
static uint32_t value(int from, int to, int i) {
  const uint32_t x =
      (salt + (uint32_t)from * 7919u + (uint32_t)to * 104729u + (uint32_t)i) * 2654435761u;
  return x ^ (x >> 15);
}

/* Elements of 4 bytes, `stride` of them apart; what is between them must stay as it is. */
struct buffer {
  uint32_t* now;
  uint32_t* before;
  uint32_t* after;
  size_t words;
  int stride;
  bool shared; /* from MPI_Alloc_mem */
  MPI_Datatype type;
};
static struct buffer out, in;
static MPI_Datatype spaced, pair;
static MPI_Op compose_op;

static void make(struct buffer* b, int elements, bool strided) {
  b->stride = strided ? 3 : 1;
  b->type = strided ? spaced : MPI_UINT32_T;
  b->words = (size_t)elements * (size_t)b->stride + 4;
  b->shared = below(3) == 0;
  if (b->shared) {
    OK(MPI_Alloc_mem((MPI_Aint)(4 * b->words), MPI_INFO_NULL, &b->now));
  } else {
    b->now = malloc(4 * b->words);
  }
  b->before = malloc(4 * b->words);
  b->after = malloc(4 * b->words);
  for (size_t i = 0; i < b->words; ++i) b->before[i] = b->after[i] = 0xeeeeeeeeu;
}
static void release(struct buffer* b) {
  if (b->shared) {
    OK(MPI_Free_mem(b->now));
  } else {
    free(b->now);
  }
  free(b->before);
  free(b->after);
}
static void refill(void) {
  memcpy(out.now, out.before, 4 * out.words);
  memcpy(in.now, in.before, 4 * in.words);
}
/* Puts a block that `from` has for `to` into a buffer's contents from element `at` on. */
static void put(uint32_t* words, const struct buffer* b, int at, int from, int to, int n) {
  for (int i = 0; i < n; ++i) words[(size_t)(at + i) * (size_t)b->stride] = value(from, to, i);
}

static int counts[64], places[64];
/* Rank r's part of a vector of blocks; they lie in falling order with gaps. */
static void cut(int n) {
  int next = 0;
  for (int r = size - 1; r >= 0; --r) {
    counts[r] = n == 0 ? 0 : (n + r * 5) % (n + 1);
    places[r] = next;
    next += counts[r] + 1;
  }
}

#define RUN(blocking, nonblocking, persistent) \
  code = form == kBlocking ? (blocking) : form == kNonblocking ? (nonblocking) : (persistent)

/* Blocks move: bcast to alltoallv. */
static int move(int operation, int n, int root, bool in_place) {
  int code = MPI_SUCCESS;
  const bool vector = operation == kGatherv || operation == kScatterv || operation == kAllgatherv ||
                      operation == kAlltoallv;
  const bool strided[2] = {below(3) == 0, below(3) == 0};
  const int room = size * (n + 1);
  make(&out, room, strided[0]);
  make(&in, room, strided[1]);
  cut(n);
  if (!vector) {
    for (int r = 0; r < size; ++r) {
      counts[r] = n;
      places[r] = r * n;
    }
  }
  const int mine = counts[me];
  const void* send = out.now;
  void* receive = in.now;
  const MPI_Datatype s = out.type, t = in.type;
  switch (operation) {
    case kBcast:
      if (me == root) put(in.before, &in, 0, root, 0, n);
      put(in.after, &in, 0, root, 0, n);
      refill();
      RUN(MPI_Bcast(receive, n, t, root, comm), MPI_Ibcast(receive, n, t, root, comm, &request),
          MPI_Bcast_init(receive, n, t, root, comm, MPI_INFO_NULL, &request));
      break;
    case kGather:
    case kGatherv:
      in_place = in_place && me == root;
      put(out.before, &out, 0, me, 0, mine);
      if (in_place) put(in.before, &in, places[me], me, 0, mine);
      if (in_place) send = MPI_IN_PLACE;
      for (int r = 0; r < size && me == root; ++r) put(in.after, &in, places[r], r, 0, counts[r]);
      refill();
      if (vector) {
        RUN(MPI_Gatherv(send, mine, s, receive, counts, places, t, root, comm),
            MPI_Igatherv(send, mine, s, receive, counts, places, t, root, comm, &request),
            MPI_Gatherv_init(send, mine, s, receive, counts, places, t, root, comm, MPI_INFO_NULL,
                             &request));
      } else {
        RUN(MPI_Gather(send, n, s, receive, n, t, root, comm),
            MPI_Igather(send, n, s, receive, n, t, root, comm, &request),
            MPI_Gather_init(send, n, s, receive, n, t, root, comm, MPI_INFO_NULL, &request));
      }
      break;
    case kScatter:
    case kScatterv:
      in_place = in_place && me == root;
      for (int r = 0; r < size && me == root; ++r)
        put(out.before, &out, places[r], 0, r, counts[r]);
      if (in_place) {
        receive = MPI_IN_PLACE;
      } else {
        put(in.after, &in, 0, 0, me, mine);
      }
      refill();
      if (vector) {
        RUN(MPI_Scatterv(send, counts, places, s, receive, mine, t, root, comm),
            MPI_Iscatterv(send, counts, places, s, receive, mine, t, root, comm, &request),
            MPI_Scatterv_init(send, counts, places, s, receive, mine, t, root, comm, MPI_INFO_NULL,
                              &request));
      } else {
        RUN(MPI_Scatter(send, n, s, receive, n, t, root, comm),
            MPI_Iscatter(send, n, s, receive, n, t, root, comm, &request),
            MPI_Scatter_init(send, n, s, receive, n, t, root, comm, MPI_INFO_NULL, &request));
      }
      break;
    case kAllgather:
    case kAllgatherv:
      put(out.before, &out, 0, me, 0, mine);
      if (in_place) put(in.before, &in, places[me], me, 0, mine);
      if (in_place) send = MPI_IN_PLACE;
      for (int r = 0; r < size; ++r) put(in.after, &in, places[r], r, 0, counts[r]);
      refill();
      if (vector) {
        RUN(MPI_Allgatherv(send, mine, s, receive, counts, places, t, comm),
            MPI_Iallgatherv(send, mine, s, receive, counts, places, t, comm, &request),
            MPI_Allgatherv_init(send, mine, s, receive, counts, places, t, comm, MPI_INFO_NULL,
                                &request));
      } else {
        RUN(MPI_Allgather(send, n, s, receive, n, t, comm),
            MPI_Iallgather(send, n, s, receive, n, t, comm, &request),
            MPI_Allgather_init(send, n, s, receive, n, t, comm, MPI_INFO_NULL, &request));
      }
      break;
    default:
      if (vector) { /* r and q exchange (r + q) % 4 quarters of n */
        for (int r = 0; r < size; ++r) {
          counts[r] = n / 4 * ((me + r) % 4);
          places[r] = r * (n + 1);
        }
      }
      for (int r = 0; r < size; ++r) {
        const struct buffer* b = in_place ? &in : &out;
        put(b->before, b, places[r], me, r, counts[r]);
        put(in.after, &in, places[r], r, me, counts[r]);
      }
      if (in_place) send = MPI_IN_PLACE;
      refill();
      if (vector) {
        RUN(MPI_Alltoallv(send, counts, places, s, receive, counts, places, t, comm),
            MPI_Ialltoallv(send, counts, places, s, receive, counts, places, t, comm, &request),
            MPI_Alltoallv_init(send, counts, places, s, receive, counts, places, t, comm,
                               MPI_INFO_NULL, &request));
      } else {
        RUN(MPI_Alltoall(send, n, s, receive, n, t, comm),
            MPI_Ialltoall(send, n, s, receive, n, t, comm, &request),
            MPI_Alltoall_init(send, n, s, receive, n, t, comm, MPI_INFO_NULL, &request));
      }
  }
  return code;
}

/* Pairs (a, b) as x -> a x + b, composed: associative, not commutative. */
static void compose(void* first, void* second, int* n, MPI_Datatype* type) {
  const uint32_t* left = first;
  uint32_t* right = second;
  (void)type;
  for (int i = 0; i < *n; ++i) {
    const uint32_t a = left[2 * i], b = left[2 * i + 1];
    right[2 * i + 1] += b * right[2 * i];
    right[2 * i] *= a;
  }
}

/* total = total op what rank r has, words [from, from + n). */
static void accumulate(uint32_t* total, int r, int from, int n, bool ordered) {
  if (!ordered) {
    for (int i = 0; i < n; ++i) total[i] += value(r, 0, from + i);
    return;
  }
  for (int i = 0; i + 1 < n; i += 2) {
    uint32_t right[2] = {value(r, 0, from + i), value(r, 0, from + i + 1)};
    int one = 1;
    compose(total + i, right, &one, NULL);
    memcpy(total + i, right, 8);
  }
}

/* The first words of the result of ranks [0, last]. */
static void expect(int last, int from, int n, bool ordered) {
  for (int i = 0; i < n; ++i) in.after[i] = value(0, 0, from + i);
  for (int r = 1; r <= last; ++r) accumulate(in.after, r, from, n, ordered);
}

static int reduce(int operation, int n, int root, bool in_place) {
  int code = MPI_SUCCESS;
  const bool ordered = below(3) == 0;
  const int width = ordered ? 2 : 1;
  const bool blocks = operation == kReduceScatter || operation == kReduceScatterBlock;
  int total = 0, first = 0;
  for (int r = 0; r < size; ++r) {
    counts[r] = operation == kReduceScatter ? (n + r * 5) % (n + 1) : n;
    if (r == me) first = total;
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
  const void* send = in_place ? MPI_IN_PLACE : out.now;
  void* receive = in.now;
  const MPI_Datatype t = ordered ? pair : MPI_UINT32_T;
  const MPI_Op op = ordered ? compose_op : MPI_SUM;
  switch (operation) {
    case kReduce:
      RUN(MPI_Reduce(send, receive, n, t, op, root, comm),
          MPI_Ireduce(send, receive, n, t, op, root, comm, &request),
          MPI_Reduce_init(send, receive, n, t, op, root, comm, MPI_INFO_NULL, &request));
      break;
    case kAllreduce:
      RUN(MPI_Allreduce(send, receive, n, t, op, comm),
          MPI_Iallreduce(send, receive, n, t, op, comm, &request),
          MPI_Allreduce_init(send, receive, n, t, op, comm, MPI_INFO_NULL, &request));
      break;
    case kReduceScatter:
      RUN(MPI_Reduce_scatter(send, receive, counts, t, op, comm),
          MPI_Ireduce_scatter(send, receive, counts, t, op, comm, &request),
          MPI_Reduce_scatter_init(send, receive, counts, t, op, comm, MPI_INFO_NULL, &request));
      break;
    case kReduceScatterBlock:
      RUN(MPI_Reduce_scatter_block(send, receive, n, t, op, comm),
          MPI_Ireduce_scatter_block(send, receive, n, t, op, comm, &request),
          MPI_Reduce_scatter_block_init(send, receive, n, t, op, comm, MPI_INFO_NULL, &request));
      break;
    case kScan:
      RUN(MPI_Scan(send, receive, n, t, op, comm),
          MPI_Iscan(send, receive, n, t, op, comm, &request),
          MPI_Scan_init(send, receive, n, t, op, comm, MPI_INFO_NULL, &request));
      break;
    default:
      RUN(MPI_Exscan(send, receive, n, t, op, comm),
          MPI_Iexscan(send, receive, n, t, op, comm, &request),
          MPI_Exscan_init(send, receive, n, t, op, comm, MPI_INFO_NULL, &request));
  }
  /* In place, what is behind one's own block, and the first member's result of exscan, are
   * undefined. */
  if (blocks && in_place) in.words = (size_t)(counts[me] * width);
  if (operation == kExscan && me == 0) in.words = 0;
  return code;
}

static int barrier(void) {
  int code = MPI_SUCCESS;
  make(&out, 0, false);
  make(&in, 0, false);
  refill();
  RUN(MPI_Barrier(comm), MPI_Ibarrier(comm, &request),
      MPI_Barrier_init(comm, MPI_INFO_NULL, &request));
  return code;
}

static void run_one(int step, int largest) {
  const int operation = below(kOperations);
  const int kind = below(4);
  const int most = kind == 0 ? 4 : kind == 1 ? 300 : kind == 2 ? 8000 : largest;
  const int n = below(most + 1);
  const int root = below(size);
  const bool in_place = below(3) == 0;
  form = below(kForms);
  salt = (uint32_t)check_next(&state);
  const int code = operation == kBarrier ? barrier()
                   : operation < kReduce ? move(operation, n, root, in_place)
                                         : reduce(operation, n, root, in_place);
  CHECK(code == MPI_SUCCESS);
  complete(refill);
  const bool right = memcmp(in.now, in.after, 4 * in.words) == 0 &&
                     memcmp(out.now, out.before, 4 * out.words) == 0;
  CHECK(right);
  if (!right && check_failures <= 3)
    fprintf(stderr, "rank %d: step %d, operation %d, form %d, %d elements, root %d, in place %d\n",
            me, step, operation, form, n, root, in_place);
  release(&out);
  release(&in);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  state = check_seed("coll_random");
  OK(MPI_Type_create_resized(MPI_UINT32_T, 0, 12, &spaced));
  OK(MPI_Type_commit(&spaced));
  OK(MPI_Type_contiguous(2, MPI_UINT32_T, &pair));
  OK(MPI_Type_commit(&pair));
  OK(MPI_Op_create(compose, 0, &compose_op));
  const int steps = argc > 1 ? atoi(argv[1]) : 150;
  for (int round = 0; round < 2; ++round) {
    /* the world, then its ranks turned round */
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, round == 0 ? check_rank : check_size - check_rank, &comm));
    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Comm_size(comm, &size));
    for (int i = 0; i < steps && check_failures == 0; ++i) run_one(i, 300000 / size);
    OK(MPI_Comm_free(&comm));
  }
  OK(MPI_Op_free(&compose_op));
  OK(MPI_Type_free(&pair));
  OK(MPI_Type_free(&spaced));
  return check_end("coll_random");
}
