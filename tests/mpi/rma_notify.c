/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Notified access: operations that notify and signal on every kind of window, to others and to the
 * rank itself; all ways to wait, alone and among receives; wrong calls. */
#include <mpi_remit.h>

#include "windows.h"

enum { kLongs = 512, kCounters = 5 };

static struct window w;

/* The i-th of the longs that a rank has at a target for itself. */
static MPI_Aint at(int target, int i) {
  return place(&w, target, (MPI_Aint)sizeof(int64_t) * (check_rank * kLongs + i));
}
/* The longs that a rank has here for itself. */
static volatile int64_t* from(int origin) {
  return (volatile int64_t*)(void*)w.base + origin * kLongs;
}

static MPI_Count counter(int index) {
  MPI_Count value = -1;
  OK(MPIX_Win_get_notify(w.win, index, &value));
  return value;
}

static void wait_until(int index, MPI_Count value) {
  MPI_Request request;
  MPI_Status status;
  OK(MPIX_Win_get_notify_request(w.win, index, value, &request));
  CHECK(request != MPI_REQUEST_NULL);
  OK(MPI_Wait(&request, &status));
  CHECK(request == MPI_REQUEST_NULL);
  CHECK(status.MPI_TAG == index);
  CHECK(counter(index) >= value);
}

static void clear_counters(void) {
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int i = 0; i < kCounters; ++i) OK(MPIX_Win_set_notify(w.win, i, 0));
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Everybody puts to everybody, one counter and one wait for all. */
static void puts_from_all(void) {
  int64_t out[kLongs];
  for (int n = 0; n <= kLongs; n = n == 0 ? 1 : n * 8) {
    for (int i = 0; i < n; ++i) out[i] = 1000 * check_rank + n + i;
    for (int i = 0; i < check_size; ++i) {
      const int target = (check_rank + i) % check_size;
      if (i % 2 == 0) {
        OK(MPIX_Put_notify(out, n, MPI_INT64_T, target, at(target, 0), n, MPI_INT64_T, 0, w.win));
      } else {
        OK(MPIX_Put_notify_c(out, n, MPI_INT64_T, target, at(target, 0), n, MPI_INT64_T, 0, w.win));
      }
    }
    wait_until(0, check_size);
    CHECK(counter(0) == check_size);
    for (int origin = 0; origin < check_size; ++origin) {
      for (int i = 0; i < n; ++i) CHECK(from(origin)[i] == 1000 * origin + n + i);
    }
    OK(MPI_Win_flush_all(w.win));
    clear_counters();
  }
}

/* A derived type at the target, one counter for each origin. */
static void puts_of_vectors(void) {
  int64_t out[8];
  MPI_Datatype every_other;
  OK(MPI_Type_vector(8, 1, 2, MPI_INT64_T, &every_other));
  OK(MPI_Type_commit(&every_other));
  for (int i = 0; i < 8; ++i) out[i] = check_rank * 10 + i;
  const int right = (check_rank + 1) % check_size;
  const int left = (check_rank + check_size - 1) % check_size;
  for (int i = 0; i < 16; ++i) from(left)[i] = -1;
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPIX_Put_notify(out, 8, MPI_INT64_T, right, at(right, 0), 1, every_other, 3, w.win));
  OK(MPI_Type_free(&every_other));
  wait_until(3, 1);
  for (int i = 0; i < 16; ++i) CHECK(from(left)[i] == (i % 2 ? -1 : left * 10 + i / 2));
  OK(MPI_Win_flush_all(w.win));
  clear_counters();
}

/* The notification of a get says that the memory may be overwritten. */
static void gets_and_overwriting(void) {
  for (int n = 1; n <= kLongs; n *= 8) {
    int64_t in[kLongs];
    for (int i = 0; i < kLongs * check_size; ++i) from(0)[i] = 77 + check_rank;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    const int right = (check_rank + 1) % check_size;
    if (n % 2) {
      OK(MPIX_Get_notify(in, n, MPI_INT64_T, right, at(right, 0), n, MPI_INT64_T, 1, w.win));
    } else {
      OK(MPIX_Get_notify_c(in, n, MPI_INT64_T, right, at(right, 0), n, MPI_INT64_T, 1, w.win));
    }
    wait_until(1, 1);
    for (int i = 0; i < kLongs * check_size; ++i) from(0)[i] = -5;
    OK(MPI_Win_flush(right, w.win));
    for (int i = 0; i < n; ++i) CHECK(in[i] == 77 + right);
    clear_counters();
  }
}

