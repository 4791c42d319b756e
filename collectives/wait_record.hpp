// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a collective operation waits for, as a record for mpirun's report of a job that hangs
// (runtime/call_status.hpp).
#pragma once

#include <cstdint>

#include "collectives/collectives.hpp"
#include "runtime/call_status.hpp"

namespace remit {

/// The processes of a group, as ranks of MPI_COMM_WORLD.
[[nodiscard]] RankSet rank_set_of(const Group& group);

/// Adds a rank that may be in the set.
void add_once(RankSet& set, ProcId proc);

/// Adds the peers of those messages of the operation numbered `sequence` on `comm` that are not
/// complete.
void add_awaited(Engine& engine, const CommCore& comm, std::uint32_t sequence, RankSet& set);

/// Describes the operation numbered `sequence` on `comm` and whom it waits for. The name of the
/// communicator is the caller's.
void describe_collective(Engine& engine, const CommCore& comm, CollectiveKind kind,
                         std::uint32_t sequence, CallRecord& record);

}  // namespace remit
