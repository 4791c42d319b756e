// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Starting processes (MPI-5.0, section 11.8). The root has the launcher start them, and tells them
// a port of its own; in MPI_Init they connect there, all together, while those who spawn accept.
#pragma once

#include <cstdint>
#include <vector>

#include "communicators/creation.hpp"

namespace remit {

/// What the root asks for.
struct SpawnOrder {
  Expected<SpawnRequest> request;  ///< of the programs with at least one process; or what is wrong
  std::vector<int> wanted;         ///< of every program: how many processes; may be negative
};

/// What became of one program's processes.
struct SpawnCounts {
  std::int32_t wanted = 0;
  std::int32_t started = 0;
};

/// The same at all members who spawn.
struct SpawnResult {
  std::vector<SpawnCounts> programs;
  Expected<CommCore> comm;  ///< the inter-communicator to those that were started
};

/// Starts the processes of `order`, which is null but at `root`; all members of the
/// intra-communicator `parent` call this. Waits until the processes have connected in MPI_Init.
[[nodiscard]] SpawnResult spawn_processes(const CommCall& call, const ParentComm& parent, int root,
                                          SpawnOrder* order);

/// In MPI_Init of a job that was spawned: the inter-communicator of `world`, all of whose members
/// call this, and of those who spawned it. Nothing in other jobs. Waits.
[[nodiscard]] Expected<MaybeComm> connect_to_spawner(const CommCall& call, const ParentComm& world);

}  // namespace remit
