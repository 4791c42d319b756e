// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Receive memory as leases: every process of the job has a small reserved window; those that talk
// get more while the pool lasts; idle ones give it back.
#include <algorithm>

#include "pt2pt/engine.hpp"
#include "pt2pt/engine_post.hpp"

namespace remit {

namespace {

/// What a peer gets at least when it asks for more.
constexpr std::uint32_t kSmallestExtension = 256;
/// Peers looked at by one sweep.
constexpr std::size_t kSweep = 64;

}  // namespace

/// Tells the peer at once what it may use again. One that used half of its lease before anything
/// was sent back to it talks a lot: it gets more.
void Engine::return_now(Peer& peer) {
  if (peer.failed || peer.device == nullptr) return;
  // A greeting carries no returned credits.
  if (!peer.greeted) send_handle(peer, MessageKind::credits, kNoSlabHandle);
  if (!peer.recalling && peer.lease < max_lease_ && unleased_ != 0) {
    const std::uint32_t extra = std::min({peer.lease, max_lease_ - peer.lease, unleased_ / 2});
    peer.lease += extra;
    peer.owed += extra;
    unleased_ -= extra;
  }
  send_handle(peer, MessageKind::credits, kNoSlabHandle);
}

/// A peer had no credits for a message of `wish` units.
void Engine::extend_lease(Peer& peer, std::uint32_t wish) {
  peer.active = true;
  if (peer.lease < max_lease_) {
    const std::uint32_t most = std::min(max_lease_ - peer.lease, unleased_);
    const std::uint32_t extra = std::min(std::max({wish, peer.lease, kSmallestExtension}), most);
    if (extra >= wish || extra >= kSmallestExtension) {
      peer.lease += extra;
      peer.owed += extra;
      unleased_ -= extra;
    } else {
      recall_idle();
    }
  }
  if (peer.owed == 0) return;
  if (!peer.greeted) send_handle(peer, MessageKind::credits, kNoSlabHandle);
  send_handle(peer, MessageKind::credits, kNoSlabHandle);
}

/// Asks peers that have not sent lately for what they hold above their window: a clock algorithm,
/// so that its cost is spread and nobody who is active is robbed.
void Engine::recall_idle() {
  const std::vector<Link*>& all = links_.table().all();
  for (std::size_t i = 0; i < std::min(kSweep, all.size()); ++i) {
    sweep_next_ = (sweep_next_ + 1) % all.size();
    auto& peer = static_cast<Peer&>(*all[sweep_next_]);
    const bool idle = !peer.active;
    peer.active = false;
    if (!idle || peer.recalling || peer.failed || peer.lease <= peer.base) continue;
    peer.recalling = true;
    ++counters_.recalls;
    send_handle(peer, MessageKind::recall, kNoSlabHandle);
  }
}

void Engine::give_back(Peer& peer) {
  const std::uint32_t units =
      peer.credits > peer.their_window ? peer.credits - peer.their_window : 0;
  peer.credits -= units;
  send_handle(peer, MessageKind::give_back, kNoSlabHandle, units);
}

}  // namespace remit
