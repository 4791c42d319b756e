// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The cores of this host and which rank may use which of them.
#pragma once

#include <hwloc.h>
#include <sched.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/placement.hpp"
#include "launcher/spawn.hpp"
#include "runtime/error.hpp"

namespace remit::launcher {

/// The topology of this host, restricted to what this process may use. Without I/O objects: looking
/// for them can take seconds.
class Topology {
 public:
  /// Discovers this host.
  [[nodiscard]] static Expected<Topology> load();
  /// A synthetic one, for tests: hwloc's description, e.g. "pack:2 core:4 pu:2".
  [[nodiscard]] static Expected<Topology> synthetic(const std::string& description);

  /// That of another host, from its xml().
  [[nodiscard]] static Expected<Topology> from_xml(const std::string& text);

  [[nodiscard]] hwloc_topology_t get() const { return topology_.get(); }
  /// As hwloc 2 XML, for ranks that then need no discovery of their own.
  [[nodiscard]] Expected<std::string> xml() const;
  /// Allowed objects of a type.
  [[nodiscard]] int count(hwloc_obj_type_t type) const;

 private:
  struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
  };
  std::unique_ptr<hwloc_topology, Destroy> topology_;
};

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
    const Topology& topology, int ranks, const Placement& placement);

/// Binds to cores by their logical numbers: those of one socket, or of the host; without numbers to
/// all of the socket. The error says what the host does not have.
[[nodiscard]] Expected<Binding> bind_cores(const Topology& topology, std::optional<int> socket,
                                           const std::optional<std::vector<int>>& cores);

/// How many objects of a level the host has; 1 where it reports none (a virtual machine's caches).
[[nodiscard]] int count_objects(const Topology& topology, Level level);

}  // namespace remit::launcher
