// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Windows and their parts, without the functions with MPI names.
#include "onesided/window.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "onesided/synchronization/passive_target.hpp"
#include "tests/unit/onesided/window_makers.hpp"

namespace remit::testing {
namespace {

/// What a member says of an operation that goes beyond its memory has the window's name: the
/// program's, as soon as there is one.
TEST(Window, IsNamedToWhoseOperationIsRefused) {
  constexpr std::array<const char*, 3> kNames = {"", "halo", ""};
  WindowMakers ranks(2);
  ranks.run_all([&](int rank) {
    const CommCall call = ranks.call(rank);
    WindowSpec spec;
    spec.flavor = MPI_WIN_FLAVOR_DYNAMIC;
    auto made = Window::make(call, ranks.world(rank), ranks.manager(rank), spec);
    ASSERT_TRUE(made.has_value()) << made.error().message;
    Window& window = **made;
    std::int64_t value = 5;
    for (const char* name : kNames) {
      if (rank == 1) window.exposed_memory().set_name(name);
      expect_fine(window.active_target().fence(call, 0));
      if (rank == 0) {
        const Datatype& type = predefined(MPI_INT64_T);
        expect_fine(
            window.operations().put({&value, 1, &type.layout()}, {1, MPI_Aint{64}, 1, &type}));
      }
      const Expected<> ended = window.active_target().fence(call, MPI_MODE_NOSUCCEED);
      EXPECT_EQ(ended.has_value(), rank == 1);
      if (ended) continue;
      EXPECT_EQ(ended.error().code, MPI_ERR_RMA_RANGE);
      const std::string words =
          fmt::format("the memory of window {} ({})", window.comm().context,
                      *name != '\0' ? name : "of MPI_Win_create_dynamic on MPI_COMM_WORLD");
      EXPECT_NE(ended.error().message.find(words), std::string::npos) << ended.error().message;
    }
    expect_fine(window.free(call));
  });
}

/// Rank 2 has died with the lock of rank 1: who wanted all locks has none then, and may go on.
TEST(PassiveTarget, GivesBackWhatItHasWhenLockAllFails) {
  WindowMakers ranks(3);
  bool met = false;
  ranks.run_all([&](int rank) {
    Progress& progress = ranks.process(rank).progress();
    if (rank == 2) {
      progress.wait([&] { return met; });
      ranks.network().kill(ranks.process(2).name_of(2));
    }
    if (rank != 0) return;
    Links& links = ranks.engine(0).links();
    ranks.manager(0).nudge(ProcId{2});
    progress.wait([&] { return links.find(ProcId{2})->device != nullptr; });
    met = true;
    progress.wait([&] {
      if (links.lost(ProcId{2})) return true;
      ranks.manager(0).nudge(ProcId{2});
      return false;
    });

    SharedWindow window(ranks, 0);
    PassiveTarget locks(window.core());
    TicketLock::Ticket ticket = 0;
    ASSERT_TRUE(window.lock_of(1).lock.try_writer(ticket));
    window.lock_of(1).holder.store(2 + 1);
    const CommCall call = ranks.call(0);
    const Expected<> locked = locks.lock_all(0);
    ASSERT_FALSE(locked.has_value());
    EXPECT_EQ(locked.error().code, MPI_ERR_PROC_ABORTED);
    EXPECT_NE(locked.error().message.find("rank 2"), std::string::npos) << locked.error().message;
    EXPECT_FALSE(window.lock_of(0).lock.in_use());
    EXPECT_FALSE(window.lock_of(2).lock.in_use());
    EXPECT_EQ(window.core().epochs.access(), Epochs::Access::none);
    expect_fine(locks.lock(call, 0, true, 0));
    expect_fine(locks.unlock(call, 0));
    EXPECT_FALSE(window.lock_of(0).lock.in_use());
  });
}

}  // namespace
}  // namespace remit::testing
