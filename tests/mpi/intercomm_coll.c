/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Every collective on an inter-communicator, blocking, nonblocking and persistent; its two groups
 * have different sizes where the ranks allow it. Ranks below check_size / 2 are the first group. */
#include "two_groups.h"

/* Element i of what process `world` says to process `to`. */
static int value(int world, int to, int i) {
  return world * 10007 + to * 101 + i;
}

/* The root argument of this process if the root is rank `root` of the first or second group. */
static int root_of(int in_first, int root) {
  if (in_first != first) return root;
  return me == root ? MPI_ROOT : MPI_PROC_NULL;
}
static int sizes_of(int in_first) {
  return in_first == first ? size : other;
}

enum { kMost = 40, kCount = 5 };
static int in[kMost * kMost], out[kMost * kMost], counts[kMost], displs[kMost], counts2[kMost],
    displs2[kMost];

static void clear(void) {
  memset(in, -1, sizeof in);
}

static void barrier(void) {
  /* nobody of one group leaves before all of the other have come */
  if (form == kPersistent) {
    OK(MPI_Barrier_init(comm, MPI_INFO_NULL, &request));
  } else if (form == kNonblocking) {
    OK(MPI_Ibarrier(comm, &request));
  } else {
    int token = 1, flag = 0;
    MPI_Request receives[kMost];
    for (int i = 0; i < other; ++i) OK(MPI_Irecv(&in[i], 1, MPI_INT, i, 3, comm, &receives[i]));
    for (int i = 0; i < other; ++i) OK(MPI_Send(&token, 1, MPI_INT, i, 3, comm));
    OK(MPI_Barrier(comm));
    OK(MPI_Waitall(other, receives, MPI_STATUSES_IGNORE));
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
  }
  complete(NULL);
}

static void bcast(int in_first, int root, int count) {
  const int argument = root_of(in_first, root);
  int* data = argument == MPI_ROOT ? out : in;
  for (int i = 0; i < count; ++i) out[i] = value(check_rank, 0, i);
  clear();
  if (argument == MPI_PROC_NULL) data = NULL;
  if (form == kBlocking) OK(MPI_Bcast(data, count, MPI_INT, argument, comm));
  if (form == kNonblocking) OK(MPI_Ibcast(data, count, MPI_INT, argument, comm, &request));
  if (form == kPersistent)
    OK(MPI_Bcast_init(data, count, MPI_INT, argument, comm, MPI_INFO_NULL, &request));
  complete(clear);
  if (argument < 0) return;
  for (int i = 0; i < count; ++i) CHECK(in[i] == value(other_first + root, 0, i));
  CHECK(in[count] == -1);
}

static void gather(int in_first, int root) {
  const int argument = root_of(in_first, root);
  for (int i = 0; i < kCount; ++i) out[i] = value(check_rank, 0, i);
  clear();
  const int is_root = argument == MPI_ROOT;
  void* to = is_root ? in : NULL;
  const void* from = argument >= 0 ? out : NULL;
  if (form == kBlocking) OK(MPI_Gather(from, kCount, MPI_INT, to, kCount, MPI_INT, argument, comm));
  if (form == kNonblocking)
    OK(MPI_Igather(from, kCount, MPI_INT, to, kCount, MPI_INT, argument, comm, &request));
  if (form == kPersistent)
    OK(MPI_Gather_init(from, kCount, MPI_INT, to, kCount, MPI_INT, argument, comm, MPI_INFO_NULL,
                       &request));
  complete(clear);
  if (!is_root) return;
  for (int i = 0; i < other * kCount; ++i)
    CHECK(in[i] == value(other_first + i / kCount, 0, i % kCount));
}

/* Member i contributes i elements, to places turned round. */
static void vector_places(int members) {
  int at = 0;
  for (int i = members - 1; i >= 0; --i) {
    counts[i] = i;
    displs[i] = at;
    at += i + 1;
  }
}

