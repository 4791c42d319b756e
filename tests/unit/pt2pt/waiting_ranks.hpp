// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Virtual ranks over the simulated network that make blocking calls: each has a thread, and one of
// them at a time has its turn, in an order that is always the same.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/progress.hpp"
#include "tests/unit/pt2pt/world.hpp"

namespace remit::testing {

/// A world whose ranks can wait. While one waits, the others have their turns and the network
/// moves. The turns go round, or, where the network shuffles what is ready, by its seed.
class WaitingRanks : public World {
 public:
  explicit WaitingRanks(int size, SimConfig config = {})
      : World(size, std::move(config), {}, 0, size, true), random_(network().config().seed) {
    for (int rank = 0; rank < size; ++rank) {
      Turns& turns = *turns_.emplace_back(std::make_unique<Turns>(*this, rank));
      process(rank).progress().set_policy({.spin = false, .yields = 1, .sleep = false});
      process(rank).progress().set_yield_hook(&turns);
    }
  }
  ~WaitingRanks() { settle(); }

  /// Runs `work` for every rank at once, until all have returned.
  void run_all(const std::function<void(int rank)>& work) {
    for (auto& turns : turns_) turns->running = true;
    turn_ = 0;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size(); ++rank) {
      threads.emplace_back([this, rank, &work] {
        take_turn(rank);
        work(rank);
        at(rank).running = false;
        pass_turn();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  /// Others have a turn, and this rank does not poll.
  static void rest(Process& process) {
    process.progress().yield_hook()->before();
    process.progress().yield_hook()->after();
  }

 private:
  struct Turns final : Progress::YieldHook {
    Turns(WaitingRanks& all, int number) : ranks(all), rank(number) {}
    void before() override { ranks.pass_turn(); }
    void after() override { ranks.take_turn(rank); }

    WaitingRanks& ranks;
    const int rank;
    bool running = false;
    std::condition_variable came;
  };

  [[nodiscard]] Turns& at(int rank) { return *turns_[static_cast<std::size_t>(rank)]; }

  void take_turn(int rank) {
    std::unique_lock lock(mutex_);
    at(rank).came.wait(lock, [&] { return turn_ == rank; });
  }
  void pass_turn() {
    const std::lock_guard lock(mutex_);
    network().step();
    constexpr std::uint64_t kMost = 2'000'000;
    if (++passed_ > kMost) {
      std::fputs("ranks wait for ever\n", stderr);
      std::abort();
    }
    const int ahead = network().config().shuffle_ready ? static_cast<int>(random_() % 64U) : 0;
    for (int i = 1; i <= size(); ++i) {
      const int next = (turn_ + ahead + i) % size();
      if (!at(next).running) continue;
      turn_ = next;
      at(next).came.notify_one();
      return;
    }
  }

  std::vector<std::unique_ptr<Turns>> turns_;
  std::mutex mutex_;
  std::mt19937_64 random_;
  int turn_ = 0;
  std::uint64_t passed_ = 0;
};

}  // namespace remit::testing
