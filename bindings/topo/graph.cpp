// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Graph topologies (MPI-5.0, sections 8.5.3, 8.5.5 and 8.5.8).
#include "bindings/comm/comm_objects.hpp"
#include "bindings/topo/topology_args.hpp"
#include "bindings/weak.hpp"
#include "communicators/placement.hpp"

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

}  // namespace

}  // namespace remit

using namespace remit;

int PMPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[],
                      int reorder, MPI_Comm* comm_graph) try {
  Entry entry("MPI_Graph_create");
  CommObject* c = nullptr;
  Graph graph;
  if (int err = entry.intra_comm(comm_old, c)) return err;
  if (int err = entry.not_null(comm_graph, "comm_graph")) return err;
  if (int err = read_graph(entry, nnodes, index, edges, c->core.size(), graph)) return err;
  const std::vector<int> members =
      ordered_members(*entry.instance().process, *c->core.local, graph, nnodes, reorder != 0);
  return create_comm_object(entry, *c, c->core.local->subset(members),
                            std::make_shared<const Topology>(std::move(graph)), comm_graph);
} catch (...) {
  return caught("MPI_Graph_create", comm_old);
}
REMIT_WEAK(Graph_create);

int PMPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[],
                   int* newrank) try {
  Entry entry("MPI_Graph_map");
  CommObject* c = nullptr;
  Graph graph;
  if (int err = entry.intra_comm(comm, c)) return err;
  if (int err = entry.not_null(newrank, "newrank")) return err;
  if (int err = read_graph(entry, nnodes, index, edges, c->core.size(), graph)) return err;
  *newrank = new_rank_of(c->core.rank, ordered_members(*entry.instance().process, *c->core.local,
                                                       graph, nnodes, true));
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Graph_map", comm);
}
REMIT_WEAK(Graph_map);

int PMPI_Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) try {
  Entry entry("MPI_Graphdims_get");
  CommObject* c = nullptr;
  const Graph* graph = nullptr;
  if (int err = graph_of(entry, comm, c, graph)) return err;
  if (int err = entry.not_null(nnodes, "nnodes")) return err;
  if (int err = entry.not_null(nedges, "nedges")) return err;
  *nnodes = static_cast<int>(graph->index.size());
  *nedges = static_cast<int>(graph->edges.size());
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Graphdims_get", comm);
}
REMIT_WEAK(Graphdims_get);

int PMPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]) try {
  Entry entry("MPI_Graph_get");
  CommObject* c = nullptr;
  const Graph* graph = nullptr;
  if (int err = graph_of(entry, comm, c, graph)) return err;
  if (int err = check_length(entry, maxindex, "maxindex")) return err;
  if (int err = check_length(entry, maxedges, "maxedges")) return err;
  if (int err = report(entry, graph->index, maxindex, index, "index")) return err;
  return report(entry, graph->edges, maxedges, edges, "edges");
} catch (...) {
  return caught("MPI_Graph_get", comm);
}
REMIT_WEAK(Graph_get);

int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors) try {
  Entry entry("MPI_Graph_neighbors_count");
  CommObject* c = nullptr;
  const Graph* graph = nullptr;
  if (int err = graph_of(entry, comm, c, graph)) return err;
  if (int err = node_of(entry, *graph, rank)) return err;
  if (int err = entry.not_null(nneighbors, "nneighbors")) return err;
  *nneighbors = static_cast<int>(graph->neighbors(rank).size());
  return MPI_SUCCESS;
} catch (...) {
  return caught("MPI_Graph_neighbors_count", comm);
}
REMIT_WEAK(Graph_neighbors_count);

int PMPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) try {
  Entry entry("MPI_Graph_neighbors");
  CommObject* c = nullptr;
  const Graph* graph = nullptr;
  if (int err = graph_of(entry, comm, c, graph)) return err;
  if (int err = node_of(entry, *graph, rank)) return err;
  if (int err = check_length(entry, maxneighbors, "maxneighbors")) return err;
  return report(entry, graph->neighbors(rank), maxneighbors, neighbors, "neighbors");
} catch (...) {
  return caught("MPI_Graph_neighbors", comm);
}
REMIT_WEAK(Graph_neighbors);
