// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How a process waits for a word that other processes of its host change.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "onesided/one_sided.hpp"
#include "runtime/progress.hpp"
#include "runtime/waiting/word_watch.hpp"

namespace remit {

/// Waits until `test()` says yes: looks for a while, if the process has a core for itself, and does
/// meanwhile what others hand to it, for that may be what it waits for; else yields; then polls and
/// sleeps as Progress::wait() does. `sleepers` belongs to the word: who
/// changes that and sees that somebody may sleep ends the sleep (OneSided::nudge()).
template <class Test>
void wait_for_word(OneSided& manager, std::atomic<std::uint32_t>& sleepers, Test test,
                   const WaitSubject* subject) {
  Progress& progress = manager.progress();
  constexpr int kLooks = 1000;
  constexpr int kLooksPerRest = 8;
  constexpr std::uint32_t kBareYields = 3;
  if (progress.policy().spin) {
    for (int looks = 0; looks < kLooks; ++looks) {
      if (test()) return;
      if (looks % kLooksPerRest != kLooksPerRest - 1) continue;
      manager.serve_delegates();
      cpu_relax();
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
  const WordWatch watch(progress, once, &sleepers);
  progress.wait(once, subject);
}

}  // namespace remit
