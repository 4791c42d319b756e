/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Requests: every kind of send, completion of one, any, some and all, null and inactive requests,
 * errors in statuses, free and cancel, persistent and generalized requests, probes, floods. */
#include <sys/resource.h>

#include "check.h"

static int right, left;

static const int kSizes[] = {0, 1, 40, 57, 1000, 8192, 8193, 70000, 300000};
enum { kSizeCount = sizeof kSizes / sizeof kSizes[0], kModes = 5, kLargest = 300000 };

static int start_send(int mode, void* buffer, int n, int to, int tag, MPI_Request* request) {
  switch (mode) {
    case 0:
      return MPI_Isend(buffer, n, MPI_BYTE, to, tag, MPI_COMM_WORLD, request);
    case 1:
      return MPI_Issend(buffer, n, MPI_BYTE, to, tag, MPI_COMM_WORLD, request);
    case 2:
      return MPI_Irsend(buffer, n, MPI_BYTE, to, tag, MPI_COMM_WORLD, request);
    case 3:
      return MPI_Ibsend(buffer, n, MPI_BYTE, to, tag, MPI_COMM_WORLD, request);
    default:
      return MPI_Isend_c(buffer, n, MPI_BYTE, to, tag, MPI_COMM_WORLD, request);
  }
}

/* The ways to complete an array of requests; each must leave all of them null. */
enum { kWait, kWaitall, kWaitany, kWaitsome, kTest, kTestall, kTestany, kTestsome, kCompletions };

static void complete_all(int how, int n, MPI_Request* requests, MPI_Status* statuses) {
  int done = 0;
  int flag = 0;
  int* indices = malloc(sizeof(int) * (size_t)n);
  MPI_Status* packed = malloc(sizeof(MPI_Status) * (size_t)n);
  while (done < n) {
    int index = -2;
    int some = 0;
    switch (how) {
      case kWait:
        OK(MPI_Wait(&requests[n - 1 - done], &statuses[n - 1 - done]));
        ++done;
        break;
      case kWaitall:
        OK(MPI_Waitall(n, requests, statuses));
        done = n;
        break;
      case kTest:
        do OK(MPI_Test(&requests[done], &flag, &statuses[done]));
        while (!flag);
        ++done;
        break;
      case kTestall:
        do OK(MPI_Testall(n, requests, &flag, statuses));
        while (!flag);
        done = n;
        break;
      case kWaitany:
        OK(MPI_Waitany(n, requests, &index, packed));
        flag = 1;
        break;
      case kTestany:
        OK(MPI_Testany(n, requests, &index, &flag, packed));
        break;
      case kWaitsome:
        OK(MPI_Waitsome(n, requests, &some, indices, packed));
        CHECK(some > 0);
        break;
      default:
        OK(MPI_Testsome(n, requests, &some, indices, packed));
        break;
    }
    if ((how == kWaitany || how == kTestany) && flag) {
      CHECK(index >= 0 && index < n);
      if (index < 0 || index >= n) break;
      CHECK(requests[index] == MPI_REQUEST_NULL);
      statuses[index] = packed[0];
      ++done;
    }
    if (some < 0) break;
    for (int i = 0; i < some; ++i) statuses[indices[i]] = packed[i];
    done += some;
  }
  CHECK(done == n);
  for (int i = 0; i < n; ++i) CHECK(requests[i] == MPI_REQUEST_NULL);
  free(indices);
  free(packed);
}

static void modes_and_completions(char* out, char* in) {
  MPI_Request requests[2 * kSizeCount];
  MPI_Status statuses[2 * kSizeCount];
  for (int mode = 0; mode < kModes; ++mode) {
    for (int how = 0; how < kCompletions; ++how) {
      for (int s = 0; s < kSizeCount; ++s) {
        char* to = in + (size_t)s * kLargest;
        memset(to, 0, (size_t)kSizes[s]);
        OK(MPI_Irecv(to, kSizes[s], MPI_BYTE, left, s, MPI_COMM_WORLD, &requests[s]));
      }
      /* ready mode needs the receives to be there */
      OK(MPI_Barrier(MPI_COMM_WORLD));
      for (int s = 0; s < kSizeCount; ++s) {
        char* from = out + (size_t)s * kLargest;
        check_fill(from, (size_t)kSizes[s], (uint64_t)(check_rank * 31 + s + mode + how));
        OK(start_send(mode, from, kSizes[s], right, s, &requests[kSizeCount + s]));
      }
      complete_all(how, 2 * kSizeCount, requests, statuses);
      for (int s = 0; s < kSizeCount; ++s) {
        int count = -1;
        OK(MPI_Get_count(&statuses[s], MPI_BYTE, &count));
        CHECK(count == kSizes[s]);
        CHECK(statuses[s].MPI_SOURCE == left && statuses[s].MPI_TAG == s);
        CHECK(check_filled(in + (size_t)s * kLargest, (size_t)kSizes[s],
                           (uint64_t)(left * 31 + s + mode + how)));
      }
    }
  }
}

