// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Credits of the ofi device: its receives, leased to peers, and theirs, leased to it.
#pragma once

#include <cstdint>

#include "rdma_btl/common/credit_pool.hpp"
#include "rdma_btl/common/credit_queue.hpp"
#include "rdma_btl/common/due_answers.hpp"
#include "rdma_btl/common/recall_clock.hpp"
#include "rdma_btl/ofi/endpoint.hpp"
#include "rdma_btl/ofi/lines.hpp"
#include "rdma_btl/ofi/ofi_config.hpp"
#include "rdma_btl/ofi/request_pool.hpp"

namespace remit::ofi {

/// Both ends of the loans of receives. A message and a notification use one each; what a peer may
/// send has its receive and its place in the completion queue. A sender that uses its last credit
/// says so with that message, or, having none, by its line; then it gets more, as long as there
/// are. When there are none, peers are asked for theirs; those that hold them and compute do not
/// answer, so after a while there are new receives, up to a limit. Credits travel with messages,
/// and by a line when no message carries them. One thread.
class Lender {
 public:
  Lender(const OfiConfig& config, Endpoints& endpoints, RequestPool& requests, Lines& lines,
         OfiCounters& counters);

  /// More receives to lend.
  [[nodiscard]] Expected<> add_receives(std::size_t count);

  // --- our receives ----------------------------------------------------------------------------
  /// A peer became known.
  void join(Endpoint& endpoint);
  /// What a hello to the peer says that it may use.
  [[nodiscard]] std::uint32_t lend_first(Endpoint& endpoint) {
    return pool_.lend_first(endpoint.lease);
  }
  /// A receive that the peer has used is free again.
  void used(Endpoint& endpoint);
  /// The peer has used its last credit.
  void want_more(Endpoint& endpoint) { pool_.want_more(endpoint.lease); }
  /// The credits that a message to the peer carries.
  [[nodiscard]] std::uint32_t take_owed(Endpoint& endpoint);
  /// What take_owed() gave to a message that did not leave.
  void put_back(Endpoint& endpoint, std::uint32_t credits);
  /// Peers should be told what they are owed, and no message has done that yet.
  [[nodiscard]] bool any_due() const { return !due_.empty(); }
  /// Tells them by their lines.
  void flush();
  /// Of a peer that is gone. What it has under way finds a receive all the same, or nobody misses
  /// it.
  void release(Endpoint& endpoint) {
    needy_.remove(endpoint.lease);
    pool_.release(endpoint.lease);
  }
  /// Peers wait for credits: flush() has nothing for them, serve() may have.
  [[nodiscard]] bool any_needy() const { return !needy_.empty(); }
  void serve();

  // --- the peer's receives ---------------------------------------------------------------------
  /// Whether a message may leave. If not the peer is told, once.
  [[nodiscard]] bool has_credit(Endpoint& endpoint) {
    if (endpoint.credits.allow(1)) [[likely]]
      return true;
    request_credits(endpoint);
    return false;
  }
  /// A message, or a notification, has taken a credit.
  static void spent(Endpoint& endpoint) {
    endpoint.credits.spend(1);
    endpoint.hungry = false;
  }

  /// What a peer says by its line about credits, its own or ours.
  void hear(Endpoint& endpoint, const LineMessage& message);

 private:
  void request_credits(Endpoint& endpoint);
  void on_request(Endpoint& endpoint);
  void on_recall(Endpoint& endpoint);
  void follow(Endpoint& endpoint, Settled settled);
  void queue_if_bare(Endpoint& endpoint);
  void give(Endpoint& endpoint);
  void recall_some();
  void serve_queue();

  const OfiConfig& config_;
  Endpoints& endpoints_;
  RequestPool& requests_;
  Lines& lines_;
  OfiCounters& counters_;
  CreditPool pool_;
  CreditQueue needy_;
  DueAnswers due_;
  RecallClock clock_;
};

}  // namespace remit::ofi
