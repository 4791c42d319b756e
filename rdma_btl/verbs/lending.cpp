// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Lending receives.
#include "rdma_btl/verbs/lending.hpp"

#include <algorithm>

#include "rdma_btl/verbs/clock.hpp"
#include "rdma_btl/verbs/messages.hpp"
#include "rdma_btl/verbs/note_reader.hpp"
#include "rdma_btl/verbs/notes.hpp"
#include "rdma_btl/verbs/work_queue.hpp"

namespace remit::verbs {

namespace {

/// Receives that are added at a time.
constexpr std::size_t kGrowth = 64;
/// Receives that are lent to a peer at once, at least. Of two, one message that returns a credit
/// would be half, and so be answered by another, for ever.
constexpr std::uint32_t kLeastLease = 3;

}  // namespace

Expected<> Lending::grow(std::size_t receives) {
  const Expected<std::size_t> grown = pool_.grow(receives);
  if (!grown) return tl::unexpected<Error>(grown.error());
  if (pool_.shared()) unleased_ += *grown;
  return {};
}

Expected<> Lending::lend_first(ibv_qp* qp, Endpoint& endpoint) {
  if (!pool_.shared()) {
    endpoint.lease.receives = config_.strict_window;
    return pool_.post_window(qp);
  }
  if (endpoint.lease.receives == 0) lend(endpoint, next_window());
  return {};
}

/// Receives that are lent to nobody and not just being looked at by the layer above.
std::size_t Lending::spare() const {
  return unleased_ - std::min(unleased_, pool_.used().size());
}

/// What somebody gets who has nothing: less and less, so that the first do not take all.
std::uint32_t Lending::next_window() const {
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(spare() / 8, kLeastLease, config_.first_window));
}

void Lending::lend(Endpoint& endpoint, std::uint32_t receives) {
  endpoint.lease.receives += receives;
  unleased_ -= receives;
  endpoint.lease.lively = true;
}

/// Whether there are receives for a new peer. If not some are asked back: it must try again.
bool Lending::can_admit(const Endpoint& endpoint) {
  if (!pool_.shared() || endpoint.lease.receives != 0) return true;  // of an earlier attempt
  const bool enough = spare() >= kLeastLease;
  const std::uint64_t now = now_ns();
  newcomer_ns_ = enough ? 0 : now;
  // Somebody begins to wait; or somebody waited, and not in vain.
  if (enough == (needy_ns_ != 0)) needy_ns_ = now;
  if (!enough) find_receives();
  return enough;
}

/// A peer that used half of its lease before anything was sent back to it talks a lot. A quarter of
/// the pool is kept for those who come later.
void Lending::extend(Endpoint& endpoint) {
  const bool own = endpoint.peer == config_.name;  // is never recalled
  if (!pool_.shared() || endpoint.lease.receives >= config_.max_window || own) return;
  const std::size_t kept = pool_.size() / 4;
  const std::size_t free = spare() - std::min(spare(), kept);
  const auto extra = static_cast<std::uint32_t>(std::min<std::size_t>(
      {endpoint.lease.receives, config_.max_window - endpoint.lease.receives, free / 2}));
  lend(endpoint, extra);
  endpoint.lease.owed += extra;
}

void Lending::return_credits() {
  std::size_t kept = 0;
  for (const EndpointId id : returns_due_) {
    Endpoint& endpoint = endpoints_[id];
    const bool due =
        endpoint.state == State::open &&
        (2 * endpoint.lease.owed >= endpoint.lease.receives || endpoint.lease.wants_more);
    if (due && !endpoint.credit.dry &&
        (endpoint.credit.count == 0 || !work_.spare_room(endpoint))) {
      returns_due_[kept++] = id;
      continue;
    }
    endpoint.lease.return_due = false;
    if (!due) continue;
    if (!endpoint.lease.recalled) extend(endpoint);
    // A message for one credit takes one: two who starve would play ball.
    if (endpoint.lease.owed < 2) continue;
    endpoint.lease.wants_more = false;
    if (endpoint.credit.dry) {
      endpoint.note.said->lent += endpoint.lease.owed;
      endpoint.lease.owed = 0;
      notes_.write(endpoint);
    } else if (messages_.post_control(endpoint, MessageKind::credits)) {
      ++counters_.credit_messages;
    } else {
      endpoint.lease.return_due = true;
      returns_due_[kept++] = id;
    }
  }
  returns_due_.resize(kept);
}

/// What the peer could have sent is promised to nobody, once what it has sent was seen.
void Lending::release(Endpoint& endpoint) {
  if (endpoint.lease.recalled) recalled_ -= endpoint.lease.receives;
  if (pool_.shared()) parked_ += endpoint.lease.receives;
  agenda_.chores = agenda_.chores || parked_ != 0;
  endpoint.lease.receives = endpoint.lease.owed = 0;
  endpoint.lease.recalled = false;
}

