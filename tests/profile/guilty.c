// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// guilty: programs of which it is known what a profile must say of them. The lines that it must
// name have marks, "mark: NAME", by which the test finds their numbers.
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void pause_ms(long ms) {
  usleep((useconds_t)(ms * 1000));
}

// One rank computes longer than all others, which wait for it in an MPI_Allreduce.
static void compute(int guilty, long ms) {
  double mine = rank, sum = 0;
  if (rank == guilty) pause_ms(ms);
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // mark: compute
}

// One rank sends late; the others receive.
static void late_sender(int guilty, long ms) {
  const MPI_Comm world = MPI_COMM_WORLD;
  int value = 0;
  if (rank == guilty) {
    pause_ms(ms);
    for (int i = 0; i < size; ++i) {
      if (i != rank) MPI_Send(&value, 1, MPI_INT, i, 1, MPI_COMM_WORLD);
    }
  } else {
    MPI_Recv(&value, 1, MPI_INT, guilty, 1, world, MPI_STATUS_IGNORE);  // mark: late_sender
  }
}

// One rank receives late what others have for it, each a megabyte.
static void late_receiver(int guilty, long ms) {
  enum { kBytes = 1 << 20 };
  char* data = calloc(kBytes, 1);
  if (rank == guilty) {
    pause_ms(ms);
    for (int i = 0; i < size; ++i) {
      if (i != rank) MPI_Recv(data, kBytes, MPI_BYTE, i, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  } else {
    MPI_Send(data, kBytes, MPI_BYTE, guilty, 2, MPI_COMM_WORLD);  // mark: late_receiver
  }
  free(data);
}

// As late_sender(), and the others wait for several requests.
static void waitall(int guilty, long ms) {
  int in[2], out[2] = {1, 2};
  MPI_Request requests[2];
  if (rank == guilty) pause_ms(ms);
  for (int tag = 0; tag < 2; ++tag) {
    for (int i = 0; i < size && rank == guilty; ++i) {
      if (i != rank) MPI_Send(&out[tag], 1, MPI_INT, i, tag, MPI_COMM_WORLD);
    }
    if (rank != guilty)
      MPI_Irecv(&in[tag], 1, MPI_INT, guilty, tag, MPI_COMM_WORLD, &requests[tag]);
  }
  if (rank != guilty) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);  // mark: waitall
}

// One rank comes late to a nonblocking operation that the others wait for.
static void nonblocking(int guilty, long ms) {
  int value = 7;
  MPI_Request request;
  if (rank == guilty) pause_ms(ms);
  MPI_Ibcast(&value, 1, MPI_INT, guilty, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);  // mark: nonblocking
}

// One rank keeps the lock of a window that the others want.
static void lock(int guilty, long ms) {
  int* memory;
  MPI_Win window;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  if (rank == guilty) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, guilty, 0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == guilty) pause_ms(ms);
  if (rank == guilty) MPI_Win_unlock(guilty, window);
  if (rank != guilty) {
    const int one = 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, guilty, 0, window);  // mark: lock
    MPI_Put(&one, 1, MPI_INT, guilty, 0, 1, MPI_INT, window);
    MPI_Win_unlock(guilty, window);  // mark: unlock
  }
  MPI_Win_free(&window);
}

// One rank sends late to the next, which has nothing to send before, and so on: only the last of
// those that wait sees whom the others wait for.
static void chain(int guilty, long ms) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int value = 0;
  if (rank == guilty) pause_ms(ms);
  if (rank != guilty) {
    MPI_Recv(&value, 1, MPI_INT, before, 6, world, MPI_STATUS_IGNORE);  // mark: chain
  }
  if (next != guilty) MPI_Send(&value, 1, MPI_INT, next, 6, world);
}

// 100 messages of 32 bytes, 7 barriers, 5 reductions in another communicator, of 3 integers.
static void counts(void) {
  double values[4] = {0};
  for (int i = 0; i < 100; ++i) {
    if (rank == 0) MPI_Send(values, 4, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);  // mark: counts_send
    if (rank == 1) MPI_Recv(values, 4, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 7; ++i) MPI_Barrier(MPI_COMM_WORLD);  // mark: counts_barrier
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reversed);
  int mine[3] = {1, 2, 3}, sums[3];
  for (int i = 0; i < 5; ++i) MPI_Allreduce(mine, sums, 3, MPI_INT, MPI_SUM, reversed);
  // In this communicator the last rank of the world is the first.
  if (rank == 0) MPI_Send(mine, 3, MPI_INT, 0, 4, reversed);
  if (rank == size - 1) MPI_Recv(mine, 3, MPI_INT, size - 1, 4, reversed, MPI_STATUS_IGNORE);
  MPI_Comm_free(&reversed);
}

