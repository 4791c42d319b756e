// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Blocking collective operations (MPI-5.0, sections 6.3 to 6.9).
#include "bindings/coll_call.hpp"
#include "bindings/weak.hpp"

using namespace remit;

int PMPI_Barrier(MPI_Comm comm) {
  return blocking_collective("MPI_Barrier",
                             [&](CollectiveCall& call) { return check_barrier(call, comm); });
}
REMIT_WEAK(Barrier);

int PMPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return blocking_collective("MPI_Bcast", [&](CollectiveCall& call) {
    return check_bcast(call, buffer, count, datatype, root, comm);
  });
}
REMIT_WEAK(Bcast);

int PMPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return blocking_collective("MPI_Gather", [&](CollectiveCall& call) {
    return check_gather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                        comm);
  });
}
REMIT_WEAK(Gather);

int PMPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                 MPI_Comm comm) {
  return blocking_collective("MPI_Gatherv", [&](CollectiveCall& call) {
    return check_gatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                         Counts(displs), recvtype, root, comm);
  });
}
REMIT_WEAK(Gatherv);

int PMPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return blocking_collective("MPI_Scatter", [&](CollectiveCall& call) {
    return check_scatter(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                         comm);
  });
}
REMIT_WEAK(Scatter);

int PMPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                  MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm) {
  return blocking_collective("MPI_Scatterv", [&](CollectiveCall& call) {
    return check_scatterv(call, sendbuf, Counts(sendcounts), Counts(displs), sendtype, recvbuf,
                          recvcount, recvtype, root, comm);
  });
}
REMIT_WEAK(Scatterv);

int PMPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking_collective("MPI_Allgather", [&](CollectiveCall& call) {
    return check_all_to_all(call, CollectiveKind::allgather, sendbuf, sendcount, sendtype, recvbuf,
                            recvcount, recvtype, comm);
  });
}
REMIT_WEAK(Allgather);

int PMPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                    MPI_Comm comm) {
  return blocking_collective("MPI_Allgatherv", [&](CollectiveCall& call) {
    return check_allgatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                            Counts(displs), recvtype, comm);
  });
}
REMIT_WEAK(Allgatherv);

int PMPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking_collective("MPI_Alltoall", [&](CollectiveCall& call) {
    return check_all_to_all(call, CollectiveKind::alltoall, sendbuf, sendcount, sendtype, recvbuf,
                            recvcount, recvtype, comm);
  });
}
REMIT_WEAK(Alltoall);

int PMPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking_collective("MPI_Alltoallv", [&](CollectiveCall& call) {
    return check_alltoallv(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtype, recvbuf,
                           Counts(recvcounts), Counts(rdispls), recvtype, comm);
  });
}
REMIT_WEAK(Alltoallv);

int PMPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                int root, MPI_Comm comm) {
  return blocking_collective("MPI_Reduce", [&](CollectiveCall& call) {
    return check_reduce(call, sendbuf, recvbuf, count, datatype, op, root, comm);
  });
}
REMIT_WEAK(Reduce);

int PMPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm) {
  return blocking_collective("MPI_Allreduce", [&](CollectiveCall& call) {
    return check_allreduce(call, sendbuf, recvbuf, count, datatype, op, comm);
  });
}
REMIT_WEAK(Allreduce);

int PMPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return blocking_collective("MPI_Bcast_c", [&](CollectiveCall& call) {
    return check_bcast(call, buffer, count, datatype, root, comm);
  });
}
REMIT_WEAK(Bcast_c);

int PMPI_Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return blocking_collective("MPI_Gather_c", [&](CollectiveCall& call) {
    return check_gather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                        comm);
  });
}
REMIT_WEAK(Gather_c);

int PMPI_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                   int root, MPI_Comm comm) {
  return blocking_collective("MPI_Gatherv_c", [&](CollectiveCall& call) {
    return check_gatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                         Counts(displs), recvtype, root, comm);
  });
}
REMIT_WEAK(Gatherv_c);

int PMPI_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return blocking_collective("MPI_Scatter_c", [&](CollectiveCall& call) {
    return check_scatter(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                         comm);
  });
}
REMIT_WEAK(Scatter_c);

int PMPI_Scatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                    MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return blocking_collective("MPI_Scatterv_c", [&](CollectiveCall& call) {
    return check_scatterv(call, sendbuf, Counts(sendcounts), Counts(displs), sendtype, recvbuf,
                          recvcount, recvtype, root, comm);
  });
}
REMIT_WEAK(Scatterv_c);

