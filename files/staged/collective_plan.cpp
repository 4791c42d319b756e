// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged/collective_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

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

using Members = std::span<const MemberAccess* const>;

/// Whether any of the parts of a file begins inside of another one. Changes their order.
bool any_meet(std::vector<FileRun>& parts) {
  std::sort(parts.begin(), parts.end(),
            [](const FileRun& a, const FileRun& b) { return a.offset < b.offset; });
  std::int64_t end = 0;
  for (const FileRun& part : parts) {
    if (part.offset < end) return true;
    end = std::max(end, part.offset + part.length);
  }
  return false;
}

/// Members who would stage together.
class StagingGroup {
 public:
  /// Room for as many parts as there are members.
  StagingGroup(Members members, std::vector<FileRun>& room) : members_(members), room_(room) {
    for (const MemberAccess* member : members) add(*member);
  }

  /// Where its members' data are; nothing, perhaps.
  [[nodiscard]] FileRun range() const { return {first_, end_ - first_}; }
  [[nodiscard]] bool meets(const StagingGroup& other) const {
    return bytes_ != 0 && other.bytes_ != 0 && other.first_ < end_ && first_ < other.end_;
  }

  /// `needs_proof`: that writes of the members give no byte twice.
  [[nodiscard]] bool is_staged(const StagingLimits& limits, bool needs_proof) const {
    if (!may_stage_ || bytes_ == 0 || limits.wish == HintSwitch::disable) return false;
    const bool is_wished = limits.wish == HintSwitch::enable;
    if (!is_dense(is_wished ? kWishedShare : kDenseShare)) return false;
    if (!is_wished && !pays(limits)) return false;
    return limits.kind == FileMove::read || !needs_proof || fills_range() || views_fill_period();
  }
  [[nodiscard]] std::size_t members() const { return members_.size(); }
  [[nodiscard]] bool views_fill_period() const;

 private:
  void add(const MemberAccess& member);
  [[nodiscard]] bool is_dense(std::int64_t share) const {
    return (end_ - first_) / share <= bytes_;
  }
  [[nodiscard]] bool pays(const StagingLimits& limits) const {
    if (runs_ <= kFewRuns) return false;
    if (limits.is_local && (is_mapped_ || bytes_ / runs_ >= kLongRun)) return false;
    return interleaves();
  }
  [[nodiscard]] bool interleaves() const;
  [[nodiscard]] bool fills_range() const;

  Members members_;
  std::vector<FileRun>& room_;
  std::int64_t first_ = 0;
  std::int64_t end_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t runs_ = 0;
  bool may_stage_ = true;
  bool is_mapped_ = true;  ///< the memory of the file is what they all share
};

void StagingGroup::add(const MemberAccess& member) {
  may_stage_ = may_stage_ && member.may_stage != 0;
  if (member.bytes == 0) return;
  is_mapped_ = is_mapped_ && member.is_mapped != 0;
  first_ = bytes_ == 0 ? member.first : std::min(first_, member.first);
  end_ = bytes_ == 0 ? member.end : std::max(end_, member.end);
  // Each is below 2^63, but not all of them together.
  if (__builtin_add_overflow(bytes_, member.bytes, &bytes_)) may_stage_ = false;
  if (__builtin_add_overflow(runs_, member.runs, &runs_)) may_stage_ = false;
}

/// If each byte of a period is in the same number of views, and as many bytes as it has are in all
/// of them together, then that number is 1.
bool StagingGroup::views_fill_period() const {
  std::uint64_t sum = 0;
  std::int64_t bytes = 0;
  std::int64_t period = 0;
  for (const MemberAccess* member : members_) {
    if (member->knows_period == 0) return false;
    if (member->period_bytes == 0) continue;
    if (period != 0 && member->period != period) return false;
    period = member->period;
    sum += member->period_sum;
    if (__builtin_add_overflow(bytes, member->period_bytes, &bytes)) return false;
  }
  return sum == 0 && bytes == period;
}

