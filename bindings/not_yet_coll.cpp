// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// not_yet_coll.cpp: what does not work yet of collective communication and reduction operations.
// Who implements a function deletes it here.

#include "bindings/not_yet.hpp"
#include "bindings/weak.hpp"

using remit::not_yet;

// Blocking (chapter 6).

int PMPI_Allgather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm comm) {
  return not_yet(comm, "MPI_Allgather");
}
REMIT_WEAK(Allgather);
int PMPI_Allgather_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
                     MPI_Comm comm) {
  return not_yet(comm, "MPI_Allgather_c");
}
REMIT_WEAK(Allgather_c);
int PMPI_Allgatherv(const void*, int, MPI_Datatype, void*, const int[], const int[], MPI_Datatype,
                    MPI_Comm comm) {
  return not_yet(comm, "MPI_Allgatherv");
}
REMIT_WEAK(Allgatherv);
int PMPI_Allgatherv_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[],
                      const MPI_Aint[], MPI_Datatype, MPI_Comm comm) {
  return not_yet(comm, "MPI_Allgatherv_c");
}
REMIT_WEAK(Allgatherv_c);
int PMPI_Allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm comm) {
  return not_yet(comm, "MPI_Allreduce");
}
REMIT_WEAK(Allreduce);
int PMPI_Allreduce_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm comm) {
  return not_yet(comm, "MPI_Allreduce_c");
}
REMIT_WEAK(Allreduce_c);
int PMPI_Alltoall(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm comm) {
  return not_yet(comm, "MPI_Alltoall");
}
REMIT_WEAK(Alltoall);
int PMPI_Alltoall_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
                    MPI_Comm comm) {
  return not_yet(comm, "MPI_Alltoall_c");
}
REMIT_WEAK(Alltoall_c);
int PMPI_Alltoallv(const void*, const int[], const int[], MPI_Datatype, void*, const int[],
                   const int[], MPI_Datatype, MPI_Comm comm) {
  return not_yet(comm, "MPI_Alltoallv");
}
REMIT_WEAK(Alltoallv);
int PMPI_Alltoallv_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*,
                     const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm comm) {
  return not_yet(comm, "MPI_Alltoallv_c");
}
REMIT_WEAK(Alltoallv_c);
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
int PMPI_Barrier(MPI_Comm comm) {
  return not_yet(comm, "MPI_Barrier");
}
REMIT_WEAK(Barrier);
int PMPI_Bcast(void*, int, MPI_Datatype, int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Bcast");
}
REMIT_WEAK(Bcast);
int PMPI_Bcast_c(void*, MPI_Count, MPI_Datatype, int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Bcast_c");
}
REMIT_WEAK(Bcast_c);
int PMPI_Exscan(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm comm) {
  return not_yet(comm, "MPI_Exscan");
}
REMIT_WEAK(Exscan);
int PMPI_Exscan_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm comm) {
  return not_yet(comm, "MPI_Exscan_c");
}
REMIT_WEAK(Exscan_c);
int PMPI_Gather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Gather");
}
REMIT_WEAK(Gather);
int PMPI_Gather_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int,
                  MPI_Comm comm) {
  return not_yet(comm, "MPI_Gather_c");
}
REMIT_WEAK(Gather_c);
int PMPI_Gatherv(const void*, int, MPI_Datatype, void*, const int[], const int[], MPI_Datatype, int,
                 MPI_Comm comm) {
  return not_yet(comm, "MPI_Gatherv");
}
REMIT_WEAK(Gatherv);
int PMPI_Gatherv_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[], const MPI_Aint[],
                   MPI_Datatype, int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Gatherv_c");
}
REMIT_WEAK(Gatherv_c);
int PMPI_Reduce(const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Reduce");
}
REMIT_WEAK(Reduce);
int PMPI_Reduce_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Reduce_c");
}
REMIT_WEAK(Reduce_c);
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
int PMPI_Scatter(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Scatter");
}
REMIT_WEAK(Scatter);
int PMPI_Scatter_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int,
                   MPI_Comm comm) {
  return not_yet(comm, "MPI_Scatter_c");
}
REMIT_WEAK(Scatter_c);
int PMPI_Scatterv(const void*, const int[], const int[], MPI_Datatype, void*, int, MPI_Datatype,
                  int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Scatterv");
}
REMIT_WEAK(Scatterv);
int PMPI_Scatterv_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*,
                    MPI_Count, MPI_Datatype, int, MPI_Comm comm) {
  return not_yet(comm, "MPI_Scatterv_c");
}
REMIT_WEAK(Scatterv_c);

// Nonblocking (chapter 6).

