// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Rests of a process whose core others want, in virtual time.
#include "runtime/waiting/adaptive_wait.hpp"

#include <gtest/gtest.h>

namespace remit {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr WaitPolicy kPlan{.spin = true, .spin_polls = 20, .yields = 5, .sleep = true};

long the_count = 0;
long counted() {
  return the_count;
}

TEST(AdaptiveWait, SpinsAsPlannedWhileNobodyTakesTheCore) {
  AdaptiveWait wait(kPlan, counted);
  the_count = 1;
  EXPECT_FALSE(wait.spun(0, kMs / 2)) << "that was short";
  the_count = 0;
  EXPECT_FALSE(wait.spun(0, 50 * kMs)) << "slow, but not taken off";
  wait.yielded(0, kMs / 2);
  EXPECT_TRUE(wait.now().spin);
  EXPECT_FALSE(wait.is_resting());
}

TEST(AdaptiveWait, RestsTwiceAsLongEachTime) {
  AdaptiveWait wait(kPlan, counted);
  the_count = 0;
  std::int64_t now = 1000 * kMs;
  for (const std::int64_t rest : {10, 20, 40, 80, 160, 320, 640, 1280, 1280}) {
    ++the_count;
    ASSERT_TRUE(wait.spun(now - 2 * kMs, now)) << rest;
    EXPECT_FALSE(wait.now().spin);
    EXPECT_EQ(wait.now().yields, kPlan.yields);
    wait.try_end_rest(now + rest * kMs - 1);
    EXPECT_TRUE(wait.is_resting()) << rest;
    now += rest * kMs;
    wait.try_end_rest(now);
    EXPECT_FALSE(wait.is_resting()) << rest;
    EXPECT_TRUE(wait.now().spin);
  }
  now += 5 * 1280 * kMs;  // alone for so long that all is forgotten
  ++the_count;
  ASSERT_TRUE(wait.spun(now - 2 * kMs, now));
  wait.try_end_rest(now + 10 * kMs);
  EXPECT_FALSE(wait.is_resting());
}

TEST(AdaptiveWait, ARestGoesOnWhileOthersHaveTheCoreOften) {
  AdaptiveWait wait(kPlan, counted);
  the_count = 1;
  ASSERT_TRUE(wait.spun(0, 100 * kMs));
  the_count += 10;
  wait.try_end_rest(110 * kMs);
  EXPECT_TRUE(wait.is_resting());
  wait.try_end_rest(130 * kMs);
  EXPECT_FALSE(wait.is_resting());
}

TEST(AdaptiveWait, DoesNotYieldToThoseWhoTakeLong) {
  AdaptiveWait wait(kPlan, counted);
  the_count = 0;
  wait.yielded(0, 2 * kMs);
  EXPECT_TRUE(wait.is_resting());
  EXPECT_EQ(wait.now().yields, 0U);
  EXPECT_EQ(wait.plan().yields, kPlan.yields);
  wait.set_plan({.spin = false, .spin_polls = 1, .yields = 7, .sleep = true});
  EXPECT_EQ(wait.now().yields, 7U);
  EXPECT_FALSE(wait.planned_alone());
}

}  // namespace
}  // namespace remit