static int is_empty(const MPI_Status* status) {
  int count = -1;
  int cancelled = -1;
  MPI_Get_count(status, MPI_BYTE, &count);
  MPI_Test_cancelled(status, &cancelled);
  return status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && count == 0 &&
         cancelled == 0 && status->MPI_ERROR == MPI_SUCCESS;
}

/* Null requests, inactive persistent ones, and none at all. */
static void nothing_active(void) {
  int value = 0;
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[3];
  int index = 0, flag = 0, some = 0, indices[3];
  OK(MPI_Recv_init(&value, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[1]));
  for (int i = 0; i < 2; ++i) {
    memset(statuses, 0x11, sizeof statuses);
    OK(MPI_Wait(&requests[i], &statuses[0]));
    CHECK(is_empty(&statuses[0]));
    OK(MPI_Test(&requests[i], &flag, &statuses[1]));
    CHECK(flag && is_empty(&statuses[1]));
    OK(MPI_Request_get_status(requests[i], &flag, &statuses[2]));
    CHECK(flag && is_empty(&statuses[2]));
  }
  CHECK(requests[1] != MPI_REQUEST_NULL);
  memset(statuses, 0x11, sizeof statuses);
  OK(MPI_Waitall(3, requests, statuses));
  for (int i = 0; i < 3; ++i) CHECK(is_empty(&statuses[i]));
  memset(statuses, 0x11, sizeof statuses);
  OK(MPI_Testall(3, requests, &flag, statuses));
  CHECK(flag);
  for (int i = 0; i < 3; ++i) CHECK(is_empty(&statuses[i]));
  memset(statuses, 0x11, sizeof statuses);
  OK(MPI_Waitany(3, requests, &index, statuses));
  CHECK(index == MPI_UNDEFINED && is_empty(statuses));
  memset(statuses, 0x11, sizeof statuses);
  OK(MPI_Testany(3, requests, &index, &flag, statuses));
  CHECK(flag && index == MPI_UNDEFINED && is_empty(statuses));
  memset(statuses, 0x11, sizeof statuses);
  OK(MPI_Request_get_status_all(3, requests, &flag, statuses));
  CHECK(flag);
  for (int i = 0; i < 3; ++i) CHECK(is_empty(&statuses[i]));
  memset(statuses, 0x11, sizeof statuses);
  OK(MPI_Request_get_status_any(3, requests, &index, &flag, statuses));
  CHECK(flag && index == MPI_UNDEFINED && is_empty(statuses));
  OK(MPI_Request_get_status_some(3, requests, &some, indices, statuses));
  CHECK(some == MPI_UNDEFINED);
  OK(MPI_Waitsome(3, requests, &some, indices, statuses));
  CHECK(some == MPI_UNDEFINED);
  OK(MPI_Testsome(3, requests, &some, indices, statuses));
  CHECK(some == MPI_UNDEFINED);
  OK(MPI_Request_free(&requests[1]));
  CHECK(requests[1] == MPI_REQUEST_NULL);
  OK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
  OK(MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE));
  CHECK(flag);
  OK(MPI_Waitany(0, NULL, &index, MPI_STATUS_IGNORE));
  CHECK(index == MPI_UNDEFINED);
  OK(MPI_Waitsome(0, NULL, &some, NULL, MPI_STATUSES_IGNORE));
  CHECK(some == MPI_UNDEFINED);
}

/* Statuses of sends say nothing of note but must not be "cancelled"; a status is left alone in its
 * MPI_ERROR unless the call returns MPI_ERR_IN_STATUS (MPI-5.0, section 3.2.5). */
