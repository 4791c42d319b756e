// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Blocking collective operations (MPI-5.0, sections 6.3 to 6.9).
#include "bindings/coll/short.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

using enum CollectiveKind;

int barrier_of(const char* function, MPI_Comm comm) try {
  Entry entry(function);
  if (CommObject* object = on_board(entry, comm, barrier, 0)) [[likely]] {
    return run_short(entry, *object, barrier, [](Board& board, const auto* subject) {
      return board.short_barrier(subject);
    });
  }
  return blocking_collective(entry,
                             [&](CollectiveCall& call) { return check_barrier(call, comm); });
} catch (...) {
  return caught(function, comm);
}

int bcast_of(const char* function, void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
             MPI_Comm comm) try {
  Entry entry(function);
  const std::size_t bytes = short_bytes(entry, buffer, count, datatype);
  CommObject* object = bytes == 0 ? nullptr : on_board(entry, comm, bcast, bytes);
  if (object != nullptr && is_member(*object, root)) {
    return run_short(entry, *object, bcast, [=](Board& board, const auto* subject) {
      return board.short_bcast(buffer, bytes, root, subject);
    });
  }
  return blocking_collective(entry, [&](CollectiveCall& call) {
    return check_bcast(call, buffer, count, datatype, root, comm);
  });
} catch (...) {
  return caught(function, comm);
}

int allgather_of(const char* function, const void* sendbuf, MPI_Count sendcount,
                 MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                 MPI_Comm comm) try {
  Entry entry(function);
  const std::size_t bytes =
      short_bytes_of_both(entry, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
  if (CommObject* object = bytes != 0 ? on_board(entry, comm, allgather, bytes) : nullptr) {
    return run_short(entry, *object, allgather, [=](Board& board, const auto* subject) {
      return board.short_allgather(sendbuf, recvbuf, bytes, subject);
    });
  }
  return blocking_collective(entry, [&](CollectiveCall& call) {
    return check_all_to_all(call, allgather, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                            recvtype, comm);
  });
} catch (...) {
  return caught(function, comm);
}

int gather_of(const char* function, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
              void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
              MPI_Comm comm) try {
  Entry entry(function);
  const std::size_t bytes = short_bytes(entry, sendbuf, sendcount, sendtype);
  CommObject* object = bytes == 0 ? nullptr : on_board(entry, comm, gather, bytes);
  if (object != nullptr && is_member(*object, root) &&
      (object->core.rank != root ||
       bytes == short_bytes_of_both(entry, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                    recvtype))) {
    return run_short(entry, *object, gather, [=](Board& board, const auto* subject) {
      return board.short_gather(sendbuf, recvbuf, bytes, root, subject);
    });
  }
  return blocking_collective(entry, [&](CollectiveCall& call) {
    return check_gather(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                        comm);
  });
} catch (...) {
  return caught(function, comm);
}

int scatter_of(const char* function, const void* sendbuf, MPI_Count sendcount,
               MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
               int root, MPI_Comm comm) try {
  Entry entry(function);
  const std::size_t bytes = short_bytes(entry, recvbuf, recvcount, recvtype);
  CommObject* object = bytes == 0 ? nullptr : on_board(entry, comm, scatter, bytes);
  if (object != nullptr && is_member(*object, root) &&
      object->core.board->takes_short_blocks(scatter, bytes) &&
      (object->core.rank != root ||
       bytes == short_bytes_of_both(entry, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                    recvtype))) {
    return run_short(entry, *object, scatter, [=](Board& board, const auto* subject) {
      return board.short_scatter(sendbuf, recvbuf, bytes, root, subject);
    });
  }
  return blocking_collective(entry, [&](CollectiveCall& call) {
    return check_scatter(call, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                         comm);
  });
} catch (...) {
  return caught(function, comm);
}

int alltoall_of(const char* function, const void* sendbuf, MPI_Count sendcount,
                MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                MPI_Comm comm) try {
  Entry entry(function);
  const std::size_t bytes =
      short_bytes_of_both(entry, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
  CommObject* object = bytes != 0 ? on_board(entry, comm, alltoall, bytes) : nullptr;
  if (object != nullptr && object->core.board->takes_short_blocks(alltoall, bytes)) {
    return run_short(entry, *object, alltoall, [=](Board& board, const auto* subject) {
      return board.short_alltoall(sendbuf, recvbuf, bytes, subject);
    });
  }
  return blocking_collective(entry, [&](CollectiveCall& call) {
    return check_all_to_all(call, alltoall, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                            recvtype, comm);
  });
} catch (...) {
  return caught(function, comm);
}

int reduce_of(const char* function, const void* sendbuf, void* recvbuf, MPI_Count count,
              MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) try {
  Entry entry(function);
  CommObject* object = on_board(entry, comm, reduce, 1);
  if (object != nullptr && is_member(*object, root)) {
    const ShortVector v =
        short_vector(entry, sendbuf, recvbuf, count, datatype, op, object->core.rank == root);
    if (v.kernel != nullptr && object->core.board->takes_short(reduce, v.bytes)) {
      return run_short(entry, *object, reduce, [=](Board& board, const auto* subject) {
        return board.short_reduce(v, root, subject);
      });
    }
  }
  return blocking_collective(entry, [&](CollectiveCall& call) {
    return check_reduce(call, sendbuf, recvbuf, count, datatype, op, root, comm);
  });
} catch (...) {
  return caught(function, comm);
}

int allreduce_of(const char* function, const void* sendbuf, void* recvbuf, MPI_Count count,
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) try {
  Entry entry(function);
  const ShortVector v = short_vector(entry, sendbuf, recvbuf, count, datatype, op, true);
  if (CommObject* object =
          v.kernel != nullptr ? on_board(entry, comm, allreduce, v.bytes) : nullptr) {
    return run_short(entry, *object, allreduce, [=](Board& board, const auto* subject) {
      return board.short_allreduce(v, subject);
    });
  }
  return blocking_collective(entry, [&](CollectiveCall& call) {
    return check_allreduce(call, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught(function, comm);
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Barrier(MPI_Comm comm) {
  return barrier_of("MPI_Barrier", comm);
}
REMIT_WEAK(Barrier);

int PMPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return bcast_of("MPI_Bcast", buffer, count, datatype, root, comm);
}
REMIT_WEAK(Bcast);

int PMPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return gather_of("MPI_Gather", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                   comm);
}
REMIT_WEAK(Gather);

int PMPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                 MPI_Comm comm) try {
  return blocking_collective("MPI_Gatherv", [&](CollectiveCall& call) {
    return check_gatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                         Counts(displs), recvtype, root, comm);
  });
} catch (...) {
  return caught("MPI_Gatherv", comm);
}
REMIT_WEAK(Gatherv);

int PMPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return scatter_of("MPI_Scatter", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                    comm);
}
REMIT_WEAK(Scatter);

int PMPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                  MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm) try {
  return blocking_collective("MPI_Scatterv", [&](CollectiveCall& call) {
    return check_scatterv(call, sendbuf, Counts(sendcounts), Counts(displs), sendtype, recvbuf,
                          recvcount, recvtype, root, comm);
  });
} catch (...) {
  return caught("MPI_Scatterv", comm);
}
REMIT_WEAK(Scatterv);

int PMPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return allgather_of("MPI_Allgather", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                      comm);
}
REMIT_WEAK(Allgather);

int PMPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                    MPI_Comm comm) try {
  return blocking_collective("MPI_Allgatherv", [&](CollectiveCall& call) {
    return check_allgatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                            Counts(displs), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Allgatherv", comm);
}
REMIT_WEAK(Allgatherv);

int PMPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return alltoall_of("MPI_Alltoall", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                     comm);
}
REMIT_WEAK(Alltoall);

int PMPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) try {
  return blocking_collective("MPI_Alltoallv", [&](CollectiveCall& call) {
    return check_alltoallv(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtype, recvbuf,
                           Counts(recvcounts), Counts(rdispls), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Alltoallv", comm);
}
REMIT_WEAK(Alltoallv);

int PMPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                int root, MPI_Comm comm) {
  return reduce_of("MPI_Reduce", sendbuf, recvbuf, count, datatype, op, root, comm);
}
REMIT_WEAK(Reduce);

int PMPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm) {
  return allreduce_of("MPI_Allreduce", sendbuf, recvbuf, count, datatype, op, comm);
}
REMIT_WEAK(Allreduce);

int PMPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return bcast_of("MPI_Bcast_c", buffer, count, datatype, root, comm);
}
REMIT_WEAK(Bcast_c);

int PMPI_Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return gather_of("MPI_Gather_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                   comm);
}
REMIT_WEAK(Gather_c);

int PMPI_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                   int root, MPI_Comm comm) try {
  return blocking_collective("MPI_Gatherv_c", [&](CollectiveCall& call) {
    return check_gatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                         Counts(displs), recvtype, root, comm);
  });
} catch (...) {
  return caught("MPI_Gatherv_c", comm);
}
REMIT_WEAK(Gatherv_c);

int PMPI_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return scatter_of("MPI_Scatter_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                    root, comm);
}
REMIT_WEAK(Scatter_c);

int PMPI_Scatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                    MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype, int root, MPI_Comm comm) try {
  return blocking_collective("MPI_Scatterv_c", [&](CollectiveCall& call) {
    return check_scatterv(call, sendbuf, Counts(sendcounts), Counts(displs), sendtype, recvbuf,
                          recvcount, recvtype, root, comm);
  });
} catch (...) {
  return caught("MPI_Scatterv_c", comm);
}
REMIT_WEAK(Scatterv_c);

