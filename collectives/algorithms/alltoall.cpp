// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Complete exchange (MPI-5.0, section 6.8).
#include <algorithm>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/algorithms/peers.hpp"
#include "collectives/algorithms/request_array.hpp"
#include "runtime/copy.hpp"

namespace remit {

namespace {

/// MPI_IN_PLACE: what goes to i leaves from i's receive slot, from where it must be saved before
/// what comes from i arrives there.
View saved_slot(const CollectiveArgs& a, int i, std::byte* memory) {
  const View place = receive_slot(a, i);
  const View saved = bytes_view(memory, place.size());
  copy_local(place, saved);
  return saved;
}

/// The largest receive slot in bytes.
std::size_t largest_slot(CollCtx& c, const CollectiveArgs& a) {
  std::size_t largest = 0;
  for (int i = 0; i < c.size(); ++i) {
    const std::size_t bytes = receive_slot(a, i).size();
    if (bytes > largest) largest = bytes;
  }
  return largest;
}

/// Members of alltoallv and alltoallw that have nothing for each other exchange no message: both
/// see it, and many patterns are sparse.
const View* unless_empty(const CollectiveArgs& a, const View& slot) {
  return a.kind != CollectiveKind::alltoall && slot.size() == 0 ? nullptr : &slot;
}

}  // namespace

/// Pairwise: p-1 steps, in step k with the ones k ahead and k behind: one message in flight each
/// way. For long blocks. In place the partner of step k must be mutual: i with (k - i) mod p.
Task<int> alltoall_pairwise(CollCtx& c, const CollectiveArgs& a) {
  const int size = c.size();
  if (a.send != MPI_IN_PLACE) {
    copy_local(send_slot(a, c.rank()), receive_slot(a, c.rank()));
    for (int step = 1; step < size; ++step) {
      const int to = (c.rank() + step) % size;
      const int from = (c.rank() - step + size) % size;
      const View out = send_slot(a, to);
      const View in = receive_slot(a, from);
      auto exchange = c.exchange(unless_empty(a, out), to, unless_empty(a, in), from);
      co_await exchange;
    }
    co_return c.error();
  }
  std::byte* memory = c.scratch(largest_slot(c, a));
  for (int step = 0; step < size; ++step) {
    const int peer = (step - c.rank() + size) % size;
    if (peer == c.rank()) continue;
    const View out = saved_slot(a, peer, memory);
    const View in = receive_slot(a, peer);
    auto exchange = c.exchange(unless_empty(a, out), peer, unless_empty(a, in), peer);
    co_await exchange;
  }
  co_return c.error();
}

/// Spread-out: the messages of many steps posted at once, each member starting with its next
/// neighbour so that no target is hit by all. The window bounds what is in flight, and memory. For
/// blocks of medium length; not in place.
Task<int> alltoall_spread_out(CollCtx& c, const CollectiveArgs& a) {
  constexpr int kWindow = 64;  // messages each way
  const int size = c.size();
  copy_local(send_slot(a, c.rank()), receive_slot(a, c.rank()));
  RequestArray window(c, RequestKind::receive, 2 * std::min(kWindow, size - 1));
  for (int first = 1; first < size; first += kWindow) {
    const int last = std::min(first + kWindow, size);
    window.clear();
    for (int step = first; step < last; ++step) {
      const int from = (c.rank() - step + size) % size;
      const View in = receive_slot(a, from);
      if (unless_empty(a, in) != nullptr) c.start_receive(window.next(), in, from);
    }
    for (int step = first; step < last; ++step) {
      const int to = (c.rank() + step) % size;
      const View out = send_slot(a, to);
      if (unless_empty(a, out) != nullptr) c.start_send(window.next(RequestKind::send), out, to);
    }
    auto everything = c.all(window.started());
    co_await everything;
  }
  co_return c.error();
}

/// Bruck: ceil(log2 p) rounds; in round k every block whose distance has bit k moves 2^k ahead.
/// Each block travels log2(p)/2 times, so for short blocks only.
Task<int> alltoall_bruck(CollCtx& c, const CollectiveArgs& a) {
  const int size = c.size();
  const bool in_place = a.send == MPI_IN_PLACE;
  const std::size_t block = receive_slot(a, 0).size();
  const auto total = block * static_cast<std::size_t>(size);
  std::byte* blocks = c.scratch(total);  // by distance to the destination
  std::byte* out = c.scratch(total);
  std::byte* in = c.scratch(total);
  for (int distance = 0; distance < size; ++distance) {
    const int to = (c.rank() + distance) % size;
    const View source = in_place ? receive_slot(a, to) : send_slot(a, to);
    source.pack(0, {blocks + block * static_cast<std::size_t>(distance), block});
  }
  for (int bit = 1; bit < size; bit *= 2) {
    std::size_t bytes = 0;
    for (int distance = bit; distance < size; ++distance) {
      if ((distance & bit) == 0) continue;
      copy_bytes(out + bytes, blocks + block * static_cast<std::size_t>(distance), block);
      bytes += block;
    }
    const View outgoing = bytes_view(out, bytes);
    const View incoming = bytes_view(in, bytes);
    const int to = (c.rank() + bit) % size;
    const int from = (c.rank() - bit + size) % size;
    auto exchange = c.sendrecv(outgoing, to, incoming, from);
    co_await exchange;
    bytes = 0;
    for (int distance = bit; distance < size; ++distance) {
      if ((distance & bit) == 0) continue;
      copy_bytes(blocks + block * static_cast<std::size_t>(distance), in + bytes, block);
      bytes += block;
    }
  }
  // What lies at distance d now came from the one d behind.
  for (int distance = 0; distance < size; ++distance) {
    const int from = (c.rank() - distance + size) % size;
    receive_slot(a, from).unpack(0, {blocks + block * static_cast<std::size_t>(distance), block});
  }
  co_return c.error();
}

}  // namespace remit
