// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "runtime/core_yield.hpp"

#include <sched.h>

#include <ctime>

namespace remit {

void yield_core(std::uint64_t times) {
  constexpr std::uint64_t kYieldsPerNap = 64;
  if (times % kYieldsPerNap != kYieldsPerNap - 1) {
    ::sched_yield();
    return;
  }
  const timespec nap{0, 1000};
  ::nanosleep(&nap, nullptr);
}

}  // namespace remit
