// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Coroutines that wait for their turn: the ring grows.
#include "runtime/run_queue.hpp"

#include <algorithm>

namespace remit {

namespace {

constexpr std::size_t kFirstRing = 16;

}  // namespace

void RunQueue::grow() {
  std::vector<std::coroutine_handle<>> bigger(std::max(kFirstRing, 2 * ring_.size()));
  const std::size_t count = size();
  for (std::size_t i = 0; i < count; ++i) bigger[i] = ring_[(head_ + i) & (ring_.size() - 1)];
  ring_.swap(bigger);
  head_ = 0;
  tail_ = count;
}

}  // namespace remit
