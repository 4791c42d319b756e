// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The choice between copies by the kernel and the board, by how long the former take.
#include <gtest/gtest.h>

#include <vector>

#include "collectives/board/copy_pace.hpp"

namespace remit {
namespace {

constexpr CopyPace::Of64k k64KB{.kernel = 2000, .board = 3000};
using Role = CopyPace::Role;
constexpr std::size_t kBytes = std::size_t{64} << 10;
constexpr std::uint64_t kQuick = 2400;
constexpr std::uint64_t kSlow = 5000;

/// An operation, in which each copy takes `ns` if it is a direct one. Whether it was.
bool run(CopyPace& pace, std::uint64_t ns, std::size_t bytes = kBytes, Role role = Role::equal) {
  const CopyPace::Words words = pace.begin(bytes, role);
  pace.hear(false);
  if (words.wants_board) return false;
  pace.copied(bytes, ns);
  pace.end();
  return true;
}

TEST(CopyPace, QuickCopiesGoOn) {
  CopyPace pace(k64KB);
  for (unsigned i = 0; i != 3 * CopyPace::kRound; ++i) EXPECT_TRUE(run(pace, kQuick)) << i;
}

TEST(CopyPace, SlowOnesEndAfterATrial) {
  CopyPace pace(k64KB);
  for (const unsigned round : {16, 32, 64, 128, 128}) {
    for (unsigned i = 0; i != round; ++i) {
      EXPECT_EQ(run(pace, kSlow), i < CopyPace::kTrial) << i << " of " << round;
    }
  }
}

TEST(CopyPace, ATrialFindsThatTheyAreQuickAgain) {
  CopyPace pace(k64KB);
  for (unsigned i = 0; i != CopyPace::kFirstRound; ++i) run(pace, kSlow);
  EXPECT_TRUE(run(pace, kSlow)) << "the first of a trial says nothing";
  for (unsigned i = 1; i != 2 * CopyPace::kRound; ++i) EXPECT_TRUE(run(pace, kQuick)) << i;
}

TEST(CopyPace, OneSlowCopyDoesNotCount) {
  CopyPace pace(k64KB);
  for (unsigned i = 0; i != 3 * CopyPace::kRound; ++i) {
    EXPECT_TRUE(run(pace, i % CopyPace::kSure == 0 ? kQuick : 100 * kSlow)) << i;
  }
}

TEST(CopyPace, ACallTakesItsTimeWhateverItCopies) {
  CopyPace pace(k64KB);
  constexpr std::uint64_t kCall = 800;
  for (unsigned i = 0; i != CopyPace::kRound; ++i) {
    EXPECT_TRUE(run(pace, kCall, CopyPace::kShortest)) << i;
  }
}

TEST(CopyPace, ClassesOfLengthsAreIndependent) {
  CopyPace pace(k64KB);
  for (unsigned i = 0; i != CopyPace::kFirstRound / 2; ++i) run(pace, kSlow);
  EXPECT_FALSE(run(pace, kSlow, 2 * kBytes - 1)) << "the same class";
  EXPECT_TRUE(run(pace, kSlow, 2 * kBytes));
  EXPECT_TRUE(run(pace, kSlow, kBytes - 1));
  EXPECT_TRUE(run(pace, kSlow, CopyPace::kShortest));
  EXPECT_TRUE(run(pace, kSlow, CopyPace::kEnd - 1));
}

TEST(CopyPace, WhatIsQuickerThanTheBoardIsNotSlow) {
  CopyPace pace({.kernel = k64KB.kernel, .board = 2 * kSlow});
  for (unsigned i = 0; i != CopyPace::kRound; ++i) EXPECT_TRUE(run(pace, kSlow)) << i;
}

TEST(CopyPace, OperationsWithAHubAreCountedByThemselves) {
  CopyPace pace(k64KB);
  for (unsigned i = 0; i != CopyPace::kFirstRound / 2; ++i) run(pace, kSlow);
  EXPECT_TRUE(run(pace, kQuick, kBytes, Role::hub));
  EXPECT_FALSE(run(pace, kSlow));
}

TEST(CopyPace, AHubSpeaksForTheOthers) {
  CopyPace pace(k64KB);
  for (unsigned i = 0; i != CopyPace::kTrial; ++i) run(pace, kQuick, kBytes, Role::hub);
  EXPECT_FALSE(pace.begin(kBytes, Role::hub).wants_board);
  pace.hear(true);
  const CopyPace::Words as_hub = pace.begin(kBytes, Role::hub);
  EXPECT_TRUE(as_hub.wants_board);
  EXPECT_FALSE(as_hub.slow) << "its own are not";
  EXPECT_FALSE(pace.begin(kBytes, Role::other).wants_board);
  pace.hear(false);
  EXPECT_FALSE(pace.begin(kBytes, Role::hub).wants_board);
}

TEST(CopyPace, AMemberThatCopiesNothingSaysNothingAfterATrial) {
  CopyPace pace(k64KB);
  for (unsigned i = 0; i != CopyPace::kTrial; ++i) run(pace, kSlow);
  for (unsigned i = CopyPace::kTrial; i != CopyPace::kFirstRound; ++i) {
    ASSERT_TRUE(pace.begin(kBytes, Role::equal).slow);
    pace.end();
  }
  static_cast<void>(pace.begin(kBytes, Role::equal));
  pace.end();
  EXPECT_FALSE(pace.begin(kBytes, Role::equal).slow);
}

}  // namespace
}  // namespace remit
