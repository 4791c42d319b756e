// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/collective_plan.hpp"

#include <algorithm>
#include <vector>

namespace remit {

namespace {

/// Runs of so many bytes go to a local file system as quickly by themselves.
constexpr std::int64_t kLongRun = 16 << 10;
/// So few runs take less time by themselves than members who wait for each other.
constexpr std::int64_t kFewRuns = 32;
/// A range is looked at as a whole if members have so large a part of it; if a hint asks for that,
/// this part.
constexpr std::int64_t kDenseShare = 4;
constexpr std::int64_t kWishedShare = 64;

/// The members of one host together.
struct HostAccess {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::int64_t bytes = 0;
  std::int64_t runs = 0;
  int members = 0;
  bool may_stage = true;

  void add(const MemberAccess& member) {
    ++members;
    may_stage = may_stage && member.may_stage != 0;
    if (member.bytes == 0) return;
    first = bytes == 0 ? member.first : std::min(first, member.first);
    end = bytes == 0 ? member.end : std::max(end, member.end);
    // Each is below 2^63, but not all of them together.
    if (__builtin_add_overflow(bytes, member.bytes, &bytes)) may_stage = false;
    if (__builtin_add_overflow(runs, member.runs, &runs)) may_stage = false;
  }
};

class Planning {
 public:
  Planning(std::span<const MemberAccess> members, std::uint32_t host) : members_(members) {
    for (const MemberAccess& member : members) {
      if (member.host != host) continue;
      own_.push_back(&member);
      sum_.add(member);
    }
    host_ = host;
  }

  [[nodiscard]] bool is_staged(const StagingLimits& limits) const {
    if (!sum_.may_stage || sum_.members < 2 || sum_.bytes == 0) return false;
    if (limits.wish == HintSwitch::disable || meets_other_host()) return false;
    const bool is_wished = limits.wish == HintSwitch::enable;
    if (!is_dense(is_wished ? kWishedShare : kDenseShare)) return false;
    if (!is_wished && !pays(limits)) return false;
    return limits.kind == FileMove::read || gives_no_byte_twice();
  }
  [[nodiscard]] const HostAccess& sum() const { return sum_; }
  /// If each byte of a period is in the same number of views, and as many bytes as it has are in
  /// all of them together, then that number is 1.
  [[nodiscard]] bool views_fill_period() const {
    std::uint64_t sum = 0;
    std::int64_t bytes = 0;
    std::int64_t period = 0;
    for (const MemberAccess* member : own_) {
      if (member->knows_period == 0) return false;
      if (member->period_bytes == 0) continue;
      if (period != 0 && member->period != period) return false;
      period = member->period;
      sum += member->period_sum;
      if (__builtin_add_overflow(bytes, member->period_bytes, &bytes)) return false;
    }
    return sum == 0 && bytes == period;
  }

 private:
  [[nodiscard]] bool is_dense(std::int64_t share) const {
    return (sum_.end - sum_.first) / share <= sum_.bytes;
  }

  [[nodiscard]] bool pays(const StagingLimits& limits) const {
    if (sum_.runs <= kFewRuns) return false;
    if (limits.is_local && sum_.bytes / sum_.runs >= kLongRun) return false;
    return interleaves();
  }

  /// Whether one member's part of the file begins inside of another one's.
  [[nodiscard]] bool interleaves() const {
    std::vector<FileRun> parts;
    for (const MemberAccess* member : own_) {
      if (member->bytes != 0) parts.push_back({member->first, member->end - member->first});
    }
    std::sort(parts.begin(), parts.end(),
              [](const FileRun& a, const FileRun& b) { return a.offset < b.offset; });
    std::int64_t end = 0;
    for (const FileRun& part : parts) {
      if (part.offset < end) return true;
      end = std::max(end, part.offset + part.length);
    }
    return false;
  }

  /// What another host has in between would be a hole in each slice.
  [[nodiscard]] bool meets_other_host() const {
    return std::any_of(members_.begin(), members_.end(), [&](const MemberAccess& other) {
      return other.host != host_ && other.bytes != 0 && other.first < sum_.end &&
             sum_.first < other.end;
    });
  }

  [[nodiscard]] bool gives_no_byte_twice() const { return fills_range() || views_fill_period(); }

  [[nodiscard]] bool fills_range() const {
    std::uint64_t sum = 0;
    for (const MemberAccess* member : own_) {
      if (member->knows_sum == 0) return false;
      sum += member->sum;
    }
    return sum == BoundarySum::of_range(sum_.first, sum_.end);
  }

  std::span<const MemberAccess> members_;
  std::uint32_t host_ = 0;
  std::vector<const MemberAccess*> own_;
  HostAccess sum_;
};

}  // namespace

std::int64_t CollectivePlan::cycles() const {
  if (!is_staged()) return 0;
  const std::int64_t step = owners * slice;
  return (end - base - 1) / step + 1;
}

FileRun CollectivePlan::window(std::int64_t cycle) const {
  const std::int64_t from = std::max(window_begin(cycle), begin);
  const std::int64_t left = end - window_begin(cycle);
  const std::int64_t to = left <= owners * slice ? end : window_begin(cycle + 1);
  return {from, to - from};
}

FileRun CollectivePlan::slice_of(std::int64_t cycle, int owner) const {
  const std::int64_t below = owner * slice;
  const std::int64_t left = end - window_begin(cycle);
  if (below >= left) return {end, 0};
  const std::int64_t at = window_begin(cycle) + below;
  const std::int64_t from = std::max(at, begin);
  const std::int64_t to = left - below <= slice ? end : at + slice;
  return {from, std::max<std::int64_t>(to - from, 0)};
}

CollectivePlan plan_access(std::span<const MemberAccess> members, std::uint32_t host,
                           const StagingLimits& limits) {
  CollectivePlan plan;
  const Planning planning(members, host);
  plan.views_are_proof = planning.views_fill_period();
  if (!planning.is_staged(limits)) return plan;
  plan.begin = planning.sum().first;
  plan.end = planning.sum().end;
  plan.base = plan.begin / limits.unit * limits.unit;
  // No owner is without work, and none has a part of a unit but at the ends.
  const std::int64_t units = (plan.end - plan.base - 1) / limits.unit + 1;
  plan.owners = static_cast<int>(std::min<std::int64_t>(limits.owners, units));
  const std::int64_t share = (units - 1) / plan.owners + 1;
  plan.slice = std::min(limits.slice / limits.unit, share) * limits.unit;
  return plan;
}

}  // namespace remit
