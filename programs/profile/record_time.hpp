// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The clocks of records: from the ticks of one to a time that all records of a job share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "programs/profile/record_reader.hpp"
#include "tool/profile/record.hpp"

namespace remit::profiles {

/// From CLOCK_MONOTONIC of a record's host to nanoseconds since the epoch, on one clock for all
/// hosts.
class HostClock {
 public:
  static constexpr std::int64_t kUnknown = -1;

  /// Clocks with one number are the same clock. `epoch_ns`: what mpirun's clock, or without samples
  /// this one, is behind the time since the epoch. `within_ns`: how far off it may be.
  HostClock(int number, std::int64_t epoch_ns, std::int64_t within_ns)
      : number_(number), epoch_ns_(epoch_ns), within_ns_(within_ns) {}
  HostClock(int number, std::int64_t epoch_ns, const ClockReading& first, const ClockReading& last);

  /// From so many moments apart on mpirun's clock the samples tell how fast the clocks drift apart.
  static constexpr std::int64_t kShortestForDriftNs = 1'000'000'000;
  /// How fast they may drift where that is not measured, or beyond the samples.
  static constexpr double kUnknownDrift = 1e-4;
  /// How uneven they may drift between two samples.
  static constexpr double kUnevenDrift = 1e-5;
  /// Is used for times of the host's CLOCK_MONOTONIC from one to another: the farther these are
  /// from the samples, the less is known of the clock.
  void widen_for(std::int64_t begin_ns, std::int64_t end_ns);

  [[nodiscard]] int number() const { return number_; }
  /// kUnknown: nobody has measured it.
  [[nodiscard]] std::int64_t within_ns() const { return within_ns_; }
  [[nodiscard]] std::int64_t realtime_ns(std::int64_t monotonic_ns) const;
  [[nodiscard]] std::int64_t monotonic_ns(std::int64_t realtime_ns) const;

 private:
  int number_;
  std::int64_t epoch_ns_;
  std::int64_t within_ns_;
  std::int64_t at_ns_ = 0;
  std::int64_t ahead_ns_ = 0;
  double drift_ = 0;           // ahead_ns_ grows by so much each nanosecond
  std::int64_t first_ns_ = 0;  // when the samples were taken, on mpirun's clock
  std::int64_t last_ns_ = 0;
};

/// Of each record, in their order. Records of one host share its clock; other hosts' are compared
/// where mpirun has left its samples, else by what they take for the time of day. Numbers of hosts
/// are those of one mpirun: of a folder.
[[nodiscard]] std::vector<HostClock> clocks_of(const Records& records);

/// What the ticks of one record are.
class Timeline {
 public:
  Timeline(const profile::Record& record, const HostClock& clock);

  [[nodiscard]] double seconds(std::uint64_t ticks) const {
    return static_cast<double>(ticks) * ns_per_tick_ * 1e-9;
  }
  /// Since the epoch.
  [[nodiscard]] std::uint64_t realtime_ns(std::uint64_t ticks) const;
  [[nodiscard]] std::uint64_t ticks_at(std::uint64_t realtime_ns) const;
  [[nodiscard]] std::uint64_t first_ticks() const { return first_.ticks; }
  [[nodiscard]] const HostClock& clock() const { return clock_; }

 private:
  profile::ClockPair first_;
  double ns_per_tick_;
  HostClock clock_;
};

}  // namespace remit::profiles
