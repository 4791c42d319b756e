// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which process of a host takes which place of a virtual topology, so that neighbours run near each
// other. Pure functions of where processes run, the same at every process.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "communicators/virtual_topology.hpp"
#include "runtime/topology.hpp"

namespace remit {

/// Where a process runs: the package, NUMA node, caches and core that hold all of its processors,
/// outermost first; -1 where it is not restricted to one.
struct ProcessPlace {
  static constexpr std::size_t kLevels = 5;
  std::array<int, kLevels> objects{};

  friend bool operator==(const ProcessPlace&, const ProcessPlace&) = default;
  friend auto operator<=>(const ProcessPlace&, const ProcessPlace&) = default;
};

/// The place of a process that may run on `cpus` (the system's numbers).
[[nodiscard]] ProcessPlace place_of(const HostTopology& topology, const std::vector<int>& cpus);

/// What a message between two places costs, in units of one within a core's caches: 0 for the same
/// place.
[[nodiscard]] int distance(const ProcessPlace& a, const ProcessPlace& b);

/// Two nodes that talk to each other, and how much.
struct WeightedEdge {
  int from = 0;
  int to = 0;
  std::int64_t weight = 1;  ///< not negative
};

/// Graphs of more nodes are left in their order.
inline constexpr std::size_t kMostReordered = 4096;

/// The process for each rank of the new communicator; `places` has an entry for each process that
/// takes part, as many as there are points or nodes. In their own order unless another one makes
/// the distances between neighbours smaller in sum.
[[nodiscard]] std::vector<int> order_for(const Grid& grid, std::span<const ProcessPlace> places);
[[nodiscard]] std::vector<int> order_for(const Graph& graph, std::span<const ProcessPlace> places);
/// For any edges between nodes; the distance between neighbours counts `weight` times.
[[nodiscard]] std::vector<int> order_for(std::span<const WeightedEdge> edges,
                                         std::span<const ProcessPlace> places);

}  // namespace remit