int PMPI_Allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return allgather_of("MPI_Allgather_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                      comm);
}
REMIT_WEAK(Allgather_c);

int PMPI_Allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                      MPI_Datatype recvtype, MPI_Comm comm) try {
  return blocking_collective("MPI_Allgatherv_c", [&](CollectiveCall& call) {
    return check_allgatherv(call, sendbuf, sendcount, sendtype, recvbuf, Counts(recvcounts),
                            Counts(displs), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Allgatherv_c", comm);
}
REMIT_WEAK(Allgatherv_c);

int PMPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return alltoall_of("MPI_Alltoall_c", sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                     comm);
}
REMIT_WEAK(Alltoall_c);

int PMPI_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) try {
  return blocking_collective("MPI_Alltoallv_c", [&](CollectiveCall& call) {
    return check_alltoallv(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtype, recvbuf,
                           Counts(recvcounts), Counts(rdispls), recvtype, comm);
  });
} catch (...) {
  return caught("MPI_Alltoallv_c", comm);
}
REMIT_WEAK(Alltoallv_c);

int PMPI_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Op op, int root, MPI_Comm comm) {
  return reduce_of("MPI_Reduce_c", sendbuf, recvbuf, count, datatype, op, root, comm);
}
REMIT_WEAK(Reduce_c);

int PMPI_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                     MPI_Op op, MPI_Comm comm) {
  return allreduce_of("MPI_Allreduce_c", sendbuf, recvbuf, count, datatype, op, comm);
}
REMIT_WEAK(Allreduce_c);

int PMPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                   const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) try {
  return blocking_collective("MPI_Alltoallw", [&](CollectiveCall& call) {
    return check_alltoallw(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtypes, recvbuf,
                           Counts(recvcounts), Counts(rdispls), recvtypes, comm);
  });
} catch (...) {
  return caught("MPI_Alltoallw", comm);
}
REMIT_WEAK(Alltoallw);

int PMPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) try {
  return blocking_collective("MPI_Reduce_scatter", [&](CollectiveCall& call) {
    return check_reduce_scatter(call, sendbuf, recvbuf, Counts(recvcounts), datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Reduce_scatter", comm);
}
REMIT_WEAK(Reduce_scatter);

int PMPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) try {
  return blocking_collective("MPI_Reduce_scatter_block", [&](CollectiveCall& call) {
    return check_reduce_scatter_block(call, sendbuf, recvbuf, recvcount, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Reduce_scatter_block", comm);
}
REMIT_WEAK(Reduce_scatter_block);

int PMPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm) try {
  return blocking_collective("MPI_Scan", [&](CollectiveCall& call) {
    return check_scan(call, CollectiveKind::scan, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Scan", comm);
}
REMIT_WEAK(Scan);

int PMPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm) try {
  return blocking_collective("MPI_Exscan", [&](CollectiveCall& call) {
    return check_scan(call, CollectiveKind::exscan, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Exscan", comm);
}
REMIT_WEAK(Exscan);

int PMPI_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) try {
  return blocking_collective("MPI_Alltoallw_c", [&](CollectiveCall& call) {
    return check_alltoallw(call, sendbuf, Counts(sendcounts), Counts(sdispls), sendtypes, recvbuf,
                           Counts(recvcounts), Counts(rdispls), recvtypes, comm);
  });
} catch (...) {
  return caught("MPI_Alltoallw_c", comm);
}
REMIT_WEAK(Alltoallw_c);

int PMPI_Reduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) try {
  return blocking_collective("MPI_Reduce_scatter_c", [&](CollectiveCall& call) {
    return check_reduce_scatter(call, sendbuf, recvbuf, Counts(recvcounts), datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Reduce_scatter_c", comm);
}
REMIT_WEAK(Reduce_scatter_c);

int PMPI_Reduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) try {
  return blocking_collective("MPI_Reduce_scatter_block_c", [&](CollectiveCall& call) {
    return check_reduce_scatter_block(call, sendbuf, recvbuf, recvcount, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Reduce_scatter_block_c", comm);
}
REMIT_WEAK(Reduce_scatter_block_c);

int PMPI_Scan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                MPI_Op op, MPI_Comm comm) try {
  return blocking_collective("MPI_Scan_c", [&](CollectiveCall& call) {
    return check_scan(call, CollectiveKind::scan, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Scan_c", comm);
}
REMIT_WEAK(Scan_c);

int PMPI_Exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Op op, MPI_Comm comm) try {
  return blocking_collective("MPI_Exscan_c", [&](CollectiveCall& call) {
    return check_scan(call, CollectiveKind::exscan, sendbuf, recvbuf, count, datatype, op, comm);
  });
} catch (...) {
  return caught("MPI_Exscan_c", comm);
}
REMIT_WEAK(Exscan_c);
