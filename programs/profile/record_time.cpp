// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "programs/profile/record_time.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

namespace remit::profiles {
namespace {

// What a record's host takes for the time of day, less its CLOCK_MONOTONIC.
std::int64_t own_epoch_ns(const profile::Record& record) {
  return static_cast<std::int64_t>(record.realtime_ns) -
         static_cast<std::int64_t>(record.first.monotonic_ns);
}

}  // namespace

HostClock::HostClock(int number, std::int64_t epoch_ns, const ClockReading& first,
                     const ClockReading& last)
    : number_(number), epoch_ns_(epoch_ns), first_ns_(first.at_ns), last_ns_(last.at_ns) {
  const ClockReading& better = last.within_ns < first.within_ns ? last : first;
  at_ns_ = better.at_ns;
  ahead_ns_ = better.ahead_ns;
  within_ns_ = better.within_ns;
  const std::int64_t apart = last.at_ns - first.at_ns;
  if (apart < kShortestForDriftNs) return;
  drift_ = static_cast<double>(last.ahead_ns - first.ahead_ns) / static_cast<double>(apart);
  within_ns_ = std::max(first.within_ns, last.within_ns);
}

void HostClock::widen_for(std::int64_t begin_ns, std::int64_t end_ns) {
  if (within_ns_ == kUnknown) return;
  const std::int64_t begin = realtime_ns(begin_ns) - epoch_ns_;  // on mpirun's clock
  const std::int64_t end = realtime_ns(end_ns) - epoch_ns_;
  const std::int64_t beyond = std::max({first_ns_ - begin, end - last_ns_, std::int64_t{0}});
  // The moment between the samples that is the farthest from both.
  const std::int64_t middle = std::clamp(first_ns_ + (last_ns_ - first_ns_) / 2, begin, end);
  const std::int64_t between = std::min(middle - first_ns_, last_ns_ - middle);
  const double wrong = std::max(static_cast<double>(beyond) * kUnknownDrift,
                                static_cast<double>(between) * kUnevenDrift);
  within_ns_ += std::llround(wrong);
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

namespace {

using NodeKey = std::pair<std::string, int>;  // folder, and number of the host there

std::string host_of(const profile::Record& record) {
  return {record.host.data(), ::strnlen(record.host.data(), record.host.size())};
}

// When the records of each measured host began and ended, on its clock.
std::map<NodeKey, std::pair<std::int64_t, std::int64_t>> spans_of(const Records& records) {
  std::map<NodeKey, std::pair<std::int64_t, std::int64_t>> spans;
  for (std::size_t i = 0; i < records.all.size(); ++i) {
    const MeasuredClock* const measured = records.clock_of(i);
    if (measured == nullptr) continue;
    const auto begin = static_cast<std::int64_t>(records.all[i]->first.monotonic_ns);
    const auto end = static_cast<std::int64_t>(records.all[i]->last.monotonic_ns);
    const auto [place, is_new] =
        spans.try_emplace({records.folder_of(i), measured->node}, begin, end);
    if (is_new) continue;
    place->second.first = std::min(place->second.first, begin);
    place->second.second = std::max(place->second.second, end);
  }
  return spans;
}

}  // namespace

std::vector<HostClock> clocks_of(const Records& records) {
  const auto spans = spans_of(records);
  int number = 0;
  // Records that nobody has measured are those of mpirun's own host, or of hosts that did not
  // answer: their names tell.
  std::map<std::string, HostClock> by_host;
  for (const auto& [folder, main] : records.main_clocks) {
    const auto [place, is_new] = by_host.try_emplace(main.host, number, main.epoch_ns, 0);
    if (is_new) ++number;
  }
  std::map<NodeKey, HostClock> by_node;
  std::vector<HostClock> clocks;
  for (std::size_t i = 0; i < records.all.size(); ++i) {
    const profile::Record& record = *records.all[i];
    const std::string folder = records.folder_of(i);
    const MeasuredClock* const measured = records.clock_of(i);
    const auto main = records.main_clocks.find(folder);
    if (measured != nullptr && main != records.main_clocks.end()) {
      const NodeKey key{folder, measured->node};
      auto place = by_node.find(key);
      if (place == by_node.end()) {
        HostClock made(number++, main->second.epoch_ns, measured->first, measured->last);
        made.widen_for(spans.at(key).first, spans.at(key).second);
        place = by_node.emplace(key, made).first;
      }
      clocks.push_back(place->second);
      continue;
    }
    const auto [place, is_new] = by_host.try_emplace(host_of(record), number, own_epoch_ns(record),
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
