// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Persistent collective operations (MPI-5.0, section 6.13).
#include "bindings/coll/call.hpp"
#include "bindings/weak.hpp"

using namespace remit;

int PMPI_Barrier_init(MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Barrier_init", request,
                               [&](CollectiveCall& call) { return check_barrier(call, comm); });
} catch (...) {
  return caught("MPI_Barrier_init", comm);
}
REMIT_WEAK(Barrier_init);

int PMPI_Bcast_init(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                    MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Bcast_init", request, [&](CollectiveCall& call) {
    return check_bcast(call, buffer, count, datatype, root, comm);
  });
} catch (...) {
  return caught("MPI_Bcast_init", comm);
}
REMIT_WEAK(Bcast_init);

int PMPI_Gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                     MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Gather_init", request, [&](CollectiveCall& call) {
    return check_gather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                        comm);
  });
} catch (...) {
  return caught("MPI_Gather_init", comm);
}
REMIT_WEAK(Gather_init);

int PMPI_Gatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                      MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Gatherv_init", request, [&](CollectiveCall& call) {
    return check_gatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                         Counts(displs), recvtype, root, comm);
  });
} catch (...) {
  return caught("MPI_Gatherv_init", comm);
}
REMIT_WEAK(Gatherv_init);

int PMPI_Scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                      MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Scatter_init", request, [&](CollectiveCall& call) {
    return check_scatter(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                         comm);
  });
} catch (...) {
  return caught("MPI_Scatter_init", comm);
}
REMIT_WEAK(Scatter_init);

int PMPI_Scatterv_init(const void* sendbuf, const int sendcounts[], const int displs[],
                       MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                       int root, MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Scatterv_init", request, [&](CollectiveCall& call) {
    return check_scatterv(call, sendbuf, Counts(sendcounts), Counts(displs), sendtype, recvbuf,
                          recvcount, recvtype, root, comm);
  });
} catch (...) {
  return caught("MPI_Scatterv_init", comm);
}
REMIT_WEAK(Scatterv_init);

int PMPI_Allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info /*info*/,
                        MPI_Request* request) try {
  return persistent_collective("MPI_Allgather_init", request, [&](CollectiveCall& call) {
    return check_all_to_all(call, CollectiveKind::allgather, sendbuf, sendcount, sendtype, recvbuf,
                            recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Allgather_init", comm);
}
REMIT_WEAK(Allgather_init);

int PMPI_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                         MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Allgatherv_init", request, [&](CollectiveCall& call) {
    return check_allgatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                            Counts(displs), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Allgatherv_init", comm);
}
REMIT_WEAK(Allgatherv_init);

int PMPI_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info /*info*/,
                       MPI_Request* request) try {
  return persistent_collective("MPI_Alltoall_init", request, [&](CollectiveCall& call) {
    return check_all_to_all(call, CollectiveKind::alltoall, sendbuf, sendcount, sendtype, recvbuf,
                            recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Alltoall_init", comm);
}
REMIT_WEAK(Alltoall_init);

int PMPI_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                        MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                        const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                        MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Alltoallv_init", request, [&](CollectiveCall& call) {
    return check_alltoallv(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtype, recvbuf,
                           Counts(recvcounts), Counts(rdispls), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Alltoallv_init", comm);
}
REMIT_WEAK(Alltoallv_init);

int PMPI_Reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                     MPI_Op op, int root, MPI_Comm comm, MPI_Info /*info*/,
                     MPI_Request* request) try {
  return persistent_collective("MPI_Reduce_init", request, [&](CollectiveCall& call) {
    return check_reduce(call, sendbuf, recvbuf, count, datatype, op, root, comm);
  });
} catch (...) {
  return caught("MPI_Reduce_init", comm);
}
REMIT_WEAK(Reduce_init);

int PMPI_Allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                        MPI_Op op, MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Allreduce_init", request, [&](CollectiveCall& call) {
    return check_allreduce(call, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Allreduce_init", comm);
}
REMIT_WEAK(Allreduce_init);

int PMPI_Bcast_init_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                      MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Bcast_init_c", request, [&](CollectiveCall& call) {
    return check_bcast(call, buffer, count, datatype, root, comm);
  });
} catch (...) {
  return caught("MPI_Bcast_init_c", comm);
}
REMIT_WEAK(Bcast_init_c);

int PMPI_Gather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                       void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                       MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Gather_init_c", request, [&](CollectiveCall& call) {
    return check_gather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                        comm);
  });
} catch (...) {
  return caught("MPI_Gather_init_c", comm);
}
REMIT_WEAK(Gather_init_c);

int PMPI_Gatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                        void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                        MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info /*info*/,
                        MPI_Request* request) try {
  return persistent_collective("MPI_Gatherv_init_c", request, [&](CollectiveCall& call) {
    return check_gatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                         Counts(displs), recvtype, root, comm);
  });
} catch (...) {
  return caught("MPI_Gatherv_init_c", comm);
}
REMIT_WEAK(Gatherv_init_c);

int PMPI_Scatter_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                        void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                        MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Scatter_init_c", request, [&](CollectiveCall& call) {
    return check_scatter(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                         comm);
  });
} catch (...) {
  return caught("MPI_Scatter_init_c", comm);
}
REMIT_WEAK(Scatter_init_c);

int PMPI_Scatterv_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                         MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                         MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info /*info*/,
                         MPI_Request* request) try {
  return persistent_collective("MPI_Scatterv_init_c", request, [&](CollectiveCall& call) {
    return check_scatterv(call, sendbuf, Counts(sendcounts), Counts(displs), sendtype, recvbuf,
                          recvcount, recvtype, root, comm);
  });
} catch (...) {
  return caught("MPI_Scatterv_init_c", comm);
}
REMIT_WEAK(Scatterv_init_c);

