// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Virtual topologies (MPI-5.0, chapter 8): what a communicator knows of its grid or graph.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "mpi.h"

namespace remit {

/// A Cartesian grid. Ranks are in row-major order (section 8.5.1): the last coordinate runs first.
struct Grid {
  struct Dimension {
    int size = 1;
    bool periodic = false;
  };
  std::vector<Dimension> dimensions;

  /// Points of the grid: the product of all sizes; 1 without dimensions.
  [[nodiscard]] int size() const;
  /// The coordinates of a rank, 0 <= rank < size(), which `out` has room for.
  void coordinates(int rank, std::span<int> out) const;
  /// The rank at these coordinates, each taken modulo the size of a periodic dimension; -1 if one
  /// lies outside of another.
  [[nodiscard]] int rank(std::span<const int> coordinates) const;
  /// The rank that is `distance` steps further along `dimension`, or MPI_PROC_NULL.
  [[nodiscard]] int neighbor(int rank, int dimension, long long distance) const;
  /// The grid of the dimensions whose entry of `kept` is not 0, in their order (MPI_Cart_sub).
  [[nodiscard]] Grid without_others(std::span<const int> kept) const;
  /// The ranks of the part through `rank` in which only those coordinates run, in row-major order
  /// of these.
  [[nodiscard]] std::vector<int> slice(int rank, std::span<const int> kept) const;
};

/// A graph that every member knows as a whole (section 8.5.3).
struct Graph {
  std::vector<int> index;  ///< of node i: how many edges nodes 0 to i have
  std::vector<int> edges;

  [[nodiscard]] std::span<const int> neighbors(int node) const {
    const int first = node == 0 ? 0 : index[static_cast<std::size_t>(node) - 1];
    return std::span(edges).subspan(
        static_cast<std::size_t>(first),
        static_cast<std::size_t>(index[static_cast<std::size_t>(node)] - first));
  }
};

/// A graph of which every member knows its own edges (section 8.5.4).
struct DistributedGraph {
  std::vector<int> sources, destinations;
  std::vector<int> source_weights, destination_weights;  ///< as long, if `weighted`
  bool weighted = false;
};

using Topology = std::variant<Grid, Graph, DistributedGraph>;

/// Fills the zeros of `sizes` so that the product of all is `nodes`: in decreasing order and close
/// together, with the smallest difference of largest and smallest, then the largest smallest, and
/// so on. False: the sizes given do not divide `nodes`, or no zero is left to make up for the rest.
/// nodes > 0, no size is negative.
[[nodiscard]] bool fill_dimensions(int nodes, std::span<int> sizes);

}  // namespace remit
