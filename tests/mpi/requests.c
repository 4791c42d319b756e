/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Requests of all kinds in one array: looking at their statuses without using them up, generalized
 * ones among others in every completion call, cancelling, errors in statuses. */
#include "check.h"

enum { kRequests = 6 };
static int left, right;

static struct { int queries, frees, error; } general;
static int query(void* state, MPI_Status* status) {
  ++general.queries;
  MPI_Status_set_elements(status, MPI_INT, 3);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = 41;
  status->MPI_TAG = *(int*)state;
  return general.error;
}
static int free_it(void* state) {
  (void)state;
  ++general.frees;
  return MPI_SUCCESS;
}
static int cancel_it(void* state, int complete) {
  (void)state;
  (void)complete;
  return MPI_SUCCESS;
}

/* Null, an inactive persistent one, a receive from the left, one from nobody, a collective, a
 * generalized one. */
static MPI_Request requests[kRequests], persistent;
static int in, never, tag_of_general = 43;
static void make(void) {
  requests[0] = MPI_REQUEST_NULL;
  requests[1] = persistent;
  OK(MPI_Irecv(&in, 1, MPI_INT, left, 8, MPI_COMM_WORLD, &requests[2]));
  OK(MPI_Irecv(&never, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD, &requests[3]));
  OK(MPI_Ibarrier(MPI_COMM_WORLD, &requests[4]));
  OK(MPI_Grequest_start(query, free_it, cancel_it, &tag_of_general, &requests[5]));
}

static int is_empty(const MPI_Status* status) {
  int count = -1;
  OK(MPI_Get_count(status, MPI_INT, &count));
  return status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && count == 0;
}
static void check_status(int which, const MPI_Status* status) {
  int count = -1;
  OK(MPI_Get_count(status, MPI_INT, &count));
  switch (which) {
    case 2:
      CHECK(status->MPI_SOURCE == left && status->MPI_TAG == 8 && count == 1);
      break;
    case 3:
      CHECK(status->MPI_SOURCE == MPI_PROC_NULL && count == 0);
      break;
    case 5:
      CHECK(status->MPI_SOURCE == 41 && status->MPI_TAG == tag_of_general && count == 3);
      break;
    default:
      break;
  }
}

/* Statuses of an array are looked at, in all ways, and nothing is used up by that. */
static void test_get_status(void) {
  MPI_Status statuses[kRequests];
  int flag = 1, index = -1, some = -1, indices[kRequests];
  make();
  OK(MPI_Request_get_status_all(2, requests, &flag, statuses)); /* none is active */
  CHECK(flag && is_empty(&statuses[0]) && is_empty(&statuses[1]));
  OK(MPI_Request_get_status_any(2, requests, &index, &flag, statuses));
  CHECK(flag && index == MPI_UNDEFINED && is_empty(&statuses[0]));
  OK(MPI_Request_get_status_some(2, requests, &some, indices, statuses));
  CHECK(some == MPI_UNDEFINED);
  OK(MPI_Request_get_status_all(0, NULL, &flag, NULL));
  CHECK(flag);
  OK(MPI_Request_get_status_all(kRequests, requests, &flag, statuses));
  CHECK(!flag); /* the generalized one */
  OK(MPI_Request_get_status_any(1, &requests[5], &index, &flag, statuses));
  CHECK(!flag && index == MPI_UNDEFINED);
  OK(MPI_Request_get_status_some(1, &requests[5], &some, indices, statuses));
  CHECK(some == 0);
  for (int i = 0; i < 2; ++i) { /* and again */
    OK(MPI_Request_get_status_any(kRequests, requests, &index, &flag, statuses));
    CHECK(flag && index >= 2 && index <= 4);
    check_status(index, &statuses[0]);
    OK(MPI_Request_get_status_some(2, &requests[3], &some, indices, statuses));
    CHECK(some >= 1 && indices[0] == 0);
    check_status(3, &statuses[0]);
  }
  const int out = check_rank;
  OK(MPI_Send(&out, 1, MPI_INT, right, 8, MPI_COMM_WORLD));
  OK(MPI_Grequest_complete(requests[5]));
  const int queries = general.queries;
  do {
    OK(MPI_Request_get_status_all(kRequests, requests, &flag, statuses));
  } while (!flag);
  CHECK(general.queries == queries + 1);
  for (int i = 2; i < kRequests; ++i) check_status(i, &statuses[i]);
  CHECK(in == left);
  OK(MPI_Request_get_status_some(kRequests, requests, &some, indices, statuses));
  CHECK(some == 4);
  for (int i = 0; i < some; ++i) {
    CHECK(indices[i] == i + 2);
    check_status(indices[i], &statuses[i]);
  }
  OK(MPI_Request_get_status_some(kRequests, requests, &some, indices, MPI_STATUSES_IGNORE));
  OK(MPI_Request_get_status_all(kRequests, requests, &flag, MPI_STATUSES_IGNORE));
  CHECK(flag && some == 4);
  for (int i = 2; i < kRequests; ++i) CHECK(requests[i] != MPI_REQUEST_NULL);
  const int frees = general.frees;
  OK(MPI_Waitall(kRequests, requests, statuses));
  for (int i = 2; i < kRequests; ++i) check_status(i, &statuses[i]);
  for (int i = 0; i < kRequests; ++i) CHECK(i == 1 || requests[i] == MPI_REQUEST_NULL);
  CHECK(general.frees == frees + 1);
}

