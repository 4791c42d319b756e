// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Credits of the ofi device.
#include "rdma_btl/ofi/lender.hpp"

#include <algorithm>
#include <limits>

#include "runtime/os/os.hpp"

namespace remit::ofi {

namespace {

/// Peers asked for their credits at a time.
constexpr std::size_t kRecalls = 4;
/// Receives that are added at a time.
constexpr std::size_t kOfiGrowth = 64;

}  // namespace

Lender::Lender(const OfiConfig& config, Endpoints& endpoints, RequestPool& requests, Lines& lines,
               OfiCounters& counters)
    : config_(config),
      endpoints_(endpoints),
      requests_(requests),
      lines_(lines),
      counters_(counters),
      pool_({.first = config.first_window,
             .least = 1,
             .most = std::max(config.first_window, config.max_window),
             .share = 4,
             .answer = 1}) {}

Expected<> Lender::add_receives(std::size_t count) {
  if (Expected<> added = requests_.add_receives(count); !added) return added;
  pool_.grow(count);
  return {};
}

void Lender::join(Endpoint& endpoint) {
  pool_.join(endpoint.lease, endpoint.id);
  clock_.add(endpoint.lease);
}

// --- our receives ------------------------------------------------------------------------------

void Lender::used(Endpoint& endpoint) {
  if (endpoint.state == State::failed || endpoint.state == State::gone) return;
  const bool look = endpoint.lease.used(1);
  if (!needy_.empty() && !endpoint.lease.needy) [[unlikely]] {
    return follow(endpoint, pool_.reclaim_owed(endpoint.lease));
  }
  if (look) follow(endpoint, pool_.settle(endpoint.lease));
}

void Lender::follow(Endpoint& endpoint, Settled settled) {
  switch (settled) {
    case Settled::nothing:
      return;
    case Settled::due:
      return due_.note(endpoint.lease);
    case Settled::came_back:
    case Settled::all_back:
      queue_if_bare(endpoint);
      return serve();
  }
}

/// In turn, so that every peer with something to say gets a receive.
void Lender::queue_if_bare(Endpoint& endpoint) {
  if (endpoint.lease.units == 0 && endpoint.lease.wants_more) {
    needy_.push(endpoint.lease, shm::now_ns());
  }
}

std::uint32_t Lender::take_owed(Endpoint& endpoint) {
  CreditLease& lease = endpoint.lease;
  if (lease.wants_more) {
    const std::size_t step = std::max(lease.units, config_.first_window);
    (void)pool_.extend(lease, std::min(step, pool_.fair_share(needy_.size())));
  }
  return pool_.take_owed(lease);
}

void Lender::put_back(Endpoint& endpoint, std::uint32_t credits) {
  if (credits == 0) return;
  pool_.put_back(endpoint.lease, credits);
  follow(endpoint, pool_.settle(endpoint.lease));
}

void Lender::give(Endpoint& endpoint) {
  const std::uint32_t credits = take_owed(endpoint);
  if (credits == 0) return;
  ++counters_.credit_messages;
  lines_.say(endpoint, LineKind::credits, credits);
}

void Lender::flush() {
  due_.for_each([this](CreditLease& lease) {
    Endpoint& endpoint = endpoints_[lease.id];
    const bool hears = endpoint.state == State::open || endpoint.state == State::opening;
    if (hears && pool_.is_due(lease)) give(endpoint);
    return false;
  });
}

void Lender::on_request(Endpoint& endpoint) {
  pool_.want_more(endpoint.lease);
  if (endpoint.state > State::open) return;
  if (endpoint.lease.owed != 0 || pool_.unleased() != 0) return give(endpoint);
  // What is under way comes back.
  if (endpoint.lease.units != 0 || endpoint.lease.needy) return;
  queue_if_bare(endpoint);
  recall_some();
  serve_queue();
}

void Lender::recall_some() {
  std::size_t looks = 2 * clock_.size();
  for (std::size_t asked = 0; asked < kRecalls;) {
    CreditLease* const lease = clock_.next(looks);
    if (lease == nullptr) return;
    Endpoint& endpoint = endpoints_[lease->id];
    if (endpoint.state != State::open) continue;
    if (pool_.recall(*lease) == 0) {
      queue_if_bare(endpoint);
      continue;
    }
    ++asked;
    ++counters_.recalls;
    lines_.say(endpoint, LineKind::recall, 0);
  }
}

void Lender::serve_queue() {
  while (CreditLease* const lease = needy_.pop(pool_, shm::now_ns())) {
    Endpoint& endpoint = endpoints_[lease->id];
    if (endpoint.state == State::open || endpoint.state == State::opening) give(endpoint);
  }
}

void Lender::serve() {
  serve_queue();
  if (!needy_.waited(shm::now_ns(), ms(config_.patience_ms))) return;
  const std::size_t room =
      config_.most_receive_slots - std::min(config_.most_receive_slots, requests_.receives());
  const std::size_t more = std::min(kOfiGrowth, room);
  if (more == 0) {
    recall_some();
    return serve_queue();
  }
  if (const Expected<> added = add_receives(more); !added) {
    if (config_.log != nullptr) {
      config_.log->write(LogLevel::info, "ofi: no more receives: {}", added.error().message);
    }
    return;
  }
  counters_.grown += more;
  serve_queue();
}

// --- the peer's receives -----------------------------------------------------------------------

void Lender::request_credits(Endpoint& endpoint) {
  ++counters_.starved;
  endpoint.hungry = true;
  if (!endpoint.credits.ask()) return;
  ++counters_.credit_requests;
  lines_.say(endpoint, LineKind::request, 0);
}

/// The peer lends to others. What has waited for a credit keeps one: else it might be called back
/// for ever before it is used.
void Lender::on_recall(Endpoint& endpoint) {
  const std::uint32_t kept = endpoint.hungry ? 1 : 0;
  lines_.say(endpoint, LineKind::give_back, endpoint.credits.give_back(kept));
}

void Lender::hear(Endpoint& endpoint, const LineMessage& message) {
  const auto count = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(message.count, std::numeric_limits<std::uint32_t>::max()));
  switch (message.kind) {
    case LineKind::credits:
      return endpoint.credits.grant(count);
    case LineKind::request:
      return on_request(endpoint);
    case LineKind::recall:
      return on_recall(endpoint);
    case LineKind::give_back:
      follow(endpoint, pool_.answered(endpoint.lease, count));
      return serve();
    case LineKind::goodbye:
      return;
  }
}

}  // namespace remit::ofi
