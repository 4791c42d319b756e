// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How the process sleeps until a peer wakes it.
#pragma once

#include "rdma_btl/shm/agenda.hpp"
#include "rdma_btl/shm/peers/endpoint.hpp"
#include "rdma_btl/shm/peers/home_segment.hpp"
#include "rdma_btl/shm/peers/peer_table.hpp"
#include "rdma_btl/shm/rings/barriers.hpp"
#include "runtime/error.hpp"

namespace remit::shm {

/// Between arm() and disarm() peers see a word in the home segment and write an eventfd when they
/// have sent something; datagrams wake, too. A wake-up is never lost: the order of the sleeper's
/// store and its last look at the rings is enforced by a barrier on every processor, or by a fence
/// of the sender (Sender::wake()). One thread.
class Sleep {
 public:
  Sleep(const PeerTable& peers, Agenda& agenda, const HomeSegment& home)
      : peers_(peers), agenda_(agenda), home_(home) {}

  /// `socket` wakes, too. Barriers as in Barriers::open().
  [[nodiscard]] Expected<> open(int socket, bool barriers, bool registered);

  void arm();
  void disarm();
  /// Something was refused while we are about to sleep. The consumer looks whether a producer is
  /// blocked after it has made room; room that it made before it could see that ends the sleep
  /// here.
  void settle_blocked();
  /// A peer was met, which cannot know that this process is about to sleep: it does not, and
  /// tells the peer when it is about to once more.
  void met_peer() const {
    if (agenda_.has(Agenda::kArmed)) wake_self();
  }
  /// Readable when something has come.
  [[nodiscard]] int wait_fd() const { return wait_set_.get(); }
  /// What peers write to wake this process.
  [[nodiscard]] int event_fd() const { return event_.get(); }

  /// Whether messages to the peer need a fence of ours.
  void update_fence(Endpoint& endpoint) const;
  /// Call now and then: fences that are needed no more end.
  void check_barriers();

 private:
  void wake_self() const;

  const PeerTable& peers_;
  Agenda& agenda_;
  const HomeSegment& home_;
  Fd event_;
  Fd wait_set_;
  Barriers barriers_;
};

}  // namespace remit::shm
