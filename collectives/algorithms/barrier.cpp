// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Barrier (MPI-5.0, section 6.3).
#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/peers.hpp"
#include "collectives/algorithms/request_array.hpp"

namespace remit {

/// Dissemination: in round i everybody signals those j * k^i ahead, 0 < j < k = radix.
/// ceil(log_k p) rounds, any p (Hensgen, Finkel, Manber 1988, for k = 2).
template <int kRadix>
Task<int> barrier_dissemination(CollCtx& c, const CollectiveArgs& /*a*/) {
  const int size = c.size();
  const View nothing = bytes_view(nullptr, 0);
  RequestArray signals(c, RequestKind::receive, 2 * (kRadix - 1));
  for (int power = 1; power < size; power *= kRadix) {
    signals.clear();
    for (int ahead = power; ahead < kRadix * power && ahead < size; ahead += power) {
      c.start_receive(signals.next(), nothing, (c.rank() - ahead + size) % size);
    }
    for (int ahead = power; ahead < kRadix * power && ahead < size; ahead += power) {
      c.start_send(signals.next(RequestKind::send), nothing, (c.rank() + ahead) % size);
    }
    auto round = c.all(signals.started());
    co_await round;
  }
  co_return c.error();
}
template Task<int> barrier_dissemination<2>(CollCtx& c, const CollectiveArgs& a);
template Task<int> barrier_dissemination<4>(CollCtx& c, const CollectiveArgs& a);

namespace {

/// Starts a message for each child in the tree.
template <class Start>
void for_children(const KnomialTree& tree, Start&& start) {
  for (int power = 1; power < tree.span(); power *= tree.radix) {
    for (int digit = 1; digit < tree.radix; ++digit) {
      const int child = tree.relative + digit * power;
      if (child < tree.size) start(child);
    }
  }
}

}  // namespace

/// Up a k-nomial tree and down again: 2 (p - 1) messages in all, the fewest.
template <int kRadix>
Task<int> barrier_tree(CollCtx& c, const CollectiveArgs& /*a*/) {
  const KnomialTree tree{c.rank(), c.size(), kRadix};
  const View nothing = bytes_view(nullptr, 0);
  RequestArray signals(c, RequestKind::receive, tree.children());
  for_children(tree, [&](int child) { c.start_receive(signals.next(), nothing, child); });
  auto below = c.all(signals.started());
  co_await below;
  if (tree.relative != 0) {
    auto report = c.sendrecv(nothing, tree.parent(), nothing, tree.parent());
    co_await report;
  }
  signals.clear();
  for_children(tree,
               [&](int child) { c.start_send(signals.next(RequestKind::send), nothing, child); });
  auto release = c.all(signals.started());
  co_await release;
  co_return c.error();
}
template Task<int> barrier_tree<2>(CollCtx& c, const CollectiveArgs& a);
template Task<int> barrier_tree<4>(CollCtx& c, const CollectiveArgs& a);

}  // namespace remit
