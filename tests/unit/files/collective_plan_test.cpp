// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Plans of collective accesses: random members against a model of the file, byte by byte.
#include "files/staged/collective_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

using Random = std::mt19937_64;

std::int64_t number_in(Random& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

/// Which member has each byte of a file, or how many have.
using Owners = std::vector<int>;
constexpr int kNobody = -1;

/// What a member says of the bytes that it has.
MemberAccess summary_of(const Owners& owners, int member) {
  MemberAccess said;
  BoundarySum sum;
  const auto bytes = static_cast<std::int64_t>(owners.size());
  const auto has = [&](std::int64_t at) { return owners[static_cast<std::size_t>(at)] == member; };
  for (std::int64_t at = 0; at < bytes;) {
    if (!has(at)) {
      ++at;
      continue;
    }
    std::int64_t end = at;
    while (end < bytes && has(end)) ++end;
    if (said.bytes == 0) said.first = at;
    said.bytes += end - at;
    said.end = end;
    ++said.runs;
    sum.add({at, end - at});
    at = end;
  }
  said.sum = sum.value();
  said.knows_sum = 1;
  said.may_stage = 1;
  return said;
}

std::vector<MemberAccess> summaries_of(const Owners& owners, int members) {
  std::vector<MemberAccess> all;
  for (int member = 0; member < members; ++member) all.push_back(summary_of(owners, member));
  return all;
}

CollectivePlan plan_of(std::span<const MemberAccess> members, std::uint32_t host,
                       const StagingLimits& limits) {
  PlanRoom room(members.size());
  return plan_access(members, host, limits, room);
}

/// Blocks of members in turn, all of the file.
Owners dealt(std::int64_t begin, std::int64_t block, std::int64_t blocks, int members) {
  Owners owners(static_cast<std::size_t>(begin), kNobody);
  for (std::int64_t i = 0; i < blocks; ++i) {
    owners.insert(owners.end(), static_cast<std::size_t>(block), static_cast<int>(i % members));
  }
  return owners;
}

StagingLimits writing(std::int64_t unit = 4096, std::int64_t slice = 16384, int owners = 2) {
  StagingLimits limits;
  limits.kind = FileMove::write;
  limits.of_host = {unit, slice, owners};
  return limits;
}
StagingLimits reading() {
  StagingLimits limits = writing();
  limits.kind = FileMove::read;
  return limits;
}
StagingLimits with(StagingLimits limits, HintSwitch wish) {
  limits.wish = wish;
  return limits;
}

TEST(BoundarySum, RunsInAnyOrderHaveTheSumOfTheirRange) {
  Random random(test_seed());
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> cuts;
    const std::int64_t begin = number_in(random, 0, std::int64_t{1} << 60);
    cuts.push_back(begin);
    for (int i = 0; i < 20; ++i) cuts.push_back(cuts.back() + number_in(random, 1, 1000));
    std::vector<FileRun> runs;
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      runs.push_back({cuts[i - 1], cuts[i] - cuts[i - 1]});
    }
    std::shuffle(runs.begin(), runs.end(), random);
    BoundarySum sum;
    for (const FileRun& run : runs) sum.add(run);
    EXPECT_EQ(sum.value(), BoundarySum::of_range(begin, cuts.back()));
    // One that is missing, and another one twice, of the same length perhaps.
    sum.add(runs[0]);
    EXPECT_NE(sum.value(), BoundarySum::of_range(begin, cuts.back()));
    BoundarySum other;
    for (std::size_t i = 1; i < runs.size(); ++i) other.add(runs[i]);
    other.add(runs[1]);
    EXPECT_NE(other.value(), BoundarySum::of_range(begin, cuts.back()));
  }
}

TEST(CollectivePlan, SmallBlocksInTurnAreStaged) {
  const Owners owners = dealt(100, 64, 4000, 4);
  const auto all = summaries_of(owners, 4);
  EXPECT_TRUE(plan_of(all, 0, writing()).is_staged());
  EXPECT_TRUE(plan_of(all, 0, reading()).is_staged());
  EXPECT_FALSE(plan_of(all, 0, with(writing(), HintSwitch::disable)).is_staged());
}

TEST(CollectivePlan, LongBlocksGoStraightToALocalFile) {
  const Owners owners = dealt(0, 32768, 60, 2);
  const auto all = summaries_of(owners, 2);
  EXPECT_FALSE(plan_of(all, 0, writing()).is_staged());
  EXPECT_TRUE(plan_of(all, 0, with(writing(), HintSwitch::enable)).is_staged());
  StagingLimits remote = writing();
  remote.is_local = false;
  EXPECT_TRUE(plan_of(all, 0, remote).is_staged());
}

