// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collective operations (MPI-5.0, section 8.6) in their three forms.
#include "bindings/coll/call.hpp"
#include "bindings/weak.hpp"

using namespace remit;

int PMPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, int recvcount, MPI_Datatype recvtype,
                            MPI_Comm comm) try {
  return blocking_collective("MPI_Neighbor_allgather", [&](CollectiveCall& call) {
    return check_neighbors(call, CollectiveKind::neighbor_allgather, sendbuf, sendcount, sendtype,
                           recvbuf, recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_allgather", comm);
}
REMIT_WEAK(Neighbor_allgather);

int PMPI_Neighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                              MPI_Comm comm) try {
  return blocking_collective("MPI_Neighbor_allgather_c", [&](CollectiveCall& call) {
    return check_neighbors(call, CollectiveKind::neighbor_allgather, sendbuf, sendcount, sendtype,
                           recvbuf, recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_allgather_c", comm);
}
REMIT_WEAK(Neighbor_allgather_c);

int PMPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                             void* recvbuf, const int recvcounts[], const int displs[],
                             MPI_Datatype recvtype, MPI_Comm comm) try {
  return blocking_collective("MPI_Neighbor_allgatherv", [&](CollectiveCall& call) {
    return check_neighbor_allgatherv(call, sendbuf, sendcount, sendtype, recvbuf,
                                     Counts(recvcounts), Counts(displs), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_allgatherv", comm);
}
REMIT_WEAK(Neighbor_allgatherv);

int PMPI_Neighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                               void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                               MPI_Datatype recvtype, MPI_Comm comm) try {
  return blocking_collective("MPI_Neighbor_allgatherv_c", [&](CollectiveCall& call) {
    return check_neighbor_allgatherv(call, sendbuf, sendcount, sendtype, recvbuf,
                                     Counts(recvcounts), Counts(displs), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_allgatherv_c", comm);
}
REMIT_WEAK(Neighbor_allgatherv_c);

int PMPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm) try {
  return blocking_collective("MPI_Neighbor_alltoall", [&](CollectiveCall& call) {
    return check_neighbors(call, CollectiveKind::neighbor_alltoall, sendbuf, sendcount, sendtype,
                           recvbuf, recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_alltoall", comm);
}
REMIT_WEAK(Neighbor_alltoall);

int PMPI_Neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                             MPI_Comm comm) try {
  return blocking_collective("MPI_Neighbor_alltoall_c", [&](CollectiveCall& call) {
    return check_neighbors(call, CollectiveKind::neighbor_alltoall, sendbuf, sendcount, sendtype,
                           recvbuf, recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_alltoall_c", comm);
}
REMIT_WEAK(Neighbor_alltoall_c);

int PMPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                            MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                            const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) try {
  return blocking_collective("MPI_Neighbor_alltoallv", [&](CollectiveCall& call) {
    return check_neighbor_alltoallv(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtype,
                                    recvbuf, Counts(recvcounts), Counts(rdispls), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_alltoallv", comm);
}
REMIT_WEAK(Neighbor_alltoallv);

int PMPI_Neighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                              const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                              const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                              MPI_Datatype recvtype, MPI_Comm comm) try {
  return blocking_collective("MPI_Neighbor_alltoallv_c", [&](CollectiveCall& call) {
    return check_neighbor_alltoallv(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtype,
                                    recvbuf, Counts(recvcounts), Counts(rdispls), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_alltoallv_c", comm);
}
REMIT_WEAK(Neighbor_alltoallv_c);

int PMPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                            MPI_Comm comm) try {
  return blocking_collective("MPI_Neighbor_alltoallw", [&](CollectiveCall& call) {
    return check_neighbor_alltoallw(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtypes,
                                    recvbuf, Counts(recvcounts), Counts(rdispls), recvtypes, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_alltoallw", comm);
}
REMIT_WEAK(Neighbor_alltoallw);

int PMPI_Neighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                              const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                              void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                              const MPI_Datatype recvtypes[], MPI_Comm comm) try {
  return blocking_collective("MPI_Neighbor_alltoallw_c", [&](CollectiveCall& call) {
    return check_neighbor_alltoallw(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtypes,
                                    recvbuf, Counts(recvcounts), Counts(rdispls), recvtypes, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_alltoallw_c", comm);
}
REMIT_WEAK(Neighbor_alltoallw_c);

int PMPI_Ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                             void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Request* request) try {
  return nonblocking_collective("MPI_Ineighbor_allgather", request, [&](CollectiveCall& call) {
    return check_neighbors(call, CollectiveKind::neighbor_allgather, sendbuf, sendcount, sendtype,
                           recvbuf, recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Ineighbor_allgather", comm);
}
REMIT_WEAK(Ineighbor_allgather);

int PMPI_Ineighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                               MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Ineighbor_allgather_c", request, [&](CollectiveCall& call) {
    return check_neighbors(call, CollectiveKind::neighbor_allgather, sendbuf, sendcount, sendtype,
                           recvbuf, recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Ineighbor_allgather_c", comm);
}
REMIT_WEAK(Ineighbor_allgather_c);

int PMPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                              void* recvbuf, const int recvcounts[], const int displs[],
                              MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Ineighbor_allgatherv", request, [&](CollectiveCall& call) {
    return check_neighbor_allgatherv(call, sendbuf, sendcount, sendtype, recvbuf,
                                     Counts(recvcounts), Counts(displs), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Ineighbor_allgatherv", comm);
}
REMIT_WEAK(Ineighbor_allgatherv);

int PMPI_Ineighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void* recvbuf, const MPI_Count recvcounts[],
                                const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                MPI_Request* request) try {
  return nonblocking_collective("MPI_Ineighbor_allgatherv_c", request, [&](CollectiveCall& call) {
    return check_neighbor_allgatherv(call, sendbuf, sendcount, sendtype, recvbuf,
                                     Counts(recvcounts), Counts(displs), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Ineighbor_allgatherv_c", comm);
}
REMIT_WEAK(Ineighbor_allgatherv_c);

int PMPI_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                            MPI_Request* request) try {
  return nonblocking_collective("MPI_Ineighbor_alltoall", request, [&](CollectiveCall& call) {
    return check_neighbors(call, CollectiveKind::neighbor_alltoall, sendbuf, sendcount, sendtype,
                           recvbuf, recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Ineighbor_alltoall", comm);
}
REMIT_WEAK(Ineighbor_alltoall);

int PMPI_Ineighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                              MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Ineighbor_alltoall_c", request, [&](CollectiveCall& call) {
    return check_neighbors(call, CollectiveKind::neighbor_alltoall, sendbuf, sendcount, sendtype,
                           recvbuf, recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Ineighbor_alltoall_c", comm);
}
REMIT_WEAK(Ineighbor_alltoall_c);

int PMPI_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                             MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                             const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Request* request) try {
  return nonblocking_collective("MPI_Ineighbor_alltoallv", request, [&](CollectiveCall& call) {
    return check_neighbor_alltoallv(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtype,
                                    recvbuf, Counts(recvcounts), Counts(rdispls), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Ineighbor_alltoallv", comm);
}
REMIT_WEAK(Ineighbor_alltoallv);

int PMPI_Ineighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                               const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                               const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                               MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Ineighbor_alltoallv_c", request, [&](CollectiveCall& call) {
    return check_neighbor_alltoallv(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtype,
                                    recvbuf, Counts(recvcounts), Counts(rdispls), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Ineighbor_alltoallv_c", comm);
}
REMIT_WEAK(Ineighbor_alltoallv_c);

int PMPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                             const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                             const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                             MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Ineighbor_alltoallw", request, [&](CollectiveCall& call) {
    return check_neighbor_alltoallw(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtypes,
                                    recvbuf, Counts(recvcounts), Counts(rdispls), recvtypes, comm);
  });
} catch (...) {
  return caught("MPI_Ineighbor_alltoallw", comm);
}
REMIT_WEAK(Ineighbor_alltoallw);

int PMPI_Ineighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                               const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                               void* recvbuf, const MPI_Count recvcounts[],
                               const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                               MPI_Comm comm, MPI_Request* request) try {
  return nonblocking_collective("MPI_Ineighbor_alltoallw_c", request, [&](CollectiveCall& call) {
    return check_neighbor_alltoallw(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtypes,
                                    recvbuf, Counts(recvcounts), Counts(rdispls), recvtypes, comm);
  });
} catch (...) {
  return caught("MPI_Ineighbor_alltoallw_c", comm);
}
REMIT_WEAK(Ineighbor_alltoallw_c);

int PMPI_Neighbor_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                 MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Neighbor_allgather_init", request, [&](CollectiveCall& call) {
    return check_neighbors(call, CollectiveKind::neighbor_allgather, sendbuf, sendcount, sendtype,
                           recvbuf, recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_allgather_init", comm);
}
REMIT_WEAK(Neighbor_allgather_init);

int PMPI_Neighbor_allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                   MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Neighbor_allgather_init_c", request, [&](CollectiveCall& call) {
    return check_neighbors(call, CollectiveKind::neighbor_allgather, sendbuf, sendcount, sendtype,
                           recvbuf, recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_allgather_init_c", comm);
}
REMIT_WEAK(Neighbor_allgather_init_c);

int PMPI_Neighbor_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, const int recvcounts[], const int displs[],
                                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Info /*info*/,
                                  MPI_Request* request) try {
  return persistent_collective("MPI_Neighbor_allgatherv_init", request, [&](CollectiveCall& call) {
    return check_neighbor_allgatherv(call, sendbuf, sendcount, sendtype, recvbuf,
                                     Counts(recvcounts), Counts(displs), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_allgatherv_init", comm);
}
REMIT_WEAK(Neighbor_allgatherv_init);

int PMPI_Neighbor_allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, const MPI_Count recvcounts[],
                                    const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                    MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective(
      "MPI_Neighbor_allgatherv_init_c", request, [&](CollectiveCall& call) {
        return check_neighbor_allgatherv(call, sendbuf, sendcount, sendtype, recvbuf,
                                         Counts(recvcounts), Counts(displs), recvtype, comm);
      });
} catch (...) {
  return caught("MPI_Neighbor_allgatherv_init_c", comm);
}
REMIT_WEAK(Neighbor_allgatherv_init_c);

int PMPI_Neighbor_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Neighbor_alltoall_init", request, [&](CollectiveCall& call) {
    return check_neighbors(call, CollectiveKind::neighbor_alltoall, sendbuf, sendcount, sendtype,
                           recvbuf, recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_alltoall_init", comm);
}
REMIT_WEAK(Neighbor_alltoall_init);

int PMPI_Neighbor_alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Neighbor_alltoall_init_c", request, [&](CollectiveCall& call) {
    return check_neighbors(call, CollectiveKind::neighbor_alltoall, sendbuf, sendcount, sendtype,
                           recvbuf, recvcount, recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_alltoall_init_c", comm);
}
REMIT_WEAK(Neighbor_alltoall_init_c);

int PMPI_Neighbor_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                 MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                 const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                 MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Neighbor_alltoallv_init", request, [&](CollectiveCall& call) {
    return check_neighbor_alltoallv(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtype,
                                    recvbuf, Counts(recvcounts), Counts(rdispls), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_alltoallv_init", comm);
}
REMIT_WEAK(Neighbor_alltoallv_init);

int PMPI_Neighbor_alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                   const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                   const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Info /*info*/,
                                   MPI_Request* request) try {
  return persistent_collective("MPI_Neighbor_alltoallv_init_c", request, [&](CollectiveCall& call) {
    return check_neighbor_alltoallv(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtype,
                                    recvbuf, Counts(recvcounts), Counts(rdispls), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_alltoallv_init_c", comm);
}
REMIT_WEAK(Neighbor_alltoallv_init_c);

int PMPI_Neighbor_alltoallw_init(const void* sendbuf, const int sendcounts[],
                                 const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                 void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
                                 const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info /*info*/,
                                 MPI_Request* request) try {
  return persistent_collective("MPI_Neighbor_alltoallw_init", request, [&](CollectiveCall& call) {
    return check_neighbor_alltoallw(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtypes,
                                    recvbuf, Counts(recvcounts), Counts(rdispls), recvtypes, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_alltoallw_init", comm);
}
REMIT_WEAK(Neighbor_alltoallw_init);

int PMPI_Neighbor_alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                   const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                   void* recvbuf, const MPI_Count recvcounts[],
                                   const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                   MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) try {
  return persistent_collective("MPI_Neighbor_alltoallw_init_c", request, [&](CollectiveCall& call) {
    return check_neighbor_alltoallw(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtypes,
                                    recvbuf, Counts(recvcounts), Counts(rdispls), recvtypes, comm);
  });
} catch (...) {
  return caught("MPI_Neighbor_alltoallw_init_c", comm);
}
REMIT_WEAK(Neighbor_alltoallw_init_c);