int PMPI_Iallgather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm comm,
                    MPI_Request*) {
  return not_yet(comm, "MPI_Iallgather");
}
REMIT_WEAK(Iallgather);
int PMPI_Iallgather_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
                      MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Iallgather_c");
}
REMIT_WEAK(Iallgather_c);
int PMPI_Iallgatherv(const void*, int, MPI_Datatype, void*, const int[], const int[], MPI_Datatype,
                     MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Iallgatherv");
}
REMIT_WEAK(Iallgatherv);
int PMPI_Iallgatherv_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[],
                       const MPI_Aint[], MPI_Datatype, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Iallgatherv_c");
}
REMIT_WEAK(Iallgatherv_c);
int PMPI_Iallreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Iallreduce");
}
REMIT_WEAK(Iallreduce);
int PMPI_Iallreduce_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm comm,
                      MPI_Request*) {
  return not_yet(comm, "MPI_Iallreduce_c");
}
REMIT_WEAK(Iallreduce_c);
int PMPI_Ialltoall(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm comm,
                   MPI_Request*) {
  return not_yet(comm, "MPI_Ialltoall");
}
REMIT_WEAK(Ialltoall);
int PMPI_Ialltoall_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
                     MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ialltoall_c");
}
REMIT_WEAK(Ialltoall_c);
int PMPI_Ialltoallv(const void*, const int[], const int[], MPI_Datatype, void*, const int[],
                    const int[], MPI_Datatype, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ialltoallv");
}
REMIT_WEAK(Ialltoallv);
int PMPI_Ialltoallv_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*,
                      const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm comm,
                      MPI_Request*) {
  return not_yet(comm, "MPI_Ialltoallv_c");
}
REMIT_WEAK(Ialltoallv_c);
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
int PMPI_Ibarrier(MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ibarrier");
}
REMIT_WEAK(Ibarrier);
int PMPI_Ibcast(void*, int, MPI_Datatype, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ibcast");
}
REMIT_WEAK(Ibcast);
int PMPI_Ibcast_c(void*, MPI_Count, MPI_Datatype, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ibcast_c");
}
REMIT_WEAK(Ibcast_c);
int PMPI_Iexscan(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Iexscan");
}
REMIT_WEAK(Iexscan);
int PMPI_Iexscan_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm comm,
                   MPI_Request*) {
  return not_yet(comm, "MPI_Iexscan_c");
}
REMIT_WEAK(Iexscan_c);
int PMPI_Igather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm comm,
                 MPI_Request*) {
  return not_yet(comm, "MPI_Igather");
}
REMIT_WEAK(Igather);
int PMPI_Igather_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int,
                   MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Igather_c");
}
REMIT_WEAK(Igather_c);
int PMPI_Igatherv(const void*, int, MPI_Datatype, void*, const int[], const int[], MPI_Datatype,
                  int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Igatherv");
}
REMIT_WEAK(Igatherv);
int PMPI_Igatherv_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[],
                    const MPI_Aint[], MPI_Datatype, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Igatherv_c");
}
REMIT_WEAK(Igatherv_c);
int PMPI_Ireduce(const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Ireduce");
}
REMIT_WEAK(Ireduce);
int PMPI_Ireduce_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm comm,
                   MPI_Request*) {
  return not_yet(comm, "MPI_Ireduce_c");
}
REMIT_WEAK(Ireduce_c);
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
int PMPI_Iscatter(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm comm,
                  MPI_Request*) {
  return not_yet(comm, "MPI_Iscatter");
}
REMIT_WEAK(Iscatter);
int PMPI_Iscatter_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int,
                    MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Iscatter_c");
}
REMIT_WEAK(Iscatter_c);
int PMPI_Iscatterv(const void*, const int[], const int[], MPI_Datatype, void*, int, MPI_Datatype,
                   int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Iscatterv");
}
REMIT_WEAK(Iscatterv);
int PMPI_Iscatterv_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*,
                     MPI_Count, MPI_Datatype, int, MPI_Comm comm, MPI_Request*) {
  return not_yet(comm, "MPI_Iscatterv_c");
}
REMIT_WEAK(Iscatterv_c);

// Persistent (chapter 6).