static void accumulates(void) {
  static int64_t ones[kLongs];
  int64_t before = -1;
  for (int i = 0; i < kLongs; ++i) ones[i] = 1;
  for (int i = 0; i < kLongs; ++i) from(0)[i] = 0;
  OK(MPI_Barrier(MPI_COMM_WORLD));
  /* All to the longs of rank 0, at everybody. */
  for (int target = 0; target < check_size; ++target) {
    const MPI_Aint there = place(&w, target, 0);
    OK(MPIX_Accumulate_notify(ones, kLongs, MPI_INT64_T, target, there, kLongs, MPI_INT64_T,
                              MPI_SUM, 2, w.win));
    OK(MPIX_Accumulate_notify_c(ones, 1, MPI_INT64_T, target, there, 1, MPI_INT64_T, MPI_SUM, 2,
                                w.win));
    OK(MPIX_Fetch_and_op_notify(ones, &before, MPI_INT64_T, target, there, MPI_SUM, 2, w.win));
    OK(MPI_Win_flush(target, w.win));
    CHECK(before >= 2 && before < 3 * check_size);
    OK(MPIX_Fetch_and_op_notify(NULL, &before, MPI_INT64_T, target, there, MPI_NO_OP, 2, w.win));
    OK(MPI_Win_flush(target, w.win));
    CHECK(before >= 3 && before <= 3 * check_size);
  }
  wait_until(2, 4 * check_size);
  CHECK(counter(2) == 4 * check_size);
  CHECK(from(0)[0] == 3 * check_size);
  for (int i = 1; i < kLongs; ++i) CHECK(from(0)[i] == check_size);
  clear_counters();
}

