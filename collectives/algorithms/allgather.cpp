// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Gather to all (MPI-5.0, section 6.7).
#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/peers.hpp"

namespace remit {

namespace {

/// Brings this process's contribution to its own slot.
void fill_own_slot(CollCtx& c, const CollectiveArgs& a) {
  if (a.send == MPI_IN_PLACE) return;
  copy_local(view_of(a.send, a.send_count, *a.send_type), receive_slot(a, c.rank()));
}

}  // namespace

/// Recursive doubling: log2 p exchanges, each doubling what everybody has. p a power of two.
Task<int> allgather_recursive_doubling(CollCtx& c, const CollectiveArgs& a) {
  fill_own_slot(c, a);
  for (int half = 1; half < c.size(); half *= 2) {
    const int peer = c.rank() ^ half;
    const int mine = c.rank() & ~(half - 1);
    const int theirs = mine ^ half;
    const View out = slice(a.recv, a.recv_count * mine, a.recv_count * half, *a.recv_type);
    const View in = slice(a.recv, a.recv_count * theirs, a.recv_count * half, *a.recv_type);
    auto swap = c.sendrecv(out, peer, in, peer);
    co_await swap;
  }
  co_return c.error();
}

/// Bruck: ceil(log2 p) rounds for any p, in a packed copy that starts with one's own block.
Task<int> allgather_bruck(CollCtx& c, const CollectiveArgs& a) {
  const int size = c.size();
  fill_own_slot(c, a);
  const std::size_t block = receive_slot(a, c.rank()).size();
  std::byte* packed = c.scratch(block * static_cast<std::size_t>(size));
  receive_slot(a, c.rank()).pack(0, {packed, block});
  for (int have = 1; have < size; have *= 2) {
    const int pass = have < size - have ? have : size - have;
    const std::size_t bytes = block * static_cast<std::size_t>(pass);
    const View out = bytes_view(packed, bytes);
    const View in = bytes_view(packed + block * static_cast<std::size_t>(have), bytes);
    const int to = (c.rank() - have + size) % size;
    const int from = (c.rank() + have) % size;
    auto shift = c.sendrecv(out, to, in, from);
    co_await shift;
  }
  for (int i = 1; i < size; ++i) {
    const int rank = (c.rank() + i) % size;
    receive_slot(a, rank).unpack(0, {packed + block * static_cast<std::size_t>(i), block});
  }
  co_return c.error();
}

/// Ring: p-1 steps, each process passes on what it got last; neighbours only, no copies. For long
/// contributions and for allgatherv.
Task<int> allgather_ring(CollCtx& c, const CollectiveArgs& a) {
  const int size = c.size();
  fill_own_slot(c, a);
  const int right = (c.rank() + 1) % size;
  const int left = (c.rank() + size - 1) % size;
  for (int step = 0; step < size - 1; ++step) {
    const View out = receive_slot(a, (c.rank() + size - step) % size);
    const View in = receive_slot(a, (c.rank() + 2 * size - step - 1) % size);
    auto pass = c.sendrecv(out, right, in, left);
    co_await pass;
  }
  co_return c.error();
}

}  // namespace remit
