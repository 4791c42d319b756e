// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Credits: what peers have lent to this process.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma_btl/verbs/agenda.hpp"
#include "rdma_btl/verbs/endpoints.hpp"
#include "rdma_btl/verbs/verbs_config.hpp"

namespace remit::verbs {

class Messages;
class NoteReader;
class Notes;

/// Kept of the credits for a message that returns credits, or answers a recall.
inline constexpr std::uint32_t kReservedCredits = 1;

/// The borrower's side of flow control: gives credits back when the peer asks for them, which
/// leaves this process dry, and asks for new ones when something is to be sent. One thread.
class Borrowing {
 public:
  Borrowing(VerbsCounters& counters, Endpoints& endpoints, Agenda& agenda, Messages& messages,
            Notes& notes, NoteReader& reader)
      : counters_(counters),
        endpoints_(endpoints),
        agenda_(agenda),
        messages_(messages),
        notes_(notes),
        reader_(reader) {}

  /// Whether the layer above may use a credit.
  [[nodiscard]] static bool can_send(const Endpoint& endpoint) {
    return endpoint.borrowed.credits.allow(1, kReservedCredits);
  }
  /// Something waits for a credit. Always false, for who cannot post.
  [[nodiscard]] bool starve(Endpoint& endpoint);

  /// The peer wants its credits back. The answer has to wait: what was granted just before may be
  /// used first.
  void on_recall(Endpoint& endpoint);
  [[nodiscard]] bool recalled() const { return !recalls_due_.empty(); }
  void answer_recalls();
  /// The peer has lent so many to this process, which was dry.
  static void on_loan(Endpoint& endpoint, std::uint32_t credits);

 private:
  VerbsCounters& counters_;
  Endpoints& endpoints_;
  Agenda& agenda_;
  Messages& messages_;
  Notes& notes_;
  NoteReader& reader_;
  std::vector<EndpointId> recalls_due_;  ///< want their credits back
};

}  // namespace remit::verbs
