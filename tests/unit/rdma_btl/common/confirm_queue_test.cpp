// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/common/confirm_queue.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

TEST(ConfirmQueue, NothingBeforeIsDueAtOnce) {
  ConfirmQueue queue;
  EXPECT_FALSE(queue.next_due());
  queue.confirm(5);
  queue.confirm(6);
  EXPECT_EQ(queue.next_due(), 5U);
  EXPECT_EQ(queue.next_due(), 6U);
  EXPECT_FALSE(queue.next_due());
}

TEST(ConfirmQueue, WhatBeginsBehindAConfirmDoesNotHoldItUp) {
  ConfirmQueue queue;
  const ConfirmQueue::Group before = queue.begin();
  queue.confirm(1);
  const ConfirmQueue::Group behind = queue.begin();
  EXPECT_FALSE(queue.next_due());
  queue.end(before);
  EXPECT_EQ(queue.next_due(), 1U);
  queue.confirm(2);
  EXPECT_FALSE(queue.next_due());
  queue.end(behind);
  EXPECT_EQ(queue.next_due(), 2U);
}

/// Against the plain definition: a confirm is due when all that began before it have ended.
TEST(ConfirmQueue, OperationsEndInAnyOrder) {
  struct Begun {
    ConfirmQueue::Group group = 0;
    std::uint64_t number = 0;
  };
  std::mt19937_64 random(test_seed());
  ConfirmQueue queue;
  std::vector<Begun> under_way;
  std::deque<std::uint64_t> confirms;  // each with the number of the first operation behind it
  std::uint64_t begun = 0;
  for (int step = 0; step < 100000; ++step) {
    const std::uint64_t what = random() % 5;
    if (what < 2 && under_way.size() < 50) {
      under_way.push_back({queue.begin(), begun++});
    } else if (what == 2 && confirms.size() < 20) {
      queue.confirm(begun);
      confirms.push_back(begun);
    } else if (!under_way.empty()) {
      std::swap(under_way[random() % under_way.size()], under_way.back());
      queue.end(under_way.back().group);
      under_way.pop_back();
    }
    while (const auto due = queue.next_due()) {
      ASSERT_FALSE(confirms.empty());
      ASSERT_EQ(*due, confirms.front());
      confirms.pop_front();
      for (const Begun& one : under_way) ASSERT_GE(one.number, *due) << "it is not over";
    }
    if (confirms.empty()) continue;
    bool held = false;
    for (const Begun& one : under_way) held |= one.number < confirms.front();
    ASSERT_TRUE(held) << "nothing holds the oldest confirm up";
  }
}

}  // namespace
}  // namespace remit::testing