/* The mix through every call that completes. */
static void test_completion(int way) {
  MPI_Status statuses[kRequests];
  int done[kRequests] = {1, 1}, left_over = 4, flag = 0, index = -1, some = 0, indices[kRequests];
  const int out = check_rank, frees = general.frees;
  make();
  OK(MPI_Send(&out, 1, MPI_INT, right, 8, MPI_COMM_WORLD));
  OK(MPI_Grequest_complete(requests[5]));
  while (left_over > 0) {
    some = 0;
    switch (way) {
      case 0:
        OK(MPI_Waitany(kRequests, requests, &indices[0], &statuses[0]));
        some = 1;
        break;
      case 1:
        OK(MPI_Testany(kRequests, requests, &index, &flag, &statuses[0]));
        if (flag) indices[some++] = index;
        break;
      case 2:
        OK(MPI_Waitsome(kRequests, requests, &some, indices, statuses));
        break;
      case 3:
        OK(MPI_Testsome(kRequests, requests, &some, indices, statuses));
        break;
      default:
        OK(MPI_Testall(kRequests, requests, &flag, statuses));
        for (int i = 2; flag && i < kRequests; ++i) {
          const MPI_Status status = statuses[i];
          check_status(i, &status);
          done[i] = 1;
          --left_over;
        }
    }
    for (int i = 0; i < some; ++i) {
      CHECK(indices[i] >= 2 && indices[i] < kRequests && !done[indices[i]]);
      if (indices[i] < 0) return;
      done[indices[i]] = 1;
      check_status(indices[i], &statuses[i]);
      --left_over;
    }
  }
  CHECK(in == left && general.frees == frees + 1);
  OK(MPI_Waitany(kRequests, requests, &index, &statuses[0]));
  CHECK(index == MPI_UNDEFINED && requests[1] == persistent);
}