int PMPI_Allgather_init(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm comm,
                        MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Allgather_init");
}
REMIT_WEAK(Allgather_init);
int PMPI_Allgather_init_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
                          MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Allgather_init_c");
}
REMIT_WEAK(Allgather_init_c);
int PMPI_Allgatherv_init(const void*, int, MPI_Datatype, void*, const int[], const int[],
                         MPI_Datatype, MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Allgatherv_init");
}
REMIT_WEAK(Allgatherv_init);
int PMPI_Allgatherv_init_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[],
                           const MPI_Aint[], MPI_Datatype, MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Allgatherv_init_c");
}
REMIT_WEAK(Allgatherv_init_c);
int PMPI_Allreduce_init(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm comm, MPI_Info,
                        MPI_Request*) {
  return not_yet(comm, "MPI_Allreduce_init");
}
REMIT_WEAK(Allreduce_init);
int PMPI_Allreduce_init_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm comm,
                          MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Allreduce_init_c");
}
REMIT_WEAK(Allreduce_init_c);
int PMPI_Alltoall_init(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm comm,
                       MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Alltoall_init");
}
REMIT_WEAK(Alltoall_init);
int PMPI_Alltoall_init_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
                         MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Alltoall_init_c");
}
REMIT_WEAK(Alltoall_init_c);
int PMPI_Alltoallv_init(const void*, const int[], const int[], MPI_Datatype, void*, const int[],
                        const int[], MPI_Datatype, MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Alltoallv_init");
}
REMIT_WEAK(Alltoallv_init);
int PMPI_Alltoallv_init_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*,
                          const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm comm,
                          MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Alltoallv_init_c");
}
REMIT_WEAK(Alltoallv_init_c);
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
int PMPI_Barrier_init(MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Barrier_init");
}
REMIT_WEAK(Barrier_init);
int PMPI_Bcast_init(void*, int, MPI_Datatype, int, MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Bcast_init");
}
REMIT_WEAK(Bcast_init);
int PMPI_Bcast_init_c(void*, MPI_Count, MPI_Datatype, int, MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Bcast_init_c");
}
REMIT_WEAK(Bcast_init_c);
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
int PMPI_Gather_init(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm comm,
                     MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Gather_init");
}
REMIT_WEAK(Gather_init);
int PMPI_Gather_init_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int,
                       MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Gather_init_c");
}
REMIT_WEAK(Gather_init_c);
int PMPI_Gatherv_init(const void*, int, MPI_Datatype, void*, const int[], const int[], MPI_Datatype,
                      int, MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Gatherv_init");
}
REMIT_WEAK(Gatherv_init);
int PMPI_Gatherv_init_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[],
                        const MPI_Aint[], MPI_Datatype, int, MPI_Comm comm, MPI_Info,
                        MPI_Request*) {
  return not_yet(comm, "MPI_Gatherv_init_c");
}
REMIT_WEAK(Gatherv_init_c);
int PMPI_Reduce_init(const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm comm, MPI_Info,
                     MPI_Request*) {
  return not_yet(comm, "MPI_Reduce_init");
}
REMIT_WEAK(Reduce_init);
int PMPI_Reduce_init_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm comm,
                       MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Reduce_init_c");
}
REMIT_WEAK(Reduce_init_c);
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
int PMPI_Scatter_init(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm comm,
                      MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Scatter_init");
}
REMIT_WEAK(Scatter_init);
int PMPI_Scatter_init_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int,
                        MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Scatter_init_c");
}
REMIT_WEAK(Scatter_init_c);
int PMPI_Scatterv_init(const void*, const int[], const int[], MPI_Datatype, void*, int,
                       MPI_Datatype, int, MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Scatterv_init");
}
REMIT_WEAK(Scatterv_init);
int PMPI_Scatterv_init_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*,
                         MPI_Count, MPI_Datatype, int, MPI_Comm comm, MPI_Info, MPI_Request*) {
  return not_yet(comm, "MPI_Scatterv_init_c");
}
REMIT_WEAK(Scatterv_init_c);

// Reduction operations; local reduction (chapter 6).

int PMPI_Op_commutative(MPI_Op, int*) {
  return not_yet("MPI_Op_commutative");
}
REMIT_WEAK(Op_commutative);
int PMPI_Op_create(MPI_User_function*, int, MPI_Op*) {
  return not_yet("MPI_Op_create");
}
REMIT_WEAK(Op_create);
int PMPI_Op_create_c(MPI_User_function_c*, int, MPI_Op*) {
  return not_yet("MPI_Op_create_c");
}
REMIT_WEAK(Op_create_c);
int PMPI_Op_free(MPI_Op*) {
  return not_yet("MPI_Op_free");
}
REMIT_WEAK(Op_free);
int PMPI_Reduce_local(const void*, void*, int, MPI_Datatype, MPI_Op) {
  return not_yet("MPI_Reduce_local");
}
REMIT_WEAK(Reduce_local);
int PMPI_Reduce_local_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op) {
  return not_yet("MPI_Reduce_local_c");
}
REMIT_WEAK(Reduce_local_c);

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
