// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// First contact of ofi devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma_btl/common/first_contact.hpp"
#include "rdma_btl/ofi/sender.hpp"

namespace remit::ofi {

/// How two processes get to know each other, over a line, and what they say over it later.
///
/// Two processes that speak to each other first at the same time each ask over a line of their own,
/// of which one stays (first_contact.hpp). Then the side that asked sends the first message through
/// libfabric, and the other answers it: so a provider makes one connection, too, and both know that
/// it works. Nothing of the layer above is sent before. One thread.
class Contacts {
 public:
  Contacts(const OfiConfig& config, Fabric& fabric, Endpoints& endpoints, Lines& lines,
           Lender& lender, Lifecycle& lifecycle, Sender& sender, OfiCounters& counters)
      : config_(config),
        fabric_(fabric),
        endpoints_(endpoints),
        lines_(lines),
        lender_(lender),
        lifecycle_(lifecycle),
        sender_(sender),
        counters_(counters) {}

  /// The endpoint to a peer of that address, as Device::connect().
  [[nodiscard]] Expected<EndpointId> connect(PeerName peer, std::span<const std::byte> address);
  /// Does what the lines say, and what is too late.
  void poll_lines();
  /// The peer's first message is here: the side that asked has its answer, the other one answers.
  void on_open(Endpoint& endpoint);
  /// First messages wait for room.
  [[nodiscard]] bool any_due() const { return !opens_due_.empty(); }
  void flush();

  // For Lines::poll().
  void on_guest(Guest guest);
  void on_line(EndpointId id, std::uint32_t events);
  void on_message(EndpointId id, const LineMessage& message) { hear(endpoints_[id], message); }

 private:
  [[nodiscard]] Endpoint& endpoint_of(PeerName peer);
  void begin(Endpoint& endpoint);
  [[nodiscard]] Hello hello_to(Endpoint& endpoint);
  void take_hello(Endpoint& endpoint, const Hello& hello);
  void refuse(Guest& guest, Verdict verdict) const;
  void accept(Endpoint& endpoint, Guest guest);
  void on_connected(Endpoint& endpoint, std::uint32_t events);
  void on_answer(Endpoint& endpoint, const Hello& hello);
  void hear(Endpoint& endpoint, const LineMessage& message);

  const OfiConfig& config_;
  Fabric& fabric_;
  Endpoints& endpoints_;
  Lines& lines_;
  Lender& lender_;
  Lifecycle& lifecycle_;
  Sender& sender_;
  OfiCounters& counters_;
  std::vector<EndpointId> opens_due_;  ///< a MessageKind::open is to be sent
};

}  // namespace remit::ofi
