// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How much a call moves, and to whom. All of these are called after the call came back without an
// error, so that each handle in it is valid.
#pragma once

#include "mpi.h"
#include "tool/profile/recorder.hpp"

namespace remit::profile {

/// What so many elements of a type take.
[[nodiscard]] std::uint64_t bytes_of(std::int64_t count, MPI_Datatype type);
/// A handle may name another type from now on.
void forget_types();

/// A communicator as traces name it: the low half of its handle.
[[nodiscard]] inline std::uint32_t number_of(MPI_Comm comm) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(comm));
}

/// A message to a rank of a communicator has left, or begun to.
[[nodiscard]] Moved sent(std::int64_t count, MPI_Datatype type, int rank, MPI_Comm comm);
/// A receive; of so many elements at most.
[[nodiscard]] Moved received(std::int64_t count, MPI_Datatype type);
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
