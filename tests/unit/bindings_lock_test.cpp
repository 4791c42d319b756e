// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The lock of MPI_THREAD_MULTIPLE: exclusion, recursion, and that a thread which gives it up only
// to take it again lets the others in.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "bindings/mpi_lock.hpp"

namespace remit {
namespace {

TEST(MpiLock, OneThreadAtATime) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 2000;
  MpiLock lock;
  long counter = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        lock.lock();
        const long seen = counter;
        lock.lock();
        counter = seen + 1;
        lock.unlock();
        lock.unlock();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, long{kThreads} * kRounds);
}

TEST(MpiLock, PauseGivesUpEveryLevelAndResumeTakesThemAgain) {
  MpiLock lock;
  lock.lock();
  lock.lock();
  lock.lock();
  std::atomic<bool> entered = false;
  std::thread other([&] {
    lock.lock();
    entered = true;
    lock.unlock();
  });
  lock.pause();
  other.join();  // it can enter
  EXPECT_TRUE(entered);
  lock.resume();
  entered = false;
  std::thread late([&] {
    lock.lock();
    entered = true;
    lock.unlock();
  });
  lock.unlock();
  lock.unlock();
  EXPECT_FALSE(entered);  // one level is still held
  lock.unlock();
  late.join();
}

// With a plain mutex the spinning thread takes the lock again before the other one, woken by the
// kernel, comes to run; it could go on for as long as it likes.
TEST(MpiLock, ASpinningThreadLetsAnotherOneIn) {
  MpiLock lock;
  std::atomic<int> turns = 0;
  std::atomic<bool> stop = false;
  std::thread spinner([&] {
    lock.lock();
    while (!stop) {
      lock.pause();
      lock.resume();
    }
    lock.unlock();
  });
  for (int i = 0; i < 100; ++i) {
    lock.lock();
    ++turns;
    lock.unlock();
  }
  stop = true;
  spinner.join();
  EXPECT_EQ(turns, 100);
}

}  // namespace
}  // namespace remit
