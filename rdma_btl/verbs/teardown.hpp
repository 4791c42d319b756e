// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How connections end.
#pragma once

#include <string>
#include <vector>

#include "rdma_btl/verbs/adapter/opened_adapter.hpp"
#include "rdma_btl/verbs/agenda.hpp"
#include "rdma_btl/verbs/endpoints.hpp"

namespace remit::verbs {

class Connections;
class HostQuestions;
class Lending;
class WorkQueue;

/// Peers that leave or die, work requests that fail, adapters that are lost. Whoever finds a
/// failure says so here; the layer above is told once. One thread.
class Teardown {
 public:
  Teardown(const OpenedAdapter& adapter, const VerbsConfig& config, VerbsCounters& counters,
           Endpoints& endpoints, Agenda& agenda, WorkQueue& work, Lending& lending,
           HostQuestions& questions, Connections& connections)
      : adapter_(adapter),
        config_(config),
        counters_(counters),
        endpoints_(endpoints),
        agenda_(agenda),
        work_(work),
        lending_(lending),
        questions_(questions),
        connections_(connections) {}

  /// The connection was cut. What the peer sent before is still in the completion queue, so it is
  /// judged by settle().
  void on_disconnect(Endpoint& endpoint);
  [[nodiscard]] bool has_leaving() const { return !leaving_.empty(); }
  /// The completion queue is drained.
  void settle();
  /// The peer has left in order.
  void on_goodbye(Endpoint& endpoint);

  /// The first failure of an endpoint, in words for the user; later ones only follow from it.
  void fail_endpoint(Endpoint& endpoint, std::string words);
  /// A completion with an error.
  void on_failed_work(Endpoint& endpoint, const ibv_wc& work);
  /// The adapter is lost. Who needs it for a peer hears of it as that peer's failure.
  void fail_all(const std::string& words);
  /// Why the adapter can never be used again; empty: it can.
  [[nodiscard]] const std::string& broken() const { return broken_; }

  /// Whether the work requests of some that have ended are under way.
  [[nodiscard]] bool has_dying() const { return !dying_.empty(); }
  /// Gives up those that have not come back in time.
  void check_dying(std::uint64_t now);

 private:
  void expect_end(Endpoint& endpoint);
  void abandon(Endpoint& endpoint);

  const OpenedAdapter& adapter_;
  const VerbsConfig& config_;
  VerbsCounters& counters_;
  Endpoints& endpoints_;
  Agenda& agenda_;
  WorkQueue& work_;
  Lending& lending_;
  HostQuestions& questions_;
  Connections& connections_;
  std::vector<EndpointId> leaving_;
  std::vector<EndpointId> dying_;
  std::string broken_;
};

}  // namespace remit::verbs
