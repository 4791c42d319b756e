// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// One collective call: its checked arguments, and the three ways to run it.
#pragma once

#include "bindings/entry.hpp"
#include "bindings/pt2pt/requests.hpp"

namespace remit {

/// What a collective function was called with, checked. The check functions below fill it; which
/// arguments are significant where follows MPI-5.0, chapter 6.
struct CollectiveCall {
  explicit CollectiveCall(Entry& e) : entry(e) {}

  Entry& entry;
  CommObject* comm = nullptr;
  CollectiveArgs args;
  CollectiveHold hold;  ///< references to types and operation; needed by requests only

  /// Length of the arrays of counts, displacements and types.
  [[nodiscard]] int slots(bool sending) const {
    if (args.neighbors == nullptr) return comm->core.peers().size();
    const auto& list = sending ? args.neighbors->destinations : args.neighbors->sources;
    return static_cast<int>(list.size());
  }
};

int check_barrier(CollectiveCall& call, MPI_Comm comm);
int check_bcast(CollectiveCall& call, void* buffer, MPI_Count count, MPI_Datatype type, int root,
                MPI_Comm comm);
int check_gather(CollectiveCall& call, const void* send, MPI_Count send_count,
                 MPI_Datatype send_type, void* recv, MPI_Count recv_count, MPI_Datatype recv_type,
                 int root, MPI_Comm comm);
int check_gatherv(CollectiveCall& call, const void* send, MPI_Count send_count,
                  MPI_Datatype send_type, void* recv, Counts recv_counts, Counts displs,
                  MPI_Datatype recv_type, int root, MPI_Comm comm);
int check_scatter(CollectiveCall& call, const void* send, MPI_Count send_count,
                  MPI_Datatype send_type, void* recv, MPI_Count recv_count, MPI_Datatype recv_type,
                  int root, MPI_Comm comm);
int check_scatterv(CollectiveCall& call, const void* send, Counts send_counts, Counts displs,
                   MPI_Datatype send_type, void* recv, MPI_Count recv_count, MPI_Datatype recv_type,
                   int root, MPI_Comm comm);
/// allgather and alltoall take the same arguments.
int check_all_to_all(CollectiveCall& call, CollectiveKind kind, const void* send,
                     MPI_Count send_count, MPI_Datatype send_type, void* recv, MPI_Count recv_count,
                     MPI_Datatype recv_type, MPI_Comm comm);
int check_allgatherv(CollectiveCall& call, const void* send, MPI_Count send_count,
                     MPI_Datatype send_type, void* recv, Counts recv_counts, Counts displs,
                     MPI_Datatype recv_type, MPI_Comm comm);
int check_alltoallv(CollectiveCall& call, const void* send, Counts send_counts, Counts send_displs,
                    MPI_Datatype send_type, void* recv, Counts recv_counts, Counts recv_displs,
                    MPI_Datatype recv_type, MPI_Comm comm);
int check_reduce(CollectiveCall& call, const void* send, void* recv, MPI_Count count,
                 MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
int check_allreduce(CollectiveCall& call, const void* send, void* recv, MPI_Count count,
                    MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int check_alltoallw(CollectiveCall& call, const void* send, Counts send_counts, Counts send_displs,
                    const MPI_Datatype* send_types, void* recv, Counts recv_counts,
                    Counts recv_displs, const MPI_Datatype* recv_types, MPI_Comm comm);
int check_reduce_scatter(CollectiveCall& call, const void* send, void* recv, Counts recv_counts,
                         MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int check_reduce_scatter_block(CollectiveCall& call, const void* send, void* recv,
                               MPI_Count recv_count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
/// scan and exscan take the same arguments.
int check_scan(CollectiveCall& call, CollectiveKind kind, const void* send, void* recv,
               MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

/// neighbor_allgather and neighbor_alltoall take the same arguments.
int check_neighbors(CollectiveCall& call, CollectiveKind kind, const void* send,
                    MPI_Count send_count, MPI_Datatype send_type, void* recv, MPI_Count recv_count,
                    MPI_Datatype recv_type, MPI_Comm comm);
int check_neighbor_allgatherv(CollectiveCall& call, const void* send, MPI_Count send_count,
                              MPI_Datatype send_type, void* recv, Counts recv_counts, Counts displs,
                              MPI_Datatype recv_type, MPI_Comm comm);
int check_neighbor_alltoallv(CollectiveCall& call, const void* send, Counts send_counts,
                             Counts send_displs, MPI_Datatype send_type, void* recv,
                             Counts recv_counts, Counts recv_displs, MPI_Datatype recv_type,
                             MPI_Comm comm);
int check_neighbor_alltoallw(CollectiveCall& call, const void* send, Counts send_counts,
                             Counts send_displs, const MPI_Datatype* send_types, void* recv,
                             Counts recv_counts, Counts recv_displs, const MPI_Datatype* recv_types,
                             MPI_Comm comm);

/// What a blocking collective returns that ended with this code.
[[gnu::cold]] int report_collective(Entry& entry, const CommObject& comm, int code);
inline int end_blocking(Entry& entry, const CommObject& comm, int code) {
  return code == MPI_SUCCESS ? code : report_collective(entry, comm, code);
}
/// Runs a checked call to its end.
int run_blocking(CollectiveCall& call);
/// Starts it and hands out a request.
int run_nonblocking(CollectiveCall& call, MPI_Request* request);
/// Hands out an inactive persistent request.
int make_persistent(CollectiveCall& call, MPI_Request* request);

/// The frame of every collective function: enter, check, run.
template <class Check>
int blocking_collective(Entry& entry, Check&& check) {
  CollectiveCall call(entry);
  if (int err = check(call)) return err;
  return run_blocking(call);
}

template <class Check>
int blocking_collective(const char* function, Check&& check) {
  Entry entry(function);
  return blocking_collective(entry, check);
}

template <class Check>
int nonblocking_collective(const char* function, MPI_Request* request, Check&& check) {
  Entry entry(function);
  CollectiveCall call(entry);
  if (int err = check(call)) return err;
  return run_nonblocking(call, request);
}

template <class Check>
int persistent_collective(const char* function, MPI_Request* request, Check&& check) {
  Entry entry(function);
  CollectiveCall call(entry);
  if (int err = check(call)) return err;
  return make_persistent(call, request);
}

}  // namespace remit
