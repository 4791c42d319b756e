// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Members that have ended while others wait for them: these hear of it, and for whom they wait.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "onesided/handover/delegation.hpp"
#include "onesided/memory/process_memory.hpp"
#include "onesided/synchronization/active_target.hpp"
#include "onesided/synchronization/lock_watch.hpp"
#include "tests/unit/onesided/child.hpp"
#include "tests/unit/onesided/window_makers.hpp"

namespace remit::testing {
namespace {

/// What a process that has ended said of itself.
ProcessSign sign_of_the_dead() {
  Child child([] {});
  ProcessSign sign = own_process_sign();
  sign.pid = child.pid();
  EXPECT_EQ(child.wait(), 0);
  return sign;
}

/// MPI_ERR_PROC_ABORTED, with these words.
void expect_names(const Expected<>& outcome, const std::string& words) {
  ASSERT_FALSE(outcome.has_value()) << "instead of: " << words;
  EXPECT_EQ(outcome.error().code, MPI_ERR_PROC_ABORTED);
  EXPECT_NE(outcome.error().message.find(words), std::string::npos) << outcome.error().message;
}

/// Looks as often as it takes; false: in vain.
bool look_long(LockWatch& watch) {
  for (int i = 0; i < 100'000; ++i) {
    if (watch.look()) return true;
  }
  return false;
}

/// The lock of rank 1, of three members that are on one host and have no links: rank 0 looks at it.
class LockOfTheDead : public ::testing::Test {
 protected:
  LockOfTheDead() {
    for (int rank = 0; rank < 3; ++rank) control(rank).identity.sign = own_process_sign();
  }
  [[nodiscard]] MemberControl& control(int rank) { return *window_.core().members.control(rank); }
  [[nodiscard]] MemberControl::LockLine& line() { return control(1).access; }
  [[nodiscard]] LockWatch watch() { return {window_.core().members, control(1)}; }
  void end(int rank) { control(rank).identity.sign = sign_of_the_dead(); }
  /// Rank 2 ends: who waits for the lock then knows that it is lost, and did not before.
  void expect_loss_by_the_end_of_2() {
    LockWatch before = watch();
    EXPECT_FALSE(look_long(before));
    end(2);
    LockWatch after = watch();
    EXPECT_TRUE(look_long(after));
    EXPECT_EQ(line().lost.load(), 2U + 1U);
  }

