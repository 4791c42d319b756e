// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which process of a host takes which place of a virtual topology.
#include "communicators/reorder.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace remit {

namespace {

constexpr std::array<const char*, ProcessPlace::kLevels> kLevelNames = {
    "Package", "NUMANode", "L3Cache", "L2Cache", "Core"};
/// By the outermost level that differs.
constexpr std::array<int, ProcessPlace::kLevels> kDistances = {20, 12, 6, 2, 1};

std::vector<WeightedEdge> edges_of(const Grid& grid) {
  std::vector<WeightedEdge> edges;
  const int points = grid.size();
  for (int point = 0; point < points; ++point) {
    for (std::size_t i = 0; i < grid.dimensions.size(); ++i) {
      const int next = grid.neighbor(point, static_cast<int>(i), 1);
      // Round a ring of two there are two edges to the one neighbour.
      if (next != MPI_PROC_NULL && next != point) edges.push_back({point, next});
    }
  }
  return edges;
}

std::vector<WeightedEdge> edges_of(const Graph& graph) {
  std::vector<WeightedEdge> edges;
  for (int node = 0; node < static_cast<int>(graph.index.size()); ++node) {
    for (const int other : graph.neighbors(node)) {
      if (other != node) edges.push_back({node, other});
    }
  }
  return edges;
}

std::int64_t cost_of(const std::vector<int>& order, std::span<const WeightedEdge> edges,
                     std::span<const ProcessPlace> places) {
  const auto at = [&](int vertex) -> const ProcessPlace& {
    return places[static_cast<std::size_t>(order[static_cast<std::size_t>(vertex)])];
  };
  std::int64_t cost = 0;
  for (const auto& [from, to, weight] : edges) cost += weight * distance(at(from), at(to));
  return cost;
}

std::vector<int> own_order(std::size_t count) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// The processes, those near each other side by side.
std::vector<int> by_place(std::span<const ProcessPlace> places) {
  std::vector<int> order = own_order(places.size());
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return places[static_cast<std::size_t>(a)] < places[static_cast<std::size_t>(b)];
  });
  return order;
}

std::vector<int> better_of(std::vector<int> candidate, std::span<const WeightedEdge> edges,
                           std::span<const ProcessPlace> places) {
  std::vector<int> own = own_order(places.size());
  if (cost_of(candidate, edges, places) < cost_of(own, edges, places)) return candidate;
  return own;
}

// --- grids -------------------------------------------------------------------------------------

/// How many processes share an object of each level, outermost first, where all of its objects have
/// as many and more than one.
std::vector<int> sharers(std::span<const ProcessPlace> places, const std::vector<int>& sorted) {
  std::vector<int> sizes;
  for (std::size_t level = 0; level < ProcessPlace::kLevels; ++level) {
    const auto together = [&](std::size_t i, std::size_t j) {
      const ProcessPlace& a = places[static_cast<std::size_t>(sorted[i])];
      const ProcessPlace& b = places[static_cast<std::size_t>(sorted[j])];
      return std::equal(a.objects.begin(),
                        a.objects.begin() + static_cast<std::ptrdiff_t>(level) + 1,
                        b.objects.begin());
    };
    std::vector<int> runs;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i == 0 || !together(i - 1, i)) runs.push_back(0);
      ++runs.back();
    }
    const bool even = std::all_of(runs.begin(), runs.end(), [&](int r) { return r == runs[0]; });
    if (!even || runs.size() < 2 || runs[0] < 2) continue;
    if (sizes.empty() || runs[0] < sizes.back()) sizes.push_back(runs[0]);
  }
  return sizes;
}

/// Looks for the block of `volume` points, whose sides divide those of a box, with the least
/// surface where it touches others.
class BlockSearch {
 public:
  BlockSearch(const std::vector<int>& box, int volume) : box_(box) {
    for (const int side : box) points_ *= side;
    shape_.resize(box.size());
    search(0, volume);
  }
  /// Empty: there is none.
  [[nodiscard]] const std::vector<int>& best() const { return best_; }

 private:
  void search(std::size_t side, int rest) {
    if (side == box_.size()) {
      if (rest == 1) consider();
      return;
    }
    for (int length = 1; length <= box_[side] && length <= rest; ++length) {
      if (box_[side] % length != 0 || rest % length != 0) continue;
      shape_[side] = length;
      search(side + 1, rest / length);
    }
  }
  void consider() {
    std::int64_t cut = 0;
    for (std::size_t i = 0; i < box_.size(); ++i) {
      cut += std::int64_t{box_[i] / shape_[i] - 1} * (points_ / box_[i]);
    }
    if (!best_.empty() && cut >= least_) return;
    best_ = shape_;
    least_ = cut;
  }

  const std::vector<int>& box_;
  std::int64_t points_ = 1;
  std::vector<int> shape_;
  std::vector<int> best_;
  std::int64_t least_ = 0;
};

/// Lists the points of a box, block by block, and inside of each by blocks of the next size.
void walk(const Grid& grid, const std::vector<int>& origin, const std::vector<int>& box,
          std::span<const int> sizes, std::vector<int>& out) {
  std::vector<int> block(box.size(), 1);
  if (!sizes.empty()) {
    block = BlockSearch(box, sizes.front()).best();
    if (block.empty()) return walk(grid, origin, box, sizes.subspan(1), out);
  }
  std::vector<int> at = origin;
  while (true) {
    if (sizes.empty()) {
      out.push_back(grid.rank(at));
    } else {
      walk(grid, at, block, sizes.subspan(1), out);
    }
    std::size_t side = box.size();
    while (side != 0) {
      --side;
      at[side] += block[side];
      if (at[side] < origin[side] + box[side]) break;
      at[side] = origin[side];
      if (side == 0) return;
    }
    if (box.empty()) return;
  }
}

