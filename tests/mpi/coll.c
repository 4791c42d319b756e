/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Collectives of the first set against results worked out by hand: every root, blocking,
 * nonblocking and persistent, in place, zero to many elements, contiguous and strided types,
 * commutative and ordered operations, communicators with their ranks turned round. */
#include "forms.h"

/* Runs the form of an operation: blocking and persistent calls are given, the rest is the same. */
#define RUN(blocking, nonblocking, persistent) \
  run_form(form == kBlocking ? (blocking) : form == kNonblocking ? (nonblocking) : (persistent))

static void run_form(int code) {
  CHECK(code == MPI_SUCCESS);
  complete(NULL);
}

static int value(int rank, int i) {
  return rank * 10007 + i * 13 + 1;
}

/* A buffer of n elements of one of two types of an int: plain, and one int of every three. */
struct type {
  MPI_Datatype handle;
  int stride; /* in ints */
};
static struct type types[2];

static int* make(const struct type* t, int n) {
  int* buffer = malloc(sizeof(int) * (size_t)(n * t->stride + 1));
  for (int i = 0; i < n * t->stride + 1; ++i) buffer[i] = -7;
  return buffer;
}

static void check_gaps(const struct type* t, const int* buffer, int n) {
  for (int i = 0; i < n * t->stride; ++i)
    if (i % t->stride != 0) CHECK(buffer[i] == -7);
}

static void test_bcast(const struct type* t, int n, int root) {
  int* b = make(t, n);
  for (int i = 0; i < n; ++i) b[i * t->stride] = me == root ? value(root, i) : -1;
  RUN(MPI_Bcast(b, n, t->handle, root, comm), MPI_Ibcast(b, n, t->handle, root, comm, &request),
      MPI_Bcast_init(b, n, t->handle, root, comm, MPI_INFO_NULL, &request));
  int good = 1;
  for (int i = 0; i < n; ++i) good &= b[i * t->stride] == value(root, i);
  CHECK(good);
  check_gaps(t, b, n);
  free(b);
}

static void test_gather(const struct type* t, int n, int root, int in_place) {
  int* all = make(t, n * size);
  int* mine = make(t, n);
  for (int i = 0; i < n; ++i) mine[i * t->stride] = value(me, i);
  if (in_place && me == root)
    for (int i = 0; i < n; ++i) all[(me * n + i) * t->stride] = value(me, i);
  const void* send = in_place && me == root ? MPI_IN_PLACE : mine;
  RUN(MPI_Gather(send, n, t->handle, all, n, t->handle, root, comm),
      MPI_Igather(send, n, t->handle, all, n, t->handle, root, comm, &request),
      MPI_Gather_init(send, n, t->handle, all, n, t->handle, root, comm, MPI_INFO_NULL, &request));
  int good = 1;
  if (me == root)
    for (int r = 0; r < size; ++r)
      for (int i = 0; i < n; ++i) good &= all[(r * n + i) * t->stride] == value(r, i);
  CHECK(good);
  check_gaps(t, all, n * size);

  /* back again: scatter */
  if (me == root)
    for (int r = 0; r < size; ++r)
      for (int i = 0; i < n; ++i) all[(r * n + i) * t->stride] = value(r + 3, i);
  for (int i = 0; i < n; ++i) mine[i * t->stride] = -1;
  void* receive = in_place && me == root ? MPI_IN_PLACE : (void*)mine;
  RUN(MPI_Scatter(all, n, t->handle, receive, n, t->handle, root, comm),
      MPI_Iscatter(all, n, t->handle, receive, n, t->handle, root, comm, &request),
      MPI_Scatter_init(all, n, t->handle, receive, n, t->handle, root, comm, MPI_INFO_NULL,
                       &request));
  good = 1;
  if (!(in_place && me == root))
    for (int i = 0; i < n; ++i) good &= mine[i * t->stride] == value(me + 3, i);
  CHECK(good);
  free(all);
  free(mine);
}

/* Rank r has n + r % 3 elements; they stand one element apart, last rank first. */
static int part(int n, int r) {
  return n == 0 ? 0 : n + r % 3;
}

