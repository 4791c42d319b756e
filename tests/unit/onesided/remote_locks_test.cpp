// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The lock of a member that others cannot reach by themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <span>
#include <utility>

#include "tests/unit/onesided/window_ranks.hpp"

namespace remit::testing {
namespace {

/// Hears when requests for a lock come to a rank, and gives everything on to its windows.
class LockListener final : public LinkUser {
 public:
  LockListener(OneSided& manager, std::function<void(int rank)> asks)
      : manager_(manager), asks_(std::move(asks)) {
    manager_.links().users().set(LinkUserId::windows, this);
  }
  ~LockListener() override { manager_.links().users().set(LinkUserId::windows, &manager_); }

  void message(Link& link, std::span<const std::byte> data) override {
    WindowHead head;
    std::memcpy(&head, data.data(), sizeof head);
    if (kind_of(head) == WindowMessage::lock) asks_(static_cast<int>(number_of(link.id)));
    manager_.message(link, data);
  }
  void connected(Link& link) override { manager_.connected(link); }
  void introduced(Link& link, std::uint32_t word) override { manager_.introduced(link, word); }
  void completed(std::uint64_t value, int status) override { manager_.completed(value, status); }
  void notified(Link& link, std::uint32_t value) override { manager_.notified(link, value); }
  void lost(Link& link, bool left_in_order) override { manager_.lost(link, left_in_order); }
  void arrived(LinkDevice& /*device*/, std::span<const Completion> /*events*/) override {}

 private:
  OneSided& manager_;
  std::function<void(int)> asks_;
};

/// Rank 0 and others want its lock again and again.
class LockGame {
 public:
  static constexpr int kSize = 5;
  static constexpr int kRounds = 40;

  LockGame(SimConfig config, bool readers)
      : with_readers_(readers),
        ranks_(kSize, 64, std::move(config)),
        listener_(ranks_.manager(0), [this](int rank) { begin_to_wait(rank); }) {}

  void play() {
    ranks_.run_served([&](int rank) {
      Random random(test_seed() + static_cast<std::uint64_t>(rank));
      for (int round = 0; round < kRounds; ++round) {
        const bool exclusive = !with_readers_ || below(random, 3) != 0;
        const TicketLock::Ticket ticket = enter(rank, exclusive);
        (exclusive ? writers_ : readers_) += 1;
        for (std::size_t i = below(random, 4); i != 0; --i) {
          EXPECT_TRUE(writers_ == 0 || (writers_ == 1 && readers_ == 0));
          ranks_.process(rank).progress().poll();
          WindowRanks::rest(ranks_.process(rank));
        }
        EXPECT_TRUE(writers_ == 0 || (writers_ == 1 && readers_ == 0));
        most_readers_ = std::max(most_readers_, readers_);
        (exclusive ? writers_ : readers_) -= 1;
        leave(rank, exclusive, ticket);
      }
    });
    ranks_.settle();
    EXPECT_FALSE(lock().in_use());
  }
  /// How often one has come in while another waited, at most.
  [[nodiscard]] int most_overtakings() const { return most_overtakings_; }
  [[nodiscard]] int most_readers() const { return most_readers_; }

 private:
  TicketLock& lock() { return ranks_.control(0).access.lock; }
  void begin_to_wait(int rank) {
    waits_[static_cast<std::size_t>(rank)] = true;
    overtaken_[static_cast<std::size_t>(rank)] = {};
  }
  TicketLock::Ticket enter(int rank, bool exclusive) {
    TicketLock::Ticket ticket = 0;
    if (rank == 0) {  // by the words themselves
      ticket = lock().take_ticket();
      begin_to_wait(0);
      ranks_.process(0).progress().wait(
          [&] { return exclusive ? lock().writer_is_in(ticket) : lock().let_reader_in(ticket); });
    } else {
      expect_ok(ranks_.access(rank).lock(0, exclusive, nullptr));
    }
    const auto me = static_cast<std::size_t>(rank);
    waits_[me] = false;
    for (std::size_t other = 0; other < kSize; ++other) {
      if (waits_[other]) most_overtakings_ = std::max(most_overtakings_, ++overtaken_[other][me]);
    }
    return ticket;
  }
  void leave(int rank, bool exclusive, TicketLock::Ticket ticket) {
    if (rank != 0) {
      ranks_.access(rank).unlock(0, exclusive);
    } else if (exclusive) {
      lock().writer_leaves(ticket);
    } else {
      lock().reader_leaves();
    }
  }