TEST(CollectivePlan, FewBlocksAndSeparatePartsGoStraight) {
  const auto few = summaries_of(dealt(0, 64, 20, 2), 2);
  EXPECT_FALSE(plan_of(few, 0, writing()).is_staged());
  Owners halves = dealt(0, 64, 400, 1);
  std::fill(halves.begin() + static_cast<std::ptrdiff_t>(halves.size() / 2), halves.end(), 1);
  auto separate = summaries_of(halves, 2);
  for (MemberAccess& member : separate) member.runs = 200;
  EXPECT_FALSE(plan_of(separate, 0, writing()).is_staged());
  EXPECT_TRUE(plan_of(separate, 0, with(writing(), HintSwitch::enable)).is_staged());
}

/// A byte that nobody gives, or two give: writes go straight.
TEST(CollectivePlan, WritesNeedAProof) {
  Owners owners = dealt(0, 64, 4000, 4);
  auto all = summaries_of(owners, 4);
  all[2].knows_sum = 0;
  EXPECT_FALSE(plan_of(all, 0, writing()).is_staged());
  EXPECT_TRUE(plan_of(all, 0, reading()).is_staged());
  owners[5000] = kNobody;
  const auto holey = summaries_of(owners, 4);
  EXPECT_FALSE(plan_of(holey, 0, with(writing(), HintSwitch::enable)).is_staged());
  // As many bytes as the range has, but one twice.
  auto twice = summaries_of(owners, 4);
  BoundarySum one;
  one.add({4999, 1});
  twice[0].sum += one.value();
  twice[0].bytes += 1;
  EXPECT_FALSE(plan_of(twice, 0, writing()).is_staged());
}

/// Views that deal a period out among each other, of which an access may have any part.
TEST(CollectivePlan, ViewsThatFillTheirPeriodAreProofEnough) {
  Owners owners = dealt(0, 64, 4000, 4);
  for (std::size_t at = 0; at < owners.size(); ++at) {
    if (owners[at] == 3) owners[at] = kNobody;
  }
  auto all = summaries_of(owners, 4);
  const Owners period = dealt(0, 64, 4, 4);
  for (int member = 0; member < 4; ++member) {
    MemberAccess& said = all[static_cast<std::size_t>(member)];
    BoundarySum sum;
    sum.add({member * 64, member == 3 ? -member * 64 : 64});  // 256 is 0 on the circle
    said.period_sum = sum.value();
    said.period = 256;
    said.period_bytes = 64;
    said.knows_period = 1;
  }
  EXPECT_TRUE(plan_of(all, 0, writing()).is_staged());
  auto other = all;
  other[1].period = 512;
  EXPECT_FALSE(plan_of(other, 0, writing()).is_staged());
  other = all;
  other[1].period_sum = other[0].period_sum;  // the same blocks as another one
  EXPECT_FALSE(plan_of(other, 0, writing()).is_staged());
  other = all;
  for (MemberAccess& said : other) {  // each has all of it
    said.period_sum = 0;
    said.period_bytes = 256;
  }
  EXPECT_FALSE(plan_of(other, 0, writing()).is_staged());
}

TEST(CollectivePlan, ThinRangesGoStraight) {
  std::vector<MemberAccess> all(2);
  for (MemberAccess& said : all) {
    said = {0, std::int64_t{1} << 62, 640000, 10000, 0, 0, 0, 0, 0, 1, 0, 0, 0};
  }
  EXPECT_FALSE(plan_of(all, 0, reading()).is_staged());
  EXPECT_FALSE(plan_of(all, 0, with(reading(), HintSwitch::enable)).is_staged());
}

TEST(CollectivePlan, HostsStageWhatNoOtherHostHasPartOf) {
  auto all = summaries_of(dealt(0, 64, 4000, 4), 4);
  all[2].host = all[3].host = 2;
  EXPECT_FALSE(plan_of(all, 0, reading()).is_staged());
  EXPECT_FALSE(plan_of(all, 2, reading()).is_staged());
  const auto first = summaries_of(dealt(0, 64, 4000, 2), 2);
  auto second = summaries_of(dealt(64 * 4000, 64, 4000, 2), 2);
  for (MemberAccess& said : second) said.host = 2;
  std::vector<MemberAccess> both = first;
  both.insert(both.end(), second.begin(), second.end());
  EXPECT_TRUE(plan_of(both, 0, writing()).is_staged());
  const CollectivePlan plan = plan_of(both, 2, writing());
  EXPECT_TRUE(plan.is_staged());
  EXPECT_EQ(plan.begin, 64 * 4000);
  second[0].may_stage = 0;
  both[2].may_stage = 0;
  EXPECT_TRUE(plan_of(both, 0, writing()).is_staged());
  EXPECT_FALSE(plan_of(both, 2, writing()).is_staged());
}

