// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared board over the simulated network: on seeds, under its faults, in orders that replay.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/board/board.hpp"
#include "tests/unit/collectives/cases.hpp"
#include "tests/unit/pt2pt/waiting_ranks.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

/// Ranks that make the same random operations one after the other, some of them late.
class BoardGame {
 public:
  BoardGame(int size, std::uint64_t seed, int operations, int max_ints)
      : seed_(seed), ranks_(size, config()) {
    Random random(seed);
    for (int i = 0; i < operations; ++i) {
      const CollectiveKind kind = kBlockingKinds[random() % kBlockingKinds.size()];
      cases_.push_back(std::make_unique<Case>(kind, size, max_ints, words_, random));
    }
    said_.resize(static_cast<std::size_t>(size));
  }

  /// Rank `from` does not reach the memory of rank `to`.
  void part(int from, int to) {
    parted_ = {ranks_.process(from).name_of(from), ranks_.process(to).name_of(to)};
  }

  /// Rank `victim` stops without a word before its operation `fatal`; -1: nobody does. Who then
  /// gets an error stops, too, as a program does whose errors are fatal.
  void play(int victim = -1, std::size_t fatal = 0) {
    int playing = ranks_.size();
    ranks_.run_all([&](int rank) {
      connect(rank);
      const bool all_done = run(rank, rank == victim ? fatal : cases_.size());
      --playing;
      if (rank == victim || !all_done) {
        ranks_.network().kill(ranks_.process(rank).name_of(rank));
      } else {
        ranks_.process(rank).progress().wait([&] { return playing == 0; });
      }
    });
  }

  /// What went wrong at a rank; empty: nothing.
  [[nodiscard]] const std::string& said(int rank) const {
    return said_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] bool has_board(int rank) { return board_of(ranks_.comm(rank)) != nullptr; }
  [[nodiscard]] int size() const { return ranks_.size(); }
  /// Operations that the rank has ended in vain, for a member is lost.
  [[nodiscard]] int failed() const { return failed_; }
  void expect_all_right() const {
    for (int rank = 0; rank < size(); ++rank) EXPECT_EQ(said(rank), "") << "rank " << rank;
  }

 private:
  SimConfig config() {
    SimConfig config = sim_hostile(seed_);
    config.reaches_memory = [this](PeerName from, PeerName to) {
      return parted_ != std::optional(std::pair(from, to));
    };
    return config;
  }

  /// Connects the rank to all others: on this network who has no connection hears of no end.
  void connect(int rank) {
    Engine& engine = ranks_.engine(rank);
    const View nothing = view(nullptr, 0);
    std::vector<std::unique_ptr<Request>> requests;
    for (int other = 0; other < size(); ++other) {
      if (other == rank) continue;
      requests.push_back(std::make_unique<Request>(RequestKind::send));
      engine.isend(*requests.back(), nothing, other, 0, ranks_.comm(rank));
      requests.push_back(std::make_unique<Request>(RequestKind::receive));
      engine.irecv(*requests.back(), nothing, other, 0, ranks_.comm(rank));
    }
    ranks_.process(rank).progress().wait([&] {
      return std::ranges::all_of(requests, [](const auto& request) { return request->complete; });
    });
  }

  /// False: it has met an error.
  [[nodiscard]] bool run(int rank, std::size_t end) {
    Random random(seed_ * 31 + static_cast<std::uint64_t>(rank));
    for (std::size_t i = 0; i < end; ++i) {
      for (int turns = below(random, 4) == 0 ? below(random, 20) : 0; turns > 0; --turns) {
        WaitingRanks::rest(ranks_.process(rank));
      }
      const int error =
          run_collective(ranks_.engine(rank), ranks_.comm(rank), cases_[i]->at(rank).args);
      if (error == MPI_ERR_PROC_ABORTED || error == MPI_ERR_OTHER) {
        ++failed_;
        return false;
      }
      if (error == MPI_SUCCESS && cases_[i]->at(rank).right()) continue;
      said_[static_cast<std::size_t>(rank)] =
          fmt::format("operation {}, {}: {}", i, cases_[i]->describe(), error);
      return false;
    }
    return true;
  }

  const std::uint64_t seed_;
  const Vocabulary words_;
  std::optional<std::pair<PeerName, PeerName>> parted_;
  WaitingRanks ranks_;
  std::vector<std::unique_ptr<Case>> cases_;
  std::vector<std::string> said_;
  int failed_ = 0;
};

TEST(SimBoard, RandomOperations) {
  Random random(test_seed());
  for (const int size : {2, 3, 5, 9}) {
    for (const int max_ints : {40, 3000}) {
      const std::uint64_t seed = random();
      SCOPED_TRACE(fmt::format("{} ranks, seed {}", size, seed));
      BoardGame game(size, seed, 100, max_ints);
      game.play();
      game.expect_all_right();
      EXPECT_EQ(game.failed(), 0);
      for (int rank = 0; rank < size; ++rank) EXPECT_TRUE(game.has_board(rank));
      if (HasFailure()) return;
    }
  }
}

/// One that does not reach a member keeps all from having a board, and nothing else is different.
TEST(SimBoard, NobodyHasOneUnlessAllReachAll) {
  Random random(test_seed() + 1);
  for (int round = 0; round < 6; ++round) {
    const int size = 2 + below(random, 7);
    const int from = below(random, size);
    const int to = (from + 1) % size;
    const std::uint64_t seed = random();
    SCOPED_TRACE(fmt::format("{} ranks, {} does not reach {}, seed {}", size, from, to, seed));
    BoardGame game(size, seed, 60, 200);
    game.part(from, to);
    game.play();
    game.expect_all_right();
    EXPECT_EQ(game.failed(), 0);
    for (int rank = 0; rank < size; ++rank) EXPECT_FALSE(game.has_board(rank));
    if (HasFailure()) return;
  }
}

/// A member is lost before an operation, among them those that set up the board: all others come to
/// an end, with right results or with the error.
TEST(SimBoard, AMemberIsLost) {
  Random random(test_seed() + 2);
  int failed = 0;
  for (std::size_t fatal = 0; fatal < 24; ++fatal) {
    const int size = 2 + below(random, 6);
    const int victim = below(random, size);
    const std::uint64_t seed = random();
    SCOPED_TRACE(fmt::format("{} ranks, {} is lost before operation {}, seed {}", size, victim,
                             fatal, seed));
    BoardGame game(size, seed, 60, fatal % 2 == 0 ? 12 : 2000);
    game.play(victim, fatal);
    game.expect_all_right();
    failed += game.failed();
    if (HasFailure()) return;
  }
  EXPECT_GT(failed, 0);
}

}  // namespace
}  // namespace remit::testing
