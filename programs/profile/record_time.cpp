// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "programs/profile/record_time.hpp"

#include <cmath>
#include <cstring>
#include <map>
#include <optional>

namespace remit::profiles {
namespace {

constexpr double kShortestForDrift = 1e9;  // nanoseconds between two samples

// What a record's host takes for the time of day, less its CLOCK_MONOTONIC.
std::int64_t own_epoch_ns(const profile::Record& record) {
  return static_cast<std::int64_t>(record.realtime_ns) -
         static_cast<std::int64_t>(record.first.monotonic_ns);
}

}  // namespace

HostClock::HostClock(int number, std::int64_t epoch_ns, const ClockReading& first,
                     const ClockReading& last)
    : number_(number), epoch_ns_(epoch_ns) {
  const double apart = static_cast<double>(last.at_ns - first.at_ns);
  const ClockReading& better = last.within_ns < first.within_ns ? last : first;
  at_ns_ = better.at_ns;
  ahead_ns_ = better.ahead_ns;
  within_ns_ = better.within_ns;
  if (apart < kShortestForDrift) return;
  drift_ = static_cast<double>(last.ahead_ns - first.ahead_ns) / apart;
  within_ns_ = std::max(first.within_ns, last.within_ns);
}

std::int64_t HostClock::realtime_ns(std::int64_t monotonic_ns) const {
  // on mpirun's clock: m = monotonic - ahead - drift (m - at)
  const double since = static_cast<double>(monotonic_ns - ahead_ns_ - at_ns_) / (1 + drift_);
  return at_ns_ + std::llround(since) + epoch_ns_;
}

std::int64_t HostClock::monotonic_ns(std::int64_t realtime_ns) const {
  const double since = static_cast<double>(realtime_ns - epoch_ns_ - at_ns_);
  return at_ns_ + ahead_ns_ + std::llround(since * (1 + drift_));
}

std::vector<HostClock> clocks_of(const Records& records) {
  // mpirun's own clock: that of a record which did not come from another host.
  std::optional<std::int64_t> main_epoch;
  for (std::size_t i = 0; i < records.all.size() && !main_epoch; ++i) {
    if (!records.clock_of(i)) main_epoch = own_epoch_ns(*records.all[i]);
  }
  std::map<std::string, HostClock> by_host;
  std::map<int, HostClock> by_node;
  std::vector<HostClock> clocks;
  int number = 0;
  for (std::size_t i = 0; i < records.all.size(); ++i) {
    const profile::Record& record = *records.all[i];
    const std::string host(record.host.data(), ::strnlen(record.host.data(), record.host.size()));
    if (const MeasuredClock* const measured = records.clock_of(i)) {
      const auto place = by_node.find(measured->node);
      if (place != by_node.end()) {
        clocks.push_back(place->second);
        continue;
      }
      HostClock made(number, 0, measured->first, measured->last);
      const auto monotonic = static_cast<std::int64_t>(record.first.monotonic_ns);
      const std::int64_t own =
          static_cast<std::int64_t>(record.realtime_ns) - made.realtime_ns(monotonic);
      if (!main_epoch) main_epoch = own;
      made = HostClock(number++, *main_epoch, measured->first, measured->last);
      clocks.push_back(by_node.emplace(measured->node, made).first->second);
      continue;
    }
    const auto [place, is_new] = by_host.try_emplace(host, number, own_epoch_ns(record),
                                                     by_host.empty() ? 0 : HostClock::kUnknown);
    if (is_new) ++number;
    clocks.push_back(place->second);
  }
  return clocks;
}

Timeline::Timeline(const profile::Record& record, const HostClock& clock)
    : first_(record.first),
      ns_per_tick_(static_cast<double>(record.last.monotonic_ns - record.first.monotonic_ns) /
                   static_cast<double>(record.last.ticks - record.first.ticks)),
      clock_(clock) {}

std::uint64_t Timeline::realtime_ns(std::uint64_t ticks) const {
  const std::uint64_t since = ticks - std::min(ticks, first_.ticks);
  const std::int64_t monotonic = static_cast<std::int64_t>(first_.monotonic_ns) +
                                 std::llround(static_cast<double>(since) * ns_per_tick_);
  return static_cast<std::uint64_t>(clock_.realtime_ns(monotonic));
}

std::uint64_t Timeline::ticks_at(std::uint64_t realtime_ns) const {
  const std::int64_t since = clock_.monotonic_ns(static_cast<std::int64_t>(realtime_ns)) -
                             static_cast<std::int64_t>(first_.monotonic_ns);
  if (since <= 0) return first_.ticks;
  return first_.ticks + static_cast<std::uint64_t>(static_cast<double>(since) / ns_per_tick_);
}

}  // namespace remit::profiles