static void test_vectors(const struct type* t, int n, int root, int in_place) {
  int* counts = malloc(sizeof(int) * (size_t)size);
  int* displs = malloc(sizeof(int) * (size_t)size);
  int total = 1;
  for (int r = size - 1; r >= 0; --r) {
    counts[r] = part(n, r);
    displs[r] = total;
    total += counts[r] + 1;
  }
  int* all = make(t, total);
  int* mine = make(t, counts[me]);
  for (int i = 0; i < counts[me]; ++i) mine[i * t->stride] = value(me, i);
  if (in_place && me == root)
    for (int i = 0; i < counts[me]; ++i) all[(displs[me] + i) * t->stride] = value(me, i);
  const void* send = in_place && me == root ? MPI_IN_PLACE : mine;
  RUN(MPI_Gatherv(send, counts[me], t->handle, all, counts, displs, t->handle, root, comm),
      MPI_Igatherv(send, counts[me], t->handle, all, counts, displs, t->handle, root, comm,
                   &request),
      MPI_Gatherv_init(send, counts[me], t->handle, all, counts, displs, t->handle, root, comm,
                       MPI_INFO_NULL, &request));
  int good = 1;
  if (me == root)
    for (int r = 0; r < size; ++r)
      for (int i = 0; i < counts[r]; ++i) good &= all[(displs[r] + i) * t->stride] == value(r, i);
  CHECK(good);

  if (me == root)
    for (int r = 0; r < size; ++r)
      for (int i = 0; i < counts[r]; ++i) all[(displs[r] + i) * t->stride] = value(r + 1, i);
  void* receive = in_place && me == root ? MPI_IN_PLACE : (void*)mine;
  RUN(MPI_Scatterv(all, counts, displs, t->handle, receive, counts[me], t->handle, root, comm),
      MPI_Iscatterv(all, counts, displs, t->handle, receive, counts[me], t->handle, root, comm,
                    &request),
      MPI_Scatterv_init(all, counts, displs, t->handle, receive, counts[me], t->handle, root, comm,
                        MPI_INFO_NULL, &request));
  good = 1;
  if (!(in_place && me == root))
    for (int i = 0; i < counts[me]; ++i) good &= mine[i * t->stride] == value(me + 1, i);
  CHECK(good);

  for (int i = 0; i < counts[me]; ++i) {
    mine[i * t->stride] = value(me, i);
    if (in_place) all[(displs[me] + i) * t->stride] = value(me, i);
  }
  send = in_place ? MPI_IN_PLACE : mine;
  RUN(MPI_Allgatherv(send, counts[me], t->handle, all, counts, displs, t->handle, comm),
      MPI_Iallgatherv(send, counts[me], t->handle, all, counts, displs, t->handle, comm, &request),
      MPI_Allgatherv_init(send, counts[me], t->handle, all, counts, displs, t->handle, comm,
                          MPI_INFO_NULL, &request));
  good = 1;
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < counts[r]; ++i) good &= all[(displs[r] + i) * t->stride] == value(r, i);
  CHECK(good);
  check_gaps(t, all, total);
  free(all);
  free(mine);
  free(counts);
  free(displs);
}

static void test_allgather(const struct type* t, int n, int in_place) {
  int* all = make(t, n * size);
  int* mine = make(t, n);
  for (int i = 0; i < n; ++i) {
    mine[i * t->stride] = value(me, i);
    if (in_place) all[(me * n + i) * t->stride] = value(me, i);
  }
  const void* send = in_place ? MPI_IN_PLACE : mine;
  RUN(MPI_Allgather(send, n, t->handle, all, n, t->handle, comm),
      MPI_Iallgather(send, n, t->handle, all, n, t->handle, comm, &request),
      MPI_Allgather_init(send, n, t->handle, all, n, t->handle, comm, MPI_INFO_NULL, &request));
  int good = 1;
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < n; ++i) good &= all[(r * n + i) * t->stride] == value(r, i);
  CHECK(good);
  check_gaps(t, all, n * size);
  free(all);
  free(mine);
}

static void test_alltoall(const struct type* t, int n, int in_place) {
  if (in_place && form == kPersistent) return; /* a second start would exchange the result */
  int* out = make(t, n * size);
  int* in = make(t, n * size);
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < n; ++i)
      (in_place ? in : out)[(r * n + i) * t->stride] = value(me * 100 + r, i);
  const void* send = in_place ? MPI_IN_PLACE : out;
  RUN(MPI_Alltoall(send, n, t->handle, in, n, t->handle, comm),
      MPI_Ialltoall(send, n, t->handle, in, n, t->handle, comm, &request),
      MPI_Alltoall_init(send, n, t->handle, in, n, t->handle, comm, MPI_INFO_NULL, &request));
  int good = 1;
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < n; ++i) good &= in[(r * n + i) * t->stride] == value(r * 100 + me, i);
  CHECK(good);
  check_gaps(t, in, n * size);
  free(out);
  free(in);
}

