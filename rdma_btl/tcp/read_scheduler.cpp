// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/tcp/read_scheduler.hpp"

#include <algorithm>
#include <new>

#include "rdma_btl/tcp/endpoint.hpp"

namespace remit::tcp {

namespace {

constexpr unsigned kHotMisses = 256;
constexpr std::uint64_t kRestNs = 600;
/// If so much has come since anything was sent that nobody can be waiting for an answer.
constexpr std::uint64_t kRestInStreamNs = 12000;
constexpr std::size_t kStream = 16;  ///< messages
/// Polls between two looks at all connections: more and more when they are in vain.
constexpr unsigned kShortestPause = 4;
constexpr unsigned kLongestPause = 64;

}  // namespace

void ReadScheduler::warm(Endpoint& endpoint) {
  endpoint.misses = 0;
  if (endpoint.hot) return;
  try {
    hot_.push_back(&endpoint);
    endpoint.hot = true;
  } catch (const std::bad_alloc&) {  // then it is read with all the others
  }
}

std::vector<Endpoint*>& ReadScheduler::take_turns() {
  if (hot_.size() > 1) std::ranges::rotate(hot_, hot_.begin() + 1);
  return hot_;
}

bool ReadScheduler::stays_hot(const Endpoint& endpoint) {
  return endpoint.state == State::open && endpoint.misses < kHotMisses;
}

/// Those that have something are warmed again.
void ReadScheduler::cool() {
  if (few()) return;
  std::erase_if(hot_, [](Endpoint* endpoint) {
    ++endpoint->misses;
    endpoint->hot = stays_hot(*endpoint);
    return !endpoint->hot;
  });
}

void ReadScheduler::polled(std::size_t count, std::uint64_t now_ns) {
  taken_ += count;
  if (count == 0) rest_until_ns_ = now_ns + (taken_ < kStream ? kRestNs : kRestInStreamNs);
}

bool ReadScheduler::look_due(bool eager) {
  if (until_look_ == 0 || eager) return true;
  --until_look_;
  return false;
}

void ReadScheduler::looked(bool found) {
  pause_ = found ? kShortestPause : std::min(2 * pause_, kLongestPause);
  until_look_ = pause_;
}

}  // namespace remit::tcp
