// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which rank may use which processors of its host.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/host/spawn.hpp"
#include "launcher/plan/placement.hpp"
#include "launcher/plan/processors.hpp"
#include "runtime/error.hpp"

namespace remit::launcher {

/// The logical processors one rank is bound to, by the system's numbers; empty: not bound.
struct Binding {
  std::vector<int> cpus;    ///< ascending
  std::string description;  ///< e.g. "core 0-1 of 4 (processors 0-3)"

  [[nodiscard]] bool bound() const { return !cpus.empty(); }
  /// As the kernel writes a list: "0-3,8".
  [[nodiscard]] std::string list() const;
};

/// The bindings of `ranks` ranks on one host, by rank.
///
/// Mapping deals the ranks to objects: in turn, or `per_object` to one before the next. Then they
/// are numbered: in the order of dealing, or as rank_by says. Then each is bound: to the object of
/// the asked kind around its own, or, of smaller ones inside it, to one of its own as long as there
/// are enough. Where mapping was not asked for, all ranks share the whole host as their object.
/// `share` divides the cores of an object among its ranks, and binds nothing if the host has more
/// ranks than cores, or one rank. Fails (status 2) if ppr or PE ask for more than there is.
[[nodiscard]] tl::expected<std::vector<Binding>, LaunchError> place_ranks(
    const Processors& processors, int ranks, const Placement& placement);

/// Binds to cores by their logical numbers: those of one socket, or of the host; without numbers to
/// all of the socket. The error says what the host does not have.
[[nodiscard]] Expected<Binding> bind_cores(const Processors& processors, std::optional<int> socket,
                                           const std::optional<std::vector<int>>& cores);

}  // namespace remit::launcher