TEST(CollectivePlan, WhatInterleavesBetweenHostsAllOfThemStageOrNone) {
  StagingLimits limits = writing();
  limits.of_all = {8192, 16384, 3};
  auto all = summaries_of(dealt(100, 64, 4000, 4), 4);
  all[2].host = all[3].host = 2;
  const CollectivePlan plan = plan_of(all, 0, limits);
  EXPECT_TRUE(plan.spans_hosts);
  EXPECT_EQ(plan.owners, 3);
  EXPECT_EQ(plan.begin, 100);
  EXPECT_EQ(plan.end, 100 + 64 * 4000);
  EXPECT_EQ(plan.base, 0);
  const CollectivePlan other = plan_of(all, 2, limits);
  EXPECT_TRUE(other.spans_hosts);
  EXPECT_EQ(other.owners, plan.owners);
  EXPECT_EQ(other.slice, plan.slice);
  // Holes are for the members, unless caches of hosts would lose what lies beside them.
  auto holey = all;
  holey[1].knows_sum = 0;
  EXPECT_FALSE(plan_of(holey, 0, limits).is_staged());
  limits.is_local = false;
  EXPECT_TRUE(plan_of(holey, 0, limits).spans_hosts);
  limits.is_local = true;
  all[3].may_stage = 0;
  EXPECT_FALSE(plan_of(all, 0, limits).is_staged());
  // Members who are alone on their hosts.
  auto alone = summaries_of(dealt(0, 64, 4000, 2), 2);
  alone[1].host = 1;
  EXPECT_TRUE(plan_of(alone, 0, limits).spans_hosts);
}

TEST(CollectivePlan, HostsApartKeepToThemselves) {
  StagingLimits limits = writing();
  limits.of_all = {4096, 16384, 4};
  auto all = summaries_of(dealt(0, 64, 4000, 2), 2);
  auto second = summaries_of(dealt(64 * 4000, 64, 4000, 2), 2);
  for (MemberAccess& said : second) said.host = 2;
  all.insert(all.end(), second.begin(), second.end());
  EXPECT_TRUE(plan_of(all, 0, limits).is_staged());
  EXPECT_FALSE(plan_of(all, 0, limits).spans_hosts);
}

/// The slices of all cycles follow each other from the first byte to the last one.
TEST(CollectivePlan, SlicesFillTheRange) {
  Random random(test_seed());
  for (int round = 0; round < 2000; ++round) {
    const std::int64_t unit = std::int64_t{4096} << number_in(random, 0, 4);
    const StagingLimits limits = with(
        writing(unit, unit * number_in(random, 1, 5), static_cast<int>(number_in(random, 1, 6))),
        HintSwitch::enable);
    const std::int64_t far = (std::int64_t{1} << 62) + ((std::int64_t{1} << 62) - 1);
    const std::int64_t length = number_in(random, 1, 40 * unit);
    const std::int64_t begin = round % 10 == 0 ? far - length : number_in(random, 0, 10 * unit);
    std::vector<MemberAccess> all(2);
    const std::int64_t middle = begin + number_in(random, 0, length);
    BoundarySum below;
    BoundarySum above;
    below.add({begin, middle - begin});
    above.add({middle, begin + length - middle});
    all[0] = {begin, middle, middle - begin, 1, 0, 0, 0, below.value(), 0, 1, 0, 1, 0};
    all[1] = {
        middle, begin + length, begin + length - middle, 1, 0, 0, 0, above.value(), 0, 1, 0, 1, 0};
    const CollectivePlan plan = plan_of(all, 0, limits);
    ASSERT_TRUE(plan.is_staged());
    EXPECT_LE(plan.owners, limits.of_host.owners);
    EXPECT_LE(plan.slice, limits.of_host.slice);
    std::int64_t at = begin;
    for (std::int64_t cycle = 0; cycle < plan.cycles(); ++cycle) {
      const FileRun window = plan.window(cycle);
      EXPECT_EQ(window.offset, at);
      EXPECT_GT(window.length, 0);
      for (int owner = 0; owner < plan.owners; ++owner) {
        const FileRun slice = plan.slice_of(cycle, owner);
        if (slice.length == 0) continue;
        EXPECT_EQ(slice.offset, at);
        EXPECT_TRUE(at == begin || at % unit == 0);
        EXPECT_GE(slice.offset, plan.window_begin(cycle) + owner * plan.slice);
        EXPECT_LE(slice.offset + slice.length - plan.window_begin(cycle), (owner + 1) * plan.slice);
        at += slice.length;
      }
      EXPECT_EQ(at, window.offset + window.length);
    }
    EXPECT_EQ(at, begin + length);
  }
}

TEST(CollectivePlan, WhatAllMembersMapGoesStraight) {
  std::vector<MemberAccess> all = summaries_of(dealt(0, 64, 4000, 4), 4);
  for (MemberAccess& member : all) member.is_mapped = 1;
  EXPECT_FALSE(plan_of(all, 0, writing()).is_staged());
  EXPECT_FALSE(plan_of(all, 0, reading()).is_staged());
  EXPECT_TRUE(plan_of(all, 0, with(writing(), HintSwitch::enable)).is_staged());
  all.back().is_mapped = 0;
  EXPECT_TRUE(plan_of(all, 0, writing()).is_staged());
}

}  // namespace
}  // namespace remit::testing
