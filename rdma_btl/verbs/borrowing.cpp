// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Using what peers have lent.
#include "rdma_btl/verbs/borrowing.hpp"

#include "rdma_btl/verbs/messages.hpp"
#include "rdma_btl/verbs/note_reader.hpp"
#include "rdma_btl/verbs/notes.hpp"

namespace remit::verbs {

bool Borrowing::starve(Endpoint& endpoint) {
  if (!endpoint.credit.starving) ++counters_.starved;
  endpoint.credit.starving = true;
  if (endpoint.credit.dry) request_credits(endpoint);
  return false;
}

/// The answer has to wait: what was granted just before may be used first.
void Borrowing::on_recall(Endpoint& endpoint) {
  if (endpoint.credit.recall_due || endpoint.credit.dry) return;
  endpoint.credit.recall_due = true;
  recalls_due_.push_back(endpoint.id);
  agenda_.attention = true;
}

void Borrowing::answer_recalls() {
  std::erase_if(recalls_due_, [&](EndpointId id) {
    Endpoint& endpoint = endpoints_[id];
    if (endpoint.state == State::open && endpoint.credit.count != 0 &&
        !messages_.post_control(endpoint, MessageKind::give_back, endpoint.credit.count - 1)) {
      return false;
    }
    endpoint.credit.count = 0;
    endpoint.credit.recall_due = false;
    endpoint.credit.dry = true;
    endpoint.credit.requested = false;
    reader_.listen_to(endpoint);
    return true;
  });
}

/// Something waits for a credit.
void Borrowing::request_credits(Endpoint& endpoint) {
  if (endpoint.credit.requested) return;
  endpoint.credit.requested = true;
  ++endpoint.note.said->wishes;
  notes_.write(endpoint);
}

void Borrowing::on_loan(Endpoint& endpoint, std::uint32_t credits) {
  endpoint.credit.count += credits;
  endpoint.credit.dry = endpoint.credit.requested = false;
}

}  // namespace remit::verbs