static void gatherv(int in_first, int root) {
  const int argument = root_of(in_first, root);
  for (int i = 0; i < me; ++i) out[i] = value(check_rank, 0, i);
  clear();
  vector_places(other);
  const int is_root = argument == MPI_ROOT;
  if (form == kBlocking)
    OK(MPI_Gatherv(out, me, MPI_INT, is_root ? in : NULL, counts, displs, MPI_INT, argument, comm));
  if (form == kNonblocking)
    OK(MPI_Igatherv(out, me, MPI_INT, in, counts, displs, MPI_INT, argument, comm, &request));
  if (form == kPersistent)
    OK(MPI_Gatherv_init(out, me, MPI_INT, in, counts, displs, MPI_INT, argument, comm,
                        MPI_INFO_NULL, &request));
  complete(clear);
  if (!is_root) return;
  for (int r = 0; r < other; ++r)
    for (int i = 0; i <= r; ++i)
      CHECK(in[displs[r] + i] == (i < r ? value(other_first + r, 0, i) : -1));
}

static void scatter(int in_first, int root) {
  const int argument = root_of(in_first, root);
  for (int i = 0; i < other * kCount; ++i) out[i] = value(check_rank, i / kCount, i % kCount);
  clear();
  if (form == kBlocking) OK(MPI_Scatter(out, kCount, MPI_INT, in, kCount, MPI_INT, argument, comm));
  if (form == kNonblocking)
    OK(MPI_Iscatter(out, kCount, MPI_INT, in, kCount, MPI_INT, argument, comm, &request));
  if (form == kPersistent)
    OK(MPI_Scatter_init(out, kCount, MPI_INT, in, kCount, MPI_INT, argument, comm, MPI_INFO_NULL,
                        &request));
  complete(clear);
  for (int i = 0; i < kCount; ++i)
    CHECK(in[i] == (argument >= 0 ? value(other_first + root, me, i) : -1));
}

static void scatterv(int in_first, int root) {
  const int argument = root_of(in_first, root);
  vector_places(other);
  for (int r = 0; r < other; ++r)
    for (int i = 0; i < r; ++i) out[displs[r] + i] = value(check_rank, r, i);
  clear();
  if (form == kBlocking)
    OK(MPI_Scatterv(out, counts, displs, MPI_INT, in, me, MPI_INT, argument, comm));
  if (form == kNonblocking)
    OK(MPI_Iscatterv(out, counts, displs, MPI_INT, in, me, MPI_INT, argument, comm, &request));
  if (form == kPersistent)
    OK(MPI_Scatterv_init(out, counts, displs, MPI_INT, in, me, MPI_INT, argument, comm,
                         MPI_INFO_NULL, &request));
  complete(clear);
  for (int i = 0; i <= me; ++i)
    CHECK(in[i] == (argument >= 0 && i < me ? value(other_first + root, me, i) : -1));
}

/* The groups contribute different counts; with `silent` the second one nothing at all. */
static void allgather(int silent) {
  const int mine = first ? kCount : silent ? 0 : 2;
  const int theirs = first ? (silent ? 0 : 2) : kCount;
  MPI_Datatype same; /* freed while it is in use */
  OK(MPI_Type_contiguous(1, MPI_INT, &same));
  OK(MPI_Type_commit(&same));
  for (int i = 0; i < mine; ++i) out[i] = value(check_rank, 0, i);
  clear();
  if (form == kBlocking) OK(MPI_Allgather(out, mine, MPI_INT, in, theirs, MPI_INT, comm));
  if (form == kNonblocking)
    OK(MPI_Iallgather(out, mine, MPI_INT, in, theirs, same, comm, &request));
  if (form == kPersistent)
    OK(MPI_Allgather_init(out, mine, MPI_INT, in, theirs, MPI_INT, comm, MPI_INFO_NULL, &request));
  OK(MPI_Type_free(&same));
  complete(clear);
  for (int i = 0; i < other * theirs; ++i)
    CHECK(in[i] == value(other_first + i / theirs, 0, i % theirs));
  CHECK(in[other * theirs] == -1);
}

