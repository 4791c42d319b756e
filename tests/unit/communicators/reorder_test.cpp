// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reordering of grids and graphs on machines that hwloc makes up.
#include "communicators/reorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

HostTopology machine(const char* description) {
  auto topology = HostTopology::synthetic(description);
  EXPECT_TRUE(topology.has_value());
  return *topology;
}

/// Rank i runs on cpu of[i].
std::vector<ProcessPlace> on_cpus(const HostTopology& topology, const std::vector<int>& of) {
  std::vector<ProcessPlace> places;
  places.reserve(of.size());
  for (const int cpu : of) places.push_back(place_of(topology, {cpu}));
  return places;
}

std::vector<int> counted(int n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i;
  return all;
}

Grid grid_of(const std::vector<int>& sides, bool periodic = false) {
  Grid grid;
  for (const int side : sides) grid.dimensions.push_back({side, periodic});
  return grid;
}

std::int64_t cost(const Grid& grid, const std::vector<int>& order,
                  const std::vector<ProcessPlace>& places) {
  std::int64_t sum = 0;
  for (int point = 0; point < grid.size(); ++point) {
    for (std::size_t i = 0; i < grid.dimensions.size(); ++i) {
      const int next = grid.neighbor(point, static_cast<int>(i), 1);
      if (next == MPI_PROC_NULL) continue;
      sum += distance(places[static_cast<std::size_t>(order[static_cast<std::size_t>(point)])],
                      places[static_cast<std::size_t>(order[static_cast<std::size_t>(next)])]);
    }
  }
  return sum;
}

void expect_permutation(std::vector<int> order) {
  const std::vector<int> all = counted(static_cast<int>(order.size()));
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, all);
}

TEST(Reorder, PlacesAndDistances) {
  const HostTopology topology = machine("pack:2 numa:2 l3:1 core:2 pu:2");
  const ProcessPlace first = place_of(topology, {0});
  EXPECT_EQ(distance(first, place_of(topology, {1})), 0) << "the same core";
  const int core = distance(first, place_of(topology, {2}));
  const int numa = distance(first, place_of(topology, {4}));
  const int package = distance(first, place_of(topology, {8}));
  EXPECT_GT(core, 0);
  EXPECT_GT(numa, core);
  EXPECT_GT(package, numa);
  EXPECT_EQ(place_of(topology, {0, 4}).objects[0], 0) << "one package";
  EXPECT_EQ(place_of(topology, {0, 4}).objects[1], -1) << "two NUMA nodes";
  EXPECT_EQ(place_of(topology, {}), place_of(topology, {0, 15}));
}

TEST(Reorder, NothingToGainIsTheSameOrder) {
  const HostTopology flat = machine("pack:1 numa:1 core:16 pu:1");
  EXPECT_EQ(order_for(grid_of({4, 4}), on_cpus(flat, counted(16))), counted(16));
  // One row of blocks a package: in order they are as near as can be.
  const HostTopology two = machine("pack:2 numa:1 core:8 pu:1");
  EXPECT_EQ(order_for(grid_of({4, 4}), on_cpus(two, counted(16))), counted(16));
  EXPECT_EQ(order_for(grid_of({}), on_cpus(two, {3})), counted(1));
  EXPECT_EQ(order_for(Graph{}, std::vector<ProcessPlace>{}), std::vector<int>{});
  const std::vector<ProcessPlace> unbound(16, place_of(two, {}));
  EXPECT_EQ(order_for(grid_of({4, 4}), unbound), counted(16));
}