/* What fails says so in its status, whoever asks; the others are as they are. */
static void test_errors(void) {
  MPI_Comm comm;
  MPI_Status statuses[2];
  MPI_Request pair[2];
  int small = 0, one = 0, flag = 0, some = 0, indices[2];
  const int out[2] = {1, 2};
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  OK(MPI_Irecv(&one, 1, MPI_INT, left, 1, comm, &pair[0]));
  OK(MPI_Irecv(&small, 1, MPI_INT, left, 2, comm, &pair[1]));
  OK(MPI_Send(out, 1, MPI_INT, right, 1, comm));
  OK(MPI_Send(out, 2, MPI_INT, right, 2, comm));
  OK(MPI_Barrier(comm));
  statuses[0].MPI_ERROR = statuses[1].MPI_ERROR = -77;
  int code = MPI_SUCCESS;
  do {
    code = MPI_Request_get_status_all(2, pair, &flag, statuses);
  } while (!flag);
  CHECK(check_class_of(code) == MPI_ERR_IN_STATUS);
  CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS);
  CHECK(check_class_of(statuses[1].MPI_ERROR) == MPI_ERR_TRUNCATE);
  code = MPI_Request_get_status_some(2, pair, &some, indices, statuses);
  CHECK(check_class_of(code) == MPI_ERR_IN_STATUS && some == 2);
  code = MPI_Waitall(2, pair, statuses);
  CHECK(check_class_of(code) == MPI_ERR_IN_STATUS);
  CHECK(check_class_of(statuses[1].MPI_ERROR) == MPI_ERR_TRUNCATE);
  CHECK(pair[0] == MPI_REQUEST_NULL && pair[1] == MPI_REQUEST_NULL && one == 1);

  EXPECT(MPI_ERR_COUNT, "-1", MPI_Request_get_status_all(-1, pair, &flag, statuses));
  EXPECT(MPI_ERR_ARG, "flag", MPI_Request_get_status_all(0, pair, NULL, statuses));
  EXPECT(MPI_ERR_ARG, "index", MPI_Request_get_status_any(0, pair, NULL, &flag, statuses));
  EXPECT(MPI_ERR_ARG, "outcount", MPI_Request_get_status_some(0, pair, NULL, indices, statuses));
  EXPECT(MPI_ERR_ARG, "array_of_requests", MPI_Request_get_status_any(2, NULL, &some, &flag, NULL));
  OK(MPI_Comm_free(&comm));
}

/* A receive is cancelled or completed, never both; what a cancelled one leaves matches another. */
static void test_cancel(void) {
  MPI_Request receive, send;
  MPI_Status status;
  int got = -1, cancelled = -1, flag = 0;
  const int out = check_rank + 5;
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int wildcard = 0; wildcard < 2; ++wildcard) {
    got = -1;
    OK(MPI_Irecv(&got, 1, MPI_INT, wildcard ? MPI_ANY_SOURCE : left, wildcard ? MPI_ANY_TAG : 4,
                 MPI_COMM_WORLD, &receive));
    OK(MPI_Cancel(&receive));
    OK(MPI_Request_get_status(receive, &flag, &status));
    CHECK(flag);
    OK(MPI_Test_cancelled(&status, &cancelled));
    CHECK(cancelled);
    OK(MPI_Wait(&receive, &status));
    OK(MPI_Test_cancelled(&status, &cancelled));
    CHECK(cancelled && got == -1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Send(&out, 1, MPI_INT, right, 4, MPI_COMM_WORLD));
    OK(MPI_Recv(&got, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &status));
    CHECK(got == left + 5);
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  /* A send that nobody receives can be cancelled or not; its wait returns either way, and the
   * receiver is told. */
  char* big = calloc(1, 300000);
  OK(MPI_Issend(big, 300000, MPI_BYTE, right, 6, MPI_COMM_WORLD, &send));
  OK(MPI_Cancel(&send));
  OK(MPI_Wait(&send, &status));
  OK(MPI_Test_cancelled(&status, &cancelled));
  int theirs = 0;
  OK(MPI_Sendrecv(&cancelled, 1, MPI_INT, right, 7, &theirs, 1, MPI_INT, left, 7, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE));
  if (!theirs) OK(MPI_Recv(big, 300000, MPI_BYTE, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  free(big);
  /* nothing of it is left */
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
  CHECK(!flag);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  right = (check_rank + 1) % check_size;
  left = (check_rank + check_size - 1) % check_size;
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  OK(MPI_Recv_init(&never, 1, MPI_INT, left, 99, MPI_COMM_WORLD, &persistent));
  test_get_status();
  for (int way = 0; way < 5; ++way) test_completion(way);
  test_errors();
  test_cancel();
  OK(MPI_Request_free(&persistent));
  return check_end("requests");
}
