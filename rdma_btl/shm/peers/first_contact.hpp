// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How two processes of a host come to share rings.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rdma_btl/device.hpp"
#include "rdma_btl/shm/peers/contact_socket.hpp"
#include "rdma_btl/shm/peers/endpoint.hpp"
#include "rdma_btl/shm/peers/home_segment.hpp"
#include "rdma_btl/shm/peers/peer_table.hpp"
#include "rdma_btl/shm/shm_config.hpp"
#include "rdma_btl/shm/sleep.hpp"

namespace remit::shm {

class PeerHeaps;
class PeerHealth;
class Receiver;
class Transfers;

/// Each side makes the ring of its direction, at the first connect() or when the other's HELLO
/// comes, and sends its descriptors in a HELLO of its own; it may write there at once, and reads
/// the other's when that HELLO has come. HELLOs that find the peer's socket full are sent again.
/// What is malformed, of another user or job, or a second one is dropped and counted. One thread.
class FirstContact {
 public:
  FirstContact(const ShmConfig& config, PeerTable& peers, Agenda& agenda, Receiver& receiver,
               const HomeSegment& home, const Sleep& sleep, const ContactSocket& socket,
               PeerHeaps& heaps, PeerHealth& health, Transfers& transfers, ShmCounters& counters)
      : config_(config),
        peers_(peers),
        agenda_(agenda),
        receiver_(receiver),
        home_(home),
        sleep_(sleep),
        socket_(socket),
        heaps_(heaps),
        health_(health),
        transfers_(transfers),
        counters_(counters) {}

  /// Device::connect().
  [[nodiscard]] Expected<EndpointId> connect(PeerName peer, std::span<const std::byte> address);
  /// Takes all datagrams that have come.
  void serve();
  /// Sends the HELLOs again that found no room.
  void retry();
  [[nodiscard]] bool hellos_wait() const { return !hellos_due_.empty(); }
  /// Some peer's HELLO has not come.
  [[nodiscard]] bool awaits_hello() const { return unattached_ != 0; }
  /// The peer has ended.
  void forget(const Endpoint& endpoint);

 private:
  [[nodiscard]] Expected<Endpoint*> make_endpoint(PeerName peer, const SocketName& socket);
  void send_hello(Endpoint& endpoint);
  void hello_failed(Endpoint& endpoint, int error);
  void take(Datagram& datagram);
  void receive_hello(const Hello& hello, Datagram& datagram);
  void receive_refusal(const Refusal& refusal, const ucred& from);
  [[nodiscard]] Expected<> attach(Endpoint& endpoint, const Hello& hello, Datagram& datagram);
  void share_mailbox(Endpoint& endpoint, const Hello& hello) const;
  void refuse(PeerName peer, const SocketName& socket, const std::string& why) const;
  void reject(const std::string& why);
  template <class Message>
  [[nodiscard]] Endpoint* sender_of(const Message& message, const ucred& from) const;

  const ShmConfig& config_;
  PeerTable& peers_;
  Agenda& agenda_;
  Receiver& receiver_;
  const HomeSegment& home_;
  const Sleep& sleep_;
  const ContactSocket& socket_;
  PeerHeaps& heaps_;
  PeerHealth& health_;
  Transfers& transfers_;
  ShmCounters& counters_;
  std::vector<EndpointId> hellos_due_;
  std::size_t met_ = 0;           ///< new endpoints since it was last seen who has gone
  std::uint32_t unattached_ = 0;  ///< endpoints whose peer's HELLO has not come
};

}  // namespace remit::shm
