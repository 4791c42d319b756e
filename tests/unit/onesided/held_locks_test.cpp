// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The targets that a process has locked in a window.
#include "onesided/synchronization/held_locks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <random>

#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

/// Beside a table of what each rank should say.
TEST(HeldLocks, AreFoundHoweverManyThereAre) {
  constexpr int kMembers = 150;
  std::mt19937_64 random(test_seed());
  HeldLocks locks(kMembers);
  locks.prepare_marks();
  for (int game = 0; game < 20; ++game) {
    const bool marks = random() % 2 == 0;
    std::array<bool, kMembers> held{};
    std::size_t count = 0;
    for (int step = 0; step < 200; ++step) {
      const auto rank = static_cast<int>(random() % kMembers);
      bool& is_held = held[static_cast<std::size_t>(rank)];
      if (marks && is_held) continue;
      if (!is_held) {
        const HeldLock lock{rank, rank % 2 == 0, true, static_cast<TicketLock::Ticket>(step)};
        marks ? locks.add_marked(lock) : locks.add(lock);
        EXPECT_TRUE(locks.last_is(rank));
        is_held = true;
        ++count;
      } else {
        EXPECT_EQ(locks.remove(locks.find(rank)).rank, rank);
        is_held = false;
        --count;
      }
      ASSERT_EQ(locks.all().size(), count);
      for (int other = 0; other < kMembers; ++other) {
        const HeldLock* const found = locks.find(other);
        ASSERT_EQ(found != nullptr, held[static_cast<std::size_t>(other)]);
        ASSERT_TRUE(found == nullptr || found->rank == other);
        ASSERT_EQ(locks.is_marked(other), marks && found != nullptr);
        ASSERT_EQ(locks.only(other) != nullptr, count == 1 && found != nullptr);
      }
    }
    marks ? locks.clear_marked() : locks.clear();
    for (int other = 0; other < kMembers; ++other) ASSERT_FALSE(locks.is_marked(other));
  }
}

}  // namespace
}  // namespace remit::testing
