// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Who of the peers is still there, and what follows when one is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rdma_btl/device.hpp"
#include "rdma_btl/shm/agenda.hpp"
#include "rdma_btl/shm/peers/endpoint.hpp"
#include "rdma_btl/shm/peers/peer_table.hpp"
#include "rdma_btl/shm/shm_config.hpp"

namespace remit::shm {

class FirstContact;
class PeerHeaps;
class Receiver;
class Sender;
class Target;
class Transfers;

/// An endpoint ends once: it fails, or its peer left in order. From then on nothing is read from
/// the peer or written to it, every part of the device forgets it, and its memory is given back by
/// the poll after that, for until then the caller may read messages there. One thread.
class PeerHealth {
 public:
  PeerHealth(const ShmConfig& config, PeerTable& peers, Agenda& agenda, Receiver& receiver,
             Sender& sender, FirstContact& contact, PeerHeaps& heaps, Transfers& transfers,
             Target& target, ShmCounters& counters);

  /// Ends the endpoint with a failure, unless it has failed already: its transfers complete with
  /// `status`, and the caller hears of it. `words` are for people.
  void fail(Endpoint& endpoint, int status, std::string words);
  /// As fail(), for its process is gone.
  void fail_exited(Endpoint& endpoint);
  /// As fail(), for the peer wrote what no peer writes: `what`.
  void violated(Endpoint& endpoint, const char* what);
  /// What Device::post() does with operations for an endpoint that has ended: all are accepted, and
  /// complete with an error.
  std::size_t refuse(Endpoint& endpoint, std::span<const Operation> operations);

  /// Fails the endpoints whose process is gone, after everything that it wrote has been read. Who
  /// left in order and owes nothing is only failed when it is spoken to.
  void check_peers();
  /// check_peers(), if it is time for it.
  void check_peers_at(std::uint64_t now_ns);
  /// The process is gone, but what it wrote has not been read.
  void note_gone(Endpoint& endpoint);
  [[nodiscard]] bool any_gone() const { return !gone_.empty(); }

  [[nodiscard]] bool memory_is_due() const { return !unmap_due_.empty(); }
  /// Gives back the memory of endpoints that have ended.
  void give_memory_back();

 private:
  void shut(Endpoint& endpoint);
  void close(Endpoint& endpoint);
  void check(Endpoint& endpoint);

  const ShmConfig& config_;
  PeerTable& peers_;
  Agenda& agenda_;
  Receiver& receiver_;
  Sender& sender_;
  FirstContact& contact_;
  PeerHeaps& heaps_;
  Transfers& transfers_;
  Target& target_;
  ShmCounters& counters_;
  std::vector<EndpointId> gone_;  ///< peers that died with cells unread
  std::vector<EndpointId> unmap_due_;
  std::uint64_t checked_ns_;
};

}  // namespace remit::shm
