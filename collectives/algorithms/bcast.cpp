// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Broadcast (MPI-5.0, section 6.4).
#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/peers.hpp"
#include "collectives/algorithms/request_array.hpp"

namespace remit {

/// k-nomial tree: ceil(log_k p) messages of the whole vector on the longest path, at each of whose
/// steps a member sends k - 1 of them; best while latency dominates.
template <int kRadix>
Task<int> bcast_knomial(CollCtx& c, const CollectiveArgs& a) {
  const int size = c.size();
  const View buffer = view_of(a.recv, a.recv_count, *a.recv_type);
  const KnomialTree tree{to_relative(c.rank(), a.root, size), size, kRadix};
  if (tree.relative != 0) {
    auto arrival = c.receive(buffer, from_relative(tree.parent(), a.root, size));
    co_await arrival;
  }
  // The farthest child first: it has the largest subtree.
  RequestArray departures(c, RequestKind::send, tree.children());
  for (int power = tree.span() / kRadix; power > 0; power /= kRadix) {
    for (int digit = kRadix - 1; digit > 0; --digit) {
      const int child = tree.relative + digit * power;
      if (child >= size) continue;
      c.start_send(departures.next(), buffer, from_relative(child, a.root, size));
    }
  }
  auto everybody = c.all(departures.started());
  co_await everybody;
  co_return c.error();
}
template Task<int> bcast_knomial<2>(CollCtx& c, const CollectiveArgs& a);
template Task<int> bcast_knomial<4>(CollCtx& c, const CollectiveArgs& a);
template Task<int> bcast_knomial<8>(CollCtx& c, const CollectiveArgs& a);

namespace {

/// The vector's packed bytes in blocks, one for each member.
struct Pieces {
  std::byte* data;
  Blocks blocks;

  /// Blocks [first, last).
  [[nodiscard]] View range(int first, int last) const {
    return bytes_view(data + blocks.begin(first),
                      static_cast<std::size_t>(blocks.count(first, last)));
  }
};

/// Scatters the blocks over the binomial tree; afterwards a relative rank has the blocks of its
/// subtree, its own the first. Those are contiguous, so each message is one range.
Task<int> scatter_blocks(CollCtx& c, const CollectiveArgs& a, const Pieces& pieces) {
  const int size = c.size();
  const BinomialTree tree{to_relative(c.rank(), a.root, size), size};
  if (tree.relative != 0) {
    const View mine = pieces.range(tree.relative, tree.relative + tree.subtree());
    auto arrival = c.receive(mine, from_relative(tree.parent(), a.root, size));
    co_await arrival;
  }
  for (int distance = tree.span() / 2; distance > 0; distance /= 2) {
    const int child = tree.relative + distance;
    if (child >= size) continue;
    const BinomialTree below{child, size};
    const View part = pieces.range(child, child + below.subtree());
    auto departure = c.send(part, from_relative(child, a.root, size));
    co_await departure;
  }
  co_return c.error();
}

/// Whether the scatter left block `block` at relative rank `relative`.
bool has_block(int relative, int size, int block) {
  const BinomialTree tree{relative, size};
  return block >= relative && block < relative + tree.subtree();
}

}  // namespace

/// Scatter by a binomial tree, then allgather by a ring: every byte passes each process about
/// twice whatever p (van de Geijn); best for long vectors. Blocks are cut by bytes, for the members
/// may describe one vector by different types. Nobody is sent what it has, so nothing is ever
/// written to the root's buffer.
Task<int> bcast_scatter_allgather(CollCtx& c, const CollectiveArgs& a) {
  const int size = c.size();
  const View buffer = view_of(a.recv, a.recv_count, *a.recv_type);
  const bool in_place = buffer.is_contiguous();
  const Pieces pieces{in_place ? buffer.data() : c.scratch(buffer.size()),
                      {static_cast<MPI_Count>(buffer.size()), size}};
  if (!in_place && c.rank() == a.root) buffer.pack(0, {pieces.data, buffer.size()});
  Task<int> scatter = scatter_blocks(c, a, pieces);
  co_await scatter;
  const int relative = to_relative(c.rank(), a.root, size);
  const int right = (c.rank() + 1) % size;
  const int left = (c.rank() + size - 1) % size;
  for (int step = 0; step < size - 1; ++step) {
    const int outgoing = (relative + size - step) % size;
    const int incoming = (relative + size - step - 1) % size;
    const View out = pieces.range(outgoing, outgoing + 1);
    const View in = pieces.range(incoming, incoming + 1);
    const bool gives = !has_block((relative + 1) % size, size, outgoing);
    const bool takes = !has_block(relative, size, incoming);
    auto pass = c.exchange(gives ? &out : nullptr, right, takes ? &in : nullptr, left);
    co_await pass;
  }
  if (!in_place && c.rank() != a.root) buffer.unpack(0, {pieces.data, buffer.size()});
  co_return c.error();
}

}  // namespace remit
