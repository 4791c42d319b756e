// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The monotonic clock, and time as a dependency, so that a simulation can own it.
#pragma once

#include <chrono>
#include <cstdint>

namespace remit {

/// The one monotonic clock of the project: CLOCK_MONOTONIC, which is never set back, and which all
/// processes of a host share. Timers of asio go by it, too.
using MonotonicClock = std::chrono::steady_clock;
using MonotonicTime = MonotonicClock::time_point;

/// Its time in nanoseconds. Any thread.
[[nodiscard]] inline std::int64_t monotonic_ns() {
  const MonotonicClock::duration now = MonotonicClock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

/// A monotonic clock that is given to who needs one. Thread-safe in the real one; the simulated one
/// belongs to its thread.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Nanoseconds since an arbitrary fixed point.
  [[nodiscard]] virtual std::uint64_t now_ns() const = 0;
};

class SteadyClock final : public Clock {
 public:
  [[nodiscard]] std::uint64_t now_ns() const override {
    return static_cast<std::uint64_t>(monotonic_ns());
  }
};

/// A clock that only moves when told to. One thread.
class VirtualClock final : public Clock {
 public:
  [[nodiscard]] std::uint64_t now_ns() const override { return now_ns_; }
  void advance_to(std::uint64_t ns) {
    if (ns > now_ns_) now_ns_ = ns;
  }

 private:
  std::uint64_t now_ns_ = 0;
};

}  // namespace remit
