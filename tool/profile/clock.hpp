// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The recorder's clock: the processor's time stamp counter where it runs at one speed and is quick
// to read, else CLOCK_MONOTONIC.
#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "tool/profile/record.hpp"

namespace remit::profile {

/// Whether ticks() reads the counter. Set once, before the first reading.
extern bool clock_uses_tsc;

[[nodiscard]] inline std::uint64_t monotonic_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

/// Now, in units of this clock.
[[nodiscard]] inline std::uint64_t ticks() {
#if defined(__x86_64__)
  if (clock_uses_tsc) [[likely]] {
    return __rdtsc();
  }
#endif
  return monotonic_ns();
}

/// Chooses the clock.
void choose_clock();

/// The same moment on both clocks, as close as can be.
[[nodiscard]] ClockPair read_clock_pair();

}  // namespace remit::profile
