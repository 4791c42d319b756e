// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Coroutines that wait for their turn.
#pragma once

#include <coroutine>
#include <cstddef>
#include <vector>

namespace remit {

/// Coroutines that wait for their turn: a ring that only grows, so that queueing allocates nothing
/// in steady state.
class RunQueue {
 public:
  [[nodiscard]] bool empty() const { return head_ == tail_; }
  [[nodiscard]] std::size_t size() const { return tail_ - head_; }
  void push(std::coroutine_handle<> handle) {
    if (size() == ring_.size()) grow();
    ring_[tail_++ & (ring_.size() - 1)] = handle;
  }
  /// Resumes those that wait now, in their order; what becomes ready meanwhile waits for the next
  /// time. Returns how many it resumed. A coroutine that it resumes may call it, too, and so take
  /// over the rest.
  int resume_all();
  /// The queue must not be empty.
  std::coroutine_handle<> pop() { return ring_[head_++ & (ring_.size() - 1)]; }

 private:
  void grow();

  std::vector<std::coroutine_handle<>> ring_;  // its size is zero or a power of two
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

}  // namespace remit
