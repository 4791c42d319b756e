// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Scatter and scatterv (MPI-5.0, section 6.6).
#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/peers.hpp"
#include "collectives/algorithms/request_array.hpp"

namespace remit {

namespace {

/// Where this process's part goes; the root with MPI_IN_PLACE leaves its part where it is.
View destination(const CollectiveArgs& a, int rank) {
  if (a.recv == MPI_IN_PLACE) return send_slot(a, rank);
  return view_of(a.recv, a.recv_count, *a.recv_type);
}

}  // namespace

/// The root sends each part: p-1 messages there. For long parts, and for scatterv.
Task<int> scatter_linear(CollCtx& c, const CollectiveArgs& a) {
  const View mine = destination(a, c.rank());
  if (c.rank() != a.root) {
    auto arrival = c.receive(mine, a.root);
    co_await arrival;
    co_return c.error();
  }
  RequestArray departures(c, RequestKind::send, c.size() - 1);
  for (int i = 0; i < c.size(); ++i) {
    if (i == a.root) continue;
    c.start_send(departures.next(), send_slot(a, i), i);
  }
  if (a.recv != MPI_IN_PLACE) copy_local(send_slot(a, a.root), mine);
  auto everybody = c.all(departures.started());
  co_await everybody;
  co_return c.error();
}

/// k-nomial tree of packed parts: log_k p times k - 1 messages at the root. For short parts.
template <int kRadix>
Task<int> scatter_knomial(CollCtx& c, const CollectiveArgs& a) {
  const int size = c.size();
  const KnomialTree tree{to_relative(c.rank(), a.root, size), size, kRadix};
  const View mine = destination(a, c.rank());
  const std::size_t block = mine.size();
  std::byte* packed = c.scratch(block * static_cast<std::size_t>(tree.subtree()));
  if (tree.relative == 0) {
    for (int relative = 0; relative < size; ++relative) {
      const View part = send_slot(a, from_relative(relative, a.root, size));
      part.pack(0, {packed + block * static_cast<std::size_t>(relative), block});
    }
  } else {
    const View subtree = bytes_view(packed, block * static_cast<std::size_t>(tree.subtree()));
    auto arrival = c.receive(subtree, from_relative(tree.parent(), a.root, size));
    co_await arrival;
  }
  RequestArray departures(c, RequestKind::send, tree.children());
  for (int power = tree.span() / kRadix; power > 0; power /= kRadix) {
    for (int digit = kRadix - 1; digit > 0; --digit) {
      const KnomialTree below{tree.relative + digit * power, size, kRadix};
      if (below.relative >= size) continue;
      const View part = bytes_view(packed + block * static_cast<std::size_t>(digit * power),
                                   block * static_cast<std::size_t>(below.subtree()));
      c.start_send(departures.next(), part, from_relative(below.relative, a.root, size));
    }
  }
  auto everybody = c.all(departures.started());
  co_await everybody;
  if (a.recv != MPI_IN_PLACE) mine.unpack(0, {packed, block});
  co_return c.error();
}
template Task<int> scatter_knomial<2>(CollCtx& c, const CollectiveArgs& a);
template Task<int> scatter_knomial<4>(CollCtx& c, const CollectiveArgs& a);

}  // namespace remit
