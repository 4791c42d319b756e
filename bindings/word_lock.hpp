// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A lock of one word, for what is locked at every call.
#pragma once

#include <atomic>
#include <cstdint>

namespace remit {

/// A mutex that costs one atomic instruction to take and one to give up while nobody waits for it:
/// a third of what the functions of pthread_mutex_t do, which look after the kinds that it may be
/// of. Whoever waits sleeps. Not recursive, not fair (U. Drepper, Futexes Are Tricky, 2011, section
/// 5).
class WordLock {
 public:
  WordLock() = default;
  WordLock(const WordLock&) = delete;
  WordLock& operator=(const WordLock&) = delete;

  [[nodiscard]] bool try_lock() {
    std::uint32_t expected = kFree;
    return state_.compare_exchange_strong(expected, kTaken, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  void lock() {
    if (try_lock()) return;
    // Whoever has waited cannot know whether others do, so it takes the lock as if they did.
    while (state_.exchange(kWaitedFor, std::memory_order_acquire) != kFree) {
      state_.wait(kWaitedFor, std::memory_order_relaxed);
    }
  }
  void unlock() {
    if (state_.exchange(kFree, std::memory_order_release) == kWaitedFor) [[unlikely]]
      state_.notify_one();
  }

 private:
  enum State : std::uint32_t { kFree, kTaken, kWaitedFor };

  std::atomic<std::uint32_t> state_ = kFree;
};

}  // namespace remit
