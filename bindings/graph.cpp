// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Graph and distributed graph topologies (MPI-5.0, sections 8.5.3 to 8.5.5 and 8.5.8). No process
// knows the whole of a distributed one, so its `reorder` is not made use of.
#include <algorithm>

#include "bindings/new_comm.hpp"
#include "bindings/topology_args.hpp"
#include "bindings/wait_subjects.hpp"
#include "bindings/weak.hpp"

namespace remit {

namespace {

// --- graphs ------------------------------------------------------------------------------------

int graph_of(Entry& entry, MPI_Comm comm, CommObject*& c, const Graph*& graph) {
  return topology_of(entry, comm, "graph", c, graph);
}

/// The graph that a program describes, if it fits into `members` processes.
int read_graph(Entry& entry, int nnodes, const int index[], const int edges[], int members,
               Graph& graph) {
  if (nnodes < 0 || nnodes > members) {
    return entry.fail(MPI_ERR_ARG, "nnodes is {}; comm has {} processes", nnodes, members);
  }
  if (nnodes == 0) return MPI_SUCCESS;
  if (int err = entry.not_null(index, "index")) return err;
  int before = 0;
  for (int i = 0; i < nnodes; ++i) {
    if (index[i] < before) {
      return entry.fail(MPI_ERR_ARG, "index[{}] is {}, less than the {} edges before it", i,
                        index[i], before);
    }
    before = index[i];
  }
  if (before > 0) {
    if (int err = entry.not_null(edges, "edges")) return err;
  }
  for (int i = 0; i < before; ++i) {
    if (edges[i] < 0 || edges[i] >= nnodes) {
      return entry.fail(MPI_ERR_ARG, "edges[{}] is {}; the graph has {} nodes", i, edges[i],
                        nnodes);
    }
  }
  graph.index.assign(index, index + nnodes);
  graph.edges.assign(edges, edges + before);
  return MPI_SUCCESS;
}

int node_of(Entry& entry, const Graph& graph, int rank) {
  const auto nodes = static_cast<int>(graph.index.size());
  if (rank >= 0 && rank < nodes) return MPI_SUCCESS;
  return entry.fail(MPI_ERR_RANK, "rank is {}; the graph has {} nodes", rank, nodes);
}

/// Copies as much as there is room for.
int report(Entry& entry, std::span<const int> from, int length, int* to, const char* name) {
  const std::size_t count = std::min(from.size(), static_cast<std::size_t>(length));
  if (count == 0) return MPI_SUCCESS;
  if (int err = entry.not_null(to, name)) return err;
  std::copy_n(from.begin(), count, to);
  return MPI_SUCCESS;
}

// --- distributed graphs ------------------------------------------------------------------------

int check_ranks(Entry& entry, const CommObject& comm, int count, const int ranks[],
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

int finish_graph(Entry& entry, CommObject& parent, DistributedGraph graph, MPI_Comm* out) {
  return create_comm(entry, parent, parent.core.local,
                     std::make_shared<const Topology>(std::move(graph)), out);
}

/// Half an edge: what one of its two ends is to know.
struct HalfEdge {
  int incoming;  ///< 1: to the receiver of this, 0: from it
  int other;
  int weight;
};
constexpr int kHalfEdgeInts = 3;
static_assert(sizeof(HalfEdge) == kHalfEdgeInts * sizeof(int));

/// Everybody gets the half edges that are for it, in order of who named them.
int exchange(Entry& entry, CommObject& comm, const std::vector<std::vector<HalfEdge>>& to,
             std::vector<HalfEdge>& mine) {
  const auto size = to.size();
  std::vector<int> send_counts(size), receive_counts(size), send_at(size), receive_at(size);
  std::vector<HalfEdge> out;
  for (std::size_t i = 0; i < size; ++i) {
    send_at[i] = static_cast<int>(out.size()) * kHalfEdgeInts;
    send_counts[i] = static_cast<int>(to[i].size()) * kHalfEdgeInts;
    out.insert(out.end(), to[i].begin(), to[i].end());
  }
  CollectiveArgs args;
  args.kind = CollectiveKind::alltoall;
  args.send = send_counts.data();
  args.recv = receive_counts.data();
  args.send_count = args.recv_count = 1;
  args.send_type = args.recv_type = &predefined(MPI_INT);
  const CollectiveWait counting(entry, comm, args.kind);
  if (int err = run_collective(entry.engine(), comm.core, args, &counting)) {
    return entry.fail(err, "the numbers of edges could not be exchanged");
  }
  int total = 0;
  for (std::size_t i = 0; i < size; ++i) {
    receive_at[i] = total;
    total += receive_counts[i];
  }
  mine.resize(static_cast<std::size_t>(total / kHalfEdgeInts));
  args.kind = CollectiveKind::alltoallv;
  args.send = out.data();
  args.recv = mine.data();
  args.send_counts = Counts(send_counts.data());
  args.recv_counts = Counts(receive_counts.data());
  args.send_displs = Counts(send_at.data());
  args.recv_displs = Counts(receive_at.data());
  const CollectiveWait moving(entry, comm, args.kind);
  if (int err = run_collective(entry.engine(), comm.core, args, &moving)) {
    return entry.fail(err, "the edges could not be exchanged");
  }
  return MPI_SUCCESS;
}

/// The edges that a program names at this process, by the ends that are to know them.
std::vector<std::vector<HalfEdge>> split_edges(const CommObject& comm, std::span<const int> sources,
                                               const int degrees[], const int destinations[],
                                               const int weights[]) {
  std::vector<std::vector<HalfEdge>> to(static_cast<std::size_t>(comm.core.size()));
  int edge = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (int end = edge + degrees[i]; edge < end; ++edge) {
      const int weight = weights == MPI_UNWEIGHTED ? 1 : weights[edge];
      to[static_cast<std::size_t>(sources[i])].push_back({0, destinations[edge], weight});
      to[static_cast<std::size_t>(destinations[edge])].push_back({1, sources[i], weight});
    }
  }
  return to;
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

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[],
                      int reorder, MPI_Comm* comm_graph) {
  Entry entry("MPI_Graph_create");
  CommObject* c = nullptr;
  Graph graph;
  if (int err = entry.intra_comm(comm_old, c)) return err;
  if (int err = entry.not_null(comm_graph, "comm_graph")) return err;
  if (int err = read_graph(entry, nnodes, index, edges, c->core.size(), graph)) return err;
  const std::vector<int> members =
      ordered_members(entry.instance(), *c, graph, nnodes, reorder != 0);
  return create_comm(entry, *c, c->core.local->subset(members),
                     std::make_shared<const Topology>(std::move(graph)), comm_graph);
}
REMIT_WEAK(Graph_create);

int PMPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int* newrank) {
  Entry entry("MPI_Graph_map");
  CommObject* c = nullptr;
  Graph graph;
  if (int err = entry.intra_comm(comm, c)) return err;
  if (int err = entry.not_null(newrank, "newrank")) return err;
  if (int err = read_graph(entry, nnodes, index, edges, c->core.size(), graph)) return err;
  *newrank = new_rank(*c, ordered_members(entry.instance(), *c, graph, nnodes, true));
  return MPI_SUCCESS;
}
REMIT_WEAK(Graph_map);

int PMPI_Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) {
  Entry entry("MPI_Graphdims_get");
  CommObject* c = nullptr;
  const Graph* graph = nullptr;
  if (int err = graph_of(entry, comm, c, graph)) return err;
  if (int err = entry.not_null(nnodes, "nnodes")) return err;
  if (int err = entry.not_null(nedges, "nedges")) return err;
  *nnodes = static_cast<int>(graph->index.size());
  *nedges = static_cast<int>(graph->edges.size());
  return MPI_SUCCESS;
}
REMIT_WEAK(Graphdims_get);

int PMPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]) {
  Entry entry("MPI_Graph_get");
  CommObject* c = nullptr;
  const Graph* graph = nullptr;
  if (int err = graph_of(entry, comm, c, graph)) return err;
  if (int err = check_length(entry, maxindex, "maxindex")) return err;
  if (int err = check_length(entry, maxedges, "maxedges")) return err;
  if (int err = report(entry, graph->index, maxindex, index, "index")) return err;
  return report(entry, graph->edges, maxedges, edges, "edges");
}
REMIT_WEAK(Graph_get);

int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors) {
  Entry entry("MPI_Graph_neighbors_count");
  CommObject* c = nullptr;
  const Graph* graph = nullptr;
  if (int err = graph_of(entry, comm, c, graph)) return err;
  if (int err = node_of(entry, *graph, rank)) return err;
  if (int err = entry.not_null(nneighbors, "nneighbors")) return err;
  *nneighbors = static_cast<int>(graph->neighbors(rank).size());
  return MPI_SUCCESS;
}
REMIT_WEAK(Graph_neighbors_count);

int PMPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
  Entry entry("MPI_Graph_neighbors");
  CommObject* c = nullptr;
  const Graph* graph = nullptr;
  if (int err = graph_of(entry, comm, c, graph)) return err;
  if (int err = node_of(entry, *graph, rank)) return err;
  if (int err = check_length(entry, maxneighbors, "maxneighbors")) return err;
  return report(entry, graph->neighbors(rank), maxneighbors, neighbors, "neighbors");
}
REMIT_WEAK(Graph_neighbors);