static void error_fields(void) {
  enum { kMessages = 6 };
  char in[kMessages][64];
  char out[64];
  MPI_Request requests[kMessages + 1];
  MPI_Status statuses[kMessages + 1];
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  check_fill(out, sizeof out, 1);
  for (int round = 0; round < 3; ++round) {
    /* messages 1 and 4 are too long for their receives in the later rounds */
    for (int i = 0; i < kMessages; ++i)
      OK(MPI_Irecv(in[i], round > 0 && i % 3 == 1 ? 10 : 64, MPI_BYTE, left, i, MPI_COMM_WORLD,
                   &requests[i]));
    requests[kMessages] = MPI_REQUEST_NULL;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < kMessages; ++i)
      OK(MPI_Send(out, 64 - i, MPI_BYTE, right, i, MPI_COMM_WORLD));
    for (int i = 0; i <= kMessages; ++i) statuses[i].MPI_ERROR = 4711;
    if (round == 0) {
      OK(MPI_Waitall(kMessages + 1, requests, statuses));
      for (int i = 0; i < kMessages; ++i) CHECK(statuses[i].MPI_ERROR == 4711);
    } else if (round == 1) {
      FAILS(MPI_ERR_IN_STATUS, MPI_Waitall(kMessages + 1, requests, statuses));
      for (int i = 0; i <= kMessages; ++i)
        CHECK(check_class_of(statuses[i].MPI_ERROR) ==
              (i < kMessages && i % 3 == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
    } else {
      int done = 0, failed = 0;
      while (done < kMessages) {
        int some = 0, indices[kMessages + 1];
        for (int i = 0; i <= kMessages; ++i) statuses[i].MPI_ERROR = 4711;
        const int code = MPI_Waitsome(kMessages + 1, requests, &some, indices, statuses);
        int bad = 0;
        for (int i = 0; i < some; ++i) {
          if (code == MPI_SUCCESS) {
            CHECK(statuses[i].MPI_ERROR == 4711);
            CHECK(indices[i] % 3 != 1);
          } else {
            CHECK((check_class_of(statuses[i].MPI_ERROR) == MPI_ERR_TRUNCATE) ==
                  (indices[i] % 3 == 1));
            bad += indices[i] % 3 == 1;
          }
        }
        CHECK(code == MPI_SUCCESS || (check_class_of(code) == MPI_ERR_IN_STATUS && bad > 0));
        if (some <= 0) break;
        done += some;
        failed += bad;
      }
      CHECK(done == kMessages && failed == 2);
    }
    for (int i = 0; i <= kMessages; ++i) CHECK(requests[i] == MPI_REQUEST_NULL);
  }
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

/* Freed requests do their work all the same. */
static void freed(char* out, char* in) {
  for (int s = 0; s < kSizeCount; ++s) {
    MPI_Request request;
    const size_t n = (size_t)kSizes[s];
    memset(in + (size_t)s * kLargest, 0, n);
    OK(MPI_Irecv(in + (size_t)s * kLargest, kSizes[s], MPI_BYTE, left, s, MPI_COMM_WORLD,
                 &request));
    OK(MPI_Request_free(&request));
    check_fill(out + (size_t)s * kLargest, n, (uint64_t)(check_rank + s));
    OK(MPI_Isend(out + (size_t)s * kLargest, kSizes[s], MPI_BYTE, right, s, MPI_COMM_WORLD,
                 &request));
    OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
  }
  /* Nothing says when a freed receive is complete but its data. */
  for (int s = 0; s < kSizeCount; ++s) {
    const size_t n = (size_t)kSizes[s];
    volatile unsigned char* last = (unsigned char*)in + (size_t)s * kLargest + n - 1;
    for (long turns = 0; n > 0 && turns < 100000000; ++turns) {
      int flag = 0;
      if (*last == check_byte((uint64_t)(left + s), n - 1) &&
          check_filled(in + (size_t)s * kLargest, n, (uint64_t)(left + s)))
        break;
      OK(MPI_Iprobe(left, 12345, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    }
    CHECK(check_filled(in + (size_t)s * kLargest, n, (uint64_t)(left + s)));
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void cancelled(void) {
  enum { kReceives = 10 };
  int values[kReceives];
  MPI_Request requests[kReceives];
  MPI_Status status;
  int flag = 0;
  for (int i = 0; i < kReceives; ++i)
    OK(MPI_Irecv(&values[i], 1, MPI_INT, i % 2 ? left : MPI_ANY_SOURCE, 200 + i, MPI_COMM_WORLD,
                 &requests[i]));
  for (int i = 0; i < kReceives; ++i) {
    OK(MPI_Cancel(&requests[i]));
    OK(i % 3 ? MPI_Wait(&requests[i], &status) : MPI_Test(&requests[i], &flag, &status));
    CHECK(requests[i] == MPI_REQUEST_NULL);
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag);
  }
  /* A cancelled receive takes no message. */
  OK(MPI_Barrier(MPI_COMM_WORLD));
  MPI_Request again;
  int out = check_rank, in = -1, other = -1;
  OK(MPI_Irecv(&other, 1, MPI_INT, left, 300, MPI_COMM_WORLD, &again));
  OK(MPI_Cancel(&again));
  OK(MPI_Wait(&again, &status));
  OK(MPI_Test_cancelled(&status, &flag));
  CHECK(flag);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Sendrecv(&out, 1, MPI_INT, right, 300, &in, 1, MPI_INT, left, 300, MPI_COMM_WORLD,
                  &status));
  OK(MPI_Test_cancelled(&status, &flag));
  CHECK(!flag && in == left && other == -1);
  /* Cancel, then free without waiting; and cancel what is complete already. */
  OK(MPI_Irecv(&other, 1, MPI_INT, left, 301, MPI_COMM_WORLD, &again));
  OK(MPI_Cancel(&again));
  OK(MPI_Request_free(&again));
  OK(MPI_Irecv(&in, 1, MPI_INT, check_rank, 302, MPI_COMM_WORLD, &again));
  OK(MPI_Send(&out, 1, MPI_INT, check_rank, 302, MPI_COMM_WORLD));
  OK(MPI_Cancel(&again));
  OK(MPI_Wait(&again, &status));
  OK(MPI_Test_cancelled(&status, &flag));
  CHECK(!flag && in == check_rank);
}

static void get_status(void) {
  MPI_Request request;
  MPI_Status status;
  int in = -1, out = 5, flag = 1, count = 0;
  OK(MPI_Irecv(&in, 1, MPI_INT, check_rank, 4, MPI_COMM_WORLD, &request));
  OK(MPI_Request_get_status(request, &flag, &status));
  CHECK(!flag);
  OK(MPI_Send(&out, 1, MPI_INT, check_rank, 4, MPI_COMM_WORLD));
  for (int i = 0; i < 2; ++i) {
    do OK(MPI_Request_get_status(request, &flag, &status));
    while (!flag);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == 1 && status.MPI_SOURCE == check_rank && request != MPI_REQUEST_NULL);
  }
  OK(MPI_Wait(&request, &status));
  CHECK(in == 5);
}

static void persistent(char* out, char* in) {
  enum { kPairs = 10, kStarts = 200 };
  static const int kBytes[kPairs / 2] = {0, 8, 100, 9000, 100000};
  MPI_Request requests[kPairs];
  for (int mode = 0; mode < 4; ++mode) {
    for (int i = 0; i < kPairs / 2; ++i) {
      void* from = out + (size_t)i * kLargest;
      void* to = in + (size_t)i * kLargest;
      OK(MPI_Recv_init(to, kBytes[i], MPI_BYTE, i % 2 ? MPI_ANY_SOURCE : left, i, MPI_COMM_WORLD,
                       &requests[2 * i]));
      OK(mode == 0   ? MPI_Send_init(from, kBytes[i], MPI_BYTE, right, i, MPI_COMM_WORLD,
                                     &requests[2 * i + 1])
         : mode == 1 ? MPI_Ssend_init(from, kBytes[i], MPI_BYTE, right, i, MPI_COMM_WORLD,
                                      &requests[2 * i + 1])
         : mode == 2 ? MPI_Bsend_init(from, kBytes[i], MPI_BYTE, right, i, MPI_COMM_WORLD,
                                      &requests[2 * i + 1])
                     : MPI_Rsend_init(from, kBytes[i], MPI_BYTE, right, i, MPI_COMM_WORLD,
                                      &requests[2 * i + 1]));
    }
    const int starts = mode == 3 ? 20 : kStarts;
    for (int start = 0; start < starts; ++start) {
      MPI_Status statuses[kPairs];
      for (int i = 0; i < kPairs / 2; ++i)
        check_fill(out + (size_t)i * kLargest, (size_t)kBytes[i], (uint64_t)(check_rank + start));
      if (mode == 3) { /* the receives first */
        for (int i = 0; i < kPairs; i += 2) OK(MPI_Start(&requests[i]));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        for (int i = 1; i < kPairs; i += 2) OK(MPI_Start(&requests[i]));
      } else {
        OK(MPI_Startall(kPairs, requests));
      }
      OK(MPI_Waitall(kPairs, requests, statuses));
      for (int i = 0; i < kPairs / 2; ++i) {
        CHECK(requests[2 * i] != MPI_REQUEST_NULL && statuses[2 * i].MPI_SOURCE == left);
        CHECK(check_filled(in + (size_t)i * kLargest, (size_t)kBytes[i], (uint64_t)(left + start)));
      }
    }
    for (int i = 0; i < kPairs; ++i) OK(MPI_Request_free(&requests[i]));
  }
  /* Freed while active: it completes and is gone. MPI_PROC_NULL can be started too. */
  MPI_Request request;
  int value = -1;
  OK(MPI_Recv_init(&value, 1, MPI_INT, check_rank, 77, MPI_COMM_WORLD, &request));
  OK(MPI_Start(&request));
  OK(MPI_Request_free(&request));
  OK(MPI_Send(&check_size, 1, MPI_INT, check_rank, 77, MPI_COMM_WORLD));
  CHECK(value == check_size);
  OK(MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 77, MPI_COMM_WORLD, &request));
  for (int i = 0; i < 3; ++i) {
    OK(MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  OK(MPI_Request_free(&request));
}

static void probes(char* out, char* in) {
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  int flag = 1, count = 0;
  OK(MPI_Iprobe(MPI_ANY_SOURCE, 55, MPI_COMM_WORLD, &flag, &status));
  CHECK(!flag);
  OK(MPI_Improbe(left, 55, MPI_COMM_WORLD, &flag, &message, &status));
  CHECK(!flag && message == MPI_MESSAGE_NULL);
  for (int s = 0; s < kSizeCount; ++s) {
    for (int wildcards = 0; wildcards < 4; ++wildcards) {
      const int source = wildcards & 1 ? MPI_ANY_SOURCE : left;
      const int tag = wildcards & 2 ? MPI_ANY_TAG : s;
      check_fill(out, (size_t)kSizes[s], (uint64_t)check_rank);
      memset(in, 0, (size_t)kSizes[s]);
      OK(MPI_Isend(out, kSizes[s], MPI_BYTE, right, s, MPI_COMM_WORLD, &request));
      if (s % 2) {
        OK(MPI_Probe(source, tag, MPI_COMM_WORLD, &status));
      } else {
        do OK(MPI_Iprobe(source, tag, MPI_COMM_WORLD, &flag, &status));
        while (!flag);
      }
      OK(MPI_Get_count(&status, MPI_BYTE, &count));
      CHECK(status.MPI_SOURCE == left && status.MPI_TAG == s && count == kSizes[s]);
      if ((s + wildcards) % 3 == 0) {
        OK(MPI_Recv(in, count, MPI_BYTE, source, tag, MPI_COMM_WORLD, &status));
      } else {
        if (wildcards % 2) {
          OK(MPI_Mprobe(source, tag, MPI_COMM_WORLD, &message, &status));
        } else {
          do OK(MPI_Improbe(source, tag, MPI_COMM_WORLD, &flag, &message, &status));
          while (!flag);
        }
        CHECK(status.MPI_SOURCE == left && status.MPI_TAG == s);
        /* taken out of matching: no probe sees it */
        OK(MPI_Iprobe(source, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        CHECK(!flag);
        if ((s + wildcards) % 3 == 1) {
          OK(MPI_Mrecv(in, kSizes[s], MPI_BYTE, &message, &status));
        } else {
          MPI_Request receive;
          OK(MPI_Imrecv(in, kSizes[s], MPI_BYTE, &message, &receive));
          OK(MPI_Wait(&receive, &status));
        }
        CHECK(message == MPI_MESSAGE_NULL);
      }
      OK(MPI_Get_count(&status, MPI_BYTE, &count));
      CHECK(count == kSizes[s] && status.MPI_SOURCE == left && status.MPI_TAG == s);
      CHECK(check_filled(in, (size_t)kSizes[s], (uint64_t)left));
      OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
      OK(MPI_Barrier(MPI_COMM_WORLD));
    }
  }
  for (int form = 0; form < 2; ++form) {
    OK(form ? MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status)
            : MPI_Improbe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &message, &status));
    CHECK(message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL);
    if (form) {
      OK(MPI_Mrecv(in, 1, MPI_BYTE, &message, &status));
    } else {
      OK(MPI_Imrecv(in, 1, MPI_BYTE, &message, &request));
      OK(MPI_Wait(&request, &status));
    }
    CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL);
    CHECK(status.MPI_TAG == MPI_ANY_TAG);
  }
  OK(MPI_Probe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status));
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
}

/* Two matched messages of one source keep their data when received in the other order. */
static void matched_out_of_order(void) {
  int out[2] = {10 + check_rank, 20 + check_rank}, in[2] = {-1, -1};
  MPI_Message messages[2];
  for (int i = 0; i < 2; ++i) OK(MPI_Send(&out[i], 1, MPI_INT, right, 6, MPI_COMM_WORLD));
  for (int i = 0; i < 2; ++i)
    OK(MPI_Mprobe(left, 6, MPI_COMM_WORLD, &messages[i], MPI_STATUS_IGNORE));
  for (int i = 1; i >= 0; --i) OK(MPI_Mrecv(&in[i], 1, MPI_INT, &messages[i], MPI_STATUS_IGNORE));
  CHECK(in[0] == 10 + left && in[1] == 20 + left);
}

struct general {
  int queries, frees, cancels, last_complete;
  int query_error, free_error, cancel_error; /* what the functions return */
};
static int general_query(void* state, MPI_Status* status) {
  ++((struct general*)state)->queries;
  status->MPI_SOURCE = 17;
  status->MPI_TAG = 18;
  return ((struct general*)state)->query_error;
}
static int general_free(void* state) {
  ++((struct general*)state)->frees;
  return ((struct general*)state)->free_error;
}
static int general_cancel(void* state, int complete) {
  ++((struct general*)state)->cancels;
  ((struct general*)state)->last_complete = complete;
  return ((struct general*)state)->cancel_error;
}

static void generalized(void) {
  struct general state = {.last_complete = -1};
  MPI_Request request, copy;
  MPI_Status status;
  int flag = 1;
  OK(MPI_Grequest_start(general_query, general_free, general_cancel, &state, &request));
  OK(MPI_Test(&request, &flag, &status));
  CHECK(!flag && state.queries == 0);
  OK(MPI_Cancel(&request));
  CHECK(state.cancels == 1 && state.last_complete == 0);
  OK(MPI_Grequest_complete(request));
  OK(MPI_Request_get_status(request, &flag, &status));
  CHECK(flag && state.queries == 1 && status.MPI_SOURCE == 17);
  OK(MPI_Wait(&request, &status));
  CHECK(status.MPI_SOURCE == 17 && status.MPI_TAG == 18);
  CHECK(state.queries == 2 && state.frees == 1 && request == MPI_REQUEST_NULL);
  /* freed first, completed later: the free function runs at the later of the two */
  OK(MPI_Grequest_start(general_query, general_free, general_cancel, &state, &request));
  copy = request;
  OK(MPI_Request_free(&request));
  CHECK(state.frees == 1);
  OK(MPI_Grequest_complete(copy));
  CHECK(state.frees == 2);
  OK(MPI_Grequest_start(general_query, general_free, general_cancel, &state, &request));
  OK(MPI_Grequest_complete(request));
  OK(MPI_Request_free(&request));
  CHECK(state.frees == 3);
}

/* Completes a generalized request and others that are complete, in one of the ways; all but the
 * last two take them together. Returns what the call returned, and checks what it says about each.
 */
enum { kRequests = 4, kGeneral = 2, kGeneralWays = kCompletions + 3 };
static int end_general(int how, struct general* state, int expected) {
  MPI_Request requests[kRequests], *general = &requests[kGeneral], copy;
  MPI_Status statuses[kRequests];
  int in[kRequests], flag = 0, index = -1, some = -1, indices[kRequests], code = MPI_SUCCESS;
  for (int i = 0; i < kRequests; ++i) {
    statuses[i].MPI_ERROR = 4711;
    if (i == kGeneral)
      OK(MPI_Grequest_start(general_query, general_free, general_cancel, state, &requests[i]));
    else if (i == 0)
      requests[i] = MPI_REQUEST_NULL;
    else
      OK(MPI_Irecv(&in[i], 1, MPI_INT, MPI_PROC_NULL, i, MPI_COMM_WORLD, &requests[i]));
  }
  copy = *general;
  if (how != kGeneralWays - 1) OK(MPI_Grequest_complete(*general));
  const int together = how == kWaitall || how == kTestall || how == kWaitsome || how == kTestsome;
  if (how == kWait) code = MPI_Wait(general, &statuses[0]);
  if (how == kTest) code = MPI_Test(general, &flag, &statuses[0]);
  if (how == kWaitall) code = MPI_Waitall(kRequests, requests, statuses);
  if (how == kTestall) code = MPI_Testall(kRequests, requests, &flag, statuses);
  if (how == kWaitany) code = MPI_Waitany(1, general, &index, &statuses[0]);
  if (how == kTestany) code = MPI_Testany(1, general, &index, &flag, &statuses[0]);
  if (how == kWaitsome) code = MPI_Waitsome(kRequests, requests, &some, indices, statuses);
  if (how == kTestsome) code = MPI_Testsome(kRequests, requests, &some, indices, statuses);
  if (how == kCompletions) code = MPI_Waitall(kRequests, requests, MPI_STATUSES_IGNORE);
  if (how == kCompletions + 1) code = MPI_Request_free(general);
  if (how == kCompletions + 2) { /* the other order */
    OK(MPI_Request_free(general));
    code = MPI_Grequest_complete(copy);
  }
  CHECK(*general == MPI_REQUEST_NULL);
  if (how == kWaitany || how == kTestany) CHECK(index == 0);
  if (!together && how < kCompletions)
    CHECK(statuses[0].MPI_ERROR == 4711 && statuses[0].MPI_SOURCE == 17);
  if (together) {
    const int null_is_there = how == kWaitall || how == kTestall;
    const int at = null_is_there ? kGeneral : kGeneral - 1;
    const int n = null_is_there ? kRequests : some;
    CHECK(n == (null_is_there ? kRequests : kRequests - 1));
    CHECK(statuses[at].MPI_SOURCE == 17);
    CHECK(statuses[at].MPI_ERROR == (expected != MPI_SUCCESS ? expected : 4711));
    for (int i = 0; i < n; ++i)
      if (i != at && expected != MPI_SUCCESS) CHECK(statuses[i].MPI_ERROR == MPI_SUCCESS);
  }
  for (int i = 0; i < kRequests; ++i)
    if (i != kGeneral && requests[i] != MPI_REQUEST_NULL) OK(MPI_Wait(&requests[i], &statuses[0]));
  return code;
}

/* What the functions of a generalized request return is what the MPI function that calls them
 * returns (MPI-5.0, section 13.2). */
static void general_errors(void) {
  int own_class, own;
  MPI_Request request;
  MPI_Status status;
  int flag = 0, index = -1, some = -1, where[1];
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  OK(MPI_Add_error_class(&own_class));
  OK(MPI_Add_error_code(own_class, &own));
  OK(MPI_Add_error_string(own, "a word of its own"));
  for (int how = 0; how < kGeneralWays; ++how) {
    const int in_statuses = how == kWaitall || how == kTestall || how == kWaitsome ||
                            how == kTestsome || how == kCompletions;
    const int is_queried = how <= kCompletions;
    for (int which = 0; which < 4; ++which) {
      struct general state = {.last_complete = -1,
                              .query_error = which & 1 ? MPI_ERR_FILE : MPI_SUCCESS,
                              .free_error = which & 2 ? own : MPI_SUCCESS};
      /* the free function is the last one */
      const int expected = state.free_error != MPI_SUCCESS ? own
                           : is_queried                    ? state.query_error
                                                           : MPI_SUCCESS;
      const int code = end_general(how, &state, expected);
      CHECK(code == (expected != MPI_SUCCESS && in_statuses ? MPI_ERR_IN_STATUS : expected));
      CHECK(state.queries == is_queried && state.frees == 1);
    }
  }
  struct general state = {.query_error = own, .cancel_error = MPI_ERR_AMODE};
  OK(MPI_Grequest_start(general_query, general_free, general_cancel, &state, &request));
  CHECK(MPI_Cancel(&request) == MPI_ERR_AMODE);
  OK(MPI_Grequest_complete(request));
  CHECK(MPI_Request_get_status(request, &flag, &status) == own && flag);
  CHECK(MPI_Request_get_status_any(1, &request, &index, &flag, &status) == own && index == 0);
  CHECK(MPI_Request_get_status_all(1, &request, &flag, &status) == MPI_ERR_IN_STATUS);
  CHECK(flag && status.MPI_ERROR == own);
  status.MPI_ERROR = 4711;
  CHECK(MPI_Request_get_status_some(1, &request, &some, where, &status) == MPI_ERR_IN_STATUS);
  CHECK(some == 1 && status.MPI_ERROR == own && state.queries == 4);
  EXPECT(own_class, "word of its own", MPI_Wait(&request, &status));
  OK(MPI_Remove_error_string(own));
  OK(MPI_Remove_error_code(own));
  OK(MPI_Remove_error_class(own_class));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
}

/* Tens of thousands of receives posted at once, satisfied in the opposite order of tags. */
static void many_outstanding(void) {
  enum { kMany = 20000 };
  const int many = check_size > 8 ? kMany / 10 : kMany;
  int* in = malloc(sizeof(int) * kMany);
  int* out = malloc(sizeof(int) * kMany);
  MPI_Request* requests = malloc(sizeof(MPI_Request) * 2 * kMany);
  for (int i = 0; i < many; ++i) {
    in[i] = -1;
    OK(MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]));
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int i = many - 1; i >= 0; --i) {
    out[i] = i + check_rank;
    OK(MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &requests[many + i]));
  }
  OK(MPI_Waitall(2 * many, requests, MPI_STATUSES_IGNORE));
  int good = 1;
  for (int i = 0; i < many; ++i) good &= in[i] == i + left;
  CHECK(good);
  free(in);
  free(out);
  free(requests);
}

