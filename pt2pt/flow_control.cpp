// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "pt2pt/flow_control.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "pt2pt/memory_pool.hpp"

namespace remit {

namespace {

constexpr std::uint32_t kMaxFirstWindow = 4096;
constexpr std::uint32_t kMaxLease = 32768;
constexpr std::size_t kMostUnits = std::size_t{1} << 30;
/// What a peer gets at least when it asks for more.
constexpr std::uint32_t kSmallestExtension = 256;
/// Peers looked at by one sweep.
constexpr std::size_t kSweep = 64;

std::uint32_t units_in(std::size_t bytes) {
  return static_cast<std::uint32_t>(std::min(bytes / kUnitBytes, kMostUnits));
}

}  // namespace

FlowControl::FlowControl(std::size_t pool_bytes, std::uint32_t processes, const LinkTable& links,
                         Messenger& messenger, MessageCounters& counters)
    : links_(links),
      messenger_(messenger),
      counters_(counters),
      first_window_(std::min(kMaxFirstWindow, units_in(pool_bytes) / 2 / processes)),
      pool_({.most = std::max(first_window_, std::min(kMaxLease, units_in(pool_bytes) / 4))}) {
  pool_.grow(units_in(pool_bytes) - first_window_ * processes);
}

void FlowControl::connected(Peer& peer, std::uint32_t window) {
  pool_.join(peer.lease, number_of(peer.id), window);
  try {
    clock_.add(peer.lease);
  } catch (const std::bad_alloc&) {  // then nobody asks it for what it does not use
  }
}

void FlowControl::settle(Peer& peer) {
  follow(peer, pool_.settle(peer.lease));
}

/// Units have come back. Where the peer should be told, it has used half of its lease before
/// anything was sent back to it: it talks a lot, and gets more.
void FlowControl::follow(Peer& peer, Settled settled) {
  if (settled != Settled::due || peer.failed) return;
  pool_.extend(peer.lease, pool_.doubling(peer.lease));
  tell(peer);
}

/// Tells the peer at once what it may use again. If there is no memory for that the next message
/// does: nobody waits for it, for what finds no credit is announced.
void FlowControl::tell(Peer& peer) {
  try {
    // A greeting carries no returned credits.
    if (!peer.greeted) messenger_.send_handle(peer, MessageKind::credits, kNoSlabHandle);
    messenger_.send_handle(peer, MessageKind::credits, kNoSlabHandle);
  } catch (const std::bad_alloc&) {
  }
}

void FlowControl::extend(Peer& peer, std::uint32_t wanted) {
  if (peer.failed) return;  // nothing can be told to it, or asked of it
  CreditLease& lease = peer.lease;
  note_active(peer);
  const std::uint32_t room = pool_.limits().most - lease.units;
  if (room != 0) {
    const std::size_t most = std::min<std::size_t>(room, pool_.unleased());
    const std::size_t extra =
        std::min<std::size_t>(std::max({wanted, lease.units, kSmallestExtension}), most);
    if (extra >= wanted || extra >= kSmallestExtension) {
      pool_.extend(lease, extra);
    } else {
      recall_idle();
    }
  }
  if (lease.owed != 0) tell(peer);
}

/// Asks peers that have not sent lately for what they hold above their window, some at a time, so
/// that the cost is spread.
void FlowControl::recall_idle() {
  std::size_t looks = std::min(kSweep, clock_.size());
  while (CreditLease* lease = clock_.next(looks)) {
    if (pool_.recall(*lease) == 0) continue;
    auto& peer = static_cast<Peer&>(*links_.find(ProcId{lease->id}));
    try {
      messenger_.send_handle(peer, MessageKind::recall, kNoSlabHandle);
    } catch (const std::bad_alloc&) {  // it has not been asked
      (void)pool_.answered(*lease, 0);
      return;
    }
    ++counters_.recalls;
  }
}

void FlowControl::take_back(Peer& peer, std::uint32_t units) {
  follow(peer, pool_.answered(peer.lease, units));
}

void FlowControl::learn_window(Peer& peer, std::uint32_t units) {
  if (std::exchange(peer.base_known, true)) return;
  peer.their_window = units;
  peer.credits.grant(units);
}

void FlowControl::give_back(Peer& peer) {
  const std::uint32_t units = peer.credits.give_back(peer.their_window);
  try {
    messenger_.send_handle(peer, MessageKind::give_back, kNoSlabHandle, units);
  } catch (const std::bad_alloc&) {
    peer.credits.unspend(units);
    throw;
  }
}

}  // namespace remit
