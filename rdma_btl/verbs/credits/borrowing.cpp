// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Using what peers have lent.
#include "rdma_btl/verbs/credits/borrowing.hpp"

#include "rdma_btl/verbs/credits/note_reader.hpp"
#include "rdma_btl/verbs/credits/notes.hpp"
#include "rdma_btl/verbs/messages/messages.hpp"

namespace remit::verbs {

bool Borrowing::starve(Endpoint& endpoint) {
  if (!endpoint.borrowed.starving) ++counters_.starved;
  endpoint.borrowed.starving = true;
  if (endpoint.borrowed.dry && endpoint.borrowed.credits.ask()) {
    ++endpoint.note.said->requests;
    notes_.write(endpoint);
  }
  return false;
}

/// The answer has to wait: what was granted just before may be used first.
void Borrowing::on_recall(Endpoint& endpoint) {
  if (endpoint.borrowed.recall_due || endpoint.borrowed.dry) return;
  endpoint.borrowed.recall_due = true;
  recalls_due_.push_back(endpoint.id);
  agenda_.attention = true;
}

void Borrowing::answer_recalls() {
  std::erase_if(recalls_due_, [&](EndpointId id) {
    Endpoint& endpoint = endpoints_[id];
    const std::uint32_t count = endpoint.borrowed.credits.count();
    if (endpoint.state == State::open && count != 0 &&
        !messages_.post_control(endpoint, MessageKind::give_back, count - 1)) {
      return false;
    }
    (void)endpoint.borrowed.credits.give_back(0);
    endpoint.borrowed.recall_due = false;
    endpoint.borrowed.dry = true;
    reader_.listen_to(endpoint);
    return true;
  });
}

void Borrowing::on_loan(Endpoint& endpoint, std::uint32_t credits) {
  endpoint.borrowed.credits.grant(credits);
  endpoint.borrowed.dry = false;
}

}  // namespace remit::verbs
