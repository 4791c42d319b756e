/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Requests of operations on windows: all ways to complete them, alone and among receives, and what
 * cannot be done with them. */
#include "windows.h"

enum { kInts = 4096, kMany = 16 };

static struct window w;

static MPI_Aint at(int target, int i) {
  return place(&w, target, (MPI_Aint)sizeof(int) * (check_rank * kInts + i));
}

static void complete_by_test(MPI_Request* request) {
  int flag = 0;
  while (!flag) OK(MPI_Test(request, &flag, MPI_STATUS_IGNORE));
  CHECK(*request == MPI_REQUEST_NULL);
}

/* Puts of several sizes, completed in all ways; then what has come. */
static void puts_and_gets(int target) {
  static int out[kInts], in[kInts];
  MPI_Request request;
  for (int i = 0; i < kInts; ++i) out[i] = check_rank * 7 + target * 13 + i;
  int done = 0, flag, index, count, indices[kMany];
  for (int n = 1; done + n <= kInts; n *= 2) {
    OK(MPI_Rput(out + done, n, MPI_INT, target, at(target, done), n, MPI_INT, w.win, &request));
    CHECK(request != MPI_REQUEST_NULL);
    done += n;
    if (n % 3 == 1) {
      MPI_Status status;
      OK(MPI_Wait(&request, &status));
    } else {
      complete_by_test(&request);
    }
  }
  OK(MPI_Win_flush(target, w.win));
  MPI_Request requests[kMany];
  const int n = done / kMany;
  for (int i = 0; i < kMany; ++i)
    OK(MPI_Rget(in + i * n, n, MPI_INT, target, at(target, i * n), n, MPI_INT, w.win,
                requests + i));
  OK(MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE));
  OK(MPI_Waitany(kMany, requests, &index, MPI_STATUS_IGNORE));
  CHECK(index >= 0 && requests[index] == MPI_REQUEST_NULL);
  OK(MPI_Waitsome(kMany, requests, &count, indices, MPI_STATUSES_IGNORE));
  CHECK(count >= 1);
  OK(MPI_Waitall(kMany, requests, MPI_STATUSES_IGNORE));
  for (int i = 0; i < n * kMany; ++i) CHECK(in[i] == out[i]);
}

/* One array of operations and messages. */
static void among_messages(int target) {
  const int from = (check_rank + check_size - (target - check_rank)) % check_size;
  int out = 100 + check_rank, in = 0, message = -1;
  MPI_Request requests[4];
  OK(MPI_Irecv(&message, 1, MPI_INT, from, 5, MPI_COMM_WORLD, requests));
  OK(MPI_Rput(&out, 1, MPI_INT, target, at(target, 0), 1, MPI_INT, w.win, requests + 1));
  OK(MPI_Isend(&check_rank, 1, MPI_INT, target, 5, MPI_COMM_WORLD, requests + 2));
  OK(MPI_Raccumulate(&out, 1, MPI_INT, target, at(target, 1), 1, MPI_INT, MPI_REPLACE, w.win,
                     requests + 3));
  OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
  CHECK(message == from);
  OK(MPI_Win_flush(target, w.win));
  OK(MPI_Rget_accumulate(NULL, 0, MPI_INT, &in, 1, MPI_INT, target, at(target, 1), 1, MPI_INT,
                         MPI_NO_OP, w.win, requests));
  complete_by_test(requests);
  CHECK(in == out);
}

/* The program frees types at once, and requests: the standard has no use for that, but it does no
 * harm. */
static void freed_early(int target) {
  int out[6] = {1, 2, 3, 4, 5, 6}, in[6] = {0}, three[3] = {0};
  MPI_Datatype every_other;
  MPI_Request request;
  OK(MPI_Type_vector(3, 1, 2, MPI_INT, &every_other));
  OK(MPI_Type_commit(&every_other));
  OK(MPI_Rput(out, 1, every_other, target, at(target, 10), 3, MPI_INT, w.win, &request));
  OK(MPI_Request_free(&request));
  CHECK(request == MPI_REQUEST_NULL);
  OK(MPI_Win_flush(target, w.win));
  OK(MPI_Rget(three, 3, MPI_INT, target, at(target, 10), 3, MPI_INT, w.win, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(three[0] == 1 && three[1] == 3 && three[2] == 5);
  OK(MPI_Rget(in, 1, every_other, target, at(target, 10), 3, MPI_INT, w.win, &request));
  OK(MPI_Type_free(&every_other));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(in[0] == 1 && in[2] == 3 && in[4] == 5 && in[1] == 0 && in[3] == 0);
}

/* There is no way to take an operation back: if it is not complete, that is refused. */
static void cancelled(int target) {
  const int out = 3;
  MPI_Request request;
  MPI_Status status;
  int flag = 1;
  OK(MPI_Rput(&out, 1, MPI_INT, target, at(target, 20), 1, MPI_INT, w.win, &request));
  const int code = MPI_Cancel(&request);
  CHECK(code == MPI_SUCCESS || check_class_of(code) == MPI_ERR_REQUEST);
  OK(MPI_Wait(&request, &status));
  OK(MPI_Test_cancelled(&status, &flag));
  CHECK(flag == 0);
  OK(MPI_Win_flush(target, w.win));
  int in = 0;
  OK(MPI_Get(&in, 1, MPI_INT, target, at(target, 20), 1, MPI_INT, w.win));
  OK(MPI_Win_flush(target, w.win));
  CHECK(in == 3);
}

/* A request may be completed after its epoch, and after its window is gone. */
static void completed_late(void) {
  const int out = 4711;
  MPI_Request requests[2];
  make_window(&w, kCreated, 4 * check_size, 4, MPI_INFO_NULL);
  const int target = (check_rank + 1) % check_size;
  OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w.win));
  OK(MPI_Rput(&out, 1, MPI_INT, target, check_rank, 1, MPI_INT, w.win, requests));
  OK(MPI_Rput(&out, 1, MPI_INT, target, check_rank, 1, MPI_INT, w.win, requests + 1));
  OK(MPI_Win_unlock(target, w.win));
  OK(MPI_Wait(requests, MPI_STATUS_IGNORE));
  free_window(&w);
  OK(MPI_Wait(requests + 1, MPI_STATUS_IGNORE));
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  for (int kind = 0; kind < kWindowKinds; ++kind) {
    if (!kind_is_possible(kind)) continue;
    make_window(&w, kind, (MPI_Aint)(sizeof(int) * kInts) * check_size, sizeof(int), MPI_INFO_NULL);
    OK(MPI_Win_lock_all(0, w.win));
    for (int i = 0; i < check_size; ++i) {
      const int target = (check_rank + i) % check_size;
      puts_and_gets(target);
      among_messages(target);
      freed_early(target);
      cancelled(target);
    }
    OK(MPI_Win_unlock_all(w.win));
    free_window(&w);
  }
  completed_late();
  return check_end("rma_requests");
}