// --- graphs ------------------------------------------------------------------------------------

/// How many of the outermost levels two places share.
std::size_t shared_levels(const ProcessPlace& a, const ProcessPlace& b) {
  std::size_t level = 0;
  while (level < ProcessPlace::kLevels && a.objects[level] == b.objects[level]) ++level;
  return level;
}

/// Gives the processes, those of one object after the other, each the node that lies nearest to
/// what was given out before.
class Growth {
 public:
  Growth(std::size_t nodes, std::span<const WeightedEdge> edges)
      : neighbors_(nodes), gain_(nodes), order_(nodes, -1) {
    for (auto& near : near_) near.resize(nodes);
    for (const WeightedEdge& edge : edges) {
      if (edge.from == edge.to) continue;
      neighbors_[static_cast<std::size_t>(edge.from)].emplace_back(edge.to, edge.weight);
      neighbors_[static_cast<std::size_t>(edge.to)].emplace_back(edge.from, edge.weight);
    }
  }
  std::vector<int> run(std::span<const ProcessPlace> places) && {
    const ProcessPlace* before = nullptr;
    for (const int process : by_place(places)) {
      const ProcessPlace& here = places[static_cast<std::size_t>(process)];
      if (before != nullptr) leave(shared_levels(*before, here));
      before = &here;
      give(process, best());
    }
    return std::move(order_);
  }

 private:
  /// What an edge gains if its ends share one more level.
  [[nodiscard]] static int step(std::size_t level) {
    return kDistances[level] - (level + 1 < ProcessPlace::kLevels ? kDistances[level + 1] : 0);
  }
  [[nodiscard]] std::size_t best() const {
    std::size_t best = order_.size();
    for (std::size_t node = 0; node < order_.size(); ++node) {
      if (order_[node] < 0 && (best == order_.size() || gain_[node] > gain_[best])) best = node;
    }
    return best;
  }
  void give(int process, std::size_t node) {
    order_[node] = process;
    for (const auto& [other, weight] : neighbors_[node]) {
      const auto at = static_cast<std::size_t>(other);
      if (order_[at] >= 0) continue;
      gain_[at] += weight;
      for (std::size_t level = 0; level < ProcessPlace::kLevels; ++level) {
        if (near_[level][at] == 0) touched_[level].push_back(at);
        near_[level][at] += weight;
        gain_[at] += weight * step(level);
      }
    }
  }
  /// The next process is outside of the objects that hold the last one from `level` inwards: what
  /// is in them is no longer near.
  void leave(std::size_t level) {
    for (; level < ProcessPlace::kLevels; ++level) {
      for (const std::size_t node : touched_[level]) {
        gain_[node] -= near_[level][node] * step(level);
        near_[level][node] = 0;
      }
      touched_[level].clear();
    }
  }

  std::vector<std::vector<std::pair<int, std::int64_t>>> neighbors_;
  /// Of each node: what an edge is worth at all, and for each level, what it gains from neighbours
  /// that have a process in the same object as the last one.
  std::vector<std::int64_t> gain_;
  std::array<std::vector<std::int64_t>, ProcessPlace::kLevels>
      near_;  ///< weights, by level and node
  std::array<std::vector<std::size_t>, ProcessPlace::kLevels> touched_;
  std::vector<int> order_;
};

}  // namespace

ProcessPlace place_of(const HostTopology& topology, const std::vector<int>& cpus) {
  ProcessPlace place;
  for (std::size_t i = 0; i < ProcessPlace::kLevels; ++i) {
    place.objects[i] = cpus.empty() ? -1 : topology.object_of(kLevelNames[i], cpus);
  }
  return place;
}

int distance(const ProcessPlace& a, const ProcessPlace& b) {
  for (std::size_t i = 0; i < ProcessPlace::kLevels; ++i) {
    if (a.objects[i] != b.objects[i]) return kDistances[i];
  }
  return 0;
}

std::vector<int> order_for(const Grid& grid, std::span<const ProcessPlace> places) {
  const std::vector<int> sorted = by_place(places);
  std::vector<int> box;
  box.reserve(grid.dimensions.size());
  for (const Grid::Dimension& dimension : grid.dimensions) box.push_back(dimension.size);
  const std::vector<int> origin(box.size(), 0);
  const std::vector<int> sizes = sharers(places, sorted);
  std::vector<int> points;
  walk(grid, origin, box, sizes, points);
  std::vector<int> order(places.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    order[static_cast<std::size_t>(points[i])] = sorted[i];
  }
  return better_of(std::move(order), edges_of(grid), places);
}

std::vector<int> order_for(const Graph& graph, std::span<const ProcessPlace> places) {
  return order_for(edges_of(graph), places);
}

std::vector<int> order_for(std::span<const WeightedEdge> edges,
                           std::span<const ProcessPlace> places) {
  if (places.size() > kMostReordered) return own_order(places.size());
  return better_of(Growth(places.size(), edges).run(places), edges, places);
}

}  // namespace remit
