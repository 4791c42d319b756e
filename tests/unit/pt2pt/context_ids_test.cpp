// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Context ids: many agreements at once among overlapping groups, every member at a pace of its own;
// numbers that come round; what groups cost.
#include "pt2pt/context_ids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "tests/unit/allocated_bytes.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

using Random = std::mt19937_64;

int below(Random& random, std::size_t n) {
  return static_cast<int>(random() % n);
}

/// One process: its ids, and the contexts of the communicators that it has.
struct Member {
  explicit Member(std::uint64_t slots) : ids(slots) {}
  ContextIds ids;
  std::multiset<ContextId> live;
  bool blocked = false;  ///< in an agreement that said it is alone
};

/// An agreement under way: each member contributes, then takes the maxima, when it is chosen.
class Agreement {
 public:
  /// Members that say that they are alone wait in this one until it has ended.
  Agreement(std::vector<Member*> members, bool some_alone, Random& random)
      : members_(std::move(members)) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const bool alone = some_alone && below(random, 2) == 0;
      parts_.push_back({nullptr, alone, false, false});
    }
  }
  /// Lets one member take a step, if it can; true if it could.
  bool step(Random& random) {
    const auto i = static_cast<std::size_t>(below(random, members_.size()));
    Part& part = parts_[i];
    Member& member = *members_[i];
    if (part.done) return false;
    if (part.agreement == nullptr) {
      if (member.blocked) return false;
      part.agreement = std::make_unique<ContextAgreement>(member.ids, part.alone);
      member.blocked = part.alone;
    }
    if (!part.contributed) {
      if (taken_ != 0) return false;  // others are still in the round before
      const ContextAgreement::Words mine = part.agreement->mine();
      for (std::size_t w = 0; w < mine.size(); ++w) maxima_[w] = std::max(maxima_[w], mine[w]);
      part.contributed = true;
      ++contributed_;
      return true;
    }
    if (contributed_ < members_.size() || part.took) return false;
    part.took = true;
    if (part.agreement->settle(maxima_)) finish(part, member);
    if (++taken_ == members_.size()) next_round();
    return true;
  }
  [[nodiscard]] bool done() const {
    return std::all_of(parts_.begin(), parts_.end(), [](const Part& p) { return p.done; });
  }
  [[nodiscard]] int rounds() const { return rounds_; }
  [[nodiscard]] const std::vector<Member*>& members() const { return members_; }
  [[nodiscard]] ContextId context() const { return context_; }

 private:
  struct Part {
    std::unique_ptr<ContextAgreement> agreement;
    bool alone;
    bool contributed;
    bool took;
    bool done = false;
  };
  void finish(Part& part, Member& member) {
    part.done = true;
    const ContextId context = part.agreement->context();
    EXPECT_TRUE(context_ == 0 || context_ == context) << "members differ";
    context_ = context;
    EXPECT_EQ(member.live.count(context), 0U) << "one context for two communicators";
    EXPECT_EQ(context % kContextsEach, 0U);
    EXPECT_GE(context, ContextIds::kReserved * kContextsEach);
    member.live.insert(context);
    if (part.alone) member.blocked = false;
    part.agreement.reset();
  }
  void next_round() {
    ++rounds_;
    maxima_ = {};
    contributed_ = taken_ = 0;
    for (Part& part : parts_) part.contributed = part.took = false;
  }

  std::vector<Member*> members_;
  std::vector<Part> parts_;
  ContextAgreement::Words maxima_{};
  std::size_t contributed_ = 0;
  std::size_t taken_ = 0;
  int rounds_ = 0;
  ContextId context_ = 0;
};

std::vector<Member*> some_of(std::vector<std::unique_ptr<Member>>& all, Random& random) {
  std::vector<Member*> members;
  while (members.empty()) {
    for (auto& member : all) {
      if (below(random, 3) == 0) members.push_back(member.get());
    }
  }
  return members;
}

/// `slots` contexts in all; up to `live` communicators and `at_once` agreements at any time.
void run(std::uint64_t seed, std::uint64_t slots, std::size_t live, std::size_t at_once) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  Random random(seed);
  std::vector<std::unique_ptr<Member>> members;
  for (int i = 0; i < 7; ++i) members.push_back(std::make_unique<Member>(slots));
  std::vector<std::unique_ptr<Agreement>> under_way;
  std::vector<std::unique_ptr<Agreement>> ended;
  int begun = 0;
  for (std::uint64_t steps = 0; begun < 300 || !under_way.empty(); ++steps) {
    ASSERT_LT(steps, 2'000'000U) << "no end";
    if (begun < 300 && under_way.size() < at_once && ended.size() + under_way.size() < live) {
      ++begun;
      under_way.push_back(
          std::make_unique<Agreement>(some_of(members, random), at_once == 1, random));
    }
    if (!under_way.empty()) {
      auto& one = under_way[static_cast<std::size_t>(below(random, under_way.size()))];
      (void)one->step(random);
      if (one->done()) {
        EXPECT_LT(one->rounds(), 60);
        ended.push_back(std::move(one));
        std::swap(one, under_way.back());
        under_way.pop_back();
      }
    }
    if (!ended.empty() && (ended.size() + at_once >= live || below(random, 40) == 0)) {
      auto& gone = ended[static_cast<std::size_t>(below(random, ended.size()))];
      for (Member* member : gone->members()) {
        member->ids.release(gone->context());
        member->live.erase(gone->context());
      }
      std::swap(gone, ended.back());
      ended.pop_back();
    }
  }
  for (const auto& member : members) EXPECT_EQ(member->ids.live(), member->live.size());
}