/// Asks peers, by turns, for about so many receives. Who has sent something since it was last
/// passed by is spared once.
void Lending::recall(std::size_t wanted) {
  std::size_t coming = 0;
  for (std::size_t step = 0; step < 2 * endpoints_.size() && coming < wanted; ++step) {
    recall_next_ = (recall_next_ + 1) % static_cast<EndpointId>(endpoints_.size());
    Endpoint& endpoint = endpoints_[recall_next_];
    const bool lent =
        endpoint.state == State::open && endpoint.lease.receives != 0 && !endpoint.lease.recalled;
    if (!lent || endpoint.peer == config_.name) continue;
    if (endpoint.lease.lively) {
      endpoint.lease.lively = false;
      continue;
    }
    coming += recall_from(endpoint);
  }
}

/// Returns how many receives will come back: 0 if the peer cannot be told now.
std::size_t Lending::recall_from(Endpoint& endpoint) {
  const bool told =
      endpoint.credit.dry || (endpoint.credit.count != 0 && work_.spare_room(endpoint));
  if (!told) return 0;
  // What is owed need not be given first.
  const std::uint32_t owed = endpoint.lease.owed;
  endpoint.lease.owed = 0;
  if (endpoint.credit.dry) {
    ++endpoint.note.said->recalls;
    notes_.write(endpoint);
  } else if (!messages_.post_control(endpoint, MessageKind::recall)) {
    endpoint.lease.owed = owed;
    return 0;
  }
  if (endpoint.state != State::open) return 0;
  ++counters_.recalls;
  endpoint.lease.recalled = true;
  recalled_ += endpoint.lease.receives;
  const std::size_t coming = endpoint.lease.receives;
  if (owed != 0) take_back(endpoint, owed);
  return coming;
}

void Lending::take_back(Endpoint& endpoint, std::uint32_t receives) {
  endpoint.lease.receives -= receives;
  unleased_ += receives;
  recalled_ -= receives;
  if (needy_ns_ != 0) agenda_.attention = true;
  if (endpoint.lease.receives != 0) return;
  endpoint.lease.recalled = false;
  reader_.listen_to(endpoint);
}

/// Somebody waits for receives: a peer that has no credits, or a new one.
void Lending::find_receives() {
  serve_requests();
  const std::uint64_t now = now_ns();
  constexpr std::uint64_t kNewcomerMs = 1000;
  if (newcomer_ns_ != 0 && now - newcomer_ns_ >= ms(kNewcomerMs)) newcomer_ns_ = 0;
  if (requests_.empty() && newcomer_ns_ == 0) {
    needy_ns_ = 0;
    return;
  }
  const std::size_t wanted = kLeastLease * (requests_.size() + (newcomer_ns_ != 0 ? 1 : 0));
  // Who computes does not answer: after a while others are asked.
  if (now - recall_ns_ >= ms(1)) {
    recall_ns_ = now;
    recall(wanted);
  } else if (recalled_ < wanted) {
    recall(wanted - recalled_);
  }
  if (now - needy_ns_ >= ms(config_.patience_ms)) {
    needy_ns_ = now;
    (void)grow(kGrowth);  // at the limit of the adapter they have to wait
  }
}

/// New credits for those who asked, in their order. The last ones are kept for a new peer.
void Lending::serve_requests() {
  for (std::size_t i = requests_.size(); i != 0; --i) {
    const EndpointId id = requests_.front();
    Endpoint& endpoint = endpoints_[id];
    const std::size_t kept = newcomer_ns_ == 0 ? 0 : kLeastLease;
    if (endpoint.state == State::open && endpoint.lease.receives == 0) {
      if (spare() < kept + kLeastLease) return;
      const std::uint32_t receives = next_window();
      lend(endpoint, receives);
      endpoint.lease.spoke = false;
      endpoint.note.said->lent += receives;
      ++counters_.loans;
      needy_ns_ = now_ns();
      notes_.write(endpoint);
    }
    requests_.pop_front();
    // What it was lent before is still on its way back.
    if (endpoint.state == State::open && endpoint.lease.recalled) requests_.push_back(id);
  }
}

void Lending::reclaim_parked() {
  unleased_ += parked_;
  parked_ = 0;
}

void Lending::on_request(Endpoint& endpoint) {
  requests_.push_back(endpoint.id);
  if (needy_ns_ == 0) needy_ns_ = now_ns();
  agenda_.attention = true;
}

}  // namespace remit::verbs