/* a sends b part(n, a + b) elements */
static void test_alltoallv(const struct type* t, int n, int in_place) {
  if (in_place && form == kPersistent) return;
  int* counts = malloc(sizeof(int) * (size_t)size);
  int* displs = malloc(sizeof(int) * (size_t)size);
  int total = 0;
  for (int r = 0; r < size; ++r) {
    counts[r] = part(n, me + r);
    displs[r] = total;
    total += counts[r] + 1;
  }
  int* out = make(t, total);
  int* in = make(t, total);
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < counts[r]; ++i)
      (in_place ? in : out)[(displs[r] + i) * t->stride] = value(me * 100 + r, i);
  const void* send = in_place ? MPI_IN_PLACE : out;
  RUN(MPI_Alltoallv(send, counts, displs, t->handle, in, counts, displs, t->handle, comm),
      MPI_Ialltoallv(send, counts, displs, t->handle, in, counts, displs, t->handle, comm,
                     &request),
      MPI_Alltoallv_init(send, counts, displs, t->handle, in, counts, displs, t->handle, comm,
                         MPI_INFO_NULL, &request));
  int good = 1;
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < counts[r]; ++i)
      good &= in[(displs[r] + i) * t->stride] == value(r * 100 + me, i);
  CHECK(good);
  free(out);
  free(in);
  free(counts);
  free(displs);
}

static void test_reductions(int n, int root, int in_place) {
  if (in_place && form == kPersistent) return;
  int* mine = malloc(sizeof(int) * (size_t)(n + 1));
  int* result = malloc(sizeof(int) * (size_t)(n + 1));
  for (int i = 0; i < n; ++i) mine[i] = result[i] = value(me, i) % 1000;
  const void* send = in_place && me == root ? MPI_IN_PLACE : mine;
  RUN(MPI_Reduce(send, result, n, MPI_INT, MPI_SUM, root, comm),
      MPI_Ireduce(send, result, n, MPI_INT, MPI_SUM, root, comm, &request),
      MPI_Reduce_init(send, result, n, MPI_INT, MPI_SUM, root, comm, MPI_INFO_NULL, &request));
  int good = 1;
  for (int i = 0; i < n && me == root; ++i) {
    int sum = 0;
    for (int r = 0; r < size; ++r) sum += value(r, i) % 1000;
    good &= result[i] == sum;
  }
  CHECK(good);
  for (int i = 0; i < n; ++i) result[i] = mine[i];
  send = in_place ? MPI_IN_PLACE : mine;
  RUN(MPI_Allreduce(send, result, n, MPI_INT, MPI_MAX, comm),
      MPI_Iallreduce(send, result, n, MPI_INT, MPI_MAX, comm, &request),
      MPI_Allreduce_init(send, result, n, MPI_INT, MPI_MAX, comm, MPI_INFO_NULL, &request));
  good = 1;
  for (int i = 0; i < n; ++i) {
    int max = 0;
    for (int r = 0; r < size; ++r) {
      const int v = value(r, i) % 1000;
      max = v > max ? v : max;
    }
    good &= result[i] == max;
  }
  CHECK(good);
  free(mine);
  free(result);
}

/* An affine map x -> a x + b modulo a prime: composition is associative and not commutative. */
static void compose(void* in, void* inout, int* len, MPI_Datatype* type) {
  const uint32_t* first = in;
  uint32_t* second = inout;
  (void)type;
  for (int i = 0; i < *len; ++i) {
    const uint64_t a = (uint64_t)first[2 * i] * second[2 * i] % 65521u;
    const uint64_t b = ((uint64_t)first[2 * i + 1] * second[2 * i] + second[2 * i + 1]) % 65521u;
    second[2 * i] = (uint32_t)a;
    second[2 * i + 1] = (uint32_t)b;
  }
}

