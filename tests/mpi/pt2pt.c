/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Blocking messages: every mode, sizes around every protocol's limits, wildcards, order, self,
 * MPI_PROC_NULL, truncation, send-receive, buffered mode. */
#include "check.h"

enum { kMaxBytes = 3 << 20 };

static const int kSizes[] = {0,
                             1,
                             7,
                             8,
                             9,
                             31,
                             32,
                             36,
                             37,
                             48,
                             52,
                             56,
                             63,
                             64,
                             65,
                             127,
                             128,
                             1000,
                             1024,
                             2047,
                             2048,
                             4095,
                             4096,
                             4097,
                             8191,
                             8192,
                             8193,
                             16384,
                             20000,
                             32767,
                             32768,
                             65536,
                             100000,
                             131072,
                             262144,
                             1 << 20,
                             (1 << 20) + 1,
                             kMaxBytes};
enum { kSizeCount = sizeof kSizes / sizeof kSizes[0] };

typedef int (*send_function)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
static const send_function kModes[] = {MPI_Send, MPI_Ssend, MPI_Bsend};

/* Every rank passes every size once around the ring, in every mode. */
static void ring(char* out, char* in) {
  const int right = (check_rank + 1) % check_size;
  const int left = (check_rank + check_size - 1) % check_size;
  for (int mode = 0; mode < 3; ++mode) {
    for (int s = 0; s < kSizeCount; ++s) {
      const size_t n = (size_t)kSizes[s];
      MPI_Request request;
      MPI_Status status;
      int count = -1;
      check_fill(out, n, (uint64_t)(check_rank + s));
      memset(in, 0, n);
      OK(MPI_Irecv(in, (int)n, MPI_BYTE, left, s, MPI_COMM_WORLD, &request));
      OK(kModes[mode](out, (int)n, MPI_BYTE, right, s, MPI_COMM_WORLD));
      OK(MPI_Wait(&request, &status));
      CHECK(request == MPI_REQUEST_NULL);
      CHECK(status.MPI_SOURCE == left && status.MPI_TAG == s);
      OK(MPI_Get_count(&status, MPI_BYTE, &count));
      CHECK(count == (int)n);
      CHECK(check_filled(in, n, (uint64_t)(left + s)));
    }
  }
}

