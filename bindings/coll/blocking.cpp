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

#include "bindings/generated/coll/blocking.inc"