static void allgatherv(void) {
  for (int i = 0; i < me; ++i) out[i] = value(check_rank, 0, i);
  clear();
  vector_places(other);
  if (form == kBlocking) OK(MPI_Allgatherv(out, me, MPI_INT, in, counts, displs, MPI_INT, comm));
  if (form == kNonblocking)
    OK(MPI_Iallgatherv(out, me, MPI_INT, in, counts, displs, MPI_INT, comm, &request));
  if (form == kPersistent)
    OK(MPI_Allgatherv_init(out, me, MPI_INT, in, counts, displs, MPI_INT, comm, MPI_INFO_NULL,
                           &request));
  complete(clear);
  for (int r = 0; r < other; ++r)
    for (int i = 0; i <= r; ++i)
      CHECK(in[displs[r] + i] == (i < r ? value(other_first + r, 0, i) : -1));
}

static void alltoall(void) {
  for (int i = 0; i < other * kCount; ++i) out[i] = value(check_rank, i / kCount, i % kCount);
  clear();
  if (form == kBlocking) OK(MPI_Alltoall(out, kCount, MPI_INT, in, kCount, MPI_INT, comm));
  if (form == kNonblocking)
    OK(MPI_Ialltoall(out, kCount, MPI_INT, in, kCount, MPI_INT, comm, &request));
  if (form == kPersistent)
    OK(MPI_Alltoall_init(out, kCount, MPI_INT, in, kCount, MPI_INT, comm, MPI_INFO_NULL, &request));
  complete(clear);
  for (int i = 0; i < other * kCount; ++i)
    CHECK(in[i] == value(other_first + i / kCount, me, i % kCount));
}

/* Between r of one group and s of the other (r + s) % 4 elements: some have nothing to say. */
static void alltoallv(int with_types) {
  MPI_Datatype types[kMost];
  int at = 0;
  const int unit = with_types ? (int)sizeof(int) : 1;
  for (int r = 0; r < other; ++r) {
    counts[r] = counts2[r] = (me + r) % 4;
    displs[r] = displs2[r] = at * unit;
    for (int i = 0; i < counts[r]; ++i) out[at + i] = value(check_rank, r, i);
    at += 4;
    types[r] = MPI_INT;
  }
  clear();
  if (with_types) {
    if (form == kBlocking)
      OK(MPI_Alltoallw(out, counts, displs, types, in, counts2, displs2, types, comm));
    if (form == kNonblocking)
      OK(MPI_Ialltoallw(out, counts, displs, types, in, counts2, displs2, types, comm, &request));
    if (form == kPersistent)
      OK(MPI_Alltoallw_init(out, counts, displs, types, in, counts2, displs2, types, comm,
                            MPI_INFO_NULL, &request));
  } else {
    if (form == kBlocking)
      OK(MPI_Alltoallv(out, counts, displs, MPI_INT, in, counts2, displs2, MPI_INT, comm));
    if (form == kNonblocking)
      OK(MPI_Ialltoallv(out, counts, displs, MPI_INT, in, counts2, displs2, MPI_INT, comm,
                        &request));
    if (form == kPersistent)
      OK(MPI_Alltoallv_init(out, counts, displs, MPI_INT, in, counts2, displs2, MPI_INT, comm,
                            MPI_INFO_NULL, &request));
  }
  complete(clear);
  for (int r = 0; r < other; ++r)
    for (int i = 0; i < 4; ++i)
      CHECK(in[4 * r + i] == (i < counts[r] ? value(other_first + r, me, i) : -1));
}

/* Does not commute: digits of a number in base 3, in the order of the ranks. */
static void append(void* a, void* b, int* length, MPI_Datatype* type) {
  const long long* left = a;
  long long* right = b;
  (void)type;
  for (int i = 0; i < *length; ++i) {
    right[2 * i] = left[2 * i] * right[2 * i + 1] + right[2 * i];
    right[2 * i + 1] *= left[2 * i + 1];
  }
}

/* (digits, base) pairs for what does not commute; one number after the other for MPI_SUM. */
static MPI_Datatype pair_type;
static MPI_Datatype type_of(MPI_Op op) {
  return op == MPI_SUM ? MPI_LONG_LONG : pair_type;
}
static int per_pair(MPI_Op op) {
  return op == MPI_SUM ? 2 : 1;
}

static long long digits(int from, int members, int element) {
  long long number = 0;
  for (int r = 0; r < members; ++r) number = number * 3 + (from + r + element) % 3;
  return number;
}

