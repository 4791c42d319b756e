// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Distributed graphs: exchanging edges, and giving nodes to processes.
#include "communicators/dist_graph.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <vector>

#include "communicators/inner_collectives.hpp"
#include "communicators/placement.hpp"

namespace remit {

namespace {

/// Half an edge: what one of its two ends is to know.
struct HalfEdge {
  int incoming;  ///< 1: to the receiver of this, 0: from it
  int other;
  int weight;
};
constexpr int kHalfEdgeInts = 3;
static_assert(sizeof(HalfEdge) == kHalfEdgeInts * sizeof(int));

/// Everybody gets the half edges that are for it, in order of who named them.
Expected<std::vector<HalfEdge>> exchange_half_edges(const CommCall& call, const ParentComm& comm,
                                                    const std::vector<std::vector<HalfEdge>>& to) {
  const auto size = to.size();
  std::vector<int> send_counts(size), receive_counts(size), send_at(size), receive_at(size);
  std::vector<HalfEdge> out;
  for (std::size_t i = 0; i < size; ++i) {
    send_at[i] = static_cast<int>(out.size()) * kHalfEdgeInts;
    send_counts[i] = static_cast<int>(to[i].size()) * kHalfEdgeInts;
    out.insert(out.end(), to[i].begin(), to[i].end());
  }
  CollectiveArgs args =
      plain_args(CollectiveKind::alltoall, send_counts.data(), receive_counts.data(), 1, MPI_INT);
  auto done = run_among_members(call, comm, args, "the numbers of edges could not be exchanged");
  if (!done) return tl::unexpected(done.error());
  int total = 0;
  for (std::size_t i = 0; i < size; ++i) {
    receive_at[i] = total;
    total += receive_counts[i];
  }
  std::vector<HalfEdge> mine(static_cast<std::size_t>(total / kHalfEdgeInts));
  args.kind = CollectiveKind::alltoallv;
  args.send = out.data();
  args.recv = mine.data();
  args.send_counts = Counts(send_counts.data());
  args.recv_counts = Counts(receive_counts.data());
  args.send_displs = Counts(send_at.data());
  args.recv_displs = Counts(receive_at.data());
  done = run_among_members(call, comm, args, "the edges could not be exchanged");
  if (!done) return tl::unexpected(done.error());
  return mine;
}

/// The edges that a member names, by the ends that are to know them.
std::vector<std::vector<HalfEdge>> halves_by_end(int size, const NamedEdges& named) {
  std::vector<std::vector<HalfEdge>> to(static_cast<std::size_t>(size));
  int edge = 0;
  for (std::size_t i = 0; i < named.sources.size(); ++i) {
    const int source = named.sources[i];
    for (int end = edge + named.degrees[i]; edge < end; ++edge) {
      const int destination = named.destinations[edge];
      const int weight = named.weighted() ? named.weights[edge] : 1;
      to[static_cast<std::size_t>(source)].push_back({0, destination, weight});
      to[static_cast<std::size_t>(destination)].push_back({1, source, weight});
    }
  }
  return to;
}

}  // namespace

Expected<DistributedGraph> distribute_edges(const CommCall& call, const ParentComm& comm,
                                            const NamedEdges& named) {
  const auto halves = exchange_half_edges(call, comm, halves_by_end(comm.core.size(), named));
  if (!halves) return tl::unexpected(halves.error());
  DistributedGraph graph;
  graph.weighted = named.weighted();
  for (const HalfEdge& half : *halves) {
    const bool in = half.incoming != 0;
    (in ? graph.sources : graph.destinations).push_back(half.other);
    if (graph.weighted) {
      (in ? graph.source_weights : graph.destination_weights).push_back(half.weight);
    }
  }
  return graph;
}

// --- reordering ----------------------------------------------------------------------------------

namespace {

// A node's own edges as one list of ints, as the others get them.
constexpr std::size_t kIntsBefore = 3;  ///< the numbers of sources and destinations, weighted

std::vector<int> packed_graph(const DistributedGraph& graph) {
  std::vector<int> ints{static_cast<int>(graph.sources.size()),
                        static_cast<int>(graph.destinations.size()),
                        static_cast<int>(graph.weighted)};
  for (const std::vector<int>* part :
       {&graph.sources, &graph.destinations, &graph.source_weights, &graph.destination_weights}) {
    ints.insert(ints.end(), part->begin(), part->end());
  }
  return ints;
}

DistributedGraph unpacked_graph(std::span<const int> ints) {
  const auto sources = static_cast<std::size_t>(ints[0]);
  const auto destinations = static_cast<std::size_t>(ints[1]);
  DistributedGraph graph;
  graph.weighted = ints[2] != 0;
  ints = ints.subspan(kIntsBefore);
  const auto take = [&](std::size_t count) {
    std::vector<int> part(ints.begin(), ints.begin() + static_cast<std::ptrdiff_t>(count));
    ints = ints.subspan(count);
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
  Expected<> gather(const CommCall& call, const ParentComm& comm, const DistributedGraph& mine,
                    bool able) {
    const std::vector<int> ints = able ? packed_graph(mine) : std::vector<int>();
    const auto size = static_cast<std::size_t>(comm.core.size());
    const int length = static_cast<int>(ints.size());
    lengths_.resize(size);
    at_.resize(size);
    CollectiveArgs args =
        plain_args(CollectiveKind::allgather, &length, lengths_.data(), 1, MPI_INT);
    if (auto done = run_among_members(call, comm, args); !done) return done;
    complete_ = std::find(lengths_.begin(), lengths_.end(), 0) == lengths_.end();
    std::int64_t total = 0;
    for (std::size_t i = 0; i < size; ++i) {
      at_[i] = static_cast<int>(total);
      total += lengths_[i];
    }
    complete_ = complete_ && total <= INT_MAX;
    if (!complete_) return {};
    ints_.resize(static_cast<std::size_t>(total));
    args = plain_args(CollectiveKind::allgatherv, ints.data(), ints_.data(), length, MPI_INT);
    args.recv_counts = Counts(lengths_.data());
    args.recv_displs = Counts(at_.data());
    return run_among_members(call, comm, args);
  }
  [[nodiscard]] bool complete() const { return complete_; }

  [[nodiscard]] DistributedGraph node(int rank) const {
    const auto i = static_cast<std::size_t>(rank);
    return unpacked_graph(std::span(ints_).subspan(static_cast<std::size_t>(at_[i]),
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
  std::vector<int> lengths_, at_, ints_;
  bool complete_ = false;
};

}  // namespace

/// The members tell each other all edges, if neighbours could come nearer, and find the same order.
Expected<PlacedGraph> place_graph(const CommCall& call, const ParentComm& comm,
                                  DistributedGraph graph) {
  PlacedGraph placed{comm.core.local, std::move(graph)};
  const int size = comm.core.size();
  if (static_cast<std::size_t>(size) > kMostReordered) return placed;
  const std::vector<ProcessPlace> places = places_of(call.process(), *comm.core.local, size);
  WholeGraph whole;
  if (auto done = whole.gather(call, comm, placed.graph, !places.empty()); !done) {
    return tl::unexpected(done.error());
  }
  if (!whole.complete()) return placed;
  const std::vector<int> members = order_for(whole.edges(), places);
  placed.group = placed.group->subset(members);
  placed.graph = whole.node(new_rank_of(comm.core.rank, members));
  return placed;
}

}  // namespace remit
