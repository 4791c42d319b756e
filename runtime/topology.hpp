// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Cores, caches and memory of this host, for who asks: nothing on the way of MPI_Init does.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/error.hpp"

struct hwloc_topology;  // hwloc's handle points to it

namespace remit {

/// How near two sets of processors of one host are; smaller is nearer.
enum class Locality { same_core, same_cache, same_numa, same_package, same_host };

/// The machine as hwloc sees it, without I/O objects (looking for those can take seconds).
/// Immutable; any thread.
class HostTopology {
 public:
  /// From the XML that the launcher made once for the host, else by discovery (milliseconds to
  /// seconds on large machines).
  [[nodiscard]] static Expected<HostTopology> open(Bootstrap& bootstrap);
  [[nodiscard]] static Expected<HostTopology> from_xml(const std::string& xml);
  [[nodiscard]] static Expected<HostTopology> discover();
  /// hwloc's description of a machine, e.g. "pack:2 numa:1 core:4 pu:2"; for tests.
  [[nodiscard]] static Expected<HostTopology> synthetic(const std::string& description);

  [[nodiscard]] std::string to_xml() const;

  /// Objects of the whole machine.
  [[nodiscard]] int cores() const;
  [[nodiscard]] int processors() const;  ///< hardware threads
  [[nodiscard]] int packages() const;
  [[nodiscard]] int numa_nodes() const;

  /// The NUMA nodes, by logical index, whose processors are among `cpus` (the system's numbers; an
  /// empty list means all).
  [[nodiscard]] std::vector<int> numa_nodes_of(const std::vector<int>& cpus) const;

  /// The kinds of objects that may be asked for, outermost first, by hwloc's names.
  static constexpr std::array kKinds = {"Package", "NUMANode", "L3Cache", "L2Cache",
                                        "L1Cache", "Core",     "PU"};
  /// How many objects of a kind there are; 0 also if hwloc knows no such kind.
  [[nodiscard]] int count_of(const std::string& kind) const;
  /// The logical index of the object of this kind that holds all of `cpus` (the system's numbers;
  /// an empty list means all), or -1.
  [[nodiscard]] int object_of(const std::string& kind, const std::vector<int>& cpus) const;

  /// The smallest object that holds both sets entirely.
  [[nodiscard]] Locality locality(const std::vector<int>& a, const std::vector<int>& b) const;

 private:
  struct Impl;
  /// Loads what `choose` sets as the source (it returns 0); `source` is for the error message.
  [[nodiscard]] static Expected<HostTopology> load(
      const std::function<int(hwloc_topology*)>& choose, const char* source);
  explicit HostTopology(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// The processors that this process may run on now (sched_getaffinity), ascending.
[[nodiscard]] std::vector<int> allowed_processors();

}  // namespace remit
