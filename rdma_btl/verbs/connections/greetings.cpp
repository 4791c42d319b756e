// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Sending first messages.
#include "rdma_btl/verbs/connections/greetings.hpp"

#include "rdma_btl/verbs/connections/connections.hpp"
#include "rdma_btl/verbs/messages/messages.hpp"
#include "rdma_btl/verbs/messages/work_queue.hpp"

namespace remit::verbs {

void Greetings::send(Endpoint& endpoint) {
  if (endpoint.state != State::connecting) return;
  const bool inlined = sizeof(Header) + adapter_.host().size() <= work_.max_inline();
  if (!work_.spare_room(endpoint) || (!inlined && work_.slots().exhausted())) {
    work_.flush_tails();
    due_.push_back(endpoint.id);
    return;
  }
  connections_.open_endpoint(endpoint);
  std::string name = adapter_.host();
  const Piece host{name.data(), name.size(), 0};
  messages_.post_message(endpoint, MessageKind::open, 0, {&host, 1}, name.size(), false);
}

void Greetings::send_due() {
  std::vector<EndpointId> due;
  due.swap(due_);
  for (const EndpointId id : due) send(endpoints_[id]);
}

}  // namespace remit::verbs