static long long numbers[4 * kMost * kMost], result[4 * kMost * kMost];
static void fill_numbers(int pairs) {
  for (int i = 0; i < pairs; ++i) {
    numbers[2 * i] = (check_rank + i) % 3;
    numbers[2 * i + 1] = 3;
  }
}
static void clear_result(void) {
  memset(result, -1, sizeof result);
}

static void reduce(int in_first, int root, MPI_Op op) {
  const int argument = root_of(in_first, root);
  fill_numbers(kCount);
  clear_result();
  const void* from = argument >= 0 ? numbers : NULL;
  void* to = argument == MPI_ROOT ? result : NULL;
  if (form == kBlocking)
    OK(MPI_Reduce(from, to, per_pair(op) * kCount, type_of(op), op, argument, comm));
  if (form == kNonblocking)
    OK(MPI_Ireduce(from, to, per_pair(op) * kCount, type_of(op), op, argument, comm, &request));
  if (form == kPersistent)
    OK(MPI_Reduce_init(from, to, per_pair(op) * kCount, type_of(op), op, argument, comm,
                       MPI_INFO_NULL, &request));
  complete(clear_result);
  if (argument != MPI_ROOT) return;
  for (int i = 0; i < kCount; ++i) {
    if (op != MPI_SUM) CHECK(result[2 * i] == digits(other_first, other, i));
    if (op == MPI_SUM) CHECK(result[2 * i + 1] == 3 * other);
  }
}

static void allreduce(MPI_Op op, int count) {
  fill_numbers(count);
  clear_result();
  if (form == kBlocking)
    OK(MPI_Allreduce(numbers, result, per_pair(op) * count, type_of(op), op, comm));
  if (form == kNonblocking)
    OK(MPI_Iallreduce(numbers, result, per_pair(op) * count, type_of(op), op, comm, &request));
  if (form == kPersistent)
    OK(MPI_Allreduce_init(numbers, result, per_pair(op) * count, type_of(op), op, comm,
                          MPI_INFO_NULL, &request));
  complete(clear_result);
  for (int i = 0; i < count; ++i) {
    if (op != MPI_SUM) CHECK(result[2 * i] == digits(other_first, other, i));
    if (op == MPI_SUM) CHECK(result[2 * i + 1] == 3 * other);
  }
  CHECK(result[2 * count] == -1);
}

/* Both vectors have size * other pairs. */
static void reduce_scatter_block(MPI_Op op) {
  const int each = per_pair(op) * other;
  fill_numbers(size * other);
  clear_result();
  if (form == kBlocking) OK(MPI_Reduce_scatter_block(numbers, result, each, type_of(op), op, comm));
  if (form == kNonblocking)
    OK(MPI_Ireduce_scatter_block(numbers, result, each, type_of(op), op, comm, &request));
  if (form == kPersistent)
    OK(MPI_Reduce_scatter_block_init(numbers, result, each, type_of(op), op, comm, MPI_INFO_NULL,
                                     &request));
  complete(clear_result);
  for (int i = 0; i < other; ++i) {
    if (op != MPI_SUM) CHECK(result[2 * i] == digits(other_first, other, me * other + i));
    if (op == MPI_SUM) CHECK(result[2 * i + 1] == 3 * other);
  }
  CHECK(result[2 * other] == -1);
}

/* Rank 0 gets nothing, the last one what is left. */
static void reduce_scatter(MPI_Op op) {
  int before = 0, total = size * other;
  for (int r = 0; r < size; ++r) {
    const int pairs = r == size - 1 ? total : r == 0 ? 0 : 1;
    counts[r] = per_pair(op) * pairs;
    total -= pairs;
    if (r < me) before += pairs;
  }
  fill_numbers(size * other);
  clear_result();
  if (form == kBlocking) OK(MPI_Reduce_scatter(numbers, result, counts, type_of(op), op, comm));
  if (form == kNonblocking)
    OK(MPI_Ireduce_scatter(numbers, result, counts, type_of(op), op, comm, &request));
  if (form == kPersistent)
    OK(MPI_Reduce_scatter_init(numbers, result, counts, type_of(op), op, comm, MPI_INFO_NULL,
                               &request));
  complete(clear_result);
  const int mine = counts[me] / per_pair(op);
  for (int i = 0; i < mine; ++i) {
    if (op != MPI_SUM) CHECK(result[2 * i] == digits(other_first, other, before + i));
    if (op == MPI_SUM) CHECK(result[2 * i + 1] == 3 * other);
  }
  CHECK(result[2 * mine] == -1);
}

