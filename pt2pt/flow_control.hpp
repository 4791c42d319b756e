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

namespace remit {

/// Credits of one engine, in units of receive memory (kUnitBytes), both those that it grants and
/// those that it was granted. What is counted for each peer is in Peer, where the fast path has it.
/// Invariant: the leases of all peers, with what this process has reserved for itself, never exceed
/// the pool. One thread.
class FlowControl {
 public:
  /// A pool of `pool_bytes` for a job of `processes`. `links`: peers, to ask back what idle ones
  /// hold.
  FlowControl(std::size_t pool_bytes, std::uint32_t processes, const LinkTable& links,
              Messenger& messenger, MessageCounters& counters);

  // Memory of this process.

  /// What each process of the job may use at once.
  [[nodiscard]] std::uint32_t first_window() const { return first_window_; }
  /// The peer is connected: it has `window` units that are never recalled.
  static void grant_window(Peer& peer, std::uint32_t window) { peer.base = peer.lease = window; }
  /// A message of the peer occupies these no more. It is told with the next message to it, or at
  /// once if it may soon run out.
  void return_units(Peer& peer, std::uint32_t units) {
    peer.owed += units;
    peer.active = true;
    if (2 * peer.owed >= peer.lease) [[unlikely]]
      return_now(peer);
  }
  /// The peer had no credits for a message of `wish` units.
  void extend(Peer& peer, std::uint32_t wish);
  /// The peer gives units back that were recalled.
  void take_back(Peer& peer, std::uint32_t units);
  /// Memory for a message that no lease covers; false: there is none.
  [[nodiscard]] bool reserve(std::uint32_t units);
  void release(std::uint32_t units) { unleased_ += units; }

  // Memory of peers.

  /// The peer has said what this process may use at once; once, whoever says it.
  static void learn_window(Peer& peer, std::uint32_t units);
  /// The peer wants back what is not in use here.
  void give_back(Peer& peer);

 private:
  void return_now(Peer& peer);
  void recall_idle();

  const LinkTable& links_;
  Messenger& messenger_;
  MessageCounters& counters_;
  std::uint32_t unleased_ = 0;      // units of the pool that nobody was promised
  std::uint32_t first_window_ = 0;  // units reserved for each process of the job
  std::uint32_t max_lease_ = 0;     // of one peer
  std::size_t sweep_next_ = 0;      // index of the peer looked at last
};

}  // namespace remit