/// Ranks that were dealt out to the packages in turn come together in halves of the grid.
TEST(Reorder, DealtOutRanksComeTogether) {
  const HostTopology topology = machine("pack:2 numa:1 core:8 pu:1");
  std::vector<int> cpus;
  for (int i = 0; i < 16; ++i) cpus.push_back(i % 2 * 8 + i / 2);
  const std::vector<ProcessPlace> places = on_cpus(topology, cpus);
  const Grid grid = grid_of({4, 4});
  const std::vector<int> order = order_for(grid, places);
  expect_permutation(order);
  // 4 of the 24 edges cross between the packages, and no cut of the grid in two has fewer.
  int crossing = 0;
  for (int point = 0; point < 16; ++point) {
    for (int i = 0; i < 2; ++i) {
      const int next = grid.neighbor(point, i, 1);
      if (next == MPI_PROC_NULL) continue;
      crossing +=
          places[static_cast<std::size_t>(order[static_cast<std::size_t>(point)])].objects[0] !=
          places[static_cast<std::size_t>(order[static_cast<std::size_t>(next)])].objects[0];
    }
  }
  EXPECT_EQ(crossing, 4);
}

/// Four packages of four cores: squares of 2 x 2 beat rows of four.
TEST(Reorder, BlocksAreCompact) {
  const HostTopology topology = machine("pack:4 numa:1 core:4 pu:1");
  const std::vector<ProcessPlace> places = on_cpus(topology, counted(16));
  const Grid grid = grid_of({4, 4});
  const std::vector<int> order = order_for(grid, places);
  expect_permutation(order);
  EXPECT_LT(cost(grid, order, places), cost(grid, counted(16), places));
  for (const int corner : {0, 2, 8, 10}) {
    const auto package = [&](int point) {
      return places[static_cast<std::size_t>(order[static_cast<std::size_t>(point)])].objects[0];
    };
    EXPECT_EQ(package(corner), package(corner + 1));
    EXPECT_EQ(package(corner), package(corner + 4));
    EXPECT_EQ(package(corner), package(corner + 5));
  }
}

/// Random bindings on random machines: a permutation, never worse than the order of the ranks, and
/// the same whoever computes it.
TEST(Reorder, NeverWorse) {
  std::mt19937_64 random(test_seed());
  const char* const machines[] = {"pack:2 numa:2 l3:2 core:2 pu:2",
                                  "pack:4 numa:1 l2:4 core:2 pu:1", "numa:8 core:4 pu:1",
                                  "pack:3 core:5 pu:2"};
  const std::vector<std::vector<int>> grids = {{4, 4}, {2, 3, 4},    {12},
                                               {5, 2}, {2, 2, 2, 2}, {1, 7}};
  for (int i = 0; i < 200; ++i) {
    const HostTopology topology = machine(machines[random() % 4]);
    const Grid grid = grid_of(grids[random() % grids.size()], random() % 2 == 0);
    const auto cpus = static_cast<unsigned>(topology.processors());
    std::vector<int> of;
    for (int r = 0; r < grid.size(); ++r) of.push_back(static_cast<int>(random() % cpus));
    const std::vector<ProcessPlace> places = on_cpus(topology, of);
    const std::vector<int> order = order_for(grid, places);
    expect_permutation(order);
    EXPECT_LE(cost(grid, order, places), cost(grid, counted(grid.size()), places));
    EXPECT_EQ(order, order_for(grid, places));
  }
}

/// Pairs that talk are brought together.
TEST(Reorder, GraphsOfPairs) {
  const HostTopology topology = machine("pack:4 numa:1 core:2 pu:1");
  const std::vector<ProcessPlace> places = on_cpus(topology, counted(8));
  Graph graph;  // node i and node i + 4
  for (int i = 0; i < 8; ++i) {
    graph.edges.push_back((i + 4) % 8);
    graph.index.push_back(i + 1);
  }
  const std::vector<int> order = order_for(graph, places);
  expect_permutation(order);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(order[i] / 2, order[i + 4] / 2) << "one package";
  }
  Graph none;
  none.index.assign(8, 0);
  EXPECT_EQ(order_for(none, places), counted(8));
}

