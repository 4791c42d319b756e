// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Blocking collective operations (MPI-5.0, sections 6.3 to 6.11 and 8.6). Those with a fast path on
// a board have it here; the others take the frame of call.hpp as it is.
#include "bindings/coll/short.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

using enum CollectiveKind;

int barrier_of(const char* function, MPI_Comm comm) try {
  Entry entry(function);
  if (const ShortPath path = short_path_of(entry, comm, barrier, 0)) [[likely]] {
    return run_short(entry, path, barrier, [](BoardLines& lines, const auto* subject) {
      return short_barrier(lines, subject);
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
  const ShortPath path = bytes == 0 ? ShortPath() : short_path_of(entry, comm, bcast, bytes);
  if (path && is_member(*path.comm, root)) {
    return run_short(entry, path, bcast, [=](BoardLines& lines, const auto* subject) {
      return short_bcast(lines, buffer, bytes, root, subject);
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
  if (const ShortPath path =
          bytes == 0 ? ShortPath() : short_path_of(entry, comm, allgather, bytes)) {
    return run_short(entry, path, allgather, [=](BoardLines& lines, const auto* subject) {
      return short_allgather(lines, sendbuf, recvbuf, bytes, subject);
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
  const ShortPath path = bytes == 0 ? ShortPath() : short_path_of(entry, comm, gather, bytes);
  if (path && is_member(*path.comm, root) &&
      (path.comm->core.rank != root ||
       bytes == short_bytes_of_both(entry, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                    recvtype))) {
    return run_short(entry, path, gather, [=](BoardLines& lines, const auto* subject) {
      return short_gather(lines, sendbuf, recvbuf, bytes, root, subject);
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
  const ShortPath path = bytes == 0 ? ShortPath() : short_path_of(entry, comm, scatter, bytes);
  if (path && is_member(*path.comm, root) &&
      (path.comm->core.rank != root ||
       bytes == short_bytes_of_both(entry, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                    recvtype))) {
    return run_short(entry, path, scatter, [=](BoardLines& lines, const auto* subject) {
      return short_scatter(lines, sendbuf, recvbuf, bytes, root, subject);
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
  if (const ShortPath path =
          bytes == 0 ? ShortPath() : short_path_of(entry, comm, alltoall, bytes)) {
    return run_short(entry, path, alltoall, [=](BoardLines& lines, const auto* subject) {
      return short_alltoall(lines, sendbuf, recvbuf, bytes, subject);
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
  const CommObject* object = entry.instance().comm(comm);
  const bool is_root = object != nullptr && object->core.rank == root;
  const ShortVector v = short_vector(entry, sendbuf, recvbuf, count, datatype, op, is_root);
  const ShortPath path =
      v.kernel == nullptr ? ShortPath() : short_path_of(entry, comm, reduce, v.bytes);
  if (path && is_member(*path.comm, root)) {
    return run_short(entry, path, reduce, [=](BoardLines& lines, const auto* subject) {
      return short_reduce(lines, v, root, subject);
    });
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
  if (const ShortPath path =
          v.kernel == nullptr ? ShortPath() : short_path_of(entry, comm, allreduce, v.bytes)) {
    return run_short(entry, path, allreduce, [=](BoardLines& lines, const auto* subject) {
      return short_allreduce(lines, v, subject);
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

#include "bindings/generated/coll/blocking.inc"