/* A persistent request takes as many as it wants; what comes early is there for the next start. */
static void persistent(void) {
  enum { kRounds = 20 };
  MPI_Request request;
  MPI_Status status;
  int flag = -1;
  const int64_t out = check_rank;
  OK(MPIX_Notify_init(w.win, MPI_ANY_SOURCE, 4, check_size, MPI_INFO_NULL, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE)); /* inactive */
  for (int round = 0; round < kRounds; ++round) {
    for (int target = 0; target < check_size; ++target) {
      OK(MPIX_Put_notify(&out, 1, MPI_INT64_T, target, at(target, round), 1, MPI_INT64_T, 4,
                         w.win));
    }
    OK(MPI_Start(&request));
    if (round % 2 == 0) {
      OK(MPI_Wait(&request, &status));
      CHECK(status.MPI_TAG == 4);
    } else {
      do {
        OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
      } while (!flag);
    }
    CHECK(request != MPI_REQUEST_NULL);
    CHECK(counter(4) >= (round + 1) * check_size);
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(counter(4) == kRounds * check_size);
  OK(MPI_Start(&request));
  OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
  CHECK(!flag);
  OK(MPI_Cancel(&request));
  OK(MPI_Wait(&request, &status));
  OK(MPI_Test_cancelled(&status, &flag));
  CHECK(flag);
  OK(MPI_Request_free(&request));
  OK(MPI_Win_flush_all(w.win));
  clear_counters();
}

/* One array of receives, sends and notifications. */
static void among_messages(void) {
  const int right = (check_rank + 1) % check_size;
  const int left = (check_rank + check_size - 1) % check_size;
  int message = -1, seen[4] = {0}, indices[4], count, left_to_see = 4;
  const int64_t out = 4711 + check_rank;
  MPI_Request requests[4];
  MPI_Status statuses[4];
  OK(MPI_Irecv(&message, 1, MPI_INT, left, 5, MPI_COMM_WORLD, requests));
  OK(MPIX_Notify_init(w.win, MPI_ANY_SOURCE, 1, 2, MPI_INFO_NULL, requests + 1));
  OK(MPIX_Win_get_notify_request(w.win, 2, 1, requests + 2));
  OK(MPI_Start(requests + 1));
  OK(MPI_Isend(&check_rank, 1, MPI_INT, right, 5, MPI_COMM_WORLD, requests + 3));
  OK(MPIX_Put_notify(&out, 1, MPI_INT64_T, right, at(right, 0), 1, MPI_INT64_T, 1, w.win));
  OK(MPIX_Put_notify(&out, 1, MPI_INT64_T, right, at(right, 1), 1, MPI_INT64_T, 2, w.win));
  OK(MPIX_Put_notify(&out, 1, MPI_INT64_T, right, at(right, 2), 1, MPI_INT64_T, 1, w.win));
  MPI_Request persistent_request = requests[1];
  while (left_to_see > 0) {
    OK(MPI_Waitsome(4, requests, &count, indices, statuses));
    CHECK(count >= 1 && count <= left_to_see);
    if (count == MPI_UNDEFINED) break;
    for (int i = 0; i < count; ++i) {
      CHECK(!seen[indices[i]]++);
      if (indices[i] == 1) CHECK(statuses[i].MPI_TAG == 1);
      if (indices[i] == 2) CHECK(statuses[i].MPI_TAG == 2);
      --left_to_see;
    }
  }
  CHECK(message == left);
  for (int i = 0; i < 3; ++i) CHECK(from(left)[i] == 4711 + left);
  OK(MPI_Testsome(4, requests, &count, indices, statuses));
  CHECK(count == MPI_UNDEFINED);
  CHECK(requests[1] == persistent_request);
  OK(MPI_Request_free(requests + 1));
  OK(MPI_Win_flush_all(w.win));
  clear_counters();
}

/* A ball, by puts of many sizes: whoever has seen the notification has all of its bytes. */
static void ping_pong(void) {
  enum { kBalls = 60 };
  if (check_size < 2) return;
  const int peer = check_rank ^ 1;
  if (peer < check_size) {
    static int64_t out[kLongs];
    MPI_Request request;
    OK(MPIX_Notify_init(w.win, MPI_ANY_SOURCE, 0, 1, MPI_INFO_NULL, &request));
    for (int ball = 0; ball < kBalls; ++ball) {
      const int n = 1 + ball * 97 % kLongs;
      for (int turn = 0; turn < 2; ++turn) {
        if (turn == check_rank % 2) {
          for (int i = 0; i < n; ++i) out[i] = ball * 1000 + i;
          OK(MPIX_Put_notify(out, n, MPI_INT64_T, peer, at(peer, 0), n, MPI_INT64_T, 0, w.win));
          OK(MPI_Win_flush_local(peer, w.win));
        } else {
          OK(MPI_Start(&request));
          OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
          for (int i = 0; i < n; ++i) CHECK(from(peer)[i] == ball * 1000 + i);
        }
      }
    }
    OK(MPI_Request_free(&request));
  }
  clear_counters();
}

/* A program that reads the counter in a loop. */
static void polling(void) {
  const int right = (check_rank + 1) % check_size;
  const int64_t out = 5;
  OK(MPIX_Put_notify(&out, 1, MPI_INT64_T, right, at(right, 0), 1, MPI_INT64_T, 3, w.win));
  while (counter(3) < 1) {
  }
  CHECK(from((check_rank + check_size - 1) % check_size)[0] == 5);
  OK(MPI_Win_flush_all(w.win));
  clear_counters();
}

/* Requests that nobody waits for, and several for one counter. */
static void requests(void) {
  MPI_Request many[4];
  MPI_Status status;
  int flag = -1, index = -1;
  OK(MPIX_Win_set_notify(w.win, 0, 5));
  CHECK(counter(0) == 5);
  OK(MPIX_Win_get_notify_request(w.win, 0, 5, many));
  OK(MPI_Test(many, &flag, MPI_STATUS_IGNORE));
  CHECK(flag && many[0] == MPI_REQUEST_NULL);
  /* Two that take share what is there, one that only looks does not take. */
  OK(MPIX_Notify_init(w.win, MPI_ANY_SOURCE, 0, 3, MPI_INFO_NULL, many));
  OK(MPIX_Notify_init(w.win, MPI_ANY_SOURCE, 0, 3, MPI_INFO_NULL, many + 1));
  OK(MPIX_Win_get_notify_request(w.win, 0, 6, many + 2));
  OK(MPI_Startall(2, many));
  OK(MPI_Testany(3, many, &index, &flag, &status));
  CHECK(flag && index == 0 && status.MPI_TAG == 0);
  OK(MPI_Testany(3, many, &index, &flag, &status));
  CHECK(!flag);
  OK(MPI_Request_get_status(many[1], &flag, MPI_STATUS_IGNORE));
  CHECK(!flag);
  const int64_t out = 1;
  OK(MPIX_Put_notify(&out, 1, MPI_INT64_T, check_rank, at(check_rank, 0), 1, MPI_INT64_T, 0,
                     w.win));
  OK(MPI_Waitall(3, many, MPI_STATUSES_IGNORE));
  CHECK(many[2] == MPI_REQUEST_NULL);
  /* While one waits the counters, and the window, cannot be given back; to free it lets go. */
  OK(MPI_Start(many));
  EXPECT(MPI_ERR_RMA_SYNC, "wait for notifications", MPIX_Win_free_notify(w.win));
  OK(MPI_Request_free(many));
  OK(MPI_Request_free(many + 1));
  OK(MPIX_Win_get_notify_request(w.win, 0, 1000, many));
  OK(MPI_Request_free(many));
  CHECK(many[0] == MPI_REQUEST_NULL);
  clear_counters();
}

/* All but these need an epoch; without one nothing happens. */
static void epochs(void) {
  const int right = (check_rank + 1) % check_size;
  const int64_t out = 31;
  OK(MPI_Win_fence(0, w.win));
  OK(MPIX_Put_notify(&out, 1, MPI_INT64_T, right, at(right, 2), 1, MPI_INT64_T, 1, w.win));
  wait_until(1, 1);
  CHECK(from((check_rank + check_size - 1) % check_size)[2] == 31);
  OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win));
  EXPECT(MPI_ERR_RMA_SYNC, "no access epoch",
         MPIX_Put_notify(&out, 1, MPI_INT64_T, right, at(right, 2), 1, MPI_INT64_T, 1, w.win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(counter(1) == 1);
  MPI_Group world, to, by;
  const int left = (check_rank + check_size - 1) % check_size;
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  OK(MPI_Group_incl(world, 1, &right, &to));
  OK(MPI_Group_incl(world, 1, &left, &by));
  OK(MPI_Win_post(by, 0, w.win));
  OK(MPI_Win_start(to, 0, w.win));
  OK(MPIX_Put_notify(&out, 1, MPI_INT64_T, right, at(right, 3), 1, MPI_INT64_T, 1, w.win));
  wait_until(1, 2);
  CHECK(from(left)[3] == 31);
  OK(MPI_Win_complete(w.win));
  OK(MPI_Win_wait(w.win));
  OK(MPI_Group_free(&world));
  OK(MPI_Group_free(&to));
  OK(MPI_Group_free(&by));
  OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, w.win));
  OK(MPIX_Put_notify(&out, 1, MPI_INT64_T, right, at(right, 4), 1, MPI_INT64_T, 1, w.win));
  OK(MPI_Win_unlock(right, w.win));
  wait_until(1, 3);
  CHECK(from(left)[4] == 31);
  clear_counters();
}

