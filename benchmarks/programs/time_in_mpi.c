/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
 * time_in_mpi.c: how long a program's ranks are inside MPI. Linked into a program it stands between
 * it and any MPI library by the profiling interface (MPI-3.1, chapter 14). It counts between
 * MPI_Pcontrol(1) and MPI_Pcontrol(0), and MPI_Finalize prints on rank 0:
 *
 *   time_in_mpi: 4 ranks, 1.234567 s, in MPI 0.123456 s, at most 0.150000 s
 *   time_in_mpi: MPI_Waitall 0.100000 s, 9600 calls
 *
 * The first time is the slowest rank's from MPI_Pcontrol(1) to MPI_Pcontrol(0); the second that of
 * an average rank inside the functions below, the third the longest of a rank. Then each function
 * that was called: the time of an average rank, the calls of all ranks. A call costs two readings
 * of the clock more, with every library. For programs whose ranks have one thread. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum Function {
  kAllgather,
  kAllreduce,
  kAlltoall,
  kAlltoallv,
  kBarrier,
  kIrecv,
  kIsend,
  kNeighborAlltoall,
  kNeighborAlltoallv,
  kNeighborAlltoallw,
  kProbe,
  kRecv,
  kStartall,
  kWaitall,
  kFunctions
};
static const char* const names[kFunctions] = {"MPI_Allgather",
                                              "MPI_Allreduce",
                                              "MPI_Alltoall",
                                              "MPI_Alltoallv",
                                              "MPI_Barrier",
                                              "MPI_Irecv",
                                              "MPI_Isend",
                                              "MPI_Neighbor_alltoall",
                                              "MPI_Neighbor_alltoallv",
                                              "MPI_Neighbor_alltoallw",
                                              "MPI_Probe",
                                              "MPI_Recv",
                                              "MPI_Startall",
                                              "MPI_Waitall"};

static int counting;
static double counting_since, total;
static double seconds[kFunctions], calls[kFunctions];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void count(enum Function function, double begin) {
  if (!counting) return;
  seconds[function] += now() - begin;
  calls[function] += 1;
}

int MPI_Pcontrol(const int level, ...) {
  if (counting) total += now() - counting_since;
  counting = level != 0;
  counting_since = now();
  return MPI_SUCCESS;
}

static void print(int ranks, double longest, double sum, double most, const double* sums,
                  const double* all_calls) {
  printf("time_in_mpi: %d ranks, %.6f s, in MPI %.6f s, at most %.6f s\n", ranks, longest,
         sum / ranks, most);
  for (int i = 0; i < kFunctions; ++i) {
    if (all_calls[i] > 0) {
      printf("time_in_mpi: %s %.6f s, %.0f calls\n", names[i], sums[i] / ranks, all_calls[i]);
    }
  }
}

int MPI_Finalize(void) {
  int rank = 0, ranks = 1;
  double sum = 0, most = 0, longest = 0, mine = 0;
  double sums[kFunctions], all_calls[kFunctions];
  MPI_Pcontrol(0);
  for (int i = 0; i < kFunctions; ++i) mine += seconds[i];
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  PMPI_Reduce(&total, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  PMPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  PMPI_Reduce(seconds, sums, kFunctions, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Reduce(calls, all_calls, kFunctions, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) print(ranks, longest, sum, most, sums, all_calls);
  return PMPI_Finalize();
}

int MPI_Allgather(const void* from, int sent, MPI_Datatype send_type, void* to, int received,
                  MPI_Datatype receive_type, MPI_Comm comm) {
  const double begin = now();
  const int status = PMPI_Allgather(from, sent, send_type, to, received, receive_type, comm);
  count(kAllgather, begin);
  return status;
}

int MPI_Allreduce(const void* from, void* to, int elements, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  const double begin = now();
  const int status = PMPI_Allreduce(from, to, elements, type, op, comm);
  count(kAllreduce, begin);
  return status;
}

int MPI_Alltoall(const void* from, int sent, MPI_Datatype send_type, void* to, int received,
                 MPI_Datatype receive_type, MPI_Comm comm) {
  const double begin = now();
  const int status = PMPI_Alltoall(from, sent, send_type, to, received, receive_type, comm);
  count(kAlltoall, begin);
  return status;
}

int MPI_Alltoallv(const void* from, const int* sent, const int* send_offsets,
                  MPI_Datatype send_type, void* to, const int* received, const int* receive_offsets,
                  MPI_Datatype receive_type, MPI_Comm comm) {
  const double begin = now();
  const int status = PMPI_Alltoallv(from, sent, send_offsets, send_type, to, received,
                                    receive_offsets, receive_type, comm);
  count(kAlltoallv, begin);
  return status;
}

int MPI_Barrier(MPI_Comm comm) {
  const double begin = now();
  const int status = PMPI_Barrier(comm);
  count(kBarrier, begin);
  return status;
}

int MPI_Irecv(void* to, int elements, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const double begin = now();
  const int status = PMPI_Irecv(to, elements, type, source, tag, comm, request);
  count(kIrecv, begin);
  return status;
}

int MPI_Isend(const void* from, int elements, MPI_Datatype type, int target, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const double begin = now();
  const int status = PMPI_Isend(from, elements, type, target, tag, comm, request);
  count(kIsend, begin);
  return status;
}

int MPI_Neighbor_alltoall(const void* from, int sent, MPI_Datatype send_type, void* to,
                          int received, MPI_Datatype receive_type, MPI_Comm comm) {
  const double begin = now();
  const int status =
      PMPI_Neighbor_alltoall(from, sent, send_type, to, received, receive_type, comm);
  count(kNeighborAlltoall, begin);
  return status;
}

int MPI_Neighbor_alltoallv(const void* from, const int* sent, const int* send_offsets,
                           MPI_Datatype send_type, void* to, const int* received,
                           const int* receive_offsets, MPI_Datatype receive_type, MPI_Comm comm) {
  const double begin = now();
  const int status = PMPI_Neighbor_alltoallv(from, sent, send_offsets, send_type, to, received,
                                             receive_offsets, receive_type, comm);
  count(kNeighborAlltoallv, begin);
  return status;
}

int MPI_Neighbor_alltoallw(const void* from, const int* sent, const MPI_Aint* send_offsets,
                           const MPI_Datatype* send_types, void* to, const int* received,
                           const MPI_Aint* receive_offsets, const MPI_Datatype* receive_types,
                           MPI_Comm comm) {
  const double begin = now();
  const int status = PMPI_Neighbor_alltoallw(from, sent, send_offsets, send_types, to, received,
                                             receive_offsets, receive_types, comm);
  count(kNeighborAlltoallw, begin);
  return status;
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* result) {
  const double begin = now();
  const int status = PMPI_Probe(source, tag, comm, result);
  count(kProbe, begin);
  return status;
}

int MPI_Recv(void* to, int elements, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status* result) {
  const double begin = now();
  const int status = PMPI_Recv(to, elements, type, source, tag, comm, result);
  count(kRecv, begin);
  return status;
}

int MPI_Startall(int number, MPI_Request* requests) {
  const double begin = now();
  const int status = PMPI_Startall(number, requests);
  count(kStartall, begin);
  return status;
}

int MPI_Waitall(int number, MPI_Request* requests, MPI_Status* results) {
  const double begin = now();
  const int status = PMPI_Waitall(number, requests, results);
  count(kWaitall, begin);
  return status;
}
