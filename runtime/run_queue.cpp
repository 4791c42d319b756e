// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Coroutines that wait for their turn: they have it, and the ring grows.
#include "runtime/run_queue.hpp"

#include <algorithm>

namespace remit {

namespace {

constexpr std::size_t kFirstRing = 16;

}  // namespace

int RunQueue::resume_all() {
  int resumed = 0;
  // A resumed coroutine may empty the queue under us.
  for (std::size_t turns = size(); turns != 0 && !empty(); --turns) {
    pop().resume();
    ++resumed;
  }
  return resumed;
}

void RunQueue::grow() {
  std::vector<std::coroutine_handle<>> bigger(std::max(kFirstRing, 2 * ring_.size()));
  const std::size_t count = size();
  for (std::size_t i = 0; i < count; ++i) bigger[i] = ring_[(head_ + i) & (ring_.size() - 1)];
  ring_.swap(bigger);
  head_ = 0;
  tail_ = count;
}

}  // namespace remit
