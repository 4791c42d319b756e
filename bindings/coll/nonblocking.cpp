// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Nonblocking collective operations (MPI-5.0, section 6.12).
#include "bindings/coll/call.hpp"
#include "bindings/weak.hpp"

using namespace remit;

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Ibarrier", request,
                                [&](CollectiveCall& call) { return check_barrier(call, comm); });
} catch (...) {
  return caught("MPI_Ibarrier", comm);
}
REMIT_WEAK(Ibarrier);

int PMPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                MPI_Request* request) try {
  return nonblocking_collective("MPI_Ibcast", request, [&](CollectiveCall& call) {
    return check_bcast(call, buffer, count, datatype, root, comm);
  });
} catch (...) {
  return caught("MPI_Ibcast", comm);
}
REMIT_WEAK(Ibcast);

int PMPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Request* request) try {
  return nonblocking_collective("MPI_Igather", request, [&](CollectiveCall& call) {
    return check_gather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                        comm);
  });
} catch (...) {
  return caught("MPI_Igather", comm);
}
REMIT_WEAK(Igather);

int PMPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                  MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Igatherv", request, [&](CollectiveCall& call) {
    return check_gatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                         Counts(displs), recvtype, root, comm);
  });
} catch (...) {
  return caught("MPI_Igatherv", comm);
}
REMIT_WEAK(Igatherv);

int PMPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Request* request) try {
  return nonblocking_collective("MPI_Iscatter", request, [&](CollectiveCall& call) {
    return check_scatter(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                         comm);
  });
} catch (...) {
  return caught("MPI_Iscatter", comm);
}
REMIT_WEAK(Iscatter);

int PMPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                   MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Iscatterv", request, [&](CollectiveCall& call) {
    return check_scatterv(call, sendbuf, Counts(sendcounts), Counts(displs), sendtype, recvbuf,
                          recvcount, recvtype, root, comm);
  });
} catch (...) {
  return caught("MPI_Iscatterv", comm);
}
REMIT_WEAK(Iscatterv);

int PMPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Iallgather", request, [&](CollectiveCall& call) {
    return check_all_to_all(call, CollectiveKind::allgather, sendbuf, sendcount, sendtype, recvbuf,
                            recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Iallgather", comm);
}
REMIT_WEAK(Iallgather);

int PMPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                     MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Iallgatherv", request, [&](CollectiveCall& call) {
    return check_allgatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                            Counts(displs), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Iallgatherv", comm);
}
REMIT_WEAK(Iallgatherv);

int PMPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Ialltoall", request, [&](CollectiveCall& call) {
    return check_all_to_all(call, CollectiveKind::alltoall, sendbuf, sendcount, sendtype, recvbuf,
                            recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Ialltoall", comm);
}
REMIT_WEAK(Ialltoall);

int PMPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                    MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                    const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                    MPI_Request* request) try {
  return nonblocking_collective("MPI_Ialltoallv", request, [&](CollectiveCall& call) {
    return check_alltoallv(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtype, recvbuf,
                           Counts(recvcounts), Counts(rdispls), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Ialltoallv", comm);
}
REMIT_WEAK(Ialltoallv);

int PMPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 int root, MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Ireduce", request, [&](CollectiveCall& call) {
    return check_reduce(call, sendbuf, recvbuf, count, datatype, op, root, comm);
  });
} catch (...) {
  return caught("MPI_Ireduce", comm);
}
REMIT_WEAK(Ireduce);

int PMPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Iallreduce", request, [&](CollectiveCall& call) {
    return check_allreduce(call, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Iallreduce", comm);
}
REMIT_WEAK(Iallreduce);

int PMPI_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                  MPI_Request* request) try {
  return nonblocking_collective("MPI_Ibcast_c", request, [&](CollectiveCall& call) {
    return check_bcast(call, buffer, count, datatype, root, comm);
  });
} catch (...) {
  return caught("MPI_Ibcast_c", comm);
}
REMIT_WEAK(Ibcast_c);

int PMPI_Igather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   MPI_Request* request) try {
  return nonblocking_collective("MPI_Igather_c", request, [&](CollectiveCall& call) {
    return check_gather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                        comm);
  });
} catch (...) {
  return caught("MPI_Igather_c", comm);
}
REMIT_WEAK(Igather_c);

int PMPI_Igatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                    int root, MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Igatherv_c", request, [&](CollectiveCall& call) {
    return check_gatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                         Counts(displs), recvtype, root, comm);
  });
} catch (...) {
  return caught("MPI_Igatherv_c", comm);
}
REMIT_WEAK(Igatherv_c);

int PMPI_Iscatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    MPI_Request* request) try {
  return nonblocking_collective("MPI_Iscatter_c", request, [&](CollectiveCall& call) {
    return check_scatter(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                         comm);
  });
} catch (...) {
  return caught("MPI_Iscatter_c", comm);
}
REMIT_WEAK(Iscatter_c);

int PMPI_Iscatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                     MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                     MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Iscatterv_c", request, [&](CollectiveCall& call) {
    return check_scatterv(call, sendbuf, Counts(sendcounts), Counts(displs), sendtype, recvbuf,
                          recvcount, recvtype, root, comm);
  });
} catch (...) {
  return caught("MPI_Iscatterv_c", comm);
}
REMIT_WEAK(Iscatterv_c);

