// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Leases: how the receives of one pool are lent to any number of peers.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "rdma_btl/verbs/agenda.hpp"
#include "rdma_btl/verbs/endpoints.hpp"
#include "rdma_btl/verbs/receive_pool.hpp"

namespace remit::verbs {

class Messages;
class NoteReader;
class Notes;
class WorkQueue;

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
          ReceivePool& pool, WorkQueue& work, Messages& messages, Notes& notes, NoteReader& reader)
      : config_(config),
        counters_(counters),
        endpoints_(endpoints),
        agenda_(agenda),
        pool_(pool),
        work_(work),
        messages_(messages),
        notes_(notes),
        reader_(reader) {}

  /// Adds receives to the pool.
  [[nodiscard]] Expected<> grow(std::size_t receives);
  /// Whether there are receives for a new peer. If not some are asked back: it must try again.
  [[nodiscard]] bool can_admit(const Endpoint& endpoint);
  /// The receives of a new connection: lent from the shared queue, or posted to its own.
  [[nodiscard]] Expected<> lend_first(ibv_qp* qp, Endpoint& endpoint);

  /// A peer has used one of its receives, which is free again.
  void owe(Endpoint& endpoint) {
    Lease& lease = endpoint.lease;
    lease.spoke = lease.lively = true;
    if (lease.recalled) [[unlikely]]
      return take_back(endpoint, 1);
    ++lease.owed;
    if (lease.return_due || (2 * lease.owed < lease.receives && !lease.wants_more)) return;
    lease.return_due = agenda_.chores = true;
    returns_due_.push_back(endpoint.id);
  }
  /// Whether somebody is owed half of its lease, and telling those that they may use it again.
  [[nodiscard]] bool returns_due() const { return !returns_due_.empty(); }
  void return_credits();

  /// A recalled peer gives so many of its credits back.
  void take_back(Endpoint& endpoint, std::uint32_t receives);
  /// The connection has ended. What the peer could have sent is promised to nobody once what it
  /// has sent was seen: until reclaim_parked().
  void release(Endpoint& endpoint);
  [[nodiscard]] bool has_parked() const { return parked_ != 0; }
  /// The completion queue is drained.
  void reclaim_parked();

  /// A dry peer asks for credits.
  void on_request(Endpoint& endpoint);
  [[nodiscard]] bool has_requests() const { return !requests_.empty(); }
  /// Whether somebody waits for receives: a peer that has no credits, or a new one.
  [[nodiscard]] bool is_needed() const { return needy_ns_ != 0; }
  /// Lends what there is to those, and looks for more.
  void find_receives();

 private:
  [[nodiscard]] std::size_t spare() const;
  [[nodiscard]] std::uint32_t next_window() const;
  void lend(Endpoint& endpoint, std::uint32_t receives);
  void extend(Endpoint& endpoint);
  void recall(std::size_t wanted);
  [[nodiscard]] std::size_t recall_from(Endpoint& endpoint);
  void serve_requests();

  const VerbsConfig& config_;
  VerbsCounters& counters_;
  Endpoints& endpoints_;
  Agenda& agenda_;
  ReceivePool& pool_;
  WorkQueue& work_;
  Messages& messages_;
  Notes& notes_;
  NoteReader& reader_;
  std::vector<EndpointId> returns_due_;  ///< owed half of their lease
  std::deque<EndpointId> requests_;      ///< have none of ours, and something to send
  std::size_t unleased_ = 0;             ///< with SRQ: promised to nobody
  std::size_t recalled_ = 0;             ///< asked back, not here yet
  std::size_t parked_ = 0;         ///< lent to peers that are gone; may be in the completion queue
  EndpointId recall_next_ = 0;     ///< whom the last recall() passed by
  std::uint64_t recall_ns_ = 0;    ///< when peers were last asked
  std::uint64_t needy_ns_ = 0;     ///< since when somebody waits for receives; 0: nobody
  std::uint64_t newcomer_ns_ = 0;  ///< when a new peer was told to try again; 0: not lately
};

}  // namespace remit::verbs
