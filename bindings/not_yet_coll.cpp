// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet_coll.cpp: what does not work yet of collective communication.
// Who implements a function deletes it here.

#include "bindings/not_yet.hpp"
#include "bindings/weak.hpp"

using remit::not_yet;

// Neighborhood collectives, blocking (chapter 8).

int PMPI_Neighbor_allgather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                            MPI_Comm comm) {
  return not_yet(comm, "MPI_Neighbor_allgather");
}
REMIT_WEAK(Neighbor_allgather);
int PMPI_Neighbor_allgather_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
                              MPI_Comm comm) {
  return not_yet(comm, "MPI_Neighbor_allgather_c");
}
REMIT_WEAK(Neighbor_allgather_c);
int PMPI_Neighbor_allgatherv(const void*, int, MPI_Datatype, void*, const int[], const int[],
                             MPI_Datatype, MPI_Comm comm) {
  return not_yet(comm, "MPI_Neighbor_allgatherv");
}
REMIT_WEAK(Neighbor_allgatherv);
int PMPI_Neighbor_allgatherv_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[],
                               const MPI_Aint[], MPI_Datatype, MPI_Comm comm) {
  return not_yet(comm, "MPI_Neighbor_allgatherv_c");
}
REMIT_WEAK(Neighbor_allgatherv_c);
int PMPI_Neighbor_alltoall(const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                           MPI_Comm comm) {
  return not_yet(comm, "MPI_Neighbor_alltoall");
}
REMIT_WEAK(Neighbor_alltoall);
int PMPI_Neighbor_alltoall_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
                             MPI_Comm comm) {
  return not_yet(comm, "MPI_Neighbor_alltoall_c");
}
REMIT_WEAK(Neighbor_alltoall_c);
int PMPI_Neighbor_alltoallv(const void*, const int[], const int[], MPI_Datatype, void*, const int[],
                            const int[], MPI_Datatype, MPI_Comm comm) {
  return not_yet(comm, "MPI_Neighbor_alltoallv");
}
REMIT_WEAK(Neighbor_alltoallv);
int PMPI_Neighbor_alltoallv_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*,
                              const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm comm) {
  return not_yet(comm, "MPI_Neighbor_alltoallv_c");
}
REMIT_WEAK(Neighbor_alltoallv_c);
int PMPI_Neighbor_alltoallw(const void*, const int[], const MPI_Aint[], const MPI_Datatype[], void*,
                            const int[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm comm) {
  return not_yet(comm, "MPI_Neighbor_alltoallw");
}
REMIT_WEAK(Neighbor_alltoallw);
int PMPI_Neighbor_alltoallw_c(const void*, const MPI_Count[], const MPI_Aint[],
                              const MPI_Datatype[], void*, const MPI_Count[], const MPI_Aint[],
                              const MPI_Datatype[], MPI_Comm comm) {
  return not_yet(comm, "MPI_Neighbor_alltoallw_c");
}
REMIT_WEAK(Neighbor_alltoallw_c);

// Neighborhood collectives, nonblocking (chapter 8).

int PMPI_Ineighbor_allgather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                             MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ineighbor_allgather");
}
REMIT_WEAK(Ineighbor_allgather);
int PMPI_Ineighbor_allgather_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
                               MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ineighbor_allgather_c");
}
REMIT_WEAK(Ineighbor_allgather_c);
int PMPI_Ineighbor_allgatherv(const void*, int, MPI_Datatype, void*, const int[], const int[],
                              MPI_Datatype, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ineighbor_allgatherv");
}
REMIT_WEAK(Ineighbor_allgatherv);
int PMPI_Ineighbor_allgatherv_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[],
                                const MPI_Aint[], MPI_Datatype, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ineighbor_allgatherv_c");
}
REMIT_WEAK(Ineighbor_allgatherv_c);
int PMPI_Ineighbor_alltoall(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm comm,
                            MPI_Request*) {
  return not_yet(comm, "MPI_Ineighbor_alltoall");
}
REMIT_WEAK(Ineighbor_alltoall);
int PMPI_Ineighbor_alltoall_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
                              MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ineighbor_alltoall_c");
}
REMIT_WEAK(Ineighbor_alltoall_c);
int PMPI_Ineighbor_alltoallv(const void*, const int[], const int[], MPI_Datatype, void*,
                             const int[], const int[], MPI_Datatype, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ineighbor_alltoallv");
}
REMIT_WEAK(Ineighbor_alltoallv);
int PMPI_Ineighbor_alltoallv_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype,
                               void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype,
                               MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ineighbor_alltoallv_c");
}
REMIT_WEAK(Ineighbor_alltoallv_c);
int PMPI_Ineighbor_alltoallw(const void*, const int[], const MPI_Aint[], const MPI_Datatype[],
                             void*, const int[], const MPI_Aint[], const MPI_Datatype[],
                             MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ineighbor_alltoallw");
}
REMIT_WEAK(Ineighbor_alltoallw);
int PMPI_Ineighbor_alltoallw_c(const void*, const MPI_Count[], const MPI_Aint[],
                               const MPI_Datatype[], void*, const MPI_Count[], const MPI_Aint[],
                               const MPI_Datatype[], MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ineighbor_alltoallw_c");
}
REMIT_WEAK(Ineighbor_alltoallw_c);

