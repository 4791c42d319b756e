// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reduction to one process (MPI-5.0, section 6.9.1).
#include <utility>

#include "collectives/algorithms.hpp"
#include "collectives/buffers.hpp"
#include "collectives/peers.hpp"

namespace remit {

namespace {

/// Binomial tree to relative rank 0 over ranks counted from `root`. The partial result of a subtree
/// covers a contiguous range of relative ranks, and what comes from a child lies behind one's own:
/// acc = acc op child keeps the order. The result at relative rank 0 ends in `result` there.
Task<int> reduce_tree(CollCtx& c, const CollectiveArgs& a, int root, void* result) {
  const int size = c.size();
  const Datatype& type = *a.recv_type;
  const MPI_Count count = a.recv_count;
  const BinomialTree tree{to_relative(c.rank(), root, size), size};
  void* acc = nullptr;
  void* incoming = nullptr;
  const void* mine = contribution(a);
  for (int distance = 1; distance < tree.span(); distance *= 2) {
    const int child = tree.relative + distance;
    if (child >= size) break;
    if (incoming == nullptr) incoming = c.scratch(count, type);
    auto arrival = c.receive(view_of(incoming, count, type), from_relative(child, root, size));
    co_await arrival;
    combine(c, a, acc != nullptr ? acc : mine, incoming, count);
    std::swap(acc, incoming);
  }
  const View partial = view_of(acc != nullptr ? acc : mine, count, type);
  if (tree.relative == 0) {
    copy_local(partial, view_of(result, count, type));
    co_return c.error();
  }
  auto departure = c.send(partial, from_relative(tree.parent(), root, size));
  co_await departure;
  co_return c.error();
}

}  // namespace

/// Binomial tree rooted at the root; the order of operands is rotated, so commutative operations
/// only. ceil(log2 p) messages of the whole vector on the longest path.
Task<int> reduce_binomial(CollCtx& c, const CollectiveArgs& a) {
  Task<int> tree = reduce_tree(c, a, a.root, a.recv);
  co_await tree;
  co_return c.error();
}

/// For operations that do not commute: the tree is rooted at rank 0, where the operands are in rank
/// order, and the result is sent on to the root.
Task<int> reduce_in_order(CollCtx& c, const CollectiveArgs& a) {
  const View result_at_root = view_of(a.recv, a.recv_count, *a.recv_type);
  void* result = a.recv;
  if (c.rank() == 0 && a.root != 0) result = c.scratch(a.recv_count, *a.recv_type);
  Task<int> tree = reduce_tree(c, a, 0, result);
  co_await tree;
  if (a.root == 0) co_return c.error();
  if (c.rank() == 0) {
    auto departure = c.send(view_of(result, a.recv_count, *a.recv_type), a.root);
    co_await departure;
  } else if (c.rank() == a.root) {
    auto arrival = c.receive(result_at_root, 0);
    co_await arrival;
  }
  co_return c.error();
}

}  // namespace remit