bool StagingGroup::interleaves() const {
  room_.clear();
  for (const MemberAccess* member : members_) {
    if (member->bytes != 0) room_.push_back({member->first, member->end - member->first});
  }
  return any_meet(room_);
}

bool StagingGroup::fills_range() const {
  std::uint64_t sum = 0;
  for (const MemberAccess* member : members_) {
    if (member->knows_sum == 0) return false;
    sum += member->sum;
  }
  return sum == BoundarySum::of_range(first_, end_);
}

/// Members in the order of their hosts' names, and of their ranks within a host.
Members in_order_of_hosts(std::span<const MemberAccess> members, PlanRoom& room) {
  room.order.clear();
  for (const MemberAccess& member : members) room.order.push_back(&member);
  std::sort(room.order.begin(), room.order.end(), [](const auto* a, const auto* b) {
    return std::tie(a->host, a) < std::tie(b->host, b);
  });
  return room.order;
}

/// The members of the host of the first one.
Members first_host(Members ordered) {
  const auto other = std::find_if(ordered.begin(), ordered.end(), [&](const MemberAccess* member) {
    return member->host != ordered.front()->host;
  });
  return ordered.first(static_cast<std::size_t>(other - ordered.begin()));
}

template <class Each>
void for_each_host(Members ordered, Each each) {
  while (!ordered.empty()) {
    const Members host = first_host(ordered);
    each(host);
    ordered = ordered.subspan(host.size());
  }
}

/// What a host has between others' parts would be a hole in each slice of theirs.
bool any_hosts_meet(Members ordered, PlanRoom& room) {
  room.parts.clear();
  for_each_host(ordered, [&](Members host) {
    const FileRun range = StagingGroup(host, room.parts).range();
    if (range.length != 0) room.parts.push_back(range);
  });
  return any_meet(room.parts);
}

bool meets_other(Members ordered, Members own, PlanRoom& room) {
  const StagingGroup group(own, room.parts);
  bool any = false;
  for_each_host(ordered, [&](Members host) {
    const bool is_other = host.data() != own.data();
    any = any || (is_other && group.meets(StagingGroup(host, room.parts)));
  });
  return any;
}

/// Slices of a range: no owner is without work, and none has a part of a unit but at the ends.
void cut_slices(const StagingGroup& group, const SliceLimits& limits, CollectivePlan& plan) {
  plan.begin = group.range().offset;
  plan.end = plan.begin + group.range().length;
  plan.base = plan.begin / limits.unit * limits.unit;
  const std::int64_t units = (plan.end - plan.base - 1) / limits.unit + 1;
  plan.owners = static_cast<int>(std::min<std::int64_t>(limits.owners, units));
  const std::int64_t share = (units - 1) / plan.owners + 1;
  plan.slice = std::min(limits.slice / limits.unit, share) * limits.unit;
}

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
                           const StagingLimits& limits, PlanRoom& room) {
  CollectivePlan plan;
  const Members ordered = in_order_of_hosts(members, room);
  if (limits.of_all.owners > 0 && any_hosts_meet(ordered, room)) {
    const StagingGroup all(ordered, room.parts);
    plan.views_are_proof = all.views_fill_period();
    if (all.is_staged(limits, limits.is_local)) {
      plan.spans_hosts = true;
      cut_slices(all, limits.of_all, plan);
      return plan;
    }
  }
  Members own;
  for_each_host(ordered, [&](Members each) {
    if (each.front()->host == host) own = each;
  });
  const StagingGroup group(own, room.parts);
  plan.views_are_proof = plan.views_are_proof || group.views_fill_period();
  if (group.members() < 2 || meets_other(ordered, own, room) || !group.is_staged(limits, true)) {
    return plan;
  }
  cut_slices(group, limits.of_host, plan);
  return plan;
}

}  // namespace remit
