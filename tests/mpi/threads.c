/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * MPI_THREAD_MULTIPLE: several threads of each rank exchange messages on one communicator and on
 * their own, blocking and not, run collectives at the same time, wake one another, and make and
 * free communicators. With an argument 0 to 2 only that lower level is asked for and queried. */
#include <unistd.h>

#include "check_threads.h"

static int rounds;
static MPI_Comm own[kThreads]; /* a communicator for each thread */

static int bytes_of(int i) {
  static const int kBytes[] = {0, 8, 100, 5000, 20000, 200000};
  return kBytes[i % 6];
}

/* Each thread with the same thread of the neighbours; `comm` shared or the thread's own. */
static void ring(int thread, MPI_Comm comm, int tag) {
  const int right = (check_rank + 1) % check_size;
  const int left = (check_rank + check_size - 1) % check_size;
  char* out = malloc(200000);
  char* in = malloc(200000);
  for (int i = 0; i < rounds; ++i) {
    const int n = bytes_of(i + thread);
    const uint64_t salt = (uint64_t)(thread * 1000 + i);
    MPI_Status status;
    int count = -1;
    check_fill(out, (size_t)n, salt + (uint64_t)check_rank);
    if (i % 3 == 0) {
      OK(MPI_Sendrecv(out, n, MPI_BYTE, right, tag, in, n, MPI_BYTE, left, tag, comm, &status));
    } else if (i % 3 == 1) {
      MPI_Request requests[2];
      MPI_Status statuses[2];
      OK(MPI_Irecv(in, n, MPI_BYTE, left, tag, comm, &requests[0]));
      OK(MPI_Isend(out, n, MPI_BYTE, right, tag, comm, &requests[1]));
      OK(MPI_Waitall(2, requests, statuses));
      status = statuses[0];
    } else {
      MPI_Request request;
      int flag = 0;
      OK(MPI_Issend(out, n, MPI_BYTE, right, tag, comm, &request));
      OK(MPI_Recv(in, n, MPI_BYTE, left, tag, comm, &status));
      while (!flag) OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    }
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK(count == n && status.MPI_SOURCE == left);
    CHECK(check_filled(in, (size_t)n, salt + (uint64_t)left));
  }
  free(out);
  free(in);
}

static void* shared_communicator(void* argument) {
  const int thread = (int)(long)argument;
  ring(thread, MPI_COMM_WORLD, thread);
  return NULL;
}
static void* own_communicators(void* argument) {
  const int thread = (int)(long)argument;
  ring(thread, own[thread], 7);
  return NULL;
}

/* Wildcard receives of one communicator in all threads: each message goes to one of them. */
static long long received_sum;
static void* wildcards(void* argument) {
  const int thread = (int)(long)argument;
  const int right = (check_rank + 1) % check_size;
  long long sum = 0;
  for (int i = 0; i < rounds; ++i) {
    int out = thread * 100000 + i, in = -1;
    MPI_Request request;
    OK(MPI_Isend(&out, 1, MPI_INT, right, thread, MPI_COMM_WORLD, &request));
    OK(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    sum += in;
  }
  pthread_mutex_lock(&check_lock);
  received_sum += sum;
  pthread_mutex_unlock(&check_lock);
  return NULL;
}

/* Probed, then received by the thread that found it: what matched probes are for. */
static void* matched_probes(void* argument) {
  const int thread = (int)(long)argument;
  const int right = (check_rank + 1) % check_size;
  for (int i = 0; i < rounds; ++i) {
    const int n = 1 + (i * 37 + thread) % 300;
    char out[300], in[300];
    int count = 0;
    MPI_Message message;
    MPI_Status status;
    check_fill(out, (size_t)n, (uint64_t)n);
    OK(MPI_Send(out, n, MPI_BYTE, right, 3, MPI_COMM_WORLD));
    OK(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status));
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK(count > 0 && count <= 300);
    OK(MPI_Mrecv(in, count, MPI_BYTE, &message, &status));
    CHECK(check_filled(in, (size_t)count, (uint64_t)count));
  }
  return NULL;
}