// Neighborhood collectives, persistent (chapter 8).

int PMPI_Neighbor_allgather_init(const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                                 MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Neighbor_allgather_init");
}
REMIT_WEAK(Neighbor_allgather_init);
int PMPI_Neighbor_allgather_init_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                                   MPI_Datatype, MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Neighbor_allgather_init_c");
}
REMIT_WEAK(Neighbor_allgather_init_c);
int PMPI_Neighbor_allgatherv_init(const void*, int, MPI_Datatype, void*, const int[], const int[],
                                  MPI_Datatype, MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Neighbor_allgatherv_init");
}
REMIT_WEAK(Neighbor_allgatherv_init);
int PMPI_Neighbor_allgatherv_init_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[],
                                    const MPI_Aint[], MPI_Datatype, MPI_Comm comm, MPI_Info,
                                    MPI_Request*) {
  return not_yet(comm, "MPI_Neighbor_allgatherv_init_c");
}
REMIT_WEAK(Neighbor_allgatherv_init_c);
int PMPI_Neighbor_alltoall_init(const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                                MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Neighbor_alltoall_init");
}
REMIT_WEAK(Neighbor_alltoall_init);
int PMPI_Neighbor_alltoall_init_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                                  MPI_Datatype, MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Neighbor_alltoall_init_c");
}
REMIT_WEAK(Neighbor_alltoall_init_c);
int PMPI_Neighbor_alltoallv_init(const void*, const int[], const int[], MPI_Datatype, void*,
                                 const int[], const int[], MPI_Datatype, MPI_Comm comm, MPI_Info,
                                 MPI_Request*) {
  return not_yet(comm, "MPI_Neighbor_alltoallv_init");
}
REMIT_WEAK(Neighbor_alltoallv_init);
int PMPI_Neighbor_alltoallv_init_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype,
                                   void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype,
                                   MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Neighbor_alltoallv_init_c");
}
REMIT_WEAK(Neighbor_alltoallv_init_c);
int PMPI_Neighbor_alltoallw_init(const void*, const int[], const MPI_Aint[], const MPI_Datatype[],
                                 void*, const int[], const MPI_Aint[], const MPI_Datatype[],
                                 MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Neighbor_alltoallw_init");
}
REMIT_WEAK(Neighbor_alltoallw_init);
int PMPI_Neighbor_alltoallw_init_c(const void*, const MPI_Count[], const MPI_Aint[],
                                   const MPI_Datatype[], void*, const MPI_Count[], const MPI_Aint[],
                                   const MPI_Datatype[], MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Neighbor_alltoallw_init_c");
}
REMIT_WEAK(Neighbor_alltoallw_init_c);