int PMPI_Allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                          void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                          MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Allgather_init_c", request, [&](CollectiveCall& call) {
    return check_all_to_all(call, CollectiveKind::allgather, sendbuf, sendcount, sendtype, recvbuf,
                            recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Allgather_init_c", comm);
}
REMIT_WEAK(Allgather_init_c);

int PMPI_Allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                           void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                           MPI_Datatype recvtype, MPI_Comm comm, MPI_Info /*info*/,
                           MPI_Request* request) try {
  return persistent_collective("MPI_Allgatherv_init_c", request, [&](CollectiveCall& call) {
    return check_allgatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                            Counts(displs), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Allgatherv_init_c", comm);
}
REMIT_WEAK(Allgatherv_init_c);

int PMPI_Alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                         void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                         MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Alltoall_init_c", request, [&](CollectiveCall& call) {
    return check_all_to_all(call, CollectiveKind::alltoall, sendbuf, sendcount, sendtype, recvbuf,
                            recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Alltoall_init_c", comm);
}
REMIT_WEAK(Alltoall_init_c);

int PMPI_Alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                          const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                          const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Info /*info*/,
                          MPI_Request* request) try {
  return persistent_collective("MPI_Alltoallv_init_c", request, [&](CollectiveCall& call) {
    return check_alltoallv(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtype, recvbuf,
                           Counts(recvcounts), Counts(rdispls), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Alltoallv_init_c", comm);
}
REMIT_WEAK(Alltoallv_init_c);

int PMPI_Reduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                       MPI_Op op, int root, MPI_Comm comm, MPI_Info /*info*/,
                       MPI_Request* request) try {
  return persistent_collective("MPI_Reduce_init_c", request, [&](CollectiveCall& call) {
    return check_reduce(call, sendbuf, recvbuf, count, datatype, op, root, comm);
  });
} catch (...) {
  return caught("MPI_Reduce_init_c", comm);
}
REMIT_WEAK(Reduce_init_c);

int PMPI_Allreduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info /*info*/,
                          MPI_Request* request) try {
  return persistent_collective("MPI_Allreduce_init_c", request, [&](CollectiveCall& call) {
    return check_allreduce(call, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Allreduce_init_c", comm);
}
REMIT_WEAK(Allreduce_init_c);

int PMPI_Alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                        const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                        const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                        MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Alltoallw_init", request, [&](CollectiveCall& call) {
    return check_alltoallw(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtypes, recvbuf,
                           Counts(recvcounts), Counts(rdispls), recvtypes, comm);
  });
} catch (...) {
  return caught("MPI_Alltoallw_init", comm);
}
REMIT_WEAK(Alltoallw_init);

int PMPI_Reduce_scatter_init(const void* sendbuf, void* recvbuf, const int recvcounts[],
                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info /*info*/,
                             MPI_Request* request) try {
  return persistent_collective("MPI_Reduce_scatter_init", request, [&](CollectiveCall& call) {
    return check_reduce_scatter(call, sendbuf, recvbuf, Counts(recvcounts), datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Reduce_scatter_init", comm);
}
REMIT_WEAK(Reduce_scatter_init);

int PMPI_Reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount,
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                   MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Reduce_scatter_block_init", request, [&](CollectiveCall& call) {
    return check_reduce_scatter_block(call, sendbuf, recvbuf, recvcount, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Reduce_scatter_block_init", comm);
}
REMIT_WEAK(Reduce_scatter_block_init);

int PMPI_Scan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Scan_init", request, [&](CollectiveCall& call) {
    return check_scan(call, CollectiveKind::scan, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Scan_init", comm);
}
REMIT_WEAK(Scan_init);

int PMPI_Exscan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                     MPI_Op op, MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Exscan_init", request, [&](CollectiveCall& call) {
    return check_scan(call, CollectiveKind::exscan, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Exscan_init", comm);
}
REMIT_WEAK(Exscan_init);

int PMPI_Alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                          const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                          const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                          const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info /*info*/,
                          MPI_Request* request) try {
  return persistent_collective("MPI_Alltoallw_init_c", request, [&](CollectiveCall& call) {
    return check_alltoallw(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtypes, recvbuf,
                           Counts(recvcounts), Counts(rdispls), recvtypes, comm);
  });
} catch (...) {
  return caught("MPI_Alltoallw_init_c", comm);
}
REMIT_WEAK(Alltoallw_init_c);

int PMPI_Reduce_scatter_init_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info /*info*/,
                               MPI_Request* request) try {
  return persistent_collective("MPI_Reduce_scatter_init_c", request, [&](CollectiveCall& call) {
    return check_reduce_scatter(call, sendbuf, recvbuf, Counts(recvcounts), datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Reduce_scatter_init_c", comm);
}
REMIT_WEAK(Reduce_scatter_init_c);

int PMPI_Reduce_scatter_block_init_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                     MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective(
      "MPI_Reduce_scatter_block_init_c", request, [&](CollectiveCall& call) {
        return check_reduce_scatter_block(call, sendbuf, recvbuf, recvcount, datatype, op, comm);
      });
} catch (...) {
  return caught("MPI_Reduce_scatter_block_init_c", comm);
}
REMIT_WEAK(Reduce_scatter_block_init_c);

int PMPI_Scan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                     MPI_Op op, MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Scan_init_c", request, [&](CollectiveCall& call) {
    return check_scan(call, CollectiveKind::scan, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Scan_init_c", comm);
}
REMIT_WEAK(Scan_init_c);

int PMPI_Exscan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                       MPI_Op op, MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Exscan_init_c", request, [&](CollectiveCall& call) {
    return check_scan(call, CollectiveKind::exscan, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Exscan_init_c", comm);
}
REMIT_WEAK(Exscan_init_c);
