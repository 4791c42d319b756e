// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How a process waits for a word that other processes of its host change.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/progress.hpp"

namespace remit {

/// Looks at the word whenever the process polls, and says to others, in a word beside it, when the
/// process may sleep: who changes the word and sees that ends the sleep (OneSided::nudge()). A
/// change between a look and the sleep that is not seen ends it by itself, after kLongestSleep.
template <class Test>
class WordWatch final : public ProgressSource {
 public:
  WordWatch(Progress& progress, std::atomic<std::uint32_t>& sleepers, Test& test)
      : progress_(progress), sleepers_(sleepers), test_(test) {
    progress.add(this);
  }
  ~WordWatch() override { progress_.remove(this); }
  WordWatch(const WordWatch&) = delete;
  WordWatch& operator=(const WordWatch&) = delete;

  int progress() override {
    if (told_ || !test_()) return 0;
    told_ = true;  // an event once: who polls beside must not take it for something to do again
    return 1;
  }
  void arm() override { sleepers_.fetch_add(1, std::memory_order_seq_cst); }
  void disarm() override { sleepers_.fetch_sub(1, std::memory_order_relaxed); }
  void wait_fds(std::vector<int>& /*out*/) const override {}
  [[nodiscard]] int max_sleep_ms() const override { return kLongestSleep; }

 private:
  /// Milliseconds. Whoever changes a word by a plain store may miss who is about to sleep.
  static constexpr int kLongestSleep = 1;

  Progress& progress_;
  std::atomic<std::uint32_t>& sleepers_;
  Test& test_;
  bool told_ = false;
};

/// Waits until `test()` says yes: looks for a while, if the process has a core for itself, else
/// yields; then polls and sleeps as Progress::wait() does. `sleepers` belongs to the word.
template <class Test>
void wait_for_word(Progress& progress, std::atomic<std::uint32_t>& sleepers, Test test,
                   const WaitSubject* subject) {
  constexpr int kLooks = 1000;
  constexpr int kLooksPerRest = 8;
  constexpr std::uint32_t kBareYields = 3;
  if (progress.policy().spin) {
    for (int looks = 0; looks < kLooks; ++looks) {
      if (test()) return;
      if (looks % kLooksPerRest == kLooksPerRest - 1) cpu_relax();
    }
  } else {
    for (std::uint32_t yields = 0; yields < std::min(progress.yields_now(), kBareYields);
         ++yields) {
      if (test()) return;
      progress.yield();
    }
  }
  bool done = false;
  auto once = [&] { return done || (done = test()); };
  const WordWatch watch(progress, sleepers, once);
  progress.wait(once, subject);
}

}  // namespace remit
