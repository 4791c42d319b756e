// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Leases: how the receives of one pool are lent to any number of peers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma_btl/common/credit_pool.hpp"
#include "rdma_btl/common/credit_queue.hpp"
#include "rdma_btl/common/due_answers.hpp"
#include "rdma_btl/common/recall_clock.hpp"
#include "rdma_btl/verbs/agenda.hpp"
#include "rdma_btl/verbs/credits/demand.hpp"
#include "rdma_btl/verbs/credits/receive_pool.hpp"
#include "rdma_btl/verbs/endpoints.hpp"

namespace remit::verbs {

class Messages;
class NoteReader;
class Notes;

/// The lender's side of flow control.
///
/// A credit is a receive that a peer may use. What a peer has used comes back to it with messages
/// the other way. If the pool runs low, peers that have been silent are asked for all that they
/// hold (recall); one that has given everything back is dry. A dry peer speaks by its Note, which
/// needs no receive: it asks for new credits when it has something to send, gives those that it
/// owes, says goodbye.
///
/// Nothing of this can block: a recall is answered by a credit of the lender's own, a request for
/// credits needs none. Only a peer that computes does not answer. Others are asked instead, and if
/// they all compute the pool grows (VerbsConfig::patience_ms). One thread.
class Lending {
 public:
  Lending(const VerbsConfig& config, VerbsCounters& counters, Endpoints& endpoints, Agenda& agenda,
          CreditPool& credits, ReceivePool& pool, Messages& messages, Notes& notes,
          NoteReader& reader)
      : config_(config),
        counters_(counters),
        endpoints_(endpoints),
        agenda_(agenda),
        credits_(credits),
        pool_(pool),
        messages_(messages),
        notes_(notes),
        reader_(reader) {}

  /// Receives that are lent to a peer at once, at least. Of two, one message that returns a credit
  /// would be half, and so be answered by another, for ever.
  static constexpr std::uint32_t kLeastLease = 3;
  /// A message for one credit takes one: two who starve would play ball. So two are worth one.
  [[nodiscard]] static CreditLimits limits(const VerbsConfig& config) {
    return {config.first_window, kLeastLease, config.max_window, 8, 2};
  }

  /// A peer has become known.
  void meet(Endpoint& endpoint);
  /// Adds receives to the pool.
  [[nodiscard]] Expected<> grow(std::size_t receives);
  /// Whether there are receives for a new peer. If not some are asked back: it must try again.
  [[nodiscard]] bool can_admit(const Endpoint& endpoint);
  /// The receives of a new connection: lent from the shared queue, or posted to its own.
  [[nodiscard]] Expected<> lend_first(ibv_qp* qp, Endpoint& endpoint);

  /// A peer has used one of its receives, which is free again.
  void owe(Endpoint& endpoint) {
    endpoint.note.spoke = true;
    if (endpoint.lease.used(1)) [[unlikely]]
      on_settled(endpoint, credits_.settle(endpoint.lease));
  }
  /// The peer says that it starves.
  void want_more(Endpoint& endpoint) { credits_.want_more(endpoint.lease); }
  /// Whether somebody is owed half of its lease, and telling those that they may use it again.
  [[nodiscard]] bool returns_due() const { return !answers_.empty(); }
  void return_credits();

  /// A recalled peer gives so many of its credits back.
  void take_back(Endpoint& endpoint, std::uint32_t receives);
  /// The connection has ended. What the peer could have sent is promised to nobody once what it
  /// has sent was seen: until reclaim_parked().
  void release(Endpoint& endpoint);
  [[nodiscard]] bool has_parked() const { return credits_.parked() != 0; }
  /// The completion queue is drained.
  void reclaim_parked();

  /// A dry peer asks for credits.
  void on_request(Endpoint& endpoint);
  [[nodiscard]] bool has_requests() const { return !requests_.empty(); }
  /// Whether somebody waits for receives: a peer that has no credits, or a new one.
  [[nodiscard]] bool is_needed() const { return demand_.any(); }
  /// Lends what there is to those, and looks for more.
  void find_receives();

 private:
  [[nodiscard]] std::size_t being_read() const { return pool_.used().size(); }
  void on_settled(Endpoint& endpoint, Settled settled);
  [[nodiscard]] bool return_to(Endpoint& endpoint);
  void extend(Endpoint& endpoint);
  void recall(std::size_t wanted);
  [[nodiscard]] std::size_t recall_from(Endpoint& endpoint);
  void serve_requests();

  const VerbsConfig& config_;
  VerbsCounters& counters_;
  Endpoints& endpoints_;
  Agenda& agenda_;
  CreditPool& credits_;  ///< with SRQ; else leases have their receives for good
  ReceivePool& pool_;
  Messages& messages_;
  Notes& notes_;
  NoteReader& reader_;
  DueAnswers answers_;    ///< to those that are owed half of their lease
  CreditQueue requests_;  ///< of those that have none of ours, and something to send
  RecallClock clock_;
  Demand demand_;
  std::uint64_t recall_ns_ = 0;  ///< when peers were last asked
};

}  // namespace remit::verbs
