/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Partitioned communication between pairs of ranks (the odd one talks to itself): different
 * partitions on both sides, early arrival, matching in order and apart from other messages, no
 * partitions, nobody, threads, wrong arguments. */
#include <pthread.h>
#include <sched.h>

#include "check.h"

static int peer;
static uint64_t state;      /* the same everywhere */
static MPI_Datatype spread; /* one int of every three */

static int value(int rank, int round, int i) {
  return rank * 1000003 + round * 101 + i * 3 + 1;
}

/* A buffer of n elements that stand `stride` ints apart. */
struct data {
  int* at;
  int stride;
  MPI_Datatype type;
};
static struct data make(int n, int stride) {
  struct data d = {malloc(sizeof(int) * (size_t)(n * stride + 1)), stride,
                   stride == 1 ? MPI_INT : spread};
  for (int i = 0; i <= n * stride; ++i) d.at[i] = -7;
  return d;
}
static void fill(struct data* d, int n, int round) {
  for (int i = 0; i < n; ++i) d->at[i * d->stride] = value(check_rank, round, i);
}
static int holds(const struct data* d, int from, int n, int round) {
  for (int i = from; i < from + n; ++i)
    if (d->at[i * d->stride] != value(peer, round, i)) return 0;
  return 1;
}
static int untouched(const struct data* d, int n) {
  for (int i = 0; i < n * d->stride; ++i)
    if (i % d->stride != 0 && d->at[i] != -7) return 0;
  return 1;
}

static void make_all_ready(int partitions, MPI_Request request) {
  int* order = malloc(sizeof(int) * (size_t)(partitions + 1));
  for (int i = 0; i < partitions; ++i) order[i] = i;
  for (int i = partitions - 1; i > 0; --i) {
    const int j = (int)(check_next(&state) % (uint64_t)(i + 1)), t = order[i];
    order[i] = order[j];
    order[j] = t;
  }
  switch (check_next(&state) % 3) {
    case 0:
      for (int i = 0; i < partitions; ++i) OK(MPI_Pready(order[i], request));
      break;
    case 1:
      OK(MPI_Pready_list(partitions, order, request));
      break;
    default:
      if (partitions > 1) OK(MPI_Pready_range(partitions / 2, partitions - 1, request));
      OK(MPI_Pready_range(0, partitions > 1 ? partitions / 2 - 1 : 0, request));
  }
  free(order);
}

static void test_pairs(int total, int out_parts, int in_parts, int out_stride, int in_stride) {
  struct data out = make(total, out_stride), in = make(total, in_stride);
  MPI_Request requests[2];
  OK(MPI_Psend_init(out.at, out_parts, total / out_parts, out.type, peer, 5, MPI_COMM_WORLD,
                    MPI_INFO_NULL, &requests[0]));
  OK(MPI_Precv_init_c(in.at, in_parts, total / in_parts, in.type, peer, 5, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &requests[1]));
  int flag = 0;
  OK(MPI_Parrived(requests[1], in_parts - 1, &flag)); /* inactive */
  CHECK(flag);
  for (int round = 0; round < 3; ++round) {
    fill(&out, total, round);
    OK(MPI_Startall(2, requests));
    make_all_ready(out_parts, requests[0]);
    for (int part = 0; part < in_parts && round != 0; ++part) {
      const int length = total / in_parts;
      for (flag = 0; !flag;) {
        OK(MPI_Parrived(requests[1], part, &flag));
        if (!flag) sched_yield();
      }
      CHECK(holds(&in, part * length, length, round));
    }
    MPI_Status statuses[2];
    OK(MPI_Waitall(2, requests, statuses));
    int count = -1;
    OK(MPI_Get_count(&statuses[1], MPI_INT, &count));
    CHECK(count == total);
    CHECK(statuses[1].MPI_SOURCE == peer && statuses[1].MPI_TAG == 5);
    CHECK(holds(&in, 0, total, round));
    CHECK(untouched(&in, total));
  }
  OK(MPI_Request_free(&requests[0]));
  OK(MPI_Request_free(&requests[1]));
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
  free(out.at);
  free(in.at);
}

/* The receiver has a partition before the sender makes the last one ready: it says so, and the
 * sender waits for that. */
