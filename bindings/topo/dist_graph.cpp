// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Distributed graph topologies (MPI-5.0, sections 8.5.4 and 8.5.5).
#include "communicators/dist_graph.hpp"

#include <vector>

#include "bindings/comm/comm_objects.hpp"
#include "bindings/env/info_objects.hpp"
#include "bindings/topo/topology_args.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

int check_neighbors(Entry& entry, const CommObject& comm, int count, const int ranks[],
                    const char* name) {
  if (count == 0) return MPI_SUCCESS;
  if (int err = entry.not_null(ranks, name)) return err;
  for (int i = 0; i < count; ++i) {
    if (ranks[i] < 0 || ranks[i] >= comm.core.size()) {
      return entry.fail(MPI_ERR_RANK, "{}[{}] is {}; comm has {} processes", name, i, ranks[i],
                        comm.core.size());
    }
  }
  return MPI_SUCCESS;
}

/// Weights of `count` edges: none with MPI_UNWEIGHTED, and MPI_WEIGHTS_EMPTY only without edges.
int check_weights(Entry& entry, int count, const int weights[], const char* name) {
  if (count == 0 || weights == MPI_UNWEIGHTED) return MPI_SUCCESS;
  if (weights == MPI_WEIGHTS_EMPTY) {
    return entry.fail(MPI_ERR_ARG, "{} is MPI_WEIGHTS_EMPTY, but there are {} edges", name, count);
  }
  if (int err = entry.not_null(weights, name)) return err;
  for (int i = 0; i < count; ++i) {
    if (weights[i] < 0) {
      return entry.fail(MPI_ERR_ARG, "{}[{}] is {}; it must not be negative", name, i, weights[i]);
    }
  }
  return MPI_SUCCESS;
}

std::vector<int> weights_of(int count, const int weights[]) {
  if (weights == MPI_UNWEIGHTED || count == 0) return {};
  return {weights, weights + count};
}

/// How many edges a program names at this process.
int count_edges(Entry& entry, int n, const int degrees[], int& edges) {
  edges = 0;
  if (n == 0) return MPI_SUCCESS;
  if (int err = entry.not_null(degrees, "degrees")) return err;
  for (int i = 0; i < n; ++i) {
    if (degrees[i] < 0) {
      return entry.fail(MPI_ERR_ARG, "degrees[{}] is {}; it must not be negative", i, degrees[i]);
    }
    if (__builtin_add_overflow(edges, degrees[i], &edges)) {
      return entry.fail(MPI_ERR_ARG, "the sum of degrees is more than an int holds");
    }
  }
  return MPI_SUCCESS;
}

/// Makes the communicator. With `reorder`, a process may get the rank, and so the edges, of another
/// one.
int finish_graph(Entry& entry, CommObject& parent, DistributedGraph graph, bool reorder,
                 MPI_Comm* out) {
  PlacedGraph placed{parent.core.local, std::move(graph)};
  if (reorder) {
    auto found = place_graph(call_of(entry), parent_of(parent), std::move(placed.graph));
    if (!found) return entry.fail(found.error());
    placed = std::move(*found);
  }
  return create_comm_object(entry, parent, std::move(placed.group),
                            std::make_shared<const Topology>(std::move(placed.graph)), out);
}

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                    const int sourceweights[], int outdegree,
                                    const int destinations[], const int destweights[],
                                    MPI_Info info, int reorder, MPI_Comm* comm_dist_graph) try {
  Entry entry("MPI_Dist_graph_create_adjacent");
  CommObject* c = nullptr;
  if (int err = entry.intra_comm(comm_old, c)) return err;
  if (int err = check_length(entry, indegree, "indegree")) return err;
  if (int err = check_length(entry, outdegree, "outdegree")) return err;
  if (int err = check_neighbors(entry, *c, indegree, sources, "sources")) return err;
  if (int err = check_neighbors(entry, *c, outdegree, destinations, "destinations")) return err;
  if (int err = check_weights(entry, indegree, sourceweights, "sourceweights")) return err;
  if (int err = check_weights(entry, outdegree, destweights, "destweights")) return err;
  if (int err = optional_info(entry, info)) return err;
  if (int err = entry.not_null(comm_dist_graph, "comm_dist_graph")) return err;
  if ((sourceweights == MPI_UNWEIGHTED) != (destweights == MPI_UNWEIGHTED)) {
    return entry.fail(MPI_ERR_ARG,
                      "one of sourceweights and destweights is MPI_UNWEIGHTED, the other is not");
  }
  DistributedGraph graph;
  if (indegree > 0) graph.sources.assign(sources, sources + indegree);
  if (outdegree > 0) graph.destinations.assign(destinations, destinations + outdegree);
  graph.weighted = sourceweights != MPI_UNWEIGHTED;
  graph.source_weights = weights_of(indegree, sourceweights);
  graph.destination_weights = weights_of(outdegree, destweights);
  return finish_graph(entry, *c, std::move(graph), reorder != 0, comm_dist_graph);
} catch (...) {
  return caught("MPI_Dist_graph_create_adjacent", comm_old);
}
REMIT_WEAK(Dist_graph_create_adjacent);

int PMPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                           const int destinations[], const int weights[], MPI_Info info,
                           int reorder, MPI_Comm* comm_dist_graph) try {
  Entry entry("MPI_Dist_graph_create");
  CommObject* c = nullptr;
  int edges = 0;
  if (int err = entry.intra_comm(comm_old, c)) return err;
  if (int err = check_length(entry, n, "n")) return err;
  if (int err = check_neighbors(entry, *c, n, sources, "sources")) return err;
  if (int err = count_edges(entry, n, degrees, edges)) return err;
  if (int err = check_neighbors(entry, *c, edges, destinations, "destinations")) return err;
  if (int err = check_weights(entry, edges, weights, "weights")) return err;
  if (int err = optional_info(entry, info)) return err;
  if (int err = entry.not_null(comm_dist_graph, "comm_dist_graph")) return err;
  const NamedEdges named{{sources, static_cast<std::size_t>(n)}, degrees, destinations, weights};
  auto graph = distribute_edges(call_of(entry), parent_of(*c), named);
  if (!graph) return entry.fail(graph.error());
  return finish_graph(entry, *c, std::move(*graph), reorder != 0, comm_dist_graph);
} catch (...) {
  return caught("MPI_Dist_graph_create", comm_old);
}
REMIT_WEAK(Dist_graph_create);

int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree,
                                    int* weighted) try {
  Entry entry("MPI_Dist_graph_neighbors_count");
  CommObject* c = nullptr;
  const DistributedGraph* graph = nullptr;
  if (int err = topology_of(entry, comm, "distributed graph", c, graph)) return err;
  if (int err = entry.not_null(indegree, "indegree")) return err;
  if (int err = entry.not_null(outdegree, "outdegree")) return err;
  if (int err = entry.not_null(weighted, "weighted")) return err;
  *indegree = static_cast<int>(graph->sources.size());
  *outdegree = static_cast<int>(graph->destinations.size());
  *weighted = graph->weighted ? 1 : 0;
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Dist_graph_neighbors_count", comm);
}
REMIT_WEAK(Dist_graph_neighbors_count);

// Weights are left alone for MPI_UNWEIGHTED, and where the graph has none.
int PMPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                              int maxoutdegree, int destinations[], int destweights[]) try {
  Entry entry("MPI_Dist_graph_neighbors");
  CommObject* c = nullptr;
  const DistributedGraph* graph = nullptr;
  if (int err = topology_of(entry, comm, "distributed graph", c, graph)) return err;
  if (int err = check_length(entry, maxindegree, "maxindegree")) return err;
  if (int err = check_length(entry, maxoutdegree, "maxoutdegree")) return err;
  if (int err = report(entry, graph->sources, maxindegree, sources, "sources")) return err;
  if (int err = report(entry, graph->destinations, maxoutdegree, destinations, "destinations")) {
    return err;
  }
  const auto wanted = [](const int* weights) {
    return weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY;
  };
  if (wanted(sourceweights)) {
    if (int err =
            report(entry, graph->source_weights, maxindegree, sourceweights, "sourceweights")) {
      return err;
    }
  }
  if (!wanted(destweights)) return MPI_SUCCESS;
  return report(entry, graph->destination_weights, maxoutdegree, destweights, "destweights");
} catch (...) {
  return caught("MPI_Dist_graph_neighbors", comm);
}
REMIT_WEAK(Dist_graph_neighbors);
