// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Connections over rdma_cm.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rdma_btl/common/first_contact.hpp"
#include "rdma_btl/verbs/adapter/opened_adapter.hpp"
#include "rdma_btl/verbs/agenda.hpp"
#include "rdma_btl/verbs/connections/handshake.hpp"
#include "rdma_btl/verbs/endpoints.hpp"

namespace remit::verbs {

class Greetings;
class HostQuestions;
class Lending;
class QueuePairs;
class Teardown;

/// Makes one reliable connection a peer, at the first contact.
///
/// Two processes that speak to each other first at the same time each ask for a connection. The one
/// with the lower name rejects the other's request, the one with the higher name drops its own: one
/// connection stays. Nothing is posted before it is open, so nothing is lost. One thread.
class Connections {
 public:
  Connections(const OpenedAdapter& adapter, const VerbsConfig& config, VerbsCounters& counters,
              Endpoints& endpoints, Agenda& agenda, Lending& lending, HostQuestions& questions,
              QueuePairs& queue_pairs, Greetings& greetings, Teardown& teardown)
      : adapter_(adapter),
        config_(config),
        counters_(counters),
        endpoints_(endpoints),
        agenda_(agenda),

        lending_(lending),
        questions_(questions),
        queue_pairs_(queue_pairs),
        greetings_(greetings),
        teardown_(teardown),
        handshake_(adapter, config) {}

  [[nodiscard]] const Handshake& handshake() const { return handshake_; }
  /// As Device::connect().
  [[nodiscard]] Expected<EndpointId> connect(PeerName peer, std::span<const std::byte> address);
  /// Starts an attempt to connect; events continue it.
  void begin(Endpoint& endpoint);
  /// The peer's first message has come: from now on both sides may send.
  void open_endpoint(Endpoint& endpoint);

  /// Takes the events that have come.
  void service();
  /// Whether some are being made, so that time matters.
  [[nodiscard]] bool has_timers() const { return !timed_.empty(); }
  void check_timers(std::uint64_t now);

  /// Drops an identifier and its queue pair, on which nothing is under way.
  void drop_active(Endpoint& endpoint);
  void drop_passive(Endpoint& endpoint);
  /// Ends all, without a goodbye.
  void close();

 private:
  [[nodiscard]] Endpoint& find_or_add(PeerName peer);
  void retry_later(Endpoint& endpoint, std::string words);
  void retry_soon(Endpoint& endpoint);
  void destroy_id(rdma_cm_id* id);
  void on_sign_of_life(Endpoint& endpoint);
  [[nodiscard]] bool given_up(Endpoint& endpoint, std::uint64_t now);
  void handle_event(const rdma_cm_event& event, std::span<const std::byte> data);
  void on_request(rdma_cm_id* id, std::span<const std::byte> data);
  void accept(rdma_cm_id* id, Endpoint& endpoint, const Hello& hello);
  void on_route_resolved(Endpoint& endpoint);
  void on_established(Endpoint& endpoint, std::span<const std::byte> data);
  void on_rejected(Endpoint& endpoint, int status, std::span<const std::byte> data);
  void on_trouble(Endpoint& endpoint, const rdma_cm_event& event);

  const OpenedAdapter& adapter_;
  const VerbsConfig& config_;
  VerbsCounters& counters_;
  Endpoints& endpoints_;
  Agenda& agenda_;
  Lending& lending_;
  HostQuestions& questions_;
  QueuePairs& queue_pairs_;
  Greetings& greetings_;
  Teardown& teardown_;
  Handshake handshake_;
  std::vector<rdma_cm_id*> withdrawn_;  ///< requests that wait for their rejection
  std::vector<EndpointId> timed_;       ///< have a timer
};

}  // namespace remit::verbs
