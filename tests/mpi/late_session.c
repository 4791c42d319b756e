/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * A thread opens the first session while the program's own thread is inside of MPI, below
 * MPI_THREAD_MULTIPLE: asleep in a receive ("wait"), or in one short call after the other
 * ("calls"). From then on both use MPI, each its own communicators. */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { kRounds = 300 };

static atomic_int over;
static int thread_failures;
#define HOLDS(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      ++thread_failures;                                              \
      fprintf(stderr, "line %d: failed: %s\n", __LINE__, #condition); \
    }                                                                 \
  } while (0)

static void* open_session(void* unused) {
  (void)unused;
  for (int again = 0; again < 2; ++again) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank, size, sum = 0;
    HOLDS(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
    HOLDS(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS);
    HOLDS(MPI_Comm_create_from_group(group, "late", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) ==
          MPI_SUCCESS);
    HOLDS(MPI_Comm_rank(comm, &rank) == MPI_SUCCESS && MPI_Comm_size(comm, &size) == MPI_SUCCESS);
    for (int round = 0; round < kRounds; ++round) {
      const int mine = rank + round;
      HOLDS(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
      HOLDS(sum == size * (size - 1) / 2 + size * round);
    }
    HOLDS(MPI_Comm_free(&comm) == MPI_SUCCESS && MPI_Group_free(&group) == MPI_SUCCESS);
    HOLDS(MPI_Session_finalize(&session) == MPI_SUCCESS);
  }
  over = 1;
  return NULL;
}

/* Rank 0 sends a token round the ring when the threads are done; all others wait for it. */
static void wait_for_token(pthread_t* thread) {
  const int next = (check_rank + 1) % check_size;
  int token = 42;
  if (check_rank == 0) {
    pthread_join(*thread, NULL);
    OK(MPI_Send(&token, 1, MPI_INT, next, 1, MPI_COMM_WORLD));
    token = 0;
  }
  OK(MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(token == 42);
  if (check_rank != 0) {
    OK(MPI_Send(&token, 1, MPI_INT, next, 1, MPI_COMM_WORLD));
    pthread_join(*thread, NULL);
  }
}

/* Neighbours talk until rank 0 says that it is the last round. */
static void keep_calling(pthread_t* thread) {
  const int next = (check_rank + 1) % check_size;
  const int previous = (check_rank + check_size - 1) % check_size;
  for (int round = 0, last = 0; !last; ++round) {
    int got = -1, flag = 0;
    MPI_Request request;
    OK(MPI_Irecv(&got, 1, MPI_INT, previous, 2, MPI_COMM_WORLD, &request));
    OK(MPI_Send(&round, 1, MPI_INT, next, 2, MPI_COMM_WORLD));
    while (!flag) OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    CHECK(got == round);
    if (check_rank == 0) last = over;
    OK(MPI_Bcast(&last, 1, MPI_INT, 0, MPI_COMM_WORLD));
  }
  pthread_join(*thread, NULL);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "wait";
  const char* level = argc > 2 ? argv[2] : "funneled";
  int provided = -1;
  MPI_Init_thread(&argc, &argv,
                  strcmp(level, "funneled") == 0 ? MPI_THREAD_FUNNELED : MPI_THREAD_SERIALIZED,
                  &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &check_size);
  CHECK(provided == MPI_THREAD_FUNNELED || provided == MPI_THREAD_SERIALIZED);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, open_session, NULL) == 0);
  if (strcmp(how, "wait") == 0) {
    wait_for_token(&thread);
  } else {
    keep_calling(&thread);
  }
  CHECK(thread_failures == 0);
  MPI_Query_thread(&provided);
  CHECK(provided == MPI_THREAD_FUNNELED || provided == MPI_THREAD_SERIALIZED);
  return check_end("late_session");
}