int PMPI_Allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking_collective("MPI_Allgather_c", [&](CollectiveCall& call) {
    return check_all_to_all(call, CollectiveKind::allgather, sendbuf, sendcount, sendtype, recvbuf,
                            recvcount, recvtype, comm);
  });
}
REMIT_WEAK(Allgather_c);

int PMPI_Allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                      MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking_collective("MPI_Allgatherv_c", [&](CollectiveCall& call) {
    return check_allgatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                            Counts(displs), recvtype, comm);
  });
}
REMIT_WEAK(Allgatherv_c);

int PMPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking_collective("MPI_Alltoall_c", [&](CollectiveCall& call) {
    return check_all_to_all(call, CollectiveKind::alltoall, sendbuf, sendcount, sendtype, recvbuf,
                            recvcount, recvtype, comm);
  });
}
REMIT_WEAK(Alltoall_c);

int PMPI_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking_collective("MPI_Alltoallv_c", [&](CollectiveCall& call) {
    return check_alltoallv(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtype, recvbuf,
                           Counts(recvcounts), Counts(rdispls), recvtype, comm);
  });
}
REMIT_WEAK(Alltoallv_c);

int PMPI_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Op op, int root, MPI_Comm comm) {
  return blocking_collective("MPI_Reduce_c", [&](CollectiveCall& call) {
    return check_reduce(call, sendbuf, recvbuf, count, datatype, op, root, comm);
  });
}
REMIT_WEAK(Reduce_c);

int PMPI_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                     MPI_Op op, MPI_Comm comm) {
  return blocking_collective("MPI_Allreduce_c", [&](CollectiveCall& call) {
    return check_allreduce(call, sendbuf, recvbuf, count, datatype, op, comm);
  });
}
REMIT_WEAK(Allreduce_c);

int PMPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                   const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return blocking_collective("MPI_Alltoallw", [&](CollectiveCall& call) {
    return check_alltoallw(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtypes, recvbuf,
                           Counts(recvcounts), Counts(rdispls), recvtypes, comm);
  });
}
REMIT_WEAK(Alltoallw);

int PMPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return blocking_collective("MPI_Reduce_scatter", [&](CollectiveCall& call) {
    return check_reduce_scatter(call, sendbuf, recvbuf, Counts(recvcounts), datatype, op, comm);
  });
}
REMIT_WEAK(Reduce_scatter);

int PMPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return blocking_collective("MPI_Reduce_scatter_block", [&](CollectiveCall& call) {
    return check_reduce_scatter_block(call, sendbuf, recvbuf, recvcount, datatype, op, comm);
  });
}
REMIT_WEAK(Reduce_scatter_block);

int PMPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm) {
  return blocking_collective("MPI_Scan", [&](CollectiveCall& call) {
    return check_scan(call, CollectiveKind::scan, sendbuf, recvbuf, count, datatype, op, comm);
  });
}
REMIT_WEAK(Scan);

int PMPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm) {
  return blocking_collective("MPI_Exscan", [&](CollectiveCall& call) {
    return check_scan(call, CollectiveKind::exscan, sendbuf, recvbuf, count, datatype, op, comm);
  });
}
REMIT_WEAK(Exscan);

int PMPI_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return blocking_collective("MPI_Alltoallw_c", [&](CollectiveCall& call) {
    return check_alltoallw(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtypes, recvbuf,
                           Counts(recvcounts), Counts(rdispls), recvtypes, comm);
  });
}
REMIT_WEAK(Alltoallw_c);

int PMPI_Reduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return blocking_collective("MPI_Reduce_scatter_c", [&](CollectiveCall& call) {
    return check_reduce_scatter(call, sendbuf, recvbuf, Counts(recvcounts), datatype, op, comm);
  });
}
REMIT_WEAK(Reduce_scatter_c);

int PMPI_Reduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return blocking_collective("MPI_Reduce_scatter_block_c", [&](CollectiveCall& call) {
    return check_reduce_scatter_block(call, sendbuf, recvbuf, recvcount, datatype, op, comm);
  });
}
REMIT_WEAK(Reduce_scatter_block_c);

int PMPI_Scan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                MPI_Op op, MPI_Comm comm) {
  return blocking_collective("MPI_Scan_c", [&](CollectiveCall& call) {
    return check_scan(call, CollectiveKind::scan, sendbuf, recvbuf, count, datatype, op, comm);
  });
}
REMIT_WEAK(Scan_c);

int PMPI_Exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Op op, MPI_Comm comm) {
  return blocking_collective("MPI_Exscan_c", [&](CollectiveCall& call) {
    return check_scan(call, CollectiveKind::exscan, sendbuf, recvbuf, count, datatype, op, comm);
  });
}
REMIT_WEAK(Exscan_c);