TEST(ContextIds, ManyAgreementsAtOnce) {
  const std::uint64_t first = test_seed();
  for (std::uint64_t seed = first; seed < first + 40; ++seed) {
    run(seed, ContextIds::kSlots, 100, seed % 2 == 0 ? 1 : 10);
    if (HasFatalFailure()) return;
  }
}

TEST(ContextIds, NumbersComeRound) {
  const std::uint64_t first = test_seed() + 1000;
  for (std::uint64_t seed = first; seed < first + 40; ++seed) {
    run(seed, 64, 20, seed % 2 == 0 ? 1 : 6);
    if (HasFatalFailure()) return;
  }
}

/// Two processes, two agreements that both are in, in every order of steps: threads.
TEST(ContextIds, TwoThatMeet) {
  const std::uint64_t first = test_seed() + 2000;
  for (std::uint64_t seed = first; seed < first + 2000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    Member a(seed % 2 == 0 ? ContextIds::kSlots : 16);
    Member b(seed % 2 == 0 ? ContextIds::kSlots : 16);
    std::vector<std::unique_ptr<ContextAgreement>> at_a;
    std::vector<std::unique_ptr<ContextAgreement>> at_b;
    constexpr int kAtOnce = 4;
    for (int i = 0; i < kAtOnce; ++i) {
      at_a.push_back(std::make_unique<ContextAgreement>(a.ids, false));
      at_b.push_back(std::make_unique<ContextAgreement>(b.ids, false));
    }
    std::vector<bool> done(kAtOnce, false);
    int rounds = 0;
    while (std::count(done.begin(), done.end(), true) < kAtOnce) {
      ASSERT_LT(++rounds, 400);
      const auto i = static_cast<std::size_t>(below(random, kAtOnce));
      const auto k = static_cast<std::size_t>(below(random, kAtOnce));
      if (done[i] || done[k]) continue;
      // Both contribute to one, then perhaps to another, before either takes the result.
      const auto ai = at_a[i]->mine();
      const auto bk = at_b[k]->mine();
      const auto bi = i == k ? bk : at_b[i]->mine();
      const auto ak = i == k ? ai : at_a[k]->mine();
      const ContextAgreement::Words max_i{std::max(ai[0], bi[0]), std::max(ai[1], bi[1])};
      const ContextAgreement::Words max_k{std::max(ak[0], bk[0]), std::max(ak[1], bk[1])};
      const bool expected_i = at_a[i]->would_agree(max_i);
      ASSERT_EQ(at_b[i]->would_agree(max_i), expected_i);
      const bool end_i = at_a[i]->settle(max_i);
      ASSERT_EQ(end_i, expected_i);
      const bool end_k = i == k ? end_i : at_b[k]->settle(max_k);
      ASSERT_EQ(at_b[i]->settle(max_i), end_i);
      if (i != k) {
        ASSERT_EQ(at_a[k]->settle(max_k), end_k);
      }
      done[i] = done[i] || end_i;
      done[k] = done[k] || end_k;
    }
    std::set<ContextId> contexts;
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      EXPECT_EQ(at_a[i]->context(), at_b[i]->context());
      contexts.insert(at_a[i]->context());
    }
    EXPECT_EQ(contexts.size(), static_cast<std::size_t>(kAtOnce));
  }
}

TEST(ContextIds, OneRoundWhereNobodyCompetes) {
  ContextIds ids;
  for (int i = 0; i < 1000; ++i) {
    ContextAgreement agreement(ids, true);
    EXPECT_TRUE(agreement.settle(agreement.mine()));
    ids.release(agreement.context());
  }
  EXPECT_EQ(ids.live(), 0U);
}

TEST(ContextIds, WhatIsGivenUpIsFree) {
  ContextIds ids;
  {
    ContextAgreement agreement(ids, false);
    EXPECT_FALSE(agreement.settle(agreement.mine()));
    EXPECT_EQ(ids.live(), 1U);
  }
  EXPECT_EQ(ids.live(), 0U);
}

/// A regular group costs the same whatever its size, and so does a part of it.
TEST(Group, RegularOnesDoNotGrow) {
  const auto cost = [](int size) {
    const std::size_t before = allocated_bytes();
    const auto world = Group::regular(ProcId{0}, 1, size);
    const auto odds = Group::regular(ProcId{1}, 2, size / 2);
    CommCore core;
    core.local = world;
    core.remote = odds;
    EXPECT_EQ(odds->rank_of(static_cast<ProcId>(size - 1 - size % 2)), size / 2 - 1);
    return allocated_bytes() - before;
  };
  EXPECT_EQ(cost(1'000'000), cost(4));
  EXPECT_LT(cost(1'000'000), 400U);
  const std::vector<int> thirds = {0, 3, 6, 9, 12};
  const auto part = Group::regular(ProcId{5}, 7, 100)->subset(thirds);
  EXPECT_TRUE(part->is_regular());
  EXPECT_EQ(part->stride(), 21);
}

}  // namespace
}  // namespace remit::testing