static void* collectives(void* argument) {
  const int thread = (int)(long)argument;
  MPI_Comm comm = own[thread];
  for (int i = 0; i < rounds / 2; ++i) {
    int mine = check_rank + i * thread, sum = -1;
    OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == check_size * (check_size - 1) / 2 + check_size * i * thread);
    int root_value = check_rank == i % check_size ? i + thread : -1;
    MPI_Request request;
    OK(MPI_Ibcast(&root_value, 1, MPI_INT, i % check_size, comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(root_value == i + thread);
    if (i % 5 == 0) OK(MPI_Barrier(comm));
  }
  return NULL;
}

/* New communicators of all threads at once must not share a context. */
static void* new_communicators(void* argument) {
  const int thread = (int)(long)argument;
  const int right = (check_rank + 1) % check_size;
  const int left = (check_rank + check_size - 1) % check_size;
  for (int i = 0; i < rounds / 10 + 1; ++i) {
    MPI_Comm made;
    int in = -1, out = check_rank * 100 + thread;
    OK(i % 2 ? MPI_Comm_dup(own[thread], &made)
             : MPI_Comm_split(own[thread], 0, check_rank, &made));
    OK(MPI_Sendrecv(&out, 1, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, made, MPI_STATUS_IGNORE));
    CHECK(in == left * 100 + thread);
    OK(MPI_Comm_free(&made));
  }
  return NULL;
}

/* Threads of one rank pass a token through messages to themselves: each sleeps until another one's
 * call, and no event of a device, ends its wait. */
static void* hand_over(void* argument) {
  const int thread = (int)(long)argument;
  for (int i = 0; i < rounds; ++i) {
    int token = -1;
    if (thread == 0) {
      token = i;
      OK(MPI_Send(&token, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
      OK(MPI_Recv(&token, 1, MPI_INT, 0, kThreads, MPI_COMM_SELF, MPI_STATUS_IGNORE));
      CHECK(token == i);
    } else {
      OK(MPI_Recv(&token, 1, MPI_INT, 0, thread, MPI_COMM_SELF, MPI_STATUS_IGNORE));
      if (i < 5) usleep(20000); /* let the others fall asleep */
      OK(MPI_Send(&token, 1, MPI_INT, 0, thread + 1, MPI_COMM_SELF));
    }
  }
  return NULL;
}

/* One thread completes another one's generalized request. */
static int query(void* state, MPI_Status* status) {
  (void)state;
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int free_nothing(void* state) {
  (void)state;
  return MPI_SUCCESS;
}
static int cancel_nothing(void* state, int complete) {
  (void)state;
  (void)complete;
  return MPI_SUCCESS;
}
static void* complete_later(void* request) {
  usleep(50000);
  OK(MPI_Grequest_complete((MPI_Request)request));
  return NULL;
}
static void generalized(void) {
  for (int i = 0; i < 3; ++i) {
    MPI_Request request;
    pthread_t thread;
    OK(MPI_Grequest_start(query, free_nothing, cancel_nothing, NULL, &request));
    pthread_create(&thread, NULL, complete_later, (void*)request);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    pthread_join(thread, NULL);
  }
}

/* One thread computes or sleeps outside of MPI while another one receives. */
static void* late_sender(void* argument) {
  const int thread = (int)(long)argument;
  const int right = (check_rank + 1) % check_size;
  int value = check_rank, in = -1;
  if (thread % 2 == 0) {
    usleep(100000);
    OK(MPI_Send(&value, 1, MPI_INT, right, thread, MPI_COMM_WORLD));
  } else {
    OK(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, thread - 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(in == (check_rank + check_size - 1) % check_size);
  }
  return NULL;
}

static void* is_main(void* argument) {
  int flag = 1;
  (void)argument;
  OK(MPI_Is_thread_main(&flag));
  CHECK(!flag);
  return NULL;
}

int main(int argc, char** argv) {
  const int required = argc > 1 ? atoi(argv[1]) : MPI_THREAD_MULTIPLE;
  int provided = -1, queried = -2, flag = 0;
  MPI_Init_thread(&argc, &argv, required, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &check_size);
  CHECK(provided >= required);
  OK(MPI_Query_thread(&queried));
  CHECK(queried == provided);
  OK(MPI_Is_thread_main(&flag));
  CHECK(flag);
  if (required == MPI_THREAD_MULTIPLE) {
    rounds = check_size > 8 ? 20 : check_size > 3 ? 60 : 200;
    for (int t = 0; t < kThreads; ++t) OK(MPI_Comm_dup(MPI_COMM_WORLD, &own[t]));
    run_threads(is_main);
    run_threads(shared_communicator);
    run_threads(own_communicators);
    run_threads(wildcards);
    CHECK(received_sum == (long long)rounds * 100000 * (kThreads * (kThreads - 1) / 2) +
                              (long long)kThreads * rounds * (rounds - 1) / 2);
    run_threads(matched_probes);
    run_threads(collectives);
    run_threads(new_communicators);
    run_threads(hand_over);
    run_threads(late_sender);
    generalized();
    for (int t = 0; t < kThreads; ++t) OK(MPI_Comm_free(&own[t]));
  }
  return check_end("threads");
}
