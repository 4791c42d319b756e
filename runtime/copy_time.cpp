// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "runtime/copy_time.hpp"

#include "runtime/clock.hpp"

namespace remit {

namespace {

struct OfThread {
  std::uint64_t ns = 0;
  bool is_timed = false;  ///< a TimedCopy has begun
};
thread_local constinit OfThread of_thread;

}  // namespace

constinit std::atomic<int> CopyTime::wanted_{0};
constinit std::atomic<std::uint64_t> CopyTime::ns_{0};

std::uint64_t CopyTime::of_this_thread() {
  return of_thread.ns;
}

void TimedCopy::begin() {
  if (of_thread.is_timed) return;
  of_thread.is_timed = true;
  began_ns_ = monotonic_ns();
}

void TimedCopy::end() const {
  const auto lasted = static_cast<std::uint64_t>(monotonic_ns() - began_ns_);
  of_thread.is_timed = false;
  of_thread.ns += lasted;
  CopyTime::ns_.fetch_add(lasted, std::memory_order_relaxed);
}

}  // namespace remit