/* Puts and the word that tells of them. The signals of a rank's neighbours are among its longs. */
static void signals(void) {
  enum { kSteps = 25, kWord = 8 };
  const int right = (check_rank + 1) % check_size;
  const int left = (check_rank + check_size - 1) % check_size;
  const MPI_Aint mine = place(&w, check_rank, (MPI_Aint)sizeof(int64_t) * (left * kLongs + kWord));
  int64_t out[kWord];
  int flag = -1;
  OK(MPI_Win_lock_all(0, w.win));
  from(left)[kWord] = 0;
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int step = 1; step <= kSteps; ++step) {
    const MPI_Op op = step % 2 ? MPI_SUM : MPI_REPLACE;
    const uint64_t signal = step % 2 ? 1 : (uint64_t)step;
    for (int i = 0; i < kWord; ++i) out[i] = step * 10 + i;
    if (step % 3) {
      OK(MPIX_Put_signal(out, kWord, MPI_INT64_T, right, at(right, 0), kWord, MPI_INT64_T,
                         at(right, kWord), signal, op, w.win));
    } else {
      OK(MPIX_Put_signal_c(out, kWord, MPI_INT64_T, right, at(right, 0), kWord, MPI_INT64_T,
                           at(right, kWord), signal, op, w.win));
    }
    if (step % 4) {
      OK(MPIX_Signal_wait(w.win, mine, MPIX_CMP_GE, (uint64_t)step));
    } else {
      do {
        OK(MPIX_Signal_test(w.win, mine, MPIX_CMP_EQ, (uint64_t)step, &flag));
      } while (!flag);
    }
    for (int i = 0; i < kWord; ++i) CHECK(from(left)[i] == step * 10 + i);
    OK(MPI_Win_flush(right, w.win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  const int comparisons[] = {MPIX_CMP_EQ, MPIX_CMP_NE, MPIX_CMP_GT,
                             MPIX_CMP_GE, MPIX_CMP_LT, MPIX_CMP_LE};
  for (int i = 0; i < 6; ++i) {
    for (int d = -1; d <= 1; ++d) {
      const int expected[6][3] = {{0, 1, 0}, {1, 0, 1}, {1, 0, 0}, {1, 1, 0}, {0, 0, 1}, {0, 1, 1}};
      OK(MPIX_Signal_test(w.win, mine, comparisons[i], (uint64_t)(kSteps + d), &flag));
      CHECK(flag == expected[i][d + 1]);
      if (flag) OK(MPIX_Signal_wait(w.win, mine, comparisons[i], (uint64_t)(kSteps + d)));
    }
  }
  OK(MPI_Win_unlock_all(w.win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Sleepers: the others wait long before the first of them is told. */
static void late_senders(void) {
  if (check_size < 2) return;
  const int right = (check_rank + 1) % check_size;
  const int left = (check_rank + check_size - 1) % check_size;
  const MPI_Aint mine = place(&w, check_rank, (MPI_Aint)sizeof(int64_t) * (left * kLongs + 9));
  int64_t token = 0;
  OK(MPI_Win_lock_all(0, w.win));
  from(left)[9] = 0;
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int round = 1; round <= 20; ++round) {
    if (check_rank > 0) wait_until(0, round);
    if (check_rank == 0) {
      const double end = MPI_Wtime() + 0.003;
      while (MPI_Wtime() < end) {
      }
    }
    ++token;
    OK(MPIX_Put_notify(&token, 1, MPI_INT64_T, right, at(right, 0), 1, MPI_INT64_T, 0, w.win));
    if (check_rank == 0) wait_until(0, round);
    CHECK(from(left)[0] == round);
    if (check_rank > 0) OK(MPIX_Signal_wait(w.win, mine, MPIX_CMP_GE, (uint64_t)round));
    OK(MPIX_Put_signal(&token, 1, MPI_INT64_T, right, at(right, 1), 1, MPI_INT64_T, at(right, 9), 1,
                       MPI_SUM, w.win));
    if (check_rank == 0) OK(MPIX_Signal_wait(w.win, mine, MPIX_CMP_GE, (uint64_t)round));
    CHECK(from(left)[1] == round);
  }
  OK(MPI_Win_unlock_all(w.win));
  clear_counters();
}

static void wrong_arguments(void) {
  int64_t x[4] = {0};
  MPI_Count value = 0;
  MPI_Request request;
  int flag;
  OK(MPI_Win_lock_all(0, w.win));
  const int right = (check_rank + 1) % check_size;
  const int indices[] = {-1, kCounters, 1 << 30};
  for (int i = 0; i < 3; ++i) {
    EXPECT(MPI_ERR_ARG, "notification_idx", MPIX_Win_get_notify(w.win, indices[i], &value));
    EXPECT(MPI_ERR_ARG, "notification_idx", MPIX_Win_set_notify(w.win, indices[i], 0));
    EXPECT(MPI_ERR_ARG, "notification_idx",
           MPIX_Win_get_notify_request(w.win, indices[i], 0, &request));
    EXPECT(MPI_ERR_ARG, "notification_idx",
           MPIX_Notify_init(w.win, MPI_ANY_SOURCE, indices[i], 1, MPI_INFO_NULL, &request));
    EXPECT(
        MPI_ERR_ARG, "notification_idx",
        MPIX_Put_notify(x, 1, MPI_INT64_T, right, at(right, 0), 1, MPI_INT64_T, indices[i], w.win));
    EXPECT(MPI_ERR_ARG, "notification_idx",
           MPIX_Fetch_and_op_notify(x, x + 1, MPI_INT64_T, right, at(right, 0), MPI_SUM, indices[i],
                                    w.win));
  }
  FAILS(MPI_ERR_ARG, MPIX_Win_get_notify(w.win, 0, NULL));
  EXPECT(MPI_ERR_ARG, "negative", MPIX_Win_set_notify(w.win, 0, -1));
  EXPECT(MPI_ERR_ARG, "negative", MPIX_Win_get_notify_request(w.win, 0, -1, &request));
  FAILS(MPI_ERR_ARG, MPIX_Win_get_notify_request(w.win, 0, 1, NULL));
  EXPECT(MPI_ERR_RANK, "MPI_ANY_SOURCE", MPIX_Notify_init(w.win, 0, 0, 1, MPI_INFO_NULL, &request));
  EXPECT(MPI_ERR_COUNT, "count",
         MPIX_Notify_init(w.win, MPI_ANY_SOURCE, 0, 0, MPI_INFO_NULL, &request));
  FAILS(MPI_ERR_ARG, MPIX_Notify_init(w.win, MPI_ANY_SOURCE, 0, 1, MPI_INFO_NULL, NULL));
  EXPECT(MPI_ERR_RMA_SYNC, "already", MPIX_Win_create_notify(w.win, 1));
  FAILS(MPI_ERR_RANK, MPIX_Put_notify(x, 1, MPI_INT64_T, check_size, 0, 1, MPI_INT64_T, 0, w.win));
  FAILS(MPI_ERR_COUNT,
        MPIX_Put_notify(x, -1, MPI_INT64_T, right, at(right, 0), 1, MPI_INT64_T, 0, w.win));
  FAILS(MPI_ERR_TYPE,
        MPIX_Get_notify(x, 1, MPI_DATATYPE_NULL, right, at(right, 0), 1, MPI_INT64_T, 0, w.win));
  FAILS(MPI_ERR_TRUNCATE,
        MPIX_Put_notify(x, 2, MPI_INT64_T, right, at(right, 0), 1, MPI_INT64_T, 0, w.win));
  FAILS(MPI_ERR_OP, MPIX_Accumulate_notify(x, 1, MPI_INT64_T, right, at(right, 0), 1, MPI_INT64_T,
                                           MPI_NO_OP, 0, w.win));
  if (w.kind != kDynamic) {
    const MPI_Aint beyond = w.bytes / w.unit;
    FAILS(MPI_ERR_RMA_RANGE,
          MPIX_Put_notify(x, 1, MPI_INT64_T, right, beyond, 1, MPI_INT64_T, 0, w.win));
    FAILS(MPI_ERR_RMA_RANGE, MPIX_Put_signal(x, 1, MPI_INT64_T, right, at(right, 0), 1, MPI_INT64_T,
                                             beyond, 1, MPI_SUM, w.win));
    FAILS(MPI_ERR_RMA_RANGE, MPIX_Signal_wait(w.win, beyond, MPIX_CMP_EQ, 0));
    FAILS(MPI_ERR_DISP, MPIX_Signal_test(w.win, -1, MPIX_CMP_EQ, 0, &flag));
  }
  /* Displacement units are of 4 bytes, but for dynamic windows. */
  EXPECT(MPI_ERR_DISP, "aligned",
         MPIX_Put_signal(x, 1, MPI_INT64_T, right, at(right, 0), 1, MPI_INT64_T, at(right, 1) + 1,
                         1, MPI_SUM, w.win));
  EXPECT(MPI_ERR_DISP, "aligned", MPIX_Signal_wait(w.win, at(check_rank, 1) + 1, MPIX_CMP_EQ, 0));
  EXPECT(MPI_ERR_OP, "MPI_REPLACE or MPI_SUM",
         MPIX_Put_signal(x, 1, MPI_INT64_T, right, at(right, 0), 1, MPI_INT64_T, at(right, 1), 1,
                         MPI_MAX, w.win));
  EXPECT(MPI_ERR_ARG, "cmp", MPIX_Signal_wait(w.win, at(check_rank, 1), 0, 0));
  EXPECT(MPI_ERR_ARG, "cmp", MPIX_Signal_wait(w.win, at(check_rank, 1), 7, 0));
  FAILS(MPI_ERR_ARG, MPIX_Signal_test(w.win, at(check_rank, 1), MPIX_CMP_EQ, 0, NULL));
  FAILS(MPI_ERR_WIN, MPIX_Signal_wait(MPI_WIN_NULL, 0, MPIX_CMP_EQ, 0));
  FAILS(MPI_ERR_WIN, MPIX_Win_get_notify(MPI_WIN_NULL, 0, &value));
  FAILS(MPI_ERR_WIN, MPIX_Put_notify(x, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, 0, MPI_WIN_NULL));
  /* Nobody, not even by a counter that is not there. */
  OK(MPIX_Put_notify(x, 1, MPI_INT64_T, MPI_PROC_NULL, 0, 1, MPI_INT64_T, 99, w.win));
  OK(MPIX_Get_notify(x, 1, MPI_INT64_T, MPI_PROC_NULL, 0, 1, MPI_INT64_T, 0, w.win));
  OK(MPIX_Accumulate_notify(x, 1, MPI_INT64_T, MPI_PROC_NULL, 0, 1, MPI_INT64_T, MPI_SUM, 0,
                            w.win));
  OK(MPIX_Put_signal(x, 1, MPI_INT64_T, MPI_PROC_NULL, 0, 1, MPI_INT64_T, 0, 1, MPI_SUM, w.win));
  OK(MPI_Win_unlock_all(w.win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int i = 0; i < kCounters; ++i) CHECK(counter(i) == 0);
  clear_counters();
}

/* Before there are counters, and after. Members need not have as many of them. */
static void without_counters(void) {
  int64_t x = 0;
  MPI_Count value;
  MPI_Request request, old;
  const int right = (check_rank + 1) % check_size;
  EXPECT(MPI_ERR_ARG, "negative", MPIX_Win_create_notify(w.win, -1));
  EXPECT(MPI_ERR_RMA_SYNC, "MPIX_Win_create_notify", MPIX_Win_get_notify(w.win, 0, &value));
  EXPECT(MPI_ERR_RMA_SYNC, "no counters", MPIX_Win_free_notify(w.win));
  OK(MPIX_Win_create_notify(w.win, check_rank + 1));
  OK(MPI_Win_lock_all(0, w.win));
  for (int target = 0; target < check_size; ++target) {
    for (int i = 0; i <= target; ++i)
      OK(MPIX_Put_notify(&x, 1, MPI_INT64_T, target, at(target, 0), 1, MPI_INT64_T, i, w.win));
    /* What the origin cannot know it hears from the target. */
    int code = MPIX_Put_notify(&x, 1, MPI_INT64_T, target, at(target, 0), 1, MPI_INT64_T,
                               target + 1, w.win);
    if (code == MPI_SUCCESS) code = MPI_Win_flush(target, w.win);
    EXPECT(MPI_ERR_ARG, "notif", code);
  }
  for (int i = 0; i <= check_rank; ++i) wait_until(i, check_size);
  EXPECT(MPI_ERR_ARG, "notification_idx", MPIX_Win_get_notify(w.win, check_rank + 1, &value));
  OK(MPIX_Notify_init(w.win, MPI_ANY_SOURCE, check_rank, 1, MPI_INFO_NULL, &old));
  OK(MPIX_Win_free_notify(w.win));
  EXPECT(MPI_ERR_RMA_SYNC, "MPIX_Win_create_notify",
         MPIX_Put_notify(&x, 1, MPI_INT64_T, right, at(right, 0), 1, MPI_INT64_T, 0, w.win));
  EXPECT(MPI_ERR_RMA_SYNC, "counter", MPI_Start(&old));
  OK(MPIX_Win_create_notify(w.win, 0));
  EXPECT(MPI_ERR_ARG, "has 0 counters", MPIX_Win_get_notify(w.win, 0, &value));
  EXPECT(MPI_ERR_ARG, "counter", MPI_Start(&old));
  OK(MPIX_Win_free_notify(w.win));
  /* The request lives on with new counters. */
  OK(MPIX_Win_create_notify(w.win, check_size > kCounters ? check_size : kCounters));
  OK(MPI_Start(&old));
  OK(MPIX_Put_notify(&x, 1, MPI_INT64_T, right, at(right, 0), 1, MPI_INT64_T,
                     (check_rank + 1) % check_size, w.win));
  OK(MPI_Wait(&old, MPI_STATUS_IGNORE));
  OK(MPI_Request_free(&old));
  OK(MPI_Win_unlock_all(w.win));
  OK(MPIX_Win_get_notify_request(w.win, 0, 1 << 20, &request));
  MPI_Win same = w.win;
  EXPECT(MPI_ERR_RMA_SYNC, "wait for notifications", MPI_Win_free(&same));
  OK(MPI_Cancel(&request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  OK(MPIX_Win_free_notify(w.win));
  OK(MPIX_Win_create_notify(w.win, kCounters));
  clear_counters();
}

/* Operations at random: how many come to each counter of each rank is known to all in the end. */
static void at_random(uint64_t seed) {
  enum { kOperations = 400 };
  uint64_t state = seed + (uint64_t)check_rank * 7919 + (uint64_t)w.kind;
  int64_t value = check_rank, result;
  MPI_Count* sent = calloc((size_t)check_size * kCounters, sizeof *sent);
  MPI_Count* due = calloc((size_t)check_size * kCounters, sizeof *due);
  OK(MPI_Win_lock_all(0, w.win));
  for (int i = 0; i < kOperations; ++i) {
    const int target = (int)(check_next(&state) % (uint64_t)check_size);
    const int index = (int)(check_next(&state) % kCounters);
    const MPI_Aint there = at(target, (int)(check_next(&state) % kLongs));
    ++sent[target * kCounters + index];
    switch (check_next(&state) % 4) {
      case 0:
        OK(MPIX_Put_notify(&value, 1, MPI_INT64_T, target, there, 1, MPI_INT64_T, index, w.win));
        break;
      case 1:
        OK(MPIX_Get_notify(&result, 1, MPI_INT64_T, target, there, 1, MPI_INT64_T, index, w.win));
        break;
      case 2:
        OK(MPIX_Accumulate_notify(&value, 1, MPI_INT64_T, target, there, 1, MPI_INT64_T, MPI_SUM,
                                  index, w.win));
        break;
      default:
        OK(MPIX_Fetch_and_op_notify(&value, &result, MPI_INT64_T, target, there, MPI_SUM, index,
                                    w.win));
    }
    if (check_next(&state) % 16 == 0) OK(MPI_Win_flush_all(w.win));
  }
  OK(MPI_Win_flush_all(w.win));
  OK(MPI_Allreduce(sent, due, check_size * kCounters, MPI_COUNT, MPI_SUM, MPI_COMM_WORLD));
  MPI_Request all[kCounters];
  for (int i = 0; i < kCounters; ++i)
    OK(MPIX_Win_get_notify_request(w.win, i, due[check_rank * kCounters + i], all + i));
  OK(MPI_Waitall(kCounters, all, MPI_STATUSES_IGNORE));
  for (int i = 0; i < kCounters; ++i) CHECK(counter(i) == due[check_rank * kCounters + i]);
  OK(MPI_Win_unlock_all(w.win));
  free(sent);
  free(due);
  clear_counters();
}

/* Ranks of one host may be forbidden to share memory, or use no device for that. */
static int can_be_made(int kind) {
  char* base;
  MPI_Win win;
  if (kind != kShared) return 1;
  if (MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win) != MPI_SUCCESS)
    return 0;
  OK(MPI_Win_free(&win));
  return 1;
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  const uint64_t seed = check_seed("rma_notify");
  for (int kind = 0; kind < kWindowKinds; ++kind) {
    if (!can_be_made(kind)) continue;
    make_window(&w, kind, (MPI_Aint)(sizeof(int64_t) * kLongs) * check_size, 4, MPI_INFO_NULL);
    without_counters(); /* leaves some */
    OK(MPI_Win_lock_all(0, w.win));
    puts_from_all();
    puts_of_vectors();
    gets_and_overwriting();
    accumulates();
    persistent();
    among_messages();
    ping_pong();
    polling();
    requests();
    OK(MPI_Win_unlock_all(w.win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    epochs();
    signals();
    late_senders();
    wrong_arguments();
    at_random(seed);
    if (kind % 2 == 0) OK(MPIX_Win_free_notify(w.win));
    free_window(&w);
  }
  return check_end("rma_notify");
}