static void test_early(int length) {
  enum { kParts = 4 };
  struct data out = make(kParts * length, 1), in = make(kParts * length, 1);
  MPI_Request send, receive, token;
  OK(MPI_Psend_init(out.at, kParts, length, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                    &send));
  OK(MPI_Precv_init(in.at, kParts, length, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                    &receive));
  for (int round = 0; round < 2; ++round) {
    fill(&out, kParts * length, round);
    OK(MPI_Start(&receive));
    OK(MPI_Start(&send));
    int seen = -1, flag = 0;
    OK(MPI_Irecv(&seen, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &token));
    OK(MPI_Pready(2, send));
    OK(MPI_Pready(0, send));
    while (!flag) {
      OK(MPI_Parrived(receive, 2, &flag));
      if (!flag) sched_yield();
    }
    CHECK(holds(&in, 2 * length, length, round));
    OK(MPI_Parrived(receive, 3, &flag));
    CHECK(!flag);
    OK(MPI_Test(&receive, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    OK(MPI_Send(&round, 1, MPI_INT, peer, 2, MPI_COMM_WORLD));
    OK(MPI_Wait(&token, MPI_STATUS_IGNORE)); /* my peer has a part of mine, too */
    CHECK(seen == round);
    OK(MPI_Test(&send, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    OK(MPI_Pready(1, send));
    OK(MPI_Pready(3, send));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
    CHECK(holds(&in, 0, kParts * length, round));
  }
  OK(MPI_Request_free(&send));
  OK(MPI_Request_free(&receive));
  free(out.at);
  free(in.at);
}

/* The order of the calls that made them matches them, not that of their starts; and other messages
 * of the same tag are something else. */
static void test_matching(void) {
  int out[2] = {check_rank, check_rank + 100}, in[2] = {-1, -1}, plain = -1;
  const int mine = check_rank + 200;
  MPI_Request sends[2], receives[2], other;
  OK(MPI_Irecv(&plain, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &other));
  for (int i = 0; i < 2; ++i)
    OK(MPI_Psend_init(&out[i], 1, 1, MPI_INT, peer, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &sends[i]));
  for (int i = 0; i < 2; ++i)
    OK(MPI_Precv_init(&in[i], 1, 1, MPI_INT, peer, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &receives[i]));
  OK(MPI_Start(&sends[1]));
  OK(MPI_Pready(0, sends[1]));
  OK(MPI_Startall(2, receives));
  OK(MPI_Wait(&receives[1], MPI_STATUS_IGNORE));
  CHECK(in[1] == peer + 100);
  OK(MPI_Start(&sends[0]));
  OK(MPI_Pready(0, sends[0]));
  OK(MPI_Wait(&receives[0], MPI_STATUS_IGNORE));
  CHECK(in[0] == peer);
  OK(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
  int flag = 1;
  OK(MPI_Test(&other, &flag, MPI_STATUS_IGNORE));
  CHECK(!flag);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Send(&mine, 1, MPI_INT, peer, 9, MPI_COMM_WORLD));
  OK(MPI_Wait(&other, MPI_STATUS_IGNORE));
  CHECK(plain == peer + 200);
  for (int i = 0; i < 2; ++i) {
    OK(MPI_Request_free(&sends[i]));
    OK(MPI_Request_free(&receives[i]));
  }
}

/* Pairs that were made and freed without a start, or freed while under way, do not disturb those
 * that come later. */
static void test_freed(void) {
  int out[3] = {check_rank, check_rank + 1000, check_rank + 2000}, in[3] = {-1, -1, -1};
  MPI_Request sends[3], receives[3];
  for (int i = 0; i < 3; ++i) {
    OK(MPI_Precv_init(&in[i], 1, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &receives[i]));
    if (i == 0) OK(MPI_Request_free(&receives[0]));
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int i = 0; i < 3; ++i) {
    OK(MPI_Psend_init(&out[i], 1, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &sends[i]));
    if (i == 0) OK(MPI_Request_free(&sends[0]));
  }
  OK(MPI_Start(&receives[1]));
  OK(MPI_Start(&receives[2]));
  OK(MPI_Request_free(&receives[1])); /* under way */
  OK(MPI_Start(&sends[1]));
  OK(MPI_Pready(0, sends[1]));
  OK(MPI_Request_free(&sends[1]));
  OK(MPI_Start(&sends[2]));
  OK(MPI_Pready(0, sends[2]));
  OK(MPI_Wait(&sends[2], MPI_STATUS_IGNORE));
  OK(MPI_Wait(&receives[2], MPI_STATUS_IGNORE));
  CHECK(in[0] == -1 && in[2] == peer + 2000);
  OK(MPI_Request_free(&sends[2]));
  OK(MPI_Request_free(&receives[2]));
  MPI_Barrier(MPI_COMM_WORLD);
}

/* A started receive goes on in whatever call of MPI its process is, though it was started before
 * its sender existed. */
static void test_progress(void) {
  enum { kLength = 1 << 18 };
  if (peer == check_rank) return;
  struct data d = make(2 * kLength, 1);
  MPI_Request request;
  int token = 0;
  if (check_rank > peer) {
    OK(MPI_Precv_init(d.at, 1, 2 * kLength, MPI_INT, peer, 4, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &request));
    OK(MPI_Start(&request));
    OK(MPI_Send(&token, 1, MPI_INT, peer, 40, MPI_COMM_WORLD));
    OK(MPI_Recv(&token, 1, MPI_INT, peer, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(holds(&d, 0, 2 * kLength, 8));
  } else {
    fill(&d, 2 * kLength, 8);
    OK(MPI_Recv(&token, 1, MPI_INT, peer, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Psend_init(d.at, 2, kLength, MPI_INT, peer, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    OK(MPI_Start(&request));
    OK(MPI_Pready_range(0, 1, request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Send(&token, 1, MPI_INT, peer, 41, MPI_COMM_WORLD));
  }
  OK(MPI_Request_free(&request));
  free(d.at);
}

static void test_nothing(void) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int byte = 0, flag = 0, count = -1;
  /* nobody */
  OK(MPI_Psend_init(&byte, 3, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                    &requests[0]));
  OK(MPI_Precv_init(&byte, 2, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                    &requests[1]));
  for (int round = 0; round < 2; ++round) {
    OK(MPI_Startall(2, requests));
    OK(MPI_Pready_range(0, 2, requests[0]));
    OK(MPI_Parrived(requests[1], 1, &flag));
    CHECK(flag);
    OK(MPI_Waitall(2, requests, statuses));
    OK(MPI_Get_count(&statuses[1], MPI_INT, &count));
    CHECK(statuses[1].MPI_SOURCE == MPI_PROC_NULL && count == 0);
  }
  OK(MPI_Request_free(&requests[0]));
  OK(MPI_Request_free(&requests[1]));
  /* no partitions, and partitions of nothing: to one another, too */
  static const int kForms[4][4] = {{0, 1, 0, 1}, {0, 5, 3, 0}, {4, 0, 2, 0}, {3, 0, 0, 9}};
  for (int i = 0; i < 4; ++i) {
    OK(MPI_Psend_init(&byte, kForms[i][0], kForms[i][1], MPI_INT, peer, 0, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &requests[0]));
    OK(MPI_Precv_init(&byte, kForms[i][2], kForms[i][3], MPI_INT, peer, 0, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &requests[1]));
    OK(MPI_Startall(2, requests));
    if (kForms[i][0] > 0) OK(MPI_Pready_range(0, kForms[i][0] - 1, requests[0]));
    OK(MPI_Waitall(2, requests, statuses));
    OK(MPI_Get_count(&statuses[1], MPI_INT, &count));
    CHECK(count == 0);
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
  }
}

/* Threads make partitions ready and look for arrivals, all at once. */
enum { kThreads = 4, kOutParts = 64, kInParts = 48, kTotal = 64 * 48 * 10 };
struct work {
  pthread_t thread;
  int number, round;
  MPI_Request request;
  struct data* data;
};
static void* sender(void* argument) {
  const struct work* w = argument;
  const int length = kTotal / kOutParts;
  for (int part = w->number; part < kOutParts; part += kThreads) {
    for (int i = part * length; i < (part + 1) * length; ++i)
      w->data->at[i] = value(check_rank, w->round, i);
    OK(MPI_Pready(part, w->request));
  }
  return NULL;
}
static void* receiver(void* argument) {
  const struct work* w = argument;
  const int length = kTotal / kInParts;
  for (int part = w->number; part < kInParts; part += kThreads) {
    int flag = 0;
    while (!flag) {
      OK(MPI_Parrived(w->request, part, &flag));
      if (!flag) sched_yield();
    }
    CHECK(holds(w->data, part * length, length, w->round));
  }
  return NULL;
}
static void test_threads(void) {
  struct data out = make(kTotal, 1), in = make(kTotal, 1);
  struct work senders[kThreads], receivers[kThreads];
  MPI_Request requests[2];
  OK(MPI_Psend_init(out.at, kOutParts, kTotal / kOutParts, MPI_INT, peer, 6, MPI_COMM_WORLD,
                    MPI_INFO_NULL, &requests[0]));
  OK(MPI_Precv_init(in.at, kInParts, kTotal / kInParts, MPI_INT, peer, 6, MPI_COMM_WORLD,
                    MPI_INFO_NULL, &requests[1]));
  for (int round = 0; round < 5; ++round) {
    OK(MPI_Startall(2, requests));
    for (int i = 0; i < kThreads; ++i) {
      senders[i] = (struct work){.number = i, .round = round, .request = requests[0], .data = &out};
      receivers[i] =
          (struct work){.number = i, .round = round, .request = requests[1], .data = &in};
      CHECK(pthread_create(&senders[i].thread, NULL, sender, &senders[i]) == 0);
      CHECK(pthread_create(&receivers[i].thread, NULL, receiver, &receivers[i]) == 0);
    }
    for (int i = 0; i < kThreads; ++i) {
      pthread_join(senders[i].thread, NULL);
      pthread_join(receivers[i].thread, NULL);
    }
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  }
  OK(MPI_Request_free(&requests[0]));
  OK(MPI_Request_free(&requests[1]));
  free(out.at);
  free(in.at);
}

static void test_arguments(void) {
  int data[8] = {0}, flag = 0;
  const int twice[2] = {3, 3};
  MPI_Request send, receive, made, plain;
  MPI_Comm comm;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
#define PSEND(parts, count, type, dest, tag, comm, request) \
  MPI_Psend_init(data, parts, count, type, dest, tag, comm, MPI_INFO_NULL, request)
#define PRECV(parts, count, type, source, tag, comm, request) \
  MPI_Precv_init(data, parts, count, type, source, tag, comm, MPI_INFO_NULL, request)
  EXPECT(MPI_ERR_ARG, "partitions is -1", PSEND(-1, 1, MPI_INT, peer, 0, comm, &made));
  EXPECT(MPI_ERR_COUNT, "-5", PSEND(1, -5, MPI_INT, peer, 0, comm, &made));
  EXPECT(MPI_ERR_TYPE, "datatype", PSEND(1, 1, MPI_DATATYPE_NULL, peer, 0, comm, &made));
  EXPECT(MPI_ERR_RANK, "9999", PSEND(1, 1, MPI_INT, 9999, 0, comm, &made));
  EXPECT(MPI_ERR_TAG, "tag", PSEND(1, 1, MPI_INT, peer, -4, comm, &made));
  EXPECT(MPI_ERR_COMM, "comm", PSEND(1, 1, MPI_INT, peer, 0, MPI_COMM_NULL, &made));
  EXPECT(MPI_ERR_ARG, "request", PSEND(1, 1, MPI_INT, peer, 0, comm, NULL));
  EXPECT(MPI_ERR_RANK, "MPI_ANY_SOURCE", PRECV(1, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, &made));
  EXPECT(MPI_ERR_TAG, "MPI_ANY_TAG", PRECV(1, 1, MPI_INT, peer, MPI_ANY_TAG, comm, &made));
  EXPECT(MPI_ERR_COUNT, "too large",
         MPI_Psend_init_c(data, 1 << 30, (MPI_Count)1 << 40, MPI_INT, peer, 0, comm, MPI_INFO_NULL,
                          &made));
  EXPECT(MPI_ERR_COUNT, "too large",
         MPI_Precv_init_c(data, 1 << 30, (MPI_Count)1 << 40, MPI_INT, peer, 0, comm, MPI_INFO_NULL,
                          &made));
  OK(PSEND(4, 1, MPI_INT, peer, 0, comm, &send));
  OK(MPI_Precv_init(data + 4, 2, 2, MPI_INT, peer, 0, comm, MPI_INFO_NULL, &receive));
  EXPECT(MPI_ERR_REQUEST, "inactive", MPI_Pready(0, send));
  OK(MPI_Start(&send));
  OK(MPI_Start(&receive));
  EXPECT(MPI_ERR_REQUEST, "active already", MPI_Start(&send));
  EXPECT(MPI_ERR_ARG, "partition is 4", MPI_Pready(4, send));
  EXPECT(MPI_ERR_ARG, "partition is -1", MPI_Pready(-1, send));
  EXPECT(MPI_ERR_ARG, "partition is 2", MPI_Parrived(receive, 2, &flag));
  EXPECT(MPI_ERR_ARG, "flag", MPI_Parrived(receive, 0, NULL));
  EXPECT(MPI_ERR_REQUEST, "MPI_Psend_init", MPI_Pready(0, receive));
  EXPECT(MPI_ERR_REQUEST, "MPI_Precv_init", MPI_Parrived(send, 0, &flag));
  EXPECT(MPI_ERR_REQUEST, "request", MPI_Pready(0, MPI_REQUEST_NULL));
  EXPECT(MPI_ERR_REQUEST, "cancel", MPI_Cancel(&send));
  OK(MPI_Pready(1, send));
  EXPECT(MPI_ERR_ARG, "partition 1 was", MPI_Pready(1, send));
  EXPECT(MPI_ERR_ARG, "partition 1 was", MPI_Pready_range(0, 3, send));
  EXPECT(MPI_ERR_ARG, "partition_low is 3", MPI_Pready_range(3, 2, send));
  EXPECT(MPI_ERR_ARG, "partition_high is 7", MPI_Pready_range(3, 7, send));
  EXPECT(MPI_ERR_ARG, "length is -1", MPI_Pready_list(-1, twice, send));
  EXPECT(MPI_ERR_ARG, "partition 3 was", MPI_Pready_list(2, twice, send)); /* has sent it */
  EXPECT(MPI_ERR_REQUEST, "not all", MPI_Request_free(&send));
  OK(MPI_Pready(0, send));
  OK(MPI_Pready_list(0, NULL, send));
  OK(MPI_Pready(2, send));
  OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
  OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
  OK(MPI_Request_free(&send));
  OK(MPI_Request_free(&receive));
  OK(MPI_Irecv(data, 1, MPI_INT, peer, 0, comm, &plain));
  EXPECT(MPI_ERR_REQUEST, "MPI_Psend_init", MPI_Pready(0, plain));
  OK(MPI_Cancel(&plain));
  OK(MPI_Wait(&plain, MPI_STATUS_IGNORE));

  /* more than the receiver has room for */
  OK(PSEND(4, 1, MPI_INT, peer, 0, comm, &send));
  OK(MPI_Precv_init(data + 4, 1, 2, MPI_INT, peer, 0, comm, MPI_INFO_NULL, &receive));
  OK(MPI_Start(&send));
  OK(MPI_Start(&receive));
  OK(MPI_Pready_range(0, 3, send));
  EXPECT(MPI_ERR_TRUNCATE, "longer", MPI_Wait(&receive, MPI_STATUS_IGNORE));
  OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
  OK(MPI_Request_free(&send));
  OK(MPI_Request_free(&receive));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
  OK(MPI_Comm_free(&comm));
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &check_size);
  peer = (check_rank ^ 1) < check_size ? check_rank ^ 1 : check_rank;
  state = check_seed("partitioned");
  OK(MPI_Type_create_resized(MPI_INT, 0, 3 * (MPI_Aint)sizeof(int), &spread));
  OK(MPI_Type_commit(&spread));
  static const int kParts[7][2] = {{1, 1}, {4, 4}, {3, 4}, {8, 2}, {2, 8}, {7, 5}, {420, 1}};
  for (int i = 0; i < 7; ++i)
    for (int strides = 0; strides < 4; ++strides) {
      test_pairs(840, kParts[i][0], kParts[i][1], strides & 1 ? 3 : 1, strides & 2 ? 3 : 1);
      test_pairs(84000, kParts[i][0], kParts[i][1], strides & 1 ? 3 : 1, strides & 2 ? 3 : 1);
    }
  test_early(1);
  test_early(1 << 17);
  test_matching();
  test_freed();
  test_progress();
  test_nothing();
  if (provided == MPI_THREAD_MULTIPLE) test_threads();
  test_arguments();
  OK(MPI_Type_free(&spread));
  return check_end("partitioned");
}