std::int64_t cost(const std::vector<WeightedEdge>& edges, const std::vector<int>& order,
                  const std::vector<ProcessPlace>& places) {
  std::int64_t sum = 0;
  for (const WeightedEdge& edge : edges) {
    sum += edge.weight *
           distance(places[static_cast<std::size_t>(order[static_cast<std::size_t>(edge.from)])],
                    places[static_cast<std::size_t>(order[static_cast<std::size_t>(edge.to)])]);
  }
  return sum;
}

/// Who talks much comes together, whatever the many light edges say.
TEST(Reorder, WeightsDecide) {
  const HostTopology topology = machine("pack:4 numa:1 core:2 pu:1");
  const std::vector<ProcessPlace> places = on_cpus(topology, counted(8));
  std::vector<WeightedEdge> edges;
  for (int i = 0; i < 8; ++i) {
    edges.push_back({i, (i + 1) % 8, 1});
    edges.push_back({i, (i + 2) % 8, 0});
    edges.push_back({i, i, 1000000});
    if (i < 4) edges.push_back({i + 4, i, 10});
  }
  const std::vector<int> order = order_for(edges, places);
  expect_permutation(order);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(order[i] / 2, order[i + 4] / 2) << "one package";
  }
}

/// As the pairs, but the weights are of all sizes, up to the largest, and edges may be named twice.
TEST(Reorder, WeightedGraphsAreNeverWorse) {
  std::mt19937_64 random(test_seed());
  const char* const machines[] = {"pack:2 numa:2 l3:2 core:2 pu:2",
                                  "pack:4 numa:1 l2:4 core:2 pu:1", "numa:8 core:4 pu:1"};
  for (int i = 0; i < 200; ++i) {
    const HostTopology topology = machine(machines[random() % 3]);
    const auto cpus = static_cast<unsigned>(topology.processors());
    const int nodes = static_cast<int>(1 + random() % 24);
    std::vector<int> of;
    for (int r = 0; r < nodes; ++r) of.push_back(static_cast<int>(random() % cpus));
    std::vector<WeightedEdge> edges(random() % 60);
    for (WeightedEdge& edge : edges) {
      edge.from = static_cast<int>(random() % static_cast<unsigned>(nodes));
      edge.to = static_cast<int>(random() % static_cast<unsigned>(nodes));
      edge.weight = random() % 5 == 0 ? INT32_MAX : static_cast<int>(random() % 100);
    }
    const std::vector<ProcessPlace> places = on_cpus(topology, of);
    const std::vector<int> order = order_for(edges, places);
    expect_permutation(order);
    EXPECT_LE(cost(edges, order, places), cost(edges, counted(nodes), places));
    EXPECT_EQ(order, order_for(edges, places)) << "the same whoever computes it";
  }
}

/// The largest graphs that are looked at, one with an edge between any two nodes, take no time to
/// speak of: this test would be noticed otherwise.
TEST(Reorder, LargeGraphs) {
  const HostTopology topology = machine("pack:8 numa:2 core:8 pu:2");
  std::vector<int> of;
  for (int i = 0; i < static_cast<int>(kMostReordered); ++i) of.push_back(i * 7 % 256);
  const std::vector<ProcessPlace> places = on_cpus(topology, of);
  std::vector<WeightedEdge> ring;
  for (int i = 0; i < static_cast<int>(kMostReordered); ++i) {
    ring.push_back({i, (i + 1) % static_cast<int>(kMostReordered)});
  }
  const std::vector<int> order = order_for(ring, places);
  expect_permutation(order);
  EXPECT_LT(cost(ring, order, places), cost(ring, counted(static_cast<int>(of.size())), places));
  of.resize(512);
  std::vector<WeightedEdge> all;
  for (int i = 0; i < 512; ++i) {
    for (int j = 0; j < 512; ++j) all.push_back({i, j, 1 + (i ^ j) % 3});
  }
  expect_permutation(order_for(all, on_cpus(topology, of)));
  EXPECT_EQ(order_for(ring, std::vector<ProcessPlace>(kMostReordered + 1, places[0])),
            counted(static_cast<int>(kMostReordered) + 1));
}

}  // namespace
}  // namespace remit::testing
