// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Distributed graphs (MPI-5.0, section 8.5.4): every member comes to know the edges at its node.
#pragma once

#include <span>

#include "communicators/creation.hpp"
#include "communicators/virtual_topology.hpp"

namespace remit {

/// The edges that one member names in MPI_Dist_graph_create, whoever's they are; checked.
struct NamedEdges {
  std::span<const int> sources;
  const int* degrees = nullptr;  ///< edges from each source
  const int* destinations = nullptr;
  const int* weights = MPI_UNWEIGHTED;  ///< one an edge, if the graph is weighted

  [[nodiscard]] bool weighted() const { return weights != MPI_UNWEIGHTED; }
};

/// The edges of this process's node, of those that all members of `comm` name; all call this. In
/// the order of those who named them. Waits.
[[nodiscard]] Expected<DistributedGraph> distribute_edges(const CommCall& call,
                                                          const ParentComm& comm,
                                                          const NamedEdges& named);

/// The members of a new communicator in order, and the edges of the node that this process has in
/// it.
struct PlacedGraph {
  GroupPtr group;
  DistributedGraph graph;
};

/// Gives the nodes of a graph to the members of `comm`, who all call this, so that neighbours run
/// near each other; a process may get the node, and so the edges, of another one. Graphs of more
/// than kMostReordered nodes stay as they are. Waits.
[[nodiscard]] Expected<PlacedGraph> place_graph(const CommCall& call, const ParentComm& comm,
                                                DistributedGraph graph);

}  // namespace remit