/* The receive is posted only after the message is there, and before it. */
static void late_and_early(char* out, char* in) {
  for (int s = 0; s < kSizeCount; ++s) {
    const int n = kSizes[s];
    for (int late = 0; late < 2; ++late) {
      if (check_rank == 0) {
        check_fill(out, (size_t)n, (uint64_t)s);
        for (int to = 1; to < check_size; ++to) {
          if (late) {
            MPI_Request request;
            OK(MPI_Isend(out, n, MPI_BYTE, to, 5, MPI_COMM_WORLD, &request));
            OK(MPI_Send(NULL, 0, MPI_BYTE, to, 6, MPI_COMM_WORLD));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
          } else {
            OK(MPI_Recv(NULL, 0, MPI_BYTE, to, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            OK(MPI_Rsend(out, n, MPI_BYTE, to, 5, MPI_COMM_WORLD));
          }
        }
      } else {
        memset(in, 0, (size_t)n);
        if (late) {
          OK(MPI_Recv(NULL, 0, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
          OK(MPI_Recv(in, n, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        } else {
          MPI_Request request;
          OK(MPI_Irecv(in, n, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &request));
          OK(MPI_Send(NULL, 0, MPI_BYTE, 0, 7, MPI_COMM_WORLD));
          OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        CHECK(check_filled(in, (size_t)n, (uint64_t)s));
      }
    }
  }
}

/* Messages of one pair and context do not overtake, whatever their sizes. */
static void order(char* out, char* in) {
  enum { kMessages = 200 };
  const int right = (check_rank + 1) % check_size;
  const int left = (check_rank + check_size - 1) % check_size;
  static MPI_Request requests[kMessages];
  for (int i = 0; i < kMessages; ++i) {
    const int n = i % 3 == 0 ? 4 : i % 3 == 1 ? 3000 : 40000;
    memcpy(out + (size_t)i * 8, &i, sizeof i);
    OK(MPI_Isend(out + (size_t)i * 8, n, MPI_BYTE, right, 3, MPI_COMM_WORLD, &requests[i]));
  }
  for (int i = 0; i < kMessages; ++i) {
    int number = -1;
    MPI_Status status;
    OK(MPI_Recv(in, 40000, MPI_BYTE, i % 2 ? left : MPI_ANY_SOURCE, i % 5 ? 3 : MPI_ANY_TAG,
                MPI_COMM_WORLD, &status));
    memcpy(&number, in, sizeof number);
    CHECK(number == i);
    CHECK(status.MPI_SOURCE == left && status.MPI_TAG == 3);
  }
  OK(MPI_Waitall(kMessages, requests, MPI_STATUSES_IGNORE));
}

/* Everybody to rank 0 with wildcards: each message once, with its true source and tag. */
static void wildcards(void) {
  enum { kEach = 20 };
  if (check_rank != 0) {
    for (int i = 0; i < kEach; ++i) {
      int value = check_rank * 1000 + i;
      OK(MPI_Send(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD));
    }
    return;
  }
  int* next = calloc((size_t)check_size, sizeof *next);
  for (int i = 0; i < (check_size - 1) * kEach; ++i) {
    int value = -1;
    MPI_Status status;
    OK(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    CHECK(status.MPI_SOURCE > 0 && status.MPI_SOURCE < check_size);
    CHECK(value == status.MPI_SOURCE * 1000 + status.MPI_TAG);
    CHECK(status.MPI_TAG == next[status.MPI_SOURCE]++);
  }
  free(next);
}

static void self_messages(char* out, char* in) {
  for (int s = 0; s < kSizeCount; ++s) {
    const size_t n = (size_t)kSizes[s];
    MPI_Request request;
    check_fill(out, n, 9);
    memset(in, 0, n);
    OK(MPI_Irecv(in, (int)n, MPI_BYTE, 0, 1, MPI_COMM_SELF, &request));
    OK(MPI_Ssend(out, (int)n, MPI_BYTE, 0, 1, MPI_COMM_SELF));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(check_filled(in, n, 9));
    memset(in, 0, n);
    OK(MPI_Isend(out, (int)n, MPI_BYTE, 0, 2, MPI_COMM_SELF, &request));
    OK(MPI_Recv(in, (int)n, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF,
                MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(check_filled(in, n, 9));
  }
}

static void proc_null(void) {
  int value = 42;
  MPI_Status status;
  int count = -1;
  OK(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
  OK(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
  CHECK(value == 42);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
  OK(MPI_Get_count(&status, MPI_INT, &count));
  CHECK(count == 0);
  OK(MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, &value, 1, MPI_INT, MPI_PROC_NULL, 0,
                  MPI_COMM_WORLD, &status));
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
}

/* A message that is too long: its start arrives, the error is MPI_ERR_TRUNCATE, later ones work. */
static void truncation(char* out, char* in) {
  if (check_size < 2 || check_rank > 1) return;
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  for (int s = 0; s < kSizeCount; ++s) {
    const int n = kSizes[s];
    if (n < 2) continue;
    if (check_rank == 0) {
      check_fill(out, (size_t)n, 4);
      OK(MPI_Send(out, n, MPI_BYTE, 1, 0, MPI_COMM_WORLD));
      OK(MPI_Send(&n, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
    } else {
      int again = 0;
      memset(in, 0, (size_t)n);
      FAILS(MPI_ERR_TRUNCATE,
            MPI_Recv(in, n / 2, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      CHECK(check_filled(in, (size_t)(n / 2), 4));
      CHECK(in[n / 2] == 0);
      OK(MPI_Recv(&again, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      CHECK(again == n);
    }
  }
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

static void sendrecv(char* out, char* in) {
  const int right = (check_rank + 1) % check_size;
  const int left = (check_rank + check_size - 1) % check_size;
  for (int s = 0; s < kSizeCount; ++s) {
    const size_t n = (size_t)kSizes[s];
    MPI_Status status;
    check_fill(out, n, (uint64_t)check_rank);
    OK(MPI_Sendrecv(out, (int)n, MPI_BYTE, right, 1, in, (int)n, MPI_BYTE, left, 1, MPI_COMM_WORLD,
                    &status));
    CHECK(check_filled(in, n, (uint64_t)left));
    OK(MPI_Sendrecv_replace(out, (int)n, MPI_BYTE, right, 2, left, 2, MPI_COMM_WORLD, &status));
    CHECK(check_filled(out, n, (uint64_t)left));
    CHECK(status.MPI_SOURCE == left && status.MPI_TAG == 2);
  }
}

/* Large-count forms do the same. */
static void large_forms(char* out, char* in) {
  const int right = (check_rank + 1) % check_size;
  const int left = (check_rank + check_size - 1) % check_size;
  MPI_Request request;
  MPI_Status status;
  MPI_Count count = -1;
  check_fill(out, 5000, (uint64_t)check_rank);
  OK(MPI_Irecv_c(in, 5000, MPI_BYTE, left, 8, MPI_COMM_WORLD, &request));
  OK(MPI_Send_c(out, 5000, MPI_BYTE, right, 8, MPI_COMM_WORLD));
  OK(MPI_Wait(&request, &status));
  OK(MPI_Get_count_c(&status, MPI_BYTE, &count));
  CHECK(count == 5000 && check_filled(in, 5000, (uint64_t)left));
}

static void buffered(char* out, char* in) {
  char* address = NULL;
  int size = 0;
  int value = check_rank;
  OK(MPI_Buffer_detach(&address, &size));
  CHECK(address != NULL && size > 0);
  free(address);
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  FAILS(MPI_ERR_BUFFER, MPI_Bsend(&value, 1, MPI_INT, check_rank, 0, MPI_COMM_WORLD));
  address = malloc(1000 + MPI_BSEND_OVERHEAD);
  OK(MPI_Buffer_attach(address, 1000 + MPI_BSEND_OVERHEAD));
  FAILS(MPI_ERR_BUFFER, MPI_Buffer_attach(address, 10));
  FAILS(MPI_ERR_BUFFER, MPI_Bsend(out, 1001, MPI_BYTE, check_rank, 0, MPI_COMM_WORLD));
  check_fill(out, 1000, 3);
  OK(MPI_Bsend(out, 1000, MPI_BYTE, check_rank, 0, MPI_COMM_WORLD));
  memset(out, 0, 1000);
  OK(MPI_Recv(in, 1000, MPI_BYTE, check_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(check_filled(in, 1000, 3));
  OK(MPI_Buffer_detach(&address, &size));
  CHECK(size == 1000 + MPI_BSEND_OVERHEAD);
  free(address);
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  char* out = malloc(kMaxBytes);
  char* in = malloc(kMaxBytes);
  const int attached = 4 * kMaxBytes;
  OK(MPI_Buffer_attach(malloc((size_t)attached), attached));
  ring(out, in);
  late_and_early(out, in);
  order(out, in);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  wildcards();
  OK(MPI_Barrier(MPI_COMM_WORLD));
  self_messages(out, in);
  proc_null();
  truncation(out, in);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  sendrecv(out, in);
  large_forms(out, in);
  buffered(out, in);
  free(out);
  free(in);
  return check_end("pt2pt");
}