// A function that two others call, three and five times; and two calls of one line. What comes
// after a call keeps the compiler from a jump in its place.
static int __attribute__((noinline)) meet(int times) {
  for (int i = 0; i < times; ++i) MPI_Barrier(MPI_COMM_WORLD);  // mark: stacks_barrier
  return times;
}

static int __attribute__((noinline)) meet_rarely(void) {
  return meet(3) + rank;  // mark: stacks_rarely
}

static int __attribute__((noinline)) meet_often(void) {
  return meet(5) + rank;  // mark: stacks_often
}

static void stacks(void) {
  const MPI_Comm world = MPI_COMM_WORLD;
  int a = meet_rarely(), b = meet_often();
  for (int i = 0; i < 2; ++i) {
    MPI_Bcast(&a, 1, MPI_INT, 0, world), MPI_Bcast(&b, 1, MPI_INT, 1, world);  // mark: twice
  }
}

// 200 messages that are all there before their receives.
static void flood(void) {
  int value = 0;
  for (int i = 0; i < 200 && rank == 0; ++i) {
    MPI_Send(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 200 && rank == 1; ++i) {
    MPI_Recv(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// Rank 1 ends in this way, after ten barriers; the others wait for it.
static void end_badly(const char* how) {
  for (int i = 0; i < 10; ++i) MPI_Barrier(MPI_COMM_WORLD);  // mark: badly_barrier
  if (rank == 1 && strcmp(how, "kill") == 0) raise(SIGKILL);
  if (rank == 1 && strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // mark: badly_recv
}

enum { kThreads = 12, kMessages = 50 };

static void* send_to_self(void* argument) {
  const int tag = (int)(long)argument;
  for (int i = 0; i < kMessages; ++i) {
    int in = i, out = 0;
    MPI_Request request;
    MPI_Irecv(&out, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &request);
    MPI_Send(&in, 1, MPI_INT, 0, tag, MPI_COMM_SELF);  // mark: threads_send
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return NULL;
}

// More threads than a record has tables.
static void threads(void) {
  pthread_t all[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&all[i], NULL, send_to_self, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(all[i], NULL);
}

static void phases(void) {
  for (int i = 0; i < 3; ++i) {
    MPI_Pcontrol(5);
    pause_ms(20);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(-5);
  }
  MPI_Pcontrol(0);
  for (int i = 0; i < 1000; ++i) MPI_Barrier(MPI_COMM_WORLD);  // mark: not_counted
  MPI_Pcontrol(1);
  MPI_Barrier(MPI_COMM_WORLD);  // mark: counted_again
}

static void spawn(char* program) {
  char* words[] = {"child", NULL};
  MPI_Comm others;
  MPI_Comm_spawn(program, words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
  MPI_Barrier(others);
  MPI_Comm_disconnect(&others);
}

static void child(void) {
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  MPI_Barrier(parent);  // mark: child_barrier
  MPI_Comm_disconnect(&parent);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int guilty = argc > 2 ? atoi(argv[2]) : 0;
  const long ms = argc > 3 ? atol(argv[3]) : 300;
  int provided;
  MPI_Init_thread(&argc, &argv,
                  strcmp(what, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(what, "compute") == 0) compute(guilty, ms);
  if (strcmp(what, "late_sender") == 0) late_sender(guilty, ms);
  if (strcmp(what, "late_receiver") == 0) late_receiver(guilty, ms);
  if (strcmp(what, "waitall") == 0) waitall(guilty, ms);
  if (strcmp(what, "nonblocking") == 0) nonblocking(guilty, ms);
  if (strcmp(what, "lock") == 0) lock(guilty, ms);
  if (strcmp(what, "chain") == 0) chain(guilty, ms);
  if (strcmp(what, "counts") == 0) counts();
  if (strcmp(what, "kill") == 0 || strcmp(what, "abort") == 0 || strcmp(what, "hang") == 0) {
    end_badly(what);
  }
  if (strcmp(what, "threads") == 0) threads();
  if (strcmp(what, "phases") == 0) phases();
  if (strcmp(what, "stacks") == 0) stacks();
  if (strcmp(what, "flood") == 0) flood();
  if (strcmp(what, "spawn") == 0) spawn(argv[0]);
  if (strcmp(what, "child") == 0) child();
  MPI_Finalize();
  return 0;
}