int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                    const int sourceweights[], int outdegree,
                                    const int destinations[], const int destweights[],
                                    MPI_Info /*info*/, int /*reorder*/, MPI_Comm* comm_dist_graph) {
  Entry entry("MPI_Dist_graph_create_adjacent");
  CommObject* c = nullptr;
  if (int err = entry.intra_comm(comm_old, c)) return err;
  if (int err = check_length(entry, indegree, "indegree")) return err;
  if (int err = check_length(entry, outdegree, "outdegree")) return err;
  if (int err = check_ranks(entry, *c, indegree, sources, "sources")) return err;
  if (int err = check_ranks(entry, *c, outdegree, destinations, "destinations")) return err;
  if (int err = check_weights(entry, indegree, sourceweights, "sourceweights")) return err;
  if (int err = check_weights(entry, outdegree, destweights, "destweights")) return err;
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
  return finish_graph(entry, *c, std::move(graph), comm_dist_graph);
}
REMIT_WEAK(Dist_graph_create_adjacent);

int PMPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                           const int destinations[], const int weights[], MPI_Info /*info*/,
                           int /*reorder*/, MPI_Comm* comm_dist_graph) {
  Entry entry("MPI_Dist_graph_create");
  CommObject* c = nullptr;
  int edges = 0;
  if (int err = entry.intra_comm(comm_old, c)) return err;
  if (int err = check_length(entry, n, "n")) return err;
  if (int err = check_ranks(entry, *c, n, sources, "sources")) return err;
  if (int err = count_edges(entry, n, degrees, edges)) return err;
  if (int err = check_ranks(entry, *c, edges, destinations, "destinations")) return err;
  if (int err = check_weights(entry, edges, weights, "weights")) return err;
  if (int err = entry.not_null(comm_dist_graph, "comm_dist_graph")) return err;
  std::vector<HalfEdge> mine;
  const auto to =
      split_edges(*c, {sources, static_cast<std::size_t>(n)}, degrees, destinations, weights);
  if (int err = exchange(entry, *c, to, mine)) return err;
  DistributedGraph graph;
  graph.weighted = weights != MPI_UNWEIGHTED;
  for (const HalfEdge& half : mine) {
    const bool in = half.incoming != 0;
    (in ? graph.sources : graph.destinations).push_back(half.other);
    if (graph.weighted) {
      (in ? graph.source_weights : graph.destination_weights).push_back(half.weight);
    }
  }
  return finish_graph(entry, *c, std::move(graph), comm_dist_graph);
}
REMIT_WEAK(Dist_graph_create);

int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
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
}
REMIT_WEAK(Dist_graph_neighbors_count);

// Weights are left alone for MPI_UNWEIGHTED, and where the graph has none.
int PMPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                              int maxoutdegree, int destinations[], int destweights[]) {
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
}
REMIT_WEAK(Dist_graph_neighbors);
