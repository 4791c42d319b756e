// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How much a call moves, and to whom. All of these are called after the call came back without an
// error, so that each handle in it is valid.
#pragma once

#include "mpi.h"
#include "tool/profile/recorder.hpp"

namespace remit::profile {

/// How often handles have come to name other types, and other communicators or windows, perhaps.
extern std::atomic<std::uint32_t> type_generation;
extern std::atomic<std::uint32_t> rank_generation;

/// Asks the library, and remembers.
[[nodiscard]] std::uint64_t ask_bytes_of(std::int64_t count, MPI_Datatype type);

/// What so many elements of a type take.
[[nodiscard]] inline std::uint64_t bytes_of(std::int64_t count, MPI_Datatype type) {
  const auto handle = reinterpret_cast<std::uintptr_t>(type);
  const Local::TypeSize& known = local_state.types[(handle ^ handle >> 6U) % Local::kTypes];
  if (known.type != handle || known.generation != type_generation.load(std::memory_order_relaxed))
      [[unlikely]] {
    return ask_bytes_of(count, type);
  }
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(known.bytes);
}
/// A handle may name another type from now on.
void forget_types();

inline void add_shared(std::uint64_t& sum, std::uint64_t more) {
  if (is_shared.load(std::memory_order_relaxed)) {
    std::atomic_ref(sum).fetch_add(more, std::memory_order_relaxed);
  } else {
    sum += more;
  }
}

/// Finds the row of a rank of a communicator, and remembers it.
[[nodiscard]] PeerRecord& find_peer(int rank, MPI_Comm comm);

/// A communicator as traces name it: the low half of its handle.
[[nodiscard]] inline std::uint32_t number_of(MPI_Comm comm) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(comm));
}

/// A message to a rank of a communicator has left, or begun to.
[[nodiscard]] inline Moved sent(std::int64_t count, MPI_Datatype type, int rank, MPI_Comm comm) {
  if (rank == MPI_PROC_NULL) return {};
  const std::uint64_t bytes = bytes_of(count, type);
  const Local::LastPeer& last = local_state.last_peer;
  const bool is_last = last.rank == rank &&
                       last.communicator == reinterpret_cast<std::uintptr_t>(comm) &&
                       last.generation == rank_generation.load(std::memory_order_relaxed);
  PeerRecord& row = is_last ? *last.row : find_peer(rank, comm);
  add_shared(row.messages, 1);
  add_shared(row.bytes, bytes);
  return {Traffic::send, bytes};
}
/// A receive; of so many elements at most.
[[nodiscard]] inline Moved received(std::int64_t count, MPI_Datatype type) {
  return {Traffic::receive, bytes_of(count, type)};
}
/// What this process gives to a collective operation, or gets from it where it only gets.
[[nodiscard]] Moved shared(std::int64_t count, MPI_Datatype type);
/// The same for all members.
[[nodiscard]] Moved shared_with_each(std::int64_t count, MPI_Datatype type, MPI_Comm comm);
/// To, or from, the memory of a rank of a window.
[[nodiscard]] Moved accessed(std::int64_t count, MPI_Datatype type, int rank, MPI_Win win);
/// To, or from, a file.
[[nodiscard]] Moved transferred(std::int64_t count, MPI_Datatype type);

/// What was said of the ranks of a communicator or window is so no more: it is freed.
void forget_ranks(MPI_Comm comm);
void forget_ranks(MPI_Win win);

/// The site's and the process's memory of whom they waited for.
void blame(SiteRecord& site, std::int32_t world_rank, std::uint64_t ns);
void add_peer_wait(std::int32_t world_rank, std::uint64_t ns);

}  // namespace remit::profile
