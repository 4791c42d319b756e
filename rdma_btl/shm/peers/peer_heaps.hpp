// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Shared heaps of peers that are mapped here, and how peers come to map this process's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rdma_btl/shm/agenda.hpp"
#include "rdma_btl/shm/peers/contact_socket.hpp"
#include "rdma_btl/shm/peers/endpoint.hpp"
#include "rdma_btl/shm/peers/home_segment.hpp"
#include "rdma_btl/shm/peers/peer_table.hpp"
#include "rdma_btl/shm/shm_config.hpp"

namespace remit::shm {

class PeerHealth;
class Sender;

/// A peer's shared heap is mapped when something could first have used it: opened by /proc, for
/// which the peer need not do anything; where that is not allowed the peer is asked for its
/// descriptor, and answers when it polls. One thread.
class PeerHeaps {
 public:
  PeerHeaps(const ShmConfig& config, const PeerTable& peers, Agenda& agenda, Sender& sender,
            PeerHealth& health, const HomeSegment& home, const ContactSocket& socket,
            ShmCounters& counters)
      : config_(config),
        peers_(peers),
        agenda_(agenda),
        sender_(sender),
        health_(health),
        home_(home),
        socket_(socket),
        counters_(counters) {}

  /// HostMemory::allocate(). Peers may map it from now on.
  [[nodiscard]] void* allocate(std::size_t bytes);

  /// Where that memory of the peer is mapped here. Null: nowhere, or not yet.
  [[nodiscard]] std::byte* mapped(Endpoint& endpoint, std::uint64_t address, std::size_t length);

  /// A peer asks for this process's shared heap.
  void answer(Endpoint& endpoint);
  /// Answers again those whose socket was full.
  void retry();
  [[nodiscard]] bool answers_wait() const { return !due_.empty(); }
  /// What the peer answered to a question of ours.
  void take_offer(Endpoint& endpoint, const Fd& memory);
  /// Some peer's answer has not come.
  [[nodiscard]] bool awaits_offer() const { return awaited_ != 0; }
  /// The peer has ended.
  void forget(Endpoint& endpoint);

 private:
  [[nodiscard]] bool find(Endpoint& endpoint);
  [[nodiscard]] bool open(Endpoint& endpoint);
  void ask(Endpoint& endpoint);
  void offer_to(Endpoint& endpoint);
  bool map(Endpoint& endpoint, const Fd& memory);

  const ShmConfig& config_;
  const PeerTable& peers_;
  Agenda& agenda_;
  Sender& sender_;
  PeerHealth& health_;
  const HomeSegment& home_;
  const ContactSocket& socket_;
  ShmCounters& counters_;
  std::vector<EndpointId> due_;  ///< to be answered
  std::uint32_t awaited_ = 0;
};

}  // namespace remit::shm
