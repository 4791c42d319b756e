// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Receive memory as leases: every process of the job has a small reserved window; those that talk
// get more while the pool lasts; idle ones give it back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "links/link.hpp"
#include "pt2pt/counters.hpp"
#include "pt2pt/messenger.hpp"
#include "pt2pt/peer.hpp"
#include "rdma_btl/common/credit_pool.hpp"
#include "rdma_btl/common/recall_clock.hpp"

namespace remit {

/// Credits of one engine, in units of receive memory (kUnitBytes), both those that it grants and
/// those that it was granted. The accounts are those of a CreditPool; here is what is said to
/// peers, and when. What is counted for each peer is in Peer, where the fast path has it.
/// Invariant: the leases of all peers, with what this process has reserved for itself, never exceed
/// the pool. One thread.
class FlowControl {
 public:
  /// A pool of `pool_bytes` for a job of `processes`. All must outlive it; every link is a Peer.
  FlowControl(std::size_t pool_bytes, std::uint32_t processes, const LinkTable& links,
              Messenger& messenger, MessageCounters& counters);

  // Memory of this process.

  /// What each process of the job may use at once.
  [[nodiscard]] std::uint32_t first_window() const { return first_window_; }
  /// The peer has `window` units from now on, which are never recalled.
  void connected(Peer& peer, std::uint32_t window);
  /// The peer sends nothing any more: what its messages occupy goes back to the pool.
  void lost(Peer& peer) { (void)pool_.recall(peer.lease); }
  /// A message of the peer occupies these no more. It is told with the next message to it, or at
  /// once if it may soon run out. Fails for nothing.
  void return_units(Peer& peer, std::uint32_t units) {
    if (peer.lease.used(units)) [[unlikely]]
      settle(peer);
  }
  /// The peer sends: it is not asked back what it has.
  static void note_active(Peer& peer) { peer.lease.active = true; }
  /// The peer had no credits for a message of `wanted` units.
  void extend(Peer& peer, std::uint32_t wanted);
  /// The peer gives units back that were recalled.
  void take_back(Peer& peer, std::uint32_t units);
  /// Whether there is memory for a message that no lease covers.
  [[nodiscard]] bool can_reserve(std::uint32_t units) const { return units <= pool_.unleased(); }
  /// Takes it, and release() gives it back.
  void reserve(std::uint32_t units) { (void)pool_.take(units); }
  void release(std::uint32_t units) { pool_.put(units); }

  // Memory of peers.

  /// The peer has said what this process may use at once; once, whoever says it.
  static void learn_window(Peer& peer, std::uint32_t units);
  /// The peer wants back what is not in use here. Throws std::bad_alloc, and gives nothing then.
  void give_back(Peer& peer);

 private:
  void settle(Peer& peer);
  void follow(Peer& peer, Settled settled);
  void tell(Peer& peer);
  void recall_idle();

  const LinkTable& links_;
  Messenger& messenger_;
  MessageCounters& counters_;
  const std::uint32_t first_window_;  // units reserved for each process of the job
  CreditPool pool_;                   // all others
  RecallClock clock_;
};

}  // namespace remit
