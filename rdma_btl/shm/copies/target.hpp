// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What this process does for its peers' puts, gets and atomics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "rdma_btl/device.hpp"
#include "rdma_btl/shm/agenda.hpp"
#include "rdma_btl/shm/peers/peer_table.hpp"
#include "rdma_btl/shm/peers/region_table.hpp"
#include "rdma_btl/shm/rings/layout.hpp"
#include "rdma_btl/shm/shm_config.hpp"

namespace remit::shm {

class PeerCopier;
class Receiver;
class Sender;

/// The target's side: puts whose bytes come through the ring, gets that are answered so, atomics,
/// and transfers that it helps to copy. Everything a peer asks for is checked against the regions
/// of this process before it is done. One thread.
class Target {
 public:
  Target(const ShmConfig& config, const PeerTable& peers, Agenda& agenda, Sender& sender,
         Receiver& receiver, PeerCopier& copier, const RegionTable& regions, ShmCounters& counters)
      : config_(config),
        peers_(peers),
        agenda_(agenda),
        sender_(sender),
        receiver_(receiver),
        copier_(copier),
        regions_(regions),
        counters_(counters) {}

  // What peers ask for. True if the caller is to be told: `out` is filled.
  [[nodiscard]] bool on_put_data(Endpoint& endpoint, const PutData& put, Completion& out);
  [[nodiscard]] bool on_atomic_request(Endpoint& endpoint, const AtomicRequest& request,
                                       Completion& out);
  void on_get_request(Endpoint& endpoint, const GetRequest& request);
  void on_assist(Endpoint& endpoint, const AssistRequest& request);

  /// Writes what there is room for of the answers to gets.
  void progress_replies();
  [[nodiscard]] bool any_reply() const { return !replies_.empty(); }
  /// A chunk of each of the oldest transfers that peers asked to copy along, one system call.
  void progress_helping();
  [[nodiscard]] bool any_to_help() const { return !helping_.empty(); }

  /// The peer has ended.
  void forget(const Endpoint& endpoint);

 private:
  /// A get of a peer's that is being answered.
  struct Reply {
    EndpointId endpoint;
    JobName job;
    const std::byte* from;
    std::size_t left;
  };
  /// A peer's transfer that this process helps with.
  struct Helping {
    EndpointId endpoint;
    AssistRequest request;
  };
  struct Chunks;

  [[nodiscard]] bool continue_reply(Reply& reply);
  [[nodiscard]] Chunks claim_chunks();
  void refuse(Endpoint& endpoint, const char* what, std::uint64_t address, std::uint64_t length);

  const ShmConfig& config_;
  const PeerTable& peers_;
  Agenda& agenda_;
  Sender& sender_;
  Receiver& receiver_;
  PeerCopier& copier_;
  const RegionTable& regions_;
  ShmCounters& counters_;
  std::deque<Reply> replies_;
  std::deque<Helping> helping_;
};

}  // namespace remit::shm
