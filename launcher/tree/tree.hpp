// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The tree of a job's daemons: node 0 is mpirun, the others are remote hosts. Pure.
#pragma once

#include <algorithm>
#include <vector>

namespace remit::launcher {

/// Node n has the children n * width + 1 to n * width + width.
class Tree {
 public:
  Tree(int nodes, int width) : nodes_(nodes), width_(std::max(width, 1)) {}

  [[nodiscard]] int nodes() const { return nodes_; }
  /// -1 for node 0.
  [[nodiscard]] int parent(int node) const { return node == 0 ? -1 : (node - 1) / width_; }
  [[nodiscard]] std::vector<int> children(int node) const {
    std::vector<int> list;
    const long first = static_cast<long>(node) * width_ + 1;
    for (long child = first; child < first + width_ && child < nodes_; ++child) {
      list.push_back(static_cast<int>(child));
    }
    return list;
  }
  /// `node` is `top` or below it.
  [[nodiscard]] bool is_within(int node, int top) const {
    while (node > top && node > 0) node = parent(node);
    return node == top;
  }
  /// The neighbour of `from` through which `to` is reached.
  [[nodiscard]] int towards(int from, int to) const {
    if (!is_within(to, from)) return parent(from);
    while (parent(to) != from) to = parent(to);
    return to;
  }

 private:
  int nodes_;
  int width_;
};

}  // namespace remit::launcher
