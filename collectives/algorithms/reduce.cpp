// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Reduction to one process (MPI-5.0, section 6.9.1).
#include <array>
#include <utility>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/peers.hpp"
#include "collectives/algorithms/request_array.hpp"

namespace remit {

namespace {

/// k-nomial tree to relative rank 0 over ranks counted from `root`. The partial result of a subtree
/// covers a contiguous range of relative ranks, and what comes from a child lies behind one's own:
/// acc = acc op child keeps the order. The result at relative rank 0 ends in `result` there.
template <int kRadix>
Task<int> reduce_tree(CollCtx& c, const CollectiveArgs& a, int root, void* result) {
  const int size = c.size();
  const Datatype& type = *a.recv_type;
  const MPI_Count count = a.recv_count;
  const KnomialTree tree{to_relative(c.rank(), root, size), size, kRadix};
  void* acc = nullptr;
  std::array<void*, kRadix - 1> incoming{};
  const void* mine = contribution(a);
  RequestArray arrivals(c, RequestKind::receive, tree.relative % kRadix == 0 ? kRadix - 1 : 0);
  for (int power = 1; power < tree.span(); power *= kRadix) {
    arrivals.clear();
    for (std::size_t digit = 1; digit < kRadix; ++digit) {
      const int child = tree.relative + static_cast<int>(digit) * power;
      if (child >= size) break;
      void*& memory = incoming[digit - 1];
      if (memory == nullptr) memory = c.scratch(count, type);
      c.start_receive(arrivals.next(), view_of(memory, count, type),
                      from_relative(child, root, size));
    }
    auto children = c.all(arrivals.started());
    co_await children;
    for (std::size_t i = 0; i < arrivals.started().size(); ++i) {
      combine(c, a, acc != nullptr ? acc : mine, incoming[i], count);
      std::swap(acc, incoming[i]);
    }
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

/// k-nomial tree rooted at the root; the order of operands is rotated, so commutative operations
/// only. ceil(log_k p) steps on the longest path, with k - 1 messages of the whole vector each.
template <int kRadix>
Task<int> reduce_knomial(CollCtx& c, const CollectiveArgs& a) {
  return reduce_tree<kRadix>(c, a, a.root, a.recv);
}
template Task<int> reduce_knomial<2>(CollCtx& c, const CollectiveArgs& a);
template Task<int> reduce_knomial<4>(CollCtx& c, const CollectiveArgs& a);

/// A tree up to rank 0 and down again. Operands stay in rank order.
template <int kRadix>
Task<int> allreduce_knomial(CollCtx& c, const CollectiveArgs& a) {
  Task<int> up = reduce_tree<kRadix>(c, a, 0, a.recv);
  co_await up;
  const CollectiveArgs down = bcast_args(a.recv, a.recv_count, *a.recv_type);
  Task<int> result = bcast_knomial<kRadix>(c, down);
  co_await result;
  co_return c.error();
}
template Task<int> allreduce_knomial<4>(CollCtx& c, const CollectiveArgs& a);

/// For operations that do not commute: the tree is rooted at rank 0, where the operands are in rank
/// order, and the result is sent on to the root.
Task<int> reduce_in_order(CollCtx& c, const CollectiveArgs& a) {
  const View result_at_root = view_of(a.recv, a.recv_count, *a.recv_type);
  void* result = a.recv;
  if (c.rank() == 0 && a.root != 0) result = c.scratch(a.recv_count, *a.recv_type);
  Task<int> tree = reduce_tree<2>(c, a, 0, result);
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
