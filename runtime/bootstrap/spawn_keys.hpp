// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a process and our mpirun agree on for MPI_Comm_spawn beyond PMIx's own words.
#pragma once

#include <fmt/format.h>

#include <string>

namespace remit {

/// Of a job to be spawned: the port of those who spawn it.
inline constexpr const char* kParentPortKey = "remit.parent";
/// Of a program to be spawned: folders to look for it in.
inline constexpr const char* kSearchPathKey = "remit.path";

/// The name under which mpirun publishes, to be read once, the port of those who spawned a job: a
/// server stores no keys of ours in what it says of a job.
[[nodiscard]] inline std::string parent_port_name(const std::string& job) {
  return "parent port of " + job;
}

/// The name under which mpirun publishes, to be read once, why the last call of PMIx_Spawn by this
/// process failed.
[[nodiscard]] inline std::string spawn_failure_name(const std::string& job, int rank) {
  return fmt::format("spawn failure {} {}", job, rank);
}
/// The key of a published name.
[[nodiscard]] inline std::string key_of_name(const std::string& name) {
  return "remit.name." + name;
}

}  // namespace remit
