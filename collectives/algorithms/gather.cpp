// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Gather and gatherv (MPI-5.0, section 6.5).
#include <memory>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/peers.hpp"
#include "collectives/algorithms/request_array.hpp"

namespace remit {

namespace {

/// What this process contributes; at the root with MPI_IN_PLACE it is in its slot already.
View contribution(const CollectiveArgs& a, int rank) {
  if (a.send == MPI_IN_PLACE) return receive_slot(a, rank);
  return view_of(a.send, a.send_count, *a.send_type);
}

}  // namespace

/// Everybody sends to the root: p-1 messages there, each straight to its place. For long
/// contributions, and for gatherv, whose sizes only the root knows.
Task<int> gather_linear(CollCtx& c, const CollectiveArgs& a) {
  const View mine = contribution(a, c.rank());
  if (c.rank() != a.root) {
    auto departure = c.send(mine, a.root);
    co_await departure;
    co_return c.error();
  }
  RequestArray arrivals(c, RequestKind::receive, c.size() - 1);
  for (int i = 0; i < c.size(); ++i) {
    if (i == a.root) continue;
    c.start_receive(arrivals.next(), receive_slot(a, i), i);
  }
  copy_local(mine, receive_slot(a, a.root));
  auto everybody = c.all(arrivals.started());
  co_await everybody;
  co_return c.error();
}

/// k-nomial tree of packed contributions: log_k p times k - 1 messages at the root. For short ones.
template <int kRadix>
Task<int> gather_knomial(CollCtx& c, const CollectiveArgs& a) {
  const int size = c.size();
  const KnomialTree tree{to_relative(c.rank(), a.root, size), size, kRadix};
  const View mine = contribution(a, c.rank());
  const std::size_t block = mine.size();
  std::byte* packed = c.scratch(block * static_cast<std::size_t>(tree.subtree()));
  mine.pack(0, {packed, block});
  RequestArray arrivals(c, RequestKind::receive, tree.children());
  for (int power = 1; power < tree.span(); power *= kRadix) {
    for (int digit = 1; digit < kRadix; ++digit) {
      const KnomialTree below{tree.relative + digit * power, size, kRadix};
      if (below.relative >= size) break;
      const View part = bytes_view(packed + block * static_cast<std::size_t>(digit * power),
                                   block * static_cast<std::size_t>(below.subtree()));
      c.start_receive(arrivals.next(), part, from_relative(below.relative, a.root, size));
    }
  }
  auto everybody = c.all(arrivals.started());
  co_await everybody;
  if (tree.relative != 0) {
    const View subtree = bytes_view(packed, block * static_cast<std::size_t>(tree.subtree()));
    auto departure = c.send(subtree, from_relative(tree.parent(), a.root, size));
    co_await departure;
    co_return c.error();
  }
  for (int relative = 0; relative < size; ++relative) {
    const int rank = from_relative(relative, a.root, size);
    if (rank == a.root && a.send == MPI_IN_PLACE) continue;
    receive_slot(a, rank).unpack(0, {packed + block * static_cast<std::size_t>(relative), block});
  }
  co_return c.error();
}
template Task<int> gather_knomial<2>(CollCtx& c, const CollectiveArgs& a);
template Task<int> gather_knomial<4>(CollCtx& c, const CollectiveArgs& a);

}  // namespace remit
