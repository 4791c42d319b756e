// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// traced: programs of which it is known how many messages a trace must have.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kLargest = 1 << 18 };

static int rank, size;
static char out[kLargest], in[kLargest];

// One message from rank 0 to rank 1 by each way, in this size; the tag is the way's.
static void all_ways(int bytes) {
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Request requests[2];
  if (rank == 0) {
    MPI_Send(out, bytes, MPI_BYTE, 1, 1, world);
    MPI_Ssend(out, bytes, MPI_BYTE, 1, 2, world);
    MPI_Isend(out, bytes, MPI_BYTE, 1, 3, world, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, 1, 4, world, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Send_init(out, bytes, MPI_BYTE, 1, 5, world, &requests[0]);
    for (int i = 0; i < 2; ++i) {
      MPI_Start(&requests[0]);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Send(out, bytes, MPI_BYTE, 1, 6, world);
    MPI_Sendrecv(out, bytes, MPI_BYTE, 1, 7, in, bytes, MPI_BYTE, 1, 8, world, MPI_STATUS_IGNORE);
    MPI_Send(out, bytes, MPI_BYTE, 1, 9, world);
  } else if (rank == 1) {
    MPI_Message message;
    int index, flag = 0;
    MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
    MPI_Recv(in, bytes, MPI_BYTE, 0, 2, world, MPI_STATUS_IGNORE);
    MPI_Irecv(in, bytes, MPI_BYTE, 0, 4, world, &requests[0]);  // in the other order
    MPI_Irecv(out, bytes, MPI_BYTE, 0, 3, world, &requests[1]);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Recv_init(in, bytes, MPI_BYTE, 0, 5, world, &requests[0]);
    for (int i = 0; i < 2; ++i) {
      MPI_Start(&requests[0]);
      while (!flag) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
      flag = 0;
    }
    MPI_Request_free(&requests[0]);
    MPI_Mprobe(0, 6, world, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, bytes, MPI_BYTE, 0, 8, in, bytes, MPI_BYTE, 0, 7, world, MPI_STATUS_IGNORE);
    MPI_Recv(in, bytes, MPI_BYTE, 0, 9, world, MPI_STATUS_IGNORE);
  }
}

// Messages of the program among collective operations, whose own messages are no arrows.
static void ways(void) {
  double sum, one = 1;
  for (int bytes = 0; bytes <= kLargest; bytes = bytes == 0 ? 8 : bytes * 32) {
    all_ways(bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(out, kLargest, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
}

// More calls than a trace has room for, and then ten messages each to the next rank.
static void many(int calls) {
  int flag;
  for (int i = 0; i < calls; ++i) {
    MPI_Sendrecv(out, 8, MPI_BYTE, (rank + 1) % size, 1, in, 8, MPI_BYTE, (rank + size - 1) % size,
                 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (i % 2 == 0) continue;
    for (int j = 0; j < 400; ++j)
      MPI_Iprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  }
}

// Rounds of messages; then rank 1 is killed while the others wait for it.
static void killed(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    MPI_Sendrecv(out, 8, MPI_BYTE, (rank + 1) % size, 1, in, 8, MPI_BYTE, (rank + size - 1) % size,
                 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 1) raise(SIGKILL);
  MPI_Recv(in, 8, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? atoi(argv[2]) : 10;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(what, "ways") == 0) ways();
  if (strcmp(what, "many") == 0) many(count);
  if (strcmp(what, "killed") == 0) killed(count);
  MPI_Finalize();
  return 0;
}
