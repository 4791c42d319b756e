// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which processes share hardware, as colors for MPI_Comm_split_type (MPI-5.0, section 7.4.2). Kinds
// of hardware are named as hwloc names them: "hwloc://NUMANode", and "mpi_shared_memory" for a host
// (section 9.1.3).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "communicators/creation.hpp"

namespace remit {

/// The same number at all members of `comm` on one host, and another one on each other host.
[[nodiscard]] std::int64_t host_color(Process& process, const CommCore& comm);

/// The instance of a kind of hardware that this process is restricted to, as a color.
/// MPI_UNDEFINED: it is not restricted to one, or the kind is unknown here.
[[nodiscard]] std::int64_t hardware_color(Process& process, const CommCore& comm,
                                          const std::string& kind);

/// A number that the members of a process set have in common. MPI_UNDEFINED: this process is not in
/// the set, or there is none of that name. May ask the launcher.
[[nodiscard]] std::int64_t process_set_color(Engine& engine, std::string_view name);

/// The outermost kind of hardware that divides the members who take part, the same at all of them.
struct HardwareDivision {
  std::string kind;                    ///< empty: there is none, or this process takes no part
  std::int64_t color = MPI_UNDEFINED;  ///< of this process
};

/// Finds it among all members of `comm`, who all call this. Waits. Who does not take part has no
/// part in the result.
[[nodiscard]] Expected<HardwareDivision> find_division(const CommCall& call, const ParentComm& comm,
                                                       bool takes_part);

/// The kinds of hardware that this host has, and whether this process is restricted to one of each.
struct HardwareKind {
  std::string name;
  bool restricted = false;
};
[[nodiscard]] std::vector<HardwareKind> hardware_kinds(Process& process);

}  // namespace remit