static void rooted(int in_first) {
  for (int root = 0; root < sizes_of(in_first); ++root) {
    bcast(in_first, root, 7);
    bcast(in_first, root, 0);
    gather(in_first, root);
    gatherv(in_first, root);
    scatter(in_first, root);
    scatterv(in_first, root);
    reduce(in_first, root, MPI_SUM);
  }
}

/* Long messages, and many operations under way at once. */
static void long_and_many(void) {
  enum { kLong = 200000 };
  int* data = malloc(kLong * sizeof(int));
  int* got = malloc(kLong * sizeof(int));
  MPI_Request requests[8];
  int sums[8], ones[8];
  for (int i = 0; i < kLong; ++i) data[i] = i + check_rank;
  OK(MPI_Allreduce(data, got, kLong, MPI_INT, MPI_MAX, comm));
  for (int i = 0; i < kLong; i += 999) CHECK(got[i] == i + other_first + other - 1);
  for (int i = 0; i < 8; ++i) {
    ones[i] = i;
    OK(MPI_Iallreduce(&ones[i], &sums[i], 1, MPI_INT, MPI_SUM, comm, &requests[i]));
  }
  OK(MPI_Bcast(root_of(1, 0) == MPI_ROOT ? data : got, kLong, MPI_INT, root_of(1, 0), comm));
  if (!first)
    for (int i = 0; i < kLong; i += 999) CHECK(got[i] == i);
  OK(MPI_Waitall(8, requests, MPI_STATUSES_IGNORE));
  for (int i = 0; i < 8; ++i) CHECK(sums[i] == i * other);
  free(data);
  free(got);
}

static void refused(void) {
  OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  FAILS(MPI_ERR_COMM, MPI_Scan(out, in, 1, MPI_INT, MPI_SUM, comm));
  FAILS(MPI_ERR_COMM, MPI_Exscan(out, in, 1, MPI_INT, MPI_SUM, comm));
  FAILS(MPI_ERR_COMM, MPI_Iscan(out, in, 1, MPI_INT, MPI_SUM, comm, &request));
  EXPECT(MPI_ERR_BUFFER, "MPI_IN_PLACE",
         MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, comm));
  FAILS(MPI_ERR_BUFFER, MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, in, 1, MPI_INT, comm));
  FAILS(MPI_ERR_BUFFER, MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, in, 1, MPI_INT, comm));
  FAILS(MPI_ERR_BUFFER, MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, in, 1, MPI_INT, 0, comm));
  FAILS(MPI_ERR_BUFFER, MPI_Reduce_scatter_block(MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, comm));
  EXPECT(MPI_ERR_ROOT, "MPI_ROOT", MPI_Bcast(in, 1, MPI_INT, other, comm));
  FAILS(MPI_ERR_ROOT, MPI_Bcast(in, 1, MPI_INT, -77, comm));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_Op ordered;
  OK(MPI_Type_contiguous(2, MPI_LONG_LONG, &pair_type));
  OK(MPI_Type_commit(&pair_type));
  OK(MPI_Op_create(append, 0, &ordered));
  setup();
  for (form = 0; form < kForms; ++form) {
    barrier();
    rooted(0);
    rooted(1);
    reduce(0, 0, ordered);
    reduce(1, 0, ordered);
    allgather(0);
    allgather(1);
    allgatherv();
    alltoall();
    alltoallv(0);
    alltoallv(1);
    allreduce(MPI_SUM, 3);
    allreduce(ordered, 3);
    allreduce(MPI_SUM, 0);
    reduce_scatter_block(ordered);
    reduce_scatter_block(MPI_SUM);
    reduce_scatter(ordered);
    reduce_scatter(MPI_SUM);
  }
  form = kBlocking;
  long_and_many();
  refused();
  OK(MPI_Op_free(&ordered));
  OK(MPI_Type_free(&pair_type));
  OK(MPI_Comm_free(&comm));
  return check_end("intercomm_coll");
}
