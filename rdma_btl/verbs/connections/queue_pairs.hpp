// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The queue pairs of connections.
#pragma once

#include "rdma_btl/verbs/adapter/opened_adapter.hpp"
#include "rdma_btl/verbs/endpoints.hpp"

namespace remit::verbs {

class Lending;
class Notes;
class Receiver;

/// Makes reliable connected queue pairs for identifiers of rdma_cm, with receives for the peer, and
/// destroys them. One thread.
class QueuePairs {
 public:
  QueuePairs(const OpenedAdapter& adapter, const VerbsConfig& config, Endpoints& endpoints,
             Receiver& receiver, Lending& lending, Notes& notes)
      : adapter_(adapter),
        config_(config),
        endpoints_(endpoints),
        receiver_(receiver),
        lending_(lending),
        notes_(notes) {}

  /// One for an identifier that has none. With `receives` for the peer: leased from the shared
  /// queue, or posted to this connection.
  [[nodiscard]] Expected<> make(rdma_cm_id* id, Endpoint& endpoint, bool receives);
  /// The identifier's queue pair, if it has one; its receives are free again.
  void destroy(rdma_cm_id* id);

 private:
  const OpenedAdapter& adapter_;
  const VerbsConfig& config_;
  Endpoints& endpoints_;
  Receiver& receiver_;
  Lending& lending_;
  Notes& notes_;
};

}  // namespace remit::verbs