  bool with_readers_;
  WindowRanks ranks_;
  LockListener listener_;
  int readers_ = 0;
  int writers_ = 0;
  int most_readers_ = 0;
  int most_overtakings_ = 0;
  std::array<std::array<int, kSize>, kSize> overtaken_{};
  std::array<bool, kSize> waits_{};
};

/// From when its request has come until it is let in, nobody is overtaken more than once by each
/// other rank. Writers come in one behind the other, so it can be counted where they do.
TEST(RemoteLocks, AreFair) {
  LockGame game(sim_hostile(test_seed()), false);
  game.play();
  EXPECT_EQ(game.most_overtakings(), 1);
}

TEST(RemoteLocks, LetReadersInTogether) {
  LockGame game(unordered(sim_hostile(test_seed())), true);
  game.play();
  EXPECT_GT(game.most_readers(), 1);
}

/// Who had to wait hears of it, and who did not counts nothing.
TEST(RemoteLocks, CountWaits) {
  WindowRanks ranks(3, 64, sim_hostile(test_seed()));
  bool held = false;
  bool waits = false;
  const LockListener listener(ranks.manager(0), [&](int rank) { waits = waits || rank == 2; });
  ranks.run_served([&](int rank) {
    Progress& progress = ranks.process(rank).progress();
    if (rank == 0) return;
    if (rank == 1) {
      expect_ok(ranks.access(1).lock(0, true, nullptr));
      held = true;
      progress.wait([&] { return waits; });
      ranks.access(1).unlock(0, true);
      return;
    }
    progress.wait([&] { return held; });
    for (int i = 0; i < 2; ++i) {  // the second time it is free
      expect_ok(ranks.access(2).lock(0, true, nullptr));
      ranks.access(2).unlock(0, true);
    }
  });
  EXPECT_EQ(ranks.access(1).lock_waits(), 0U);
  EXPECT_EQ(ranks.access(2).lock_waits(), 1U);
}

/// Who dies with a shared lock, and who dies while it waits, keeps nobody out.
TEST(RemoteLocks, OfTheDeadAreGivenBack) {
  WindowRanks ranks(5, 64, sim_hostile(test_seed()));
  bool held = false;
  int dead = 0;
  int entered = 0;
  ranks.run_served([&](int rank) {
    Progress& progress = ranks.process(rank).progress();
    if (rank == 0) return;
    if (rank == 1) {
      expect_ok(ranks.access(1).lock(0, false, nullptr));
      held = true;
      progress.wait([&] { return dead == 1; });
      for (int i = 0; i < 200; ++i) WindowRanks::rest(ranks.process(1));
      EXPECT_EQ(entered, 0);
      ranks.die(1);
      return;
    }
    progress.wait([&] { return held; });
    if (rank == 2) {
      // It asks, and dies without an answer: who would wait for one is not there any more.
      WindowHead head = window_head(WindowMessage::lock, WindowRanks::kNumber);
      head.value = 1;
      ranks.manager(2).traffic().send(ProcId{0}, head);
      for (int i = 0; i < 200; ++i) {
        progress.poll();
        WindowRanks::rest(ranks.process(2));
      }
      ranks.die(2);
      ++dead;
      return;
    }
    expect_ok(ranks.access(rank).lock(0, true, nullptr));
    ++entered;
    ranks.access(rank).unlock(0, true);
  });
  ranks.settle();
  EXPECT_FALSE(ranks.control(0).access.lock.in_use());
}

/// What a writer was at may be half done: those who wait are told who it was, and so are those who
/// come later.
TEST(RemoteLocks, OfADeadWriterAreLost) {
  WindowRanks ranks(4, 64, sim_hostile(test_seed()));
  bool held = false;
  int waiting = 0;
  ranks.run_served([&](int rank) {
    Progress& progress = ranks.process(rank).progress();
    if (rank == 0) return;
    if (rank == 1) {
      expect_ok(ranks.access(1).lock(0, true, nullptr));
      held = true;
      progress.wait([&] { return waiting == 2; });
      for (int i = 0; i < 200; ++i) WindowRanks::rest(ranks.process(1));
      ranks.die(1);
      return;
    }
    progress.wait([&] { return held; });
    ++waiting;
    for (int i = 0; i < 2; ++i) {
      const Expected<> locked = ranks.access(rank).lock(0, rank == 3, nullptr);
      ASSERT_FALSE(locked.has_value());
      EXPECT_EQ(locked.error().code, MPI_ERR_PROC_ABORTED);
      EXPECT_NE(locked.error().message.find("rank 1 has ended while it had the lock"),
                std::string::npos)
          << locked.error().message;
    }
  });
  EXPECT_EQ(ranks.control(0).access.lost.load(), 1U + 1U);
}

/// An unlock that was on its way when its window was freed finds another one of the same number.
TEST(RemoteLocks, AreNotGivenBackByOthers) {
  WindowRanks ranks(3, 64, quiet(test_seed()));
  ranks.run_served([&](int rank) {
    if (rank != 1) return;
    expect_ok(ranks.access(1).lock(0, true, nullptr));
    ranks.manager(2).traffic().send(ProcId{0},
                                    window_head(WindowMessage::unlock, WindowRanks::kNumber));
    for (int i = 0; i < 200; ++i) WindowRanks::rest(ranks.process(1));
    EXPECT_TRUE(ranks.control(0).access.lock.in_use());
    EXPECT_FALSE(ranks.engine(0).links().lost(ProcId{2}));
    ranks.access(1).unlock(0, true);
  });
  ranks.settle();
  EXPECT_FALSE(ranks.control(0).access.lock.in_use());
}

}  // namespace
}  // namespace remit::testing