int PMPI_Iallgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                      MPI_Request* request) try {
  return nonblocking_collective("MPI_Iallgather_c", request, [&](CollectiveCall& call) {
    return check_all_to_all(call, CollectiveKind::allgather, sendbuf, sendcount, sendtype, recvbuf,
                            recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Iallgather_c", comm);
}
REMIT_WEAK(Iallgather_c);

int PMPI_Iallgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                       void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                       MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Iallgatherv_c", request, [&](CollectiveCall& call) {
    return check_allgatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                            Counts(displs), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Iallgatherv_c", comm);
}
REMIT_WEAK(Iallgatherv_c);

int PMPI_Ialltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                     MPI_Request* request) try {
  return nonblocking_collective("MPI_Ialltoall_c", request, [&](CollectiveCall& call) {
    return check_all_to_all(call, CollectiveKind::alltoall, sendbuf, sendcount, sendtype, recvbuf,
                            recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Ialltoall_c", comm);
}
REMIT_WEAK(Ialltoall_c);

int PMPI_Ialltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                      MPI_Request* request) try {
  return nonblocking_collective("MPI_Ialltoallv_c", request, [&](CollectiveCall& call) {
    return check_alltoallv(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtype, recvbuf,
                           Counts(recvcounts), Counts(rdispls), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Ialltoallv_c", comm);
}
REMIT_WEAK(Ialltoallv_c);

int PMPI_Ireduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                   MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Ireduce_c", request, [&](CollectiveCall& call) {
    return check_reduce(call, sendbuf, recvbuf, count, datatype, op, root, comm);
  });
} catch (...) {
  return caught("MPI_Ireduce_c", comm);
}
REMIT_WEAK(Ireduce_c);

int PMPI_Iallreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Iallreduce_c", request, [&](CollectiveCall& call) {
    return check_allreduce(call, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Iallreduce_c", comm);
}
REMIT_WEAK(Iallreduce_c);

int PMPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                    const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                    MPI_Request* request) try {
  return nonblocking_collective("MPI_Ialltoallw", request, [&](CollectiveCall& call) {
    return check_alltoallw(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtypes, recvbuf,
                           Counts(recvcounts), Counts(rdispls), recvtypes, comm);
  });
} catch (...) {
  return caught("MPI_Ialltoallw", comm);
}
REMIT_WEAK(Ialltoallw);

int PMPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                         MPI_Request* request) try {
  return nonblocking_collective("MPI_Ireduce_scatter", request, [&](CollectiveCall& call) {
    return check_reduce_scatter(call, sendbuf, recvbuf, Counts(recvcounts), datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Ireduce_scatter", comm);
}
REMIT_WEAK(Ireduce_scatter);

int PMPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                               MPI_Request* request) try {
  return nonblocking_collective("MPI_Ireduce_scatter_block", request, [&](CollectiveCall& call) {
    return check_reduce_scatter_block(call, sendbuf, recvbuf, recvcount, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Ireduce_scatter_block", comm);
}
REMIT_WEAK(Ireduce_scatter_block);

int PMPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Iscan", request, [&](CollectiveCall& call) {
    return check_scan(call, CollectiveKind::scan, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Iscan", comm);
}
REMIT_WEAK(Iscan);

int PMPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Iexscan", request, [&](CollectiveCall& call) {
    return check_scan(call, CollectiveKind::exscan, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Iexscan", comm);
}
REMIT_WEAK(Iexscan);

int PMPI_Ialltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                      MPI_Request* request) try {
  return nonblocking_collective("MPI_Ialltoallw_c", request, [&](CollectiveCall& call) {
    return check_alltoallw(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtypes, recvbuf,
                           Counts(recvcounts), Counts(rdispls), recvtypes, comm);
  });
} catch (...) {
  return caught("MPI_Ialltoallw_c", comm);
}
REMIT_WEAK(Ialltoallw_c);

int PMPI_Ireduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                           MPI_Request* request) try {
  return nonblocking_collective("MPI_Ireduce_scatter_c", request, [&](CollectiveCall& call) {
    return check_reduce_scatter(call, sendbuf, recvbuf, Counts(recvcounts), datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Ireduce_scatter_c", comm);
}
REMIT_WEAK(Ireduce_scatter_c);

int PMPI_Ireduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                 MPI_Request* request) try {
  return nonblocking_collective("MPI_Ireduce_scatter_block_c", request, [&](CollectiveCall& call) {
    return check_reduce_scatter_block(call, sendbuf, recvbuf, recvcount, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Ireduce_scatter_block_c", comm);
}
REMIT_WEAK(Ireduce_scatter_block_c);

int PMPI_Iscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Iscan_c", request, [&](CollectiveCall& call) {
    return check_scan(call, CollectiveKind::scan, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Iscan_c", comm);
}
REMIT_WEAK(Iscan_c);

int PMPI_Iexscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                   MPI_Op op, MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Iexscan_c", request, [&](CollectiveCall& call) {
    return check_scan(call, CollectiveKind::exscan, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Iexscan_c", comm);
}
REMIT_WEAK(Iexscan_c);
