// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Lending receives.
#include "rdma_btl/verbs/credits/lending.hpp"

#include "rdma_btl/verbs/clock.hpp"
#include "rdma_btl/verbs/credits/note_reader.hpp"
#include "rdma_btl/verbs/credits/notes.hpp"
#include "rdma_btl/verbs/messages/messages.hpp"

namespace remit::verbs {

namespace {

/// Receives that are added at a time.
constexpr std::size_t kGrowth = 64;

}  // namespace

void Lending::meet(Endpoint& endpoint) {
  credits_.join(endpoint.lease, endpoint.id);
  if (endpoint.peer != config_.name) clock_.add(endpoint.lease);
}

Expected<> Lending::grow(std::size_t receives) {
  const Expected<std::size_t> grown = pool_.grow(receives);
  if (!grown) return tl::unexpected<Error>(grown.error());
  if (pool_.shared()) credits_.grow(*grown);
  return {};
}

bool Lending::can_admit(const Endpoint& endpoint) {
  if (!pool_.shared() || endpoint.lease.units != 0) return true;  // of an earlier attempt
  const bool enough = credits_.first_window(being_read()) != 0;
  demand_.on_newcomer(enough, now_ns());
  if (!enough) find_receives();
  return enough;
}

Expected<> Lending::lend_first(ibv_qp* qp, Endpoint& endpoint) {
  if (!pool_.shared()) {
    credits_.join(endpoint.lease, endpoint.id, config_.strict_window);
    return pool_.post_window(qp);
  }
  (void)credits_.lend_first(endpoint.lease, being_read());
  return {};
}

// --- returning what was used -------------------------------------------------------------------

void Lending::on_settled(Endpoint& endpoint, Settled settled) {
  switch (settled) {
    case Settled::nothing:
      return;
    case Settled::due:
      answers_.note(endpoint.lease);
      agenda_.chores = true;
      return;
    case Settled::all_back:
      reader_.listen_to(endpoint);
      [[fallthrough]];
    case Settled::came_back:
      if (is_needed()) agenda_.attention = true;
      return;
  }
}

/// A peer that used half of its lease before anything was sent back to it talks a lot. A quarter of
/// the pool is kept for those who come later. This process itself is never recalled, so it gets no
/// more.
void Lending::extend(Endpoint& endpoint) {
  if (!pool_.shared() || endpoint.peer == config_.name) return;
  const std::size_t kept = being_read() + pool_.size() / 4;
  (void)credits_.extend(endpoint.lease, credits_.doubling(endpoint.lease, kept), kept);
}

void Lending::return_credits() {
  answers_.for_each([&](CreditLease& lease) { return !return_to(endpoints_[lease.id]); });
}

/// False: the peer cannot be told now.
bool Lending::return_to(Endpoint& endpoint) {
  if (endpoint.state != State::open || !credits_.is_due(endpoint.lease)) return true;
  if (!endpoint.borrowed.dry && !messages_.can_control(endpoint)) return false;
  extend(endpoint);
  if (endpoint.borrowed.dry) {
    endpoint.note.said->lent += credits_.take_owed(endpoint.lease);
    notes_.write(endpoint);
  } else if (messages_.post_control(endpoint, MessageKind::credits)) {
    ++counters_.credit_messages;
  }
  return true;
}

void Lending::release(Endpoint& endpoint) {
  requests_.remove(endpoint.lease);
  if (pool_.shared()) {
    credits_.park(endpoint.lease);
  } else {
    credits_.release(endpoint.lease);
  }
  agenda_.chores = agenda_.chores || has_parked();
}

void Lending::reclaim_parked() {
  credits_.unpark();
}

// --- asking for what was lent ------------------------------------------------------------------

/// Asks peers, by turns, for about so many receives.
void Lending::recall(std::size_t wanted) {
  std::size_t coming = 0;
  std::size_t looks = 2 * clock_.size();
  while (coming < wanted) {
    const CreditLease* const lease = clock_.next(looks);
    if (lease == nullptr) return;
    Endpoint& endpoint = endpoints_[lease->id];
    if (endpoint.state == State::open) coming += recall_from(endpoint);
  }
}

/// Returns how many receives come back: 0 if the peer cannot be told now.
std::size_t Lending::recall_from(Endpoint& endpoint) {
  const bool dry = endpoint.borrowed.dry;
  if (!dry && !messages_.can_control(endpoint)) return 0;
  // What is owed need not be given first.
  const std::size_t before = credits_.unleased();
  const std::uint32_t coming = credits_.recall(endpoint.lease);
  const std::size_t back = credits_.unleased() - before;
  if (dry) {
    ++endpoint.note.said->recalls;
    notes_.write(endpoint);
  } else {
    (void)messages_.post_control(endpoint, MessageKind::recall);
  }
  if (endpoint.state != State::open) return back;
  ++counters_.recalls;
  // It holds none, and knows from now on that it has to ask.
  if (coming == 0) on_settled(endpoint, Settled::all_back);
  return back + coming;
}

void Lending::take_back(Endpoint& endpoint, std::uint32_t receives) {
  on_settled(endpoint, credits_.take_back(endpoint.lease, receives));
}

void Lending::on_request(Endpoint& endpoint) {
  const std::uint64_t now = now_ns();
  requests_.push(endpoint.lease, now);
  demand_.on_request(now);
  agenda_.attention = true;
}

void Lending::find_receives() {
  serve_requests();
  const std::uint64_t now = now_ns();
  const std::size_t wanted = kLeastLease * demand_.waiting(requests_.size(), now);
  if (wanted == 0) return;
  // Who computes does not answer: after a while others are asked.
  if (now - recall_ns_ >= ms(1)) {
    recall_ns_ = now;
    recall(wanted);
  } else if (credits_.coming() < wanted) {
    recall(wanted - credits_.coming());
  }
  // At the limit of the adapter they have to wait.
  if (demand_.in_vain(now, ms(config_.patience_ms))) (void)grow(kGrowth);
}

/// New credits for those who asked, in their order. The last ones are kept for a new peer.
void Lending::serve_requests() {
  for (std::size_t i = requests_.size(); i != 0; --i) {
    const std::uint64_t now = now_ns();
    const std::size_t kept = demand_.newcomer() ? kLeastLease : 0;
    CreditLease* const lease = requests_.pop(credits_, now, being_read() + kept);
    if (lease == nullptr) return;
    Endpoint& endpoint = endpoints_[lease->id];
    if (endpoint.state != State::open) continue;
    if (lease->units == 0) {
      endpoint.note.said->lent += credits_.lend_first(*lease, being_read());
      endpoint.note.spoke = false;
      ++counters_.loans;
      demand_.on_loan(now);
      notes_.write(endpoint);
    } else if (lease->recalled) {  // what it was lent before is still on its way back
      requests_.push(*lease, now);
    }
  }
}

}  // namespace remit::verbs
