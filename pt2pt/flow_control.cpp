// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "pt2pt/flow_control.hpp"

#include <algorithm>
#include <utility>
#include <vector>

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

}  // namespace

FlowControl::FlowControl(std::size_t pool_bytes, std::uint32_t processes, const LinkTable& links,
                         Messenger& messenger, MessageCounters& counters)
    : links_(links), messenger_(messenger), counters_(counters) {
  const auto units = static_cast<std::uint32_t>(std::min(pool_bytes / kUnitBytes, kMostUnits));
  first_window_ = std::min(kMaxFirstWindow, units / 2 / processes);
  unleased_ = units - first_window_ * processes;
  max_lease_ = std::max(first_window_, std::min(kMaxLease, units / 4));
}

/// Tells the peer at once what it may use again. One that used half of its lease before anything
/// was sent back to it talks a lot: it gets more.
void FlowControl::return_now(Peer& peer) {
  if (peer.failed || peer.device == nullptr) return;
  // A greeting carries no returned credits.
  if (!peer.greeted) messenger_.send_handle(peer, MessageKind::credits, kNoSlabHandle);
  if (!peer.recalling && peer.lease < max_lease_ && unleased_ != 0) {
    const std::uint32_t extra = std::min({peer.lease, max_lease_ - peer.lease, unleased_ / 2});
    peer.lease += extra;
    peer.owed += extra;
    unleased_ -= extra;
  }
  messenger_.send_handle(peer, MessageKind::credits, kNoSlabHandle);
}

void FlowControl::extend(Peer& peer, std::uint32_t wish) {
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
  if (!peer.greeted) messenger_.send_handle(peer, MessageKind::credits, kNoSlabHandle);
  messenger_.send_handle(peer, MessageKind::credits, kNoSlabHandle);
}

/// Asks peers that have not sent lately for what they hold above their window: a clock algorithm,
/// so that its cost is spread and nobody who is active is robbed.
void FlowControl::recall_idle() {
  const std::vector<Link*>& all = links_.all();
  for (std::size_t i = 0; i < std::min(kSweep, all.size()); ++i) {
    sweep_next_ = (sweep_next_ + 1) % all.size();
    auto& peer = static_cast<Peer&>(*all[sweep_next_]);
    const bool idle = !std::exchange(peer.active, false);
    if (!idle || peer.recalling || peer.failed || peer.lease <= peer.base) continue;
    peer.recalling = true;
    ++counters_.recalls;
    messenger_.send_handle(peer, MessageKind::recall, kNoSlabHandle);
  }
}

void FlowControl::take_back(Peer& peer, std::uint32_t units) {
  const std::uint32_t back = std::min(units, peer.lease - peer.base);
  peer.lease -= back;
  peer.recalling = false;
  unleased_ += back;
}

bool FlowControl::reserve(std::uint32_t units) {
  if (units > unleased_) return false;
  unleased_ -= units;
  return true;
}

void FlowControl::learn_window(Peer& peer, std::uint32_t units) {
  if (std::exchange(peer.base_known, true)) return;
  peer.their_window = units;
  peer.credits += units;
}

void FlowControl::give_back(Peer& peer) {
  const std::uint32_t units =
      peer.credits > peer.their_window ? peer.credits - peer.their_window : 0;
  peer.credits -= units;
  messenger_.send_handle(peer, MessageKind::give_back, kNoSlabHandle, units);
}

}  // namespace remit