static long resident_kilobytes(void) {
  long pages = 0, all = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file != NULL && fscanf(file, "%ld %ld", &all, &pages) != 2) pages = 0;
  if (file != NULL) fclose(file);
  return pages * 4;
}

/* 100,000 small messages before the first receive: kept in order, and not in more memory than a
 * small number of bytes for each. */
static void flood(void) {
  enum { kFlood = 100000 };
  const int messages = check_size > 8 ? kFlood / 20 : kFlood / (check_size > 2 ? 4 : 1);
  if (check_size < 2) return;
  if (check_rank == 0) {
    const long before = resident_kilobytes();
    int flag = 0;
    /* progress happens inside, as in a program that is busy with something else */
    for (int to = 1; to < check_size; ++to) {
      while (!flag) OK(MPI_Iprobe(to, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
      flag = 0;
    }
    const long grown = resident_kilobytes() - before;
    CHECK(grown < 200 * 1024);
    for (int i = 0; i < messages; ++i) {
      for (int from = 1; from < check_size; ++from) {
        int value = -1;
        OK(MPI_Recv(&value, 1, MPI_INT, from, i % 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        if (value != i) CHECK(value == i);
      }
    }
    for (int from = 1; from < check_size; ++from)
      OK(MPI_Recv(NULL, 0, MPI_INT, from, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  } else {
    MPI_Request* requests = malloc(sizeof(MPI_Request) * kFlood);
    int* values = malloc(sizeof(int) * kFlood);
    for (int i = 0; i < messages; ++i) {
      values[i] = i;
      OK(MPI_Isend(&values[i], 1, MPI_INT, 0, i % 7, MPI_COMM_WORLD, &requests[i]));
    }
    OK(MPI_Send(NULL, 0, MPI_INT, 0, 9, MPI_COMM_WORLD));
    OK(MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE));
    free(requests);
    free(values);
  }
}

/* Both halves in one request, of every protocol's length, with and without a peer. */
static void send_receives(char* out, char* in) {
  static const int kLengths[] = {0, 8, 3000, 300000};
  for (int i = 0; i < 4; ++i) {
    const int n = kLengths[i];
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int count = -1;
    check_fill(out, (size_t)n, (uint64_t)(100 * i + check_rank));
    OK(MPI_Isendrecv(out, n, MPI_BYTE, right, i, in, n, MPI_BYTE, MPI_ANY_SOURCE, i, MPI_COMM_WORLD,
                     &requests[0]));
    OK(MPI_Isendrecv(out, n, MPI_BYTE, MPI_PROC_NULL, i, in, n, MPI_BYTE, MPI_PROC_NULL, i,
                     MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Waitall(2, requests, statuses));
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    OK(MPI_Get_count(&statuses[0], MPI_BYTE, &count));
    CHECK(count == n && statuses[0].MPI_SOURCE == left && statuses[0].MPI_TAG == i);
    CHECK(statuses[1].MPI_SOURCE == MPI_PROC_NULL);
    CHECK(check_filled(in, (size_t)n, (uint64_t)(100 * i + left)));

    OK(MPI_Isendrecv_replace_c(out, n, MPI_BYTE, right, i, left, i, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Wait(&requests[0], &statuses[0]));
    OK(MPI_Get_count(&statuses[0], MPI_BYTE, &count));
    CHECK(count == n);
    CHECK(check_filled(out, (size_t)n, (uint64_t)(100 * i + left)));
    OK(MPI_Isendrecv_replace(out, n, MPI_BYTE, right, i, MPI_PROC_NULL, i, MPI_COMM_WORLD,
                             &requests[0]));
    OK(MPI_Recv(in, n, MPI_BYTE, left, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  }
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  right = (check_rank + 1) % check_size;
  left = (check_rank + check_size - 1) % check_size;
  char* out = malloc((size_t)kSizeCount * kLargest);
  char* in = malloc((size_t)kSizeCount * kLargest);
  const int attached = 2 * kSizeCount * kLargest;
  char* buffer = malloc((size_t)attached);
  int ignored = 0;
  OK(MPI_Buffer_attach(buffer, attached));
  modes_and_completions(out, in);
  nothing_active();
  error_fields();
  freed(out, in);
  cancelled();
  get_status();
  persistent(out, in);
  probes(out, in);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  matched_out_of_order();
  generalized();
  general_errors();
  many_outstanding();
  flood();
  send_receives(out, in);
  OK(MPI_Buffer_detach(&buffer, &ignored));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  free(buffer);
  free(out);
  free(in);
  return check_end("nonblocking");
}