static void test_ordered(int n, int root) {
  MPI_Op op;
  MPI_Datatype pair;
  OK(MPI_Op_create(compose, 0, &op));
  OK(MPI_Type_contiguous(2, MPI_UINT32_T, &pair));
  OK(MPI_Type_commit(&pair));
  uint32_t* mine = malloc(8 * (size_t)(n + 1));
  uint32_t* result = malloc(8 * (size_t)(n + 1));
  uint32_t* expected = malloc(8 * (size_t)(n + 1));
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < n; ++i) {
      uint32_t v[2] = {(uint32_t)(value(r, i) % 65521), (uint32_t)(value(r, i + 5) % 65521)};
      if (r == me) memcpy(mine + 2 * i, v, 8);
      if (r == 0) {
        memcpy(expected + 2 * i, v, 8);
      } else {
        int one = 1;
        compose(expected + 2 * i, v, &one, NULL);
        memcpy(expected + 2 * i, v, 8);
      }
    }
  }
  RUN(MPI_Reduce(mine, result, n, pair, op, root, comm),
      MPI_Ireduce(mine, result, n, pair, op, root, comm, &request),
      MPI_Reduce_init(mine, result, n, pair, op, root, comm, MPI_INFO_NULL, &request));
  if (me == root) CHECK(memcmp(result, expected, 8 * (size_t)n) == 0);
  RUN(MPI_Allreduce(mine, result, n, pair, op, comm),
      MPI_Iallreduce(mine, result, n, pair, op, comm, &request),
      MPI_Allreduce_init(mine, result, n, pair, op, comm, MPI_INFO_NULL, &request));
  CHECK(memcmp(result, expected, 8 * (size_t)n) == 0);
  OK(MPI_Op_free(&op));
  OK(MPI_Type_free(&pair));
  free(mine);
  free(result);
  free(expected);
}

static void test_barrier(void) {
  RUN(MPI_Barrier(comm), MPI_Ibarrier(comm, &request),
      MPI_Barrier_init(comm, MPI_INFO_NULL, &request));
}

/* Several at once, completed in the other order. */
static void test_concurrent(void) {
  enum { kOperations = 20 };
  MPI_Request requests[kOperations];
  int in[kOperations], out[kOperations];
  for (int i = 0; i < kOperations; ++i) {
    in[i] = me + i;
    OK(MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, MPI_SUM, comm, &requests[i]));
  }
  for (int i = kOperations - 1; i >= 0; --i) OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
  for (int i = 0; i < kOperations; ++i) CHECK(out[i] == size * (size - 1) / 2 + i * size);
}

static void test_all(int quick) {
  static const int kCounts[] = {0, 1, 2, 7, 64, 1000, 20000};
  const int counts = quick ? 5 : 7;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  for (form = 0; form < kForms; ++form) {
    test_barrier();
    for (int c = 0; c < counts; ++c) {
      const int n = kCounts[c];
      const int step = n > 100 || quick ? size / 2 + 1 : 1;
      for (int t = 0; t < 2; ++t) {
        for (int root = 0; root < size; root += step) {
          test_bcast(&types[t], n, root);
          for (int in_place = 0; in_place < 2; ++in_place) {
            test_gather(&types[t], n, root, in_place);
            test_vectors(&types[t], n, root, in_place);
            if (t == 0) test_reductions(n, root, in_place);
          }
          if (t == 0) test_ordered(n, root);
        }
        for (int in_place = 0; in_place < 2; ++in_place) {
          test_allgather(&types[t], n, in_place);
          if (n <= 1000) {
            test_alltoall(&types[t], n, in_place);
            test_alltoallv(&types[t], n, in_place);
          }
        }
      }
    }
  }
  test_concurrent();
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_Datatype spaced;
  OK(MPI_Type_create_resized(MPI_INT, 0, 3 * (MPI_Aint)sizeof(int), &spaced));
  OK(MPI_Type_commit(&spaced));
  types[0] = (struct type){MPI_INT, 1};
  types[1] = (struct type){spaced, 3};
  comm = MPI_COMM_WORLD;
  test_all(check_size > 8);
  /* ranks turned round */
  OK(MPI_Comm_split(MPI_COMM_WORLD, 0, check_size - check_rank, &comm));
  test_all(1);
  OK(MPI_Comm_free(&comm));
  /* halves at the same time */
  OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, check_rank, &comm));
  test_all(1);
  OK(MPI_Comm_free(&comm));
  comm = MPI_COMM_SELF;
  test_all(1);
  OK(MPI_Type_free(&spaced));
  return check_end("coll");
}
