// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What hwloc knows of this host.
#pragma once

#include <hwloc.h>

#include <memory>
#include <string>

#include "runtime/error.hpp"

namespace remit::launcher {

/// The topology of this host, restricted to what this process may use. Without I/O objects: looking
/// for them can take seconds.
class Topology {
 public:
  /// Discovers this host.
  [[nodiscard]] static Expected<Topology> load();
  /// A synthetic one, for tests: hwloc's description, e.g. "pack:2 core:4 pu:2".
  [[nodiscard]] static Expected<Topology> synthetic(const std::string& description,
                                                    std::string machine = {});

  [[nodiscard]] hwloc_topology_t get() const { return topology_.get(); }
  /// As hwloc 2 XML, for ranks that then need no discovery of their own.
  [[nodiscard]] Expected<std::string> xml() const;
  /// Names the machine, for containers and network namespaces that are hosts of one have the same
  /// processors: as its kernel was named when it started (boot_id, proc(5)). Empty: not known.
  [[nodiscard]] const std::string& machine() const { return machine_; }
  /// Allowed objects of a type.
  [[nodiscard]] int count(hwloc_obj_type_t type) const;

 private:
  struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
  };
  std::unique_ptr<hwloc_topology, Destroy> topology_;
  std::string machine_;
};

}  // namespace remit::launcher
