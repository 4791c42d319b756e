// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The first message of a connection.
#pragma once

#include <vector>

#include "rdma_btl/verbs/adapter/opened_adapter.hpp"
#include "rdma_btl/verbs/endpoints.hpp"

namespace remit::verbs {

class Connections;
class Messages;
class WorkQueue;

/// The side that has asked for a connection sends first, the name of its host: only then the other
/// side may send, for so iWARP has it. One thread.
class Greetings {
 public:
  Greetings(const OpenedAdapter& adapter, Endpoints& endpoints, WorkQueue& work, Messages& messages,
            Connections& connections)
      : adapter_(adapter),
        endpoints_(endpoints),
        work_(work),
        messages_(messages),
        connections_(connections) {}

  /// The peer has accepted: opens the endpoint as soon as there is room for the message.
  void send(Endpoint& endpoint);
  /// Whether some wait for room, and another attempt for these.
  [[nodiscard]] bool due() const { return !due_.empty(); }
  void send_due();

 private:
  const OpenedAdapter& adapter_;
  Endpoints& endpoints_;
  WorkQueue& work_;
  Messages& messages_;
  Connections& connections_;
  std::vector<EndpointId> due_;
};

}  // namespace remit::verbs
