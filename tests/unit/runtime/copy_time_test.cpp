// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How long copies take is measured for who wants to know, and for nobody else.
#include "runtime/copy_time.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <thread>
#include <vector>

#include "runtime/copy.hpp"

namespace {

using remit::copy_bytes;
using remit::CopyMeter;
using remit::CopyTime;
using remit::TimedCopy;

constexpr std::size_t kLong = std::size_t{4} << 20;

struct CopyTimeTest : testing::Test {
  std::vector<std::byte> from = std::vector<std::byte>(kLong);
  std::vector<std::byte> to = std::vector<std::byte>(kLong);
  CopyMeter meter;
};

TEST_F(CopyTimeTest, NobodyWantsToKnow) {
  copy_bytes(to.data(), from.data(), kLong);
  EXPECT_EQ(meter.ns(), 0U);
  EXPECT_FALSE(CopyTime::is_wanted());
}

TEST_F(CopyTimeTest, LongCopiesCount) {
  meter.want(true);
  meter.want(true);  // is no second time
  copy_bytes(to.data(), from.data(), CopyTime::kFromBytes - 1);
  EXPECT_EQ(meter.ns(), 0U);
  copy_bytes(to.data(), from.data(), kLong);
  const std::uint64_t ns = meter.ns();
  EXPECT_GT(ns, 0U);
  meter.want(false);
  EXPECT_FALSE(CopyTime::is_wanted());
  copy_bytes(to.data(), from.data(), kLong);
  EXPECT_EQ(meter.ns(), ns);
}

TEST_F(CopyTimeTest, WhatIsWithinAnotherCountsOnce) {
  meter.want(true);
  const std::uint64_t before = CopyTime::of_this_thread();
  {
    const TimedCopy outer(kLong);
    copy_bytes(to.data(), from.data(), kLong);
    EXPECT_EQ(meter.ns(), 0U);
  }
  EXPECT_GT(meter.ns(), 0U);
  EXPECT_EQ(CopyTime::of_this_thread() - before, meter.ns());
}

TEST_F(CopyTimeTest, EachThreadHasItsOwn) {
  meter.want(true);
  const std::uint64_t before = CopyTime::of_this_thread();
  std::thread([&] {
    EXPECT_EQ(CopyTime::of_this_thread(), 0U);
    copy_bytes(to.data(), from.data(), kLong);
    EXPECT_EQ(CopyTime::of_this_thread(), meter.ns());
  }).join();
  EXPECT_GT(meter.ns(), 0U);
  EXPECT_EQ(CopyTime::of_this_thread(), before);
}

TEST_F(CopyTimeTest, AMeterKnowsWhatCameAfterIt) {
  meter.want(true);
  copy_bytes(to.data(), from.data(), kLong);
  {
    CopyMeter later;
    later.want(true);
    EXPECT_EQ(later.ns(), 0U);
  }
  EXPECT_TRUE(CopyTime::is_wanted());
}

}  // namespace
