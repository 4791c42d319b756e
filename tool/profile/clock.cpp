// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which clock, and how fast it ticks.
#include "tool/profile/clock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace remit::profile {

bool clock_uses_tsc = false;

namespace {

// The kernel says so of a counter that neither frequency nor sleep of a processor changes. The
// flags of the first processor are in the first kilobytes.
bool counter_is_steady() {
  std::array<char, 8192> text{};
  const int fd = ::open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::size_t have = 0;
  while (have + 1 < text.size()) {
    const ssize_t got = ::read(fd, text.data() + have, text.size() - 1 - have);
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  ::close(fd);
  return std::strstr(text.data(), " constant_tsc") != nullptr &&
         std::strstr(text.data(), " nonstop_tsc") != nullptr;
}

// Where reading the counter traps to a hypervisor or an emulator, the kernel's clock is the quicker
// one.
bool counter_is_quick() {
  constexpr int kReadings = 64;
  constexpr std::uint64_t kMostNs = 60;  // of one
  std::uint64_t least = ~std::uint64_t{0};
  for (int round = 0; round < 4; ++round) {
    const std::uint64_t begin = monotonic_ns();
    for (int i = 0; i < kReadings; ++i) (void)ticks();
    const std::uint64_t took = monotonic_ns() - begin;
    if (took < least) least = took;
  }
  return least < kMostNs * kReadings;
}

}  // namespace

void choose_clock() {
#if defined(__x86_64__)
  if (!counter_is_steady()) return;
  clock_uses_tsc = true;
  clock_uses_tsc = counter_is_quick();
#endif
}

ClockPair read_clock_pair() {
  ClockPair best{};
  std::uint64_t least = ~std::uint64_t{0};
  for (int round = 0; round < 5; ++round) {
    const std::uint64_t before = ticks();
    const std::uint64_t ns = monotonic_ns();
    const std::uint64_t after = ticks();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + (after - before) / 2, ns};
  }
  return best;
}

}  // namespace remit::profile
