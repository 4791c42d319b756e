// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet_coll.cpp: what does not work yet of collective communication and reduction operations.
// Who implements a function deletes it here.

#include "bindings/not_yet.hpp"
#include "bindings/weak.hpp"

using remit::not_yet;

// Blocking (chapter 6).

int PMPI_Alltoallw(const void*, const int[], const int[], const MPI_Datatype[], void*, const int[],
                   const int[], const MPI_Datatype[], MPI_Comm comm) {
  return not_yet(comm, "MPI_Alltoallw");
}
REMIT_WEAK(Alltoallw);
int PMPI_Alltoallw_c(const void*, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], void*,
                     const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm comm) {
  return not_yet(comm, "MPI_Alltoallw_c");
}
REMIT_WEAK(Alltoallw_c);
int PMPI_Exscan(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm comm) {
  return not_yet(comm, "MPI_Exscan");
}
REMIT_WEAK(Exscan);
int PMPI_Exscan_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm comm) {
  return not_yet(comm, "MPI_Exscan_c");
}
REMIT_WEAK(Exscan_c);
int PMPI_Reduce_scatter(const void*, void*, const int[], MPI_Datatype, MPI_Op, MPI_Comm comm) {
  return not_yet(comm, "MPI_Reduce_scatter");
}
REMIT_WEAK(Reduce_scatter);
int PMPI_Reduce_scatter_c(const void*, void*, const MPI_Count[], MPI_Datatype, MPI_Op,
                          MPI_Comm comm) {
  return not_yet(comm, "MPI_Reduce_scatter_c");
}
REMIT_WEAK(Reduce_scatter_c);
int PMPI_Reduce_scatter_block(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm comm) {
  return not_yet(comm, "MPI_Reduce_scatter_block");
}
REMIT_WEAK(Reduce_scatter_block);
int PMPI_Reduce_scatter_block_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op,
                                MPI_Comm comm) {
  return not_yet(comm, "MPI_Reduce_scatter_block_c");
}
REMIT_WEAK(Reduce_scatter_block_c);
int PMPI_Scan(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm comm) {
  return not_yet(comm, "MPI_Scan");
}
REMIT_WEAK(Scan);
int PMPI_Scan_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm comm) {
  return not_yet(comm, "MPI_Scan_c");
}
REMIT_WEAK(Scan_c);

// Nonblocking (chapter 6).

int PMPI_Ialltoallw(const void*, const int[], const int[], const MPI_Datatype[], void*, const int[],
                    const int[], const MPI_Datatype[], MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ialltoallw");
}
REMIT_WEAK(Ialltoallw);
int PMPI_Ialltoallw_c(const void*, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], void*,
                      const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm comm,
                      MPI_Request*) {
  return not_yet(comm, "MPI_Ialltoallw_c");
}
REMIT_WEAK(Ialltoallw_c);
int PMPI_Iexscan(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Iexscan");
}
REMIT_WEAK(Iexscan);
int PMPI_Iexscan_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm comm,
                   MPI_Request*) {
  return not_yet(comm, "MPI_Iexscan_c");
}
REMIT_WEAK(Iexscan_c);
int PMPI_Ireduce_scatter(const void*, void*, const int[], MPI_Datatype, MPI_Op, MPI_Comm comm,
                         MPI_Request*) {
  return not_yet(comm, "MPI_Ireduce_scatter");
}
REMIT_WEAK(Ireduce_scatter);
int PMPI_Ireduce_scatter_c(const void*, void*, const MPI_Count[], MPI_Datatype, MPI_Op,
                           MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ireduce_scatter_c");
}
REMIT_WEAK(Ireduce_scatter_c);
int PMPI_Ireduce_scatter_block(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm comm,
                               MPI_Request*) {
  return not_yet(comm, "MPI_Ireduce_scatter_block");
}
REMIT_WEAK(Ireduce_scatter_block);
int PMPI_Ireduce_scatter_block_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm comm,
                                 MPI_Request*) {
  return not_yet(comm, "MPI_Ireduce_scatter_block_c");
}
REMIT_WEAK(Ireduce_scatter_block_c);
int PMPI_Iscan(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Iscan");
}
REMIT_WEAK(Iscan);
int PMPI_Iscan_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Iscan_c");
}
REMIT_WEAK(Iscan_c);

// Persistent (chapter 6).

int PMPI_Alltoallw_init(const void*, const int[], const int[], const MPI_Datatype[], void*,
                        const int[], const int[], const MPI_Datatype[], MPI_Comm comm, MPI_Info,
                        MPI_Request*) {
  return not_yet(comm, "MPI_Alltoallw_init");
}
REMIT_WEAK(Alltoallw_init);
int PMPI_Alltoallw_init_c(const void*, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[],
                          void*, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[],
                          MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Alltoallw_init_c");
}
REMIT_WEAK(Alltoallw_init_c);
int PMPI_Exscan_init(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm comm, MPI_Info,
                     MPI_Request*) {
  return not_yet(comm, "MPI_Exscan_init");
}
REMIT_WEAK(Exscan_init);
int PMPI_Exscan_init_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm comm, MPI_Info,
                       MPI_Request*) {
  return not_yet(comm, "MPI_Exscan_init_c");
}
REMIT_WEAK(Exscan_init_c);
int PMPI_Reduce_scatter_block_init(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm comm,
                                   MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Reduce_scatter_block_init");
}
REMIT_WEAK(Reduce_scatter_block_init);
int PMPI_Reduce_scatter_block_init_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op,
                                     MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Reduce_scatter_block_init_c");
}
REMIT_WEAK(Reduce_scatter_block_init_c);
int PMPI_Reduce_scatter_init(const void*, void*, const int[], MPI_Datatype, MPI_Op, MPI_Comm comm,
                             MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Reduce_scatter_init");
}
REMIT_WEAK(Reduce_scatter_init);
int PMPI_Reduce_scatter_init_c(const void*, void*, const MPI_Count[], MPI_Datatype, MPI_Op,
                               MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Reduce_scatter_init_c");
}
REMIT_WEAK(Reduce_scatter_init_c);
int PMPI_Scan_init(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm comm, MPI_Info,
                   MPI_Request*) {
  return not_yet(comm, "MPI_Scan_init");
}
REMIT_WEAK(Scan_init);
int PMPI_Scan_init_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm comm, MPI_Info,
                     MPI_Request*) {
  return not_yet(comm, "MPI_Scan_init_c");
}
REMIT_WEAK(Scan_init_c);

// Reduction operations; local reduction (chapter 6).

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