  WindowMakers ranks_{3};
  SharedWindow window_{ranks_, 0};
};

TEST_F(LockOfTheDead, NamesTheWriter) {
  TicketLock::Ticket ticket = 0;
  ASSERT_TRUE(line().lock.try_writer(ticket));
  line().holder = 2 + 1;
  expect_loss_by_the_end_of_2();
  EXPECT_NE(lost_lock(line(), 1).message.find("rank 2 has ended while it had the lock of rank 1"),
            std::string::npos);
}

TEST_F(LockOfTheDead, KnowsThatAReaderMayHaveDied) {
  ASSERT_TRUE(line().lock.try_reader());
  expect_loss_by_the_end_of_2();
}

/// The turn of one that has died will not be taken.
TEST_F(LockOfTheDead, NamesWhoWaited) {
  TicketLock::Ticket ticket = 0;
  ASSERT_TRUE(line().lock.try_writer(ticket));
  line().holder = 0 + 1;
  (void)line().lock.take_ticket();
  control(2).identity.awaits_lock_of = 1 + 1;
  line().lock.writer_leaves(ticket);
  expect_loss_by_the_end_of_2();
}

/// Others may hold a lock for ever, and one that has died may have had nothing to do with it.
TEST_F(LockOfTheDead, IsNotTakenForThatOfTheLiving) {
  TicketLock::Ticket ticket = 0;
  ASSERT_TRUE(line().lock.try_writer(ticket));
  line().holder = 0 + 1;
  end(2);
  LockWatch after = watch();
  EXPECT_FALSE(look_long(after));
  EXPECT_EQ(line().lost.load(), 0U);
}

TEST_F(LockOfTheDead, IsHeldSinceItMoved) {
  TicketLock::Ticket ticket = 0;
  ASSERT_TRUE(line().lock.try_writer(ticket));
  line().holder = 0 + 1;
  LockWatch seen = watch();
  EXPECT_EQ(seen.held_ns(), 0);
  EXPECT_FALSE(look_long(seen));
  const std::int64_t first = seen.held_ns();
  EXPECT_GT(first, 0);
  EXPECT_FALSE(look_long(seen));
  EXPECT_EQ(seen.held_ns(), first);
  line().lock.writer_leaves(ticket);
  ASSERT_TRUE(line().lock.try_writer(ticket));
  EXPECT_FALSE(look_long(seen));
  EXPECT_GT(seen.held_ns(), first);
}

/// Somebody has claimed the slot of rank 1 and died.
TEST_F(LockOfTheDead, SlotIsTakenOver) {
  WindowCore& core = window_.core();
  DelegationSlot& slot = core.members.segment().slot(1);
  ranks_.process(0).progress().set_policy({.spin = true});
  std::int64_t value = 5;
  const View here{&value, 1, &predefined(MPI_INT64_T).layout()};
  const auto put_often = [&] {
    Delegation delegation(core.manager, core.members);
    for (int i = 0; i < 1000; ++i) EXPECT_FALSE(delegation.put(1, here, here));  // nobody answers
  };
  for (const bool posted : {false, true}) {
    control(2).identity.sign = own_process_sign();
    ASSERT_TRUE(slot.claim(2 + 1));
    if (posted) slot.post(0, {});
    put_often();
    EXPECT_EQ(slot.claimant(), 2U + 1U) << "it lives";
    end(2);
    put_often();
    EXPECT_EQ(slot.claimant(), 0U);
    DelegatedOperation operation;
    EXPECT_FALSE(slot.take(0, operation));
  }
}

/// While the member does what a dead origin has posted, nobody writes there.
TEST_F(LockOfTheDead, SlotIsNotTakenFromAMemberAtWork) {
  DelegationSlot& slot = window_.core().members.segment().slot(1);
  ASSERT_TRUE(slot.claim(2 + 1));
  slot.post(0, {});
  DelegatedOperation operation;
  ASSERT_TRUE(slot.take(0, operation));
  EXPECT_FALSE(slot.claim_from(2 + 1, 0 + 1));
  EXPECT_EQ(slot.claimant(), 2U + 1U);
  EXPECT_FALSE(slot.claim_from(1 + 1, 0 + 1)) << "it is not that one's";
  slot.answer(0, true);
  EXPECT_TRUE(slot.claim_from(2 + 1, 0 + 1));
  EXPECT_EQ(slot.claimant(), 0U + 1U);
}

/// Three ranks that reach each other by messages make a window; rank 2 ends; `wait` is what the
/// others do then.
void run_without_rank_2(
    const std::function<void(const CommCall& call, Window& window, int rank)>& wait) {
  WindowMakers ranks(3);
  int made = 0;
  ranks.run_all([&](int rank) {
    const CommCall call = ranks.call(rank);
    WindowSpec spec;
    spec.flavor = MPI_WIN_FLAVOR_DYNAMIC;
    auto window = Window::make(call, ranks.world(rank), ranks.manager(rank), spec);
    ASSERT_TRUE(window.has_value()) << window.error().message;
    ++made;
    call.progress().wait([&] { return made == 3; });
    if (rank == 2) {
      ranks.network().kill(ranks.process(2).name_of(2));
      return;
    }
    wait(call, **window, rank);
    expect_names((*window)->free(call), "rank 2 has ended");
  });
}

TEST(ActiveTarget, NamesATargetThatHasEndedWithoutAPost) {
  run_without_rank_2([](const CommCall& call, Window& window, int rank) {
    ActiveTarget& target = window.active_target();
    expect_names(target.start(call, {2}, 0), "rank 2 has ended without a post");
    // The other one is there.
    expect_fine(target.post({1 - rank}, 0));
    expect_fine(target.start(call, {1 - rank}, 0));
    expect_fine(target.complete(call));
    expect_fine(target.wait(call));
  });
}

TEST(ActiveTarget, NamesAnOriginThatHasEndedWithoutACompletion) {
  run_without_rank_2([](const CommCall& call, Window& window, int rank) {
    ActiveTarget& target = window.active_target();
    for (const bool test : {false, true}) {
      expect_fine(target.post({1 - rank, 2}, 0));
      expect_fine(target.start(call, {1 - rank}, 0));
      expect_fine(target.complete(call));
      Expected<> outcome;
      if (test) {
        Expected<bool> over = false;
        while (over && !*over) {
          over = target.test();
          call.progress().poll();
          call.progress().yield();  // the others have their turns
        }
        if (!over) outcome = tl::unexpected(over.error());
      } else {
        outcome = target.wait(call);
      }
      expect_names(outcome, "rank 2 has ended without a completion");
    }
    // What was missing is not waited for afterwards.
    expect_fine(target.post({1 - rank}, 0));
    expect_fine(target.start(call, {1 - rank}, 0));
    expect_fine(target.complete(call));
    expect_fine(target.wait(call));
  });
}

TEST(ActiveTarget, NamesWhoIsMissingInAFence) {
  run_without_rank_2([](const CommCall& call, Window& window, int /*rank*/) {
    expect_names(window.active_target().fence(call, 0), "rank 2 has ended");
  });
}

}  // namespace
}  // namespace remit::testing
