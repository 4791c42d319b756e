// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a process and our mpirun agree on for MPI_Comm_spawn beyond PMIx's own words.
#pragma once

#include <fmt/format.h>

#include <string>

namespace remit {

/// Of a spawned job: the port of those who spawned it. With PMIx's own prefix, so that it belongs
/// to what a server says of a job at once.
inline constexpr const char* kParentPortKey = "pmix.remit.parent";
/// Of a program to be spawned: folders to look for it in.
inline constexpr const char* kSearchPathKey = "pmix.remit.path";

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
