// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Virtual ranks over the simulated network that make blocking calls: each has a thread, and one of
// them at a time has its turn, in an order that is always the same.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "communicators/comm_process.hpp"
#include "tests/unit/pt2pt/world.hpp"

namespace remit::testing {

/// A world whose ranks can wait. While one waits, the others have their turns and the network
/// moves.
class CallingRanks : public World {
 public:
  explicit CallingRanks(int size, SimConfig config = {}, bool overlap = false)
      : World(size, std::move(config), {}, 0, size, true) {
    for (int rank = 0; rank < size; ++rank) {
      Caller& caller = *callers_.emplace_back(std::make_unique<Caller>(*this, rank, overlap));
      caller.comms = std::make_unique<CommProcess>(engine(rank), caller);
      process(rank).progress().set_policy({.spin = false, .yields = 1, .sleep = false});
      process(rank).progress().set_yield_hook(&caller);
    }
  }
  ~CallingRanks() { settle(); }

  [[nodiscard]] CommCall call(int rank) { return {*at(rank).comms, "MPI_Test_call"}; }
  /// MPI_COMM_WORLD.
  [[nodiscard]] ParentComm world(int rank) { return {comm(rank), name_}; }
  [[nodiscard]] ContextIds& contexts(int rank) { return at(rank).comms->contexts(); }

  /// Runs `work` for every rank at once, until all have returned.
  void run_all(const std::function<void(int rank)>& work) {
    for (auto& caller : callers_) caller->running = true;
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

 private:
  struct Caller final : CallingThreads, Progress::YieldHook {
    Caller(CallingRanks& all, int number, bool overlapping)
        : ranks(all), rank(number), overlaps(overlapping) {}
    [[nodiscard]] bool overlap() const override { return overlaps; }
    void note_change() override {}
    void before() override { ranks.pass_turn(); }
    void after() override { ranks.take_turn(rank); }

    CallingRanks& ranks;
    const int rank;
    const bool overlaps;
    bool running = false;
    std::unique_ptr<CommProcess> comms;
  };
  Caller& at(int rank) { return *callers_[static_cast<std::size_t>(rank)]; }

  void take_turn(int rank) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == rank; });
  }
  void pass_turn() {
    const std::lock_guard lock(mutex_);
    network().step();
    constexpr std::uint64_t kMost = 2'000'000;
    if (++turns_ > kMost) {
      std::fputs("ranks wait for ever\n", stderr);
      std::abort();
    }
    for (int i = 1; i <= size(); ++i) {
      const int next = (turn_ + i) % size();
      if (!at(next).running) continue;
      turn_ = next;
      changed_.notify_all();
      return;
    }
  }

  const std::string name_ = "MPI_COMM_WORLD";
  std::vector<std::unique_ptr<Caller>> callers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int turn_ = 0;
  std::uint64_t turns_ = 0;
};

}  // namespace remit::testing
