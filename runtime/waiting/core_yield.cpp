// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "runtime/waiting/core_yield.hpp"

#include <sched.h>

#include <cstdint>
#include <ctime>

namespace remit {

void yield_core() {
  // A nap takes some 60 us: a quarter of a microsecond for each yield.
  constexpr std::uint32_t kYieldsPerNap = 256;
  thread_local std::uint32_t yields = 0;
  if (++yields % kYieldsPerNap != 0) {
    ::sched_yield();
    return;
  }
  const timespec nap{0, 1000};
  ::nanosleep(&nap, nullptr);
}

}  // namespace remit
