// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Words of memory that other processes of the host change, as a source of progress.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/progress.hpp"

namespace remit {

/// Looks at what a wait waits for, by `test()`, whenever the process polls, as long as the watch
/// lives.
template <class Test>
class WordWatch final : public ProgressSource {
 public:
  /// `sleepers` is beside the words, and says to whoever changes them that somebody may sleep: who
  /// sees that ends the sleep. A change between a look and the sleep that is not seen ends it by
  /// itself, after kLongestSleep. Null: something else ends the sleep of who waits for them.
  WordWatch(Progress& progress, Test& test, std::atomic<std::uint32_t>* sleepers)
      : progress_(progress), test_(test), sleepers_(sleepers) {
    progress.sources().add(this);  // which may arm it
  }
  ~WordWatch() override { progress_.sources().remove(this); }
  WordWatch(const WordWatch&) = delete;
  WordWatch& operator=(const WordWatch&) = delete;

  /// An event once: another thread that polls must not take it for something to do again and again,
  /// and never give up the lock that the waiting one needs.
  int progress() override {
    if (told_ || !test_()) return 0;
    told_ = true;
    return 1;
  }
  void arm() override {
    if (sleepers_ != nullptr) sleepers_->fetch_add(1, std::memory_order_seq_cst);
  }
  void disarm() override {
    if (sleepers_ != nullptr) sleepers_->fetch_sub(1, std::memory_order_relaxed);
  }
  void wait_fds(std::vector<int>& /*out*/) const override {}
  [[nodiscard]] int max_sleep_ms() const override {
    return sleepers_ != nullptr ? kLongestSleep : -1;
  }

 private:
  /// Milliseconds. Whoever changes a word by a plain store may miss who is about to sleep.
  static constexpr int kLongestSleep = 1;

  Progress& progress_;
  Test& test_;
  std::atomic<std::uint32_t>* sleepers_;
  bool told_ = false;
};

}  // namespace remit
