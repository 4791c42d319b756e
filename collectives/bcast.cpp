// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Broadcast (MPI-5.0, section 6.4).
#include "collectives/algorithms.hpp"
#include "collectives/buffers.hpp"
#include "collectives/peers.hpp"

namespace remit {

/// Binomial tree: ceil(log2 p) messages of the whole vector on the longest path; best while
/// latency dominates.
Task<int> bcast_binomial(CollCtx& c, const CollectiveArgs& a) {
  const int size = c.size();
  const View buffer = view_of(a.recv, a.recv_count, *a.recv_type);
  const BinomialTree tree{to_relative(c.rank(), a.root, size), size};
  if (tree.relative != 0) {
    auto arrival = c.receive(buffer, from_relative(tree.parent(), a.root, size));
    if (int err = co_await arrival) co_return err;
  }
  // The farthest child first: it has the largest subtree.
  for (int distance = tree.span() / 2; distance > 0; distance /= 2) {
    if (tree.relative + distance >= size) continue;
    auto departure = c.send(buffer, from_relative(tree.relative + distance, a.root, size));
    if (int err = co_await departure) co_return err;
  }
  co_return MPI_SUCCESS;
}

namespace {

/// Scatters the blocks of the vector over the binomial tree; afterwards relative rank i has block
/// i. A subtree's blocks are contiguous, so each message is one slice.
Task<int> scatter_blocks(CollCtx& c, const CollectiveArgs& a, const Blocks& blocks) {
  const int size = c.size();
  const BinomialTree tree{to_relative(c.rank(), a.root, size), size};
  if (tree.relative != 0) {
    const int last = tree.relative + tree.subtree();
    const View mine =
        slice(a.recv, blocks.begin(tree.relative), blocks.count(tree.relative, last), *a.recv_type);
    auto arrival = c.receive(mine, from_relative(tree.parent(), a.root, size));
    if (int err = co_await arrival) co_return err;
  }
  for (int distance = tree.span() / 2; distance > 0; distance /= 2) {
    const int child = tree.relative + distance;
    if (child >= size) continue;
    const BinomialTree below{child, size};
    const View part = slice(a.recv, blocks.begin(child),
                            blocks.count(child, child + below.subtree()), *a.recv_type);
    auto departure = c.send(part, from_relative(child, a.root, size));
    if (int err = co_await departure) co_return err;
  }
  co_return MPI_SUCCESS;
}

}  // namespace

/// Scatter by a binomial tree, then allgather by a ring: every byte passes each process about
/// twice whatever p (van de Geijn); best for long vectors.
Task<int> bcast_scatter_allgather(CollCtx& c, const CollectiveArgs& a) {
  const int size = c.size();
  const Blocks blocks{a.recv_count, size};
  Task<int> scatter = scatter_blocks(c, a, blocks);
  if (int err = co_await scatter) co_return err;
  const int relative = to_relative(c.rank(), a.root, size);
  const int right = (c.rank() + 1) % size;
  const int left = (c.rank() + size - 1) % size;
  for (int step = 0; step < size - 1; ++step) {
    const int outgoing = (relative + size - step) % size;
    const int incoming = (relative + size - step - 1) % size;
    const View out = slice(a.recv, blocks.begin(outgoing), blocks.count(outgoing), *a.recv_type);
    const View in = slice(a.recv, blocks.begin(incoming), blocks.count(incoming), *a.recv_type);
    auto pass = c.sendrecv(out, right, in, left);
    if (int err = co_await pass) co_return err;
  }
  co_return MPI_SUCCESS;
}

}  // namespace remit
