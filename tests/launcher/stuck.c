/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * Hangs on purpose, as its first argument says, for the report of mpirun --timeout. In the mode
 * "killed" the second argument says after how many seconds. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, value;
static MPI_Status status;

static void receive(int from, MPI_Comm comm) {
  MPI_Recv(&value, 1, MPI_INT, from, 7, comm, &status);
}

/* Every rank waits for the next one. */
static void ring(void) {
  receive((rank + 1) % size, MPI_COMM_WORLD);
}

/* Rank 0 tests in a loop, rank 1 receives, the others look for a message. */
static void loops(void) {
  MPI_Request request;
  int flag = 0;
  if (rank == 1) receive(0, MPI_COMM_WORLD);
  MPI_Irecv(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &request);
  while (rank == 0 && !flag) MPI_Test(&request, &flag, &status);
  while (!flag) MPI_Iprobe(0, 9, MPI_COMM_WORLD, &flag, &status);
}

/* Rank 0 tested in a loop, and does something else now. */
static void looped(void) {
  MPI_Request request;
  int flag = 0;
  if (rank == 1) receive(0, MPI_COMM_WORLD);
  MPI_Irecv(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &request);
  for (double end = MPI_Wtime() + 0.5; MPI_Wtime() < end;) MPI_Test(&request, &flag, &status);
  pause();
}

static void one_computes(void) {
  if (rank == 1) pause();
  receive(1, MPI_COMM_WORLD);
}

static void wait_for_two(int all) {
  MPI_Request requests[2];
  int index, values[2];
  if (rank != 0) pause();
  MPI_Irecv(&values[0], 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&values[1], 1, MPI_DOUBLE, 2, 9, MPI_COMM_WORLD, &requests[1]);
  if (all) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Waitany(2, requests, &index, &status);
}

static void* receive_in_thread(void* tag) {
  MPI_Recv(&value, 1, MPI_INT, 1 - rank, (int)(long)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NULL;
}

static void in_threads(void) {
  pthread_t other;
  pthread_create(&other, NULL, receive_in_thread, (void*)1L);
  receive_in_thread((void*)2L);
  pthread_join(other, NULL);
}

static void large_send(void) {
  static char data[1 << 24];
  if (rank == 0) MPI_Send(data, sizeof data, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
  if (rank == 1) receive(0, MPI_COMM_WORLD);
}

/* The halves of the world in reverse order: ranks of the new communicator are other ranks. */
static void split(void) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_set_name(half, rank % 2 ? "odd" : "even");
  if (rank == 1) pause();
  if (rank % 2) MPI_Barrier(half);
  receive(0, half);
}

static MPI_Win new_window(void) {
  MPI_Win win;
  void* memory;
  MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  return win;
}

/* The last but one has the lock of rank 0, to read if so, and the last one waits for it. */
static void locked(int read) {
  MPI_Win win = new_window();
  if (rank == size - 2) {
    MPI_Win_lock(read ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    pause();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != size - 1) pause();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
}

/* Ranks 2 and 3 wait for the lock of rank 0, in this order; rank 1 has it for a while. */
static void handed_on(void) {
  MPI_Win win = new_window();
  if (rank == 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 3) usleep(200 * 1000);
  if (rank == 1) {
    usleep(900 * 1000);
    MPI_Win_unlock(0, win);
  }
  if (rank > 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  pause();
}

/* Each of two ranks has its own lock in a window of its own and wants the other one's. */
static void locks(void) {
  MPI_Win windows[2] = {new_window(), new_window()};
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, windows[rank]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, windows[1 - rank]);
}

/* Rank 0 waits for a post of rank 1, which is elsewhere; rank 2 for a completion of rank 1. */
static void posts(void) {
  MPI_Win win = new_window();
  MPI_Group all, one;
  const int whom = 1;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &whom, &one);
  if (rank == 0) MPI_Win_start(one, 0, win);
  if (rank == 1) pause();
  MPI_Win_post(one, 0, win);
  MPI_Win_wait(win);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "any";
  int provided;
  MPI_Init_thread(&argc, &argv,
                  strcmp(mode, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(mode, "any") == 0) {
    /* Rank 0 receives what nobody sends, the others wait in a barrier. */
    if (rank == 0) receive(MPI_ANY_SOURCE, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(mode, "ring") == 0) {
    ring();
  } else if (strcmp(mode, "loops") == 0) {
    loops();
  } else if (strcmp(mode, "looped") == 0) {
    looped();
  } else if (strcmp(mode, "computes") == 0) {
    one_computes();
  } else if (strcmp(mode, "barrier") == 0) {
    if (rank == 2) pause();
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(mode, "bcast") == 0) {
    if (rank == 0) pause();
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  } else if (strcmp(mode, "ibarrier") == 0) {
    MPI_Request request;
    if (rank == 1) pause();
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
  } else if (strcmp(mode, "mismatch") == 0) {
    if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
    int sum;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else if (strcmp(mode, "waitall") == 0) {
    wait_for_two(1);
  } else if (strcmp(mode, "waitany") == 0) {
    wait_for_two(0);
  } else if (strcmp(mode, "wait") == 0) {
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
  } else if (strcmp(mode, "probe") == 0) {
    MPI_Probe((rank + 1) % size, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  } else if (strcmp(mode, "sendrecv") == 0) {
    int other;
    if (rank == 1) pause();
    MPI_Sendrecv(&rank, 1, MPI_INT, 1, 6, &other, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, &status);
  } else if (strcmp(mode, "send") == 0) {
    large_send();
    pause();
  } else if (strcmp(mode, "threads") == 0) {
    in_threads();
  } else if (strcmp(mode, "split") == 0) {
    split();
  } else if (strcmp(mode, "self") == 0) {
    receive(rank, MPI_COMM_WORLD);
  } else if (strcmp(mode, "finalized") == 0) {
    if (rank == 0) receive(1, MPI_COMM_WORLD);
  } else if (strcmp(mode, "locked") == 0 || strcmp(mode, "read") == 0) {
    locked(mode[0] == 'r');
  } else if (strcmp(mode, "handed") == 0) {
    handed_on();
  } else if (strcmp(mode, "locks") == 0) {
    locks();
  } else if (strcmp(mode, "posts") == 0) {
    posts();
  } else if (strcmp(mode, "killed") == 0) {
    if (rank == 1) {
      sleep(argc > 2 ? (unsigned)atoi(argv[2]) : 1);
      raise(SIGKILL);
    }
    receive(1, MPI_COMM_WORLD);
  } else {
    fprintf(stderr, "no such mode: %s\n", mode);
    return 1;
  }
  MPI_Finalize();
  return 0;
}
