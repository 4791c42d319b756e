// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parts of a board by themselves, and what collectives keep of a communicator and a process.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "collectives/board/board_pages.hpp"
#include "collectives/choice/board_limits.hpp"
#include "collectives/choice/collective_costs.hpp"
#include "collectives/choice/tuning.hpp"
#include "collectives/state.hpp"
#include "tests/unit/pt2pt/world.hpp"

namespace remit::testing {
namespace {

/// The pages of two members as each of them sees them.
class TwoMembers {
 public:
  explicit TwoMembers(LineClaims taking) {
    std::vector<BoardMember> members;
    for (auto& segment : segments_) {
      segment = std::make_unique<BoardSegment>();
      members.push_back({segment.get()});
    }
    for (int rank = 0; rank < 2; ++rank) {
      views_[static_cast<std::size_t>(rank)] = std::make_unique<BoardPages>(members, rank, taking);
    }
  }
  BoardPages& of(int rank) { return *views_[static_cast<std::size_t>(rank)]; }
  /// Both mean the same memory by each page.
  [[nodiscard]] bool agree() {
    for (int member = 0; member < 2; ++member) {
      for (std::uint32_t page = 0; page < BoardSegment::kDepth; ++page) {
        if (of(0).page(member, page) != of(1).page(member, page)) return false;
      }
    }
    return true;
  }

 private:
  std::array<std::unique_ptr<BoardSegment>, 2> segments_;
  std::array<std::unique_ptr<BoardPages>, 2> views_;
};

TEST(BoardPages, AreWrittenInTurn) {
  TwoMembers two({});
  for (std::uint32_t i = 0; i < 2 * BoardSegment::kDepth; ++i) {
    EXPECT_EQ(two.of(0).next(100), i % BoardSegment::kDepth);
  }
  EXPECT_TRUE(two.agree());
  EXPECT_NE(two.of(0).page(0, 0), two.of(0).page(1, 0));
}

TEST(BoardPages, WhoHasReadAPageWritesItNext) {
  TwoMembers two({.agreed = true, .bytes = BoardSegment::kPageBytes});
  for (int round = 0; round < 9; ++round) {
    std::array<std::uint16_t, 2> pages = {};
    for (int rank = 0; rank < 2; ++rank) {
      two.of(rank).begin(true);
      // Of one member an operation before took a page more: the pages need not have one number.
      if (round == 4 && rank == 1) (void)two.of(rank).next(8);
      pages[static_cast<std::size_t>(rank)] = two.of(rank).next(BoardPages::kSwappedFrom);
    }
    std::byte* const read = two.of(0).page(1, pages[1]);
    two.of(0).swap(pages[0], pages[1]);
    two.of(1).swap(pages[1], pages[0]);
    ASSERT_TRUE(two.agree()) << round;
    EXPECT_EQ(two.of(0).page(0, two.of(0).next(8)), read) << round;
    (void)two.of(1).next(8);
  }
}

TEST(BoardPages, OnlyTwoWhoAgreeTakeLines) {
  EXPECT_FALSE(TwoMembers({}).of(0).claims_lines(1));
  TwoMembers two({.agreed = true, .bytes = 3000});
  EXPECT_TRUE(two.of(0).claims_lines(3000));
  EXPECT_FALSE(two.of(0).claims_lines(3001));
  two.of(0).begin(false);
  EXPECT_FALSE(two.of(0).swaps());
  two.of(0).begin(true);
  EXPECT_TRUE(two.of(0).swaps());
}

TEST(BoardPages, PreparesAsMuchAsTheLastDataTook) {
  TwoMembers two({.agreed = true, .bytes = BoardSegment::kPageBytes});
  EXPECT_FALSE(two.of(0).prepare()) << "nothing was written";
  two.of(0).begin(false);
  (void)two.of(0).next(4096);
  int steps = 0;
  while (two.of(0).prepare()) ++steps;
  EXPECT_GT(steps, 1);
  two.of(0).begin(true);
  (void)two.of(0).next(4096);
  EXPECT_FALSE(two.of(0).prepare()) << "the page is known after the exchange";
}

TEST(BoardLimits, ShortFormsAreThoseThatFitALine) {
  using enum CollectiveKind;
  for (const int members : {2, 5, BoardLimits::kMembers}) {
    CollectiveShape shape;
    shape.size = members;
    shape.board = shape.one_host = true;
    const BoardLimits limits(shape, Params());
    EXPECT_TRUE(limits.takes_short(barrier, 0));
    EXPECT_FALSE(limits.takes_short(barrier, 1));
    EXPECT_FALSE(limits.takes_short(scan, 8)) << "there is none on a board";
    for (const CollectiveKind kind : {bcast, allreduce, scatter, alltoall}) {
      const bool blocks = kind == scatter || kind == alltoall;
      const auto others = static_cast<std::size_t>(members - 1);
      const std::size_t most = BoardSegment::kInline / (blocks ? others : 1);
      EXPECT_TRUE(limits.takes_short(kind, most)) << members;
      EXPECT_FALSE(limits.takes_short(kind, most + 1)) << members;
      EXPECT_FALSE(limits.takes_short(kind, ~std::size_t{0})) << members;
    }
  }
  CollectiveShape nowhere;
  nowhere.size = 2;
  EXPECT_FALSE(BoardLimits(nowhere, Params()).takes_short(CollectiveKind::barrier, 0));
}

TEST(CollectiveState, IsMadeWhenItIsNeeded) {
  CommCore comm;
  EXPECT_EQ(known_state(comm).table, nullptr);
  EXPECT_EQ(board_of(comm), nullptr);
  EXPECT_EQ(comm.collectives, nullptr);
  collective_state(comm).processors = 7;
  EXPECT_EQ(known_state(comm).processors, 7);
  CommCore other;
  EXPECT_EQ(known_state(other).processors, 1);
}

TEST(CollectiveCosts, AreKeptByTheirProcess) {
  World world(2, SimConfig{});
  auto& costs = world.process(0).kept<CollectiveCosts>();
  EXPECT_EQ(&costs, &world.process(0).kept<CollectiveCosts>());
  EXPECT_NE(&costs, &world.process(1).kept<CollectiveCosts>());
  world.process(0).kept<int>() = 3;
  EXPECT_EQ(world.process(0).kept<int>(), 3);
  EXPECT_EQ(costs.table(), nullptr);
  int loaded = 0;
  costs.set_table([&] {
    ++loaded;
    return std::make_shared<CollectiveTable>();
  });
  EXPECT_EQ(loaded, 0);
  EXPECT_NE(costs.table(), nullptr);
  EXPECT_EQ(costs.table(), costs.table());
  EXPECT_EQ(loaded, 1);
  costs.page_ns(ProcId{1}, true) = 900;
  EXPECT_EQ(costs.page_ns(ProcId{1}, true), 900U);
  EXPECT_EQ(costs.page_ns(ProcId{1}, false), 0U);
  EXPECT_EQ(costs.page_ns(ProcId{0}, true), 0U);
}

}  // namespace
}  // namespace remit::testing
