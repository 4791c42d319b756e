// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The ofi device: receives, leased to peers.
//
// lease = credits of the peer + what it has under way + owed. The sum of all leases and what is not
// leased are the receives of the process. A sender that uses its last credit says so with that
// message, or, having none, by its line; then it gets more, as long as there are. When there are
// none, peers are asked for theirs; those that hold them and compute do not answer, so after a
// while there are new receives, up to a limit.
#include <algorithm>

#include "rdma_btl/ofi/endpoint.hpp"

namespace remit {

namespace {

/// Peers asked for their credits at a time.
constexpr std::size_t kRecalls = 4;
constexpr std::size_t kOfiGrowth = 64;

}  // namespace

void OfiDevice::lend_first(Endpoint& endpoint) {
  if (endpoint.lease != 0) return;
  const std::size_t fair = std::clamp<std::size_t>(unleased_ / 4, 1, config_.first_window);
  endpoint.first_lease = static_cast<std::uint32_t>(std::min(fair, unleased_));
  endpoint.lease = endpoint.first_lease;
  unleased_ -= endpoint.lease;
}

/// A receive that the peer has used is free again.
void OfiDevice::owe(Endpoint& endpoint) {
  if (endpoint.state == State::failed || endpoint.state == State::gone) return;
  if (endpoint.lease == 0) return;  // its lease was released meanwhile
  if (!needy_.empty() && !endpoint.needy) {
    --endpoint.lease;
    ++unleased_;
    if (endpoint.wants_more) queue_up(endpoint);
    return serve_needy();
  }
  ++endpoint.owed;
  if (2 * endpoint.owed >= endpoint.lease || endpoint.wants_more) note_due(endpoint);
}

/// In turn, so that every peer with something to say gets a receive.
void OfiDevice::queue_up(Endpoint& endpoint) {
  if (endpoint.needy) return;
  endpoint.needy = true;
  if (needy_.empty()) needy_since_ns_ = shm::now_ns();
  needy_.push_back(endpoint.id);
}

void OfiDevice::note_due(Endpoint& endpoint) {
  if (endpoint.credit_due) return;
  endpoint.credit_due = true;
  credit_due_.push_back(endpoint.id);
}

/// What take_owed() gave to a message that did not leave.
void OfiDevice::put_back(Endpoint& endpoint, std::uint32_t credits) {
  if (credits == 0 || endpoint.state == State::failed) return;
  endpoint.owed += credits;
  endpoint.wants_more = true;
  note_due(endpoint);
}

/// The credits that a message to the peer carries.
std::uint32_t OfiDevice::take_owed(Endpoint& endpoint) {
  constexpr std::uint32_t kMost = 0xffff;
  if (endpoint.wants_more) {
    const std::size_t room = config_.max_window - std::min(config_.max_window, endpoint.lease);
    const std::size_t fair = (unleased_ + needy_.size()) / (needy_.size() + 1);
    const std::size_t step = std::max<std::size_t>(endpoint.lease, config_.first_window);
    const auto more = static_cast<std::uint32_t>(std::min({room, step, fair, unleased_}));
    endpoint.lease += more;
    endpoint.owed += more;
    unleased_ -= more;
  }
  const std::uint32_t credits = std::min(endpoint.owed, kMost);
  endpoint.owed -= credits;
  if (credits != 0) endpoint.wants_more = false;
  return credits;
}

void OfiDevice::give(Endpoint& endpoint) {
  const std::uint32_t credits = take_owed(endpoint);
  if (credits == 0) return;
  ++counters_.credit_messages;
  say(endpoint, ofi::LineKind::credits, credits);
}

/// What no message has carried.
void OfiDevice::flush_credits() {
  std::vector<EndpointId> due;
  due.swap(credit_due_);
  for (const EndpointId id : due) {
    Endpoint& endpoint = *endpoints_[id];
    endpoint.credit_due = false;
    if (endpoint.state != State::open && endpoint.state != State::opening) continue;
    if (endpoint.wants_more || 2 * endpoint.owed >= endpoint.lease) give(endpoint);
  }
}

/// The peer is told once that there is no credit left.
void OfiDevice::wish(Endpoint& endpoint) {
  ++counters_.starved;
  endpoint.hungry = true;
  if (endpoint.asked) return;
  endpoint.asked = true;
  ++counters_.wishes;
  say(endpoint, ofi::LineKind::wish, 0);
}

void OfiDevice::on_credits(Endpoint& endpoint, std::uint64_t count) {
  endpoint.credits += static_cast<std::uint32_t>(count);
  if (count != 0) endpoint.asked = false;
}

void OfiDevice::on_wish(Endpoint& endpoint) {
  endpoint.wants_more = true;
  if (endpoint.state > State::open) return;
  if (endpoint.owed != 0 || unleased_ != 0) return give(endpoint);
  if (endpoint.lease != 0 || endpoint.needy) return;  // what is under way comes back
  queue_up(endpoint);
  recall_some();
}

/// The peer lends to others. What has waited for a credit keeps one: else it might be called back
/// for ever before it is used.
void OfiDevice::on_recall(Endpoint& endpoint) {
  const std::uint32_t kept = endpoint.hungry && endpoint.credits != 0 ? 1 : 0;
  const std::uint32_t back = endpoint.credits - kept;
  endpoint.credits = kept;
  say(endpoint, ofi::LineKind::give_back, back);
}

void OfiDevice::on_give_back(Endpoint& endpoint, std::uint64_t count) {
  endpoint.recalled = false;
  const auto back = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, endpoint.lease));
  endpoint.lease -= back;
  unleased_ += back;
  serve_needy();
}

/// In turn.
void OfiDevice::recall_some() {
  std::size_t asked = 0;
  for (std::size_t i = 0; i < endpoints_.size() && asked < kRecalls; ++i) {
    next_recall_ = (next_recall_ + 1) % endpoints_.size();
    Endpoint& endpoint = *endpoints_[next_recall_];
    if (endpoint.state != State::open || endpoint.recalled || endpoint.needy ||
        endpoint.wants_more || endpoint.lease == 0) {
      continue;
    }
    // What is owed needs no asking.
    endpoint.lease -= endpoint.owed;
    unleased_ += endpoint.owed;
    endpoint.owed = 0;
    endpoint.recalled = true;
    ++asked;
    ++counters_.recalls;
    say(endpoint, ofi::LineKind::recall, 0);
  }
}

void OfiDevice::serve_needy() {
  while (!needy_.empty() && unleased_ != 0) {
    Endpoint& endpoint = *endpoints_[needy_.front()];
    needy_.pop_front();
    endpoint.needy = false;
    if (endpoint.state == State::open || endpoint.state == State::opening) give(endpoint);
    needy_since_ns_ = shm::now_ns();
  }
  if (needy_.empty() || shm::now_ns() < needy_since_ns_ + ofi::ms(config_.patience_ms)) return;
  needy_since_ns_ = shm::now_ns();
  const std::size_t room = config_.most_receive_slots - receive_slots_;
  const std::size_t more = std::min(kOfiGrowth, room);
  if (more == 0) return recall_some();
  if (const Expected<> added = add_buffers(more, true); !added) {
    return log(LogLevel::info, "ofi: no more receives: {}", added.error().message);
  }
  counters_.grown += more;
  serve_needy();
}

/// Of a peer that is gone. What it has under way finds a receive all the same, or nobody misses it.
void OfiDevice::release_lease(Endpoint& endpoint) {
  unleased_ += endpoint.lease;
  endpoint.lease = endpoint.owed = 0;
  endpoint.wants_more = false;
}

}  // namespace remit
