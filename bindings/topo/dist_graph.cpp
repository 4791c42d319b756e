// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Distributed graph topologies (MPI-5.0, sections 8.5.4 and 8.5.5).
#include <algorithm>
#include <climits>
#include <span>

#include "bindings/comm/new_comm.hpp"
#include "bindings/env/info_objects.hpp"
#include "bindings/env/wait_subjects.hpp"
#include "bindings/topo/topology_args.hpp"
#include "bindings/weak.hpp"
#include "communicators/placement.hpp"

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

// --- reordering --------------------------------------------------------------------------------

// A node's own edges as one list of ints, as the others get them.
constexpr std::size_t kWordsBefore = 3;  ///< the numbers of sources and destinations, weighted

std::vector<int> words_of(const DistributedGraph& graph) {
  std::vector<int> words{static_cast<int>(graph.sources.size()),
                         static_cast<int>(graph.destinations.size()),
                         static_cast<int>(graph.weighted)};
  for (const std::vector<int>* part :
       {&graph.sources, &graph.destinations, &graph.source_weights, &graph.destination_weights}) {
    words.insert(words.end(), part->begin(), part->end());
  }
  return words;
}

DistributedGraph unpacked_graph(std::span<const int> words) {
  const auto sources = static_cast<std::size_t>(words[0]);
  const auto destinations = static_cast<std::size_t>(words[1]);
  DistributedGraph graph;
  graph.weighted = words[2] != 0;
  words = words.subspan(kWordsBefore);
  const auto take = [&](std::size_t count) {
    std::vector<int> part(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
    words = words.subspan(count);
    return part;
  };
  graph.sources = take(sources);
  graph.destinations = take(destinations);
  if (!graph.weighted) return graph;
  graph.source_weights = take(sources);
  graph.destination_weights = take(destinations);
  return graph;
}

/// The edges of all nodes.
class WholeGraph {
 public:
  /// All members call this; with `able` false at one of them, nobody gets anything.
  int gather(Entry& entry, CommObject& comm, const DistributedGraph& mine, bool able) {
    const std::vector<int> words = able ? words_of(mine) : std::vector<int>();
    const auto size = static_cast<std::size_t>(comm.core.size());
    const int length = static_cast<int>(words.size());
    lengths_.resize(size);
    at_.resize(size);
    if (int err = run_inner(
            entry, comm,
            plain_args(CollectiveKind::allgather, &length, lengths_.data(), 1, MPI_INT))) {
      return err;
    }
    complete_ = std::find(lengths_.begin(), lengths_.end(), 0) == lengths_.end();
    std::int64_t total = 0;
    for (std::size_t i = 0; i < size; ++i) {
      at_[i] = static_cast<int>(total);
      total += lengths_[i];
    }
    complete_ = complete_ && total <= INT_MAX;
    if (!complete_) return MPI_SUCCESS;
    words_.resize(static_cast<std::size_t>(total));
    CollectiveArgs args =
        plain_args(CollectiveKind::allgatherv, words.data(), words_.data(), length, MPI_INT);
    args.recv_counts = Counts(lengths_.data());
    args.recv_displs = Counts(at_.data());
    return run_inner(entry, comm, args);
  }
  [[nodiscard]] bool complete() const { return complete_; }

  [[nodiscard]] DistributedGraph node(int rank) const {
    const auto i = static_cast<std::size_t>(rank);
    return unpacked_graph(std::span(words_).subspan(static_cast<std::size_t>(at_[i]),
                                                    static_cast<std::size_t>(lengths_[i])));
  }
  /// Each edge once, as its origin names it.
  [[nodiscard]] std::vector<WeightedEdge> edges() const {
    std::vector<WeightedEdge> all;
    for (int from = 0; from < static_cast<int>(lengths_.size()); ++from) {
      const DistributedGraph graph = node(from);
      for (std::size_t i = 0; i < graph.destinations.size(); ++i) {
        const int weight = graph.weighted ? graph.destination_weights[i] : 1;
        all.push_back({from, graph.destinations[i], weight});
      }
    }
    return all;
  }

 private:
  std::vector<int> lengths_, at_, words_;
  bool complete_ = false;
};

/// Makes the communicator. With `reorder`, a process may get the rank, and so the edges, of another
/// one: the members tell each other all edges, if neighbours could come nearer, and find the same
/// order.
int finish_graph(Entry& entry, CommObject& parent, DistributedGraph graph, bool reorder,
                 MPI_Comm* out) {
  GroupPtr group = parent.core.local;
  const int size = parent.core.size();
  if (reorder && static_cast<std::size_t>(size) <= kMostReordered) {
    const std::vector<ProcessPlace> places =
        places_of(*entry.instance().process, *parent.core.local, size);
    WholeGraph whole;
    if (int err = whole.gather(entry, parent, graph, !places.empty())) return err;
    if (whole.complete()) {
      const std::vector<int> members = order_for(whole.edges(), places);
      group = group->subset(members);
      graph = whole.node(new_rank_of(parent.core.rank, members));
    }
  }
  return create_comm(entry, parent, std::move(group),
                     std::make_shared<const Topology>(std::move(graph)), out);
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
  return finish_graph(entry, *c, std::move(graph), reorder != 0, comm_dist_graph);
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
