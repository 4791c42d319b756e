// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The lock of MPI_THREAD_MULTIPLE: exclusion, recursion, and that a thread which gives it up only
// to take it again lets the others in. And how calls begin to take it while one is under way.
#include <gtest/gtest.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "bindings/mpi_lock.hpp"
#include "bindings/process/call_guard.hpp"
#include "bindings/word_lock.hpp"

namespace remit {
namespace {

TEST(WordLock, OneThreadAtATimeAlsoWhereThreadsSleepForIt) {
  constexpr int kThreads = 6;
  constexpr int kRounds = 3000;
  WordLock lock;
  long counter = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        lock.lock();
        const long seen = counter;
        if ((i + t) % 64 == 0) std::this_thread::yield();  // the others come to wait
        counter = seen + 1;
        lock.unlock();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, long{kThreads} * kRounds);
}

TEST(WordLock, IsNotTakenTwiceAndWakesWhoWaits) {
  WordLock lock;
  EXPECT_TRUE(lock.try_lock());
  EXPECT_FALSE(lock.try_lock());
  std::atomic<int> through = 0;
  std::vector<std::thread> waiting;
  for (int t = 0; t < 3; ++t) {
    waiting.emplace_back([&] {
      lock.lock();
      ++through;
      lock.unlock();
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that they sleep by now
  EXPECT_EQ(through, 0);
  lock.unlock();
  for (std::thread& thread : waiting) thread.join();
  EXPECT_EQ(through, 3);
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
}

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

bool barrier() {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}
bool has_barrier() {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 &&
         barrier();
}

/// Calls around a counter that only exclusion protects.
struct Calls {
  explicit Calls(bool (*with)()) { guard.mark_calls(with); }
  Progress progress;
  CallGuard guard{progress};
  long counter = 0;

  void enter() { guard.enter(); }
  void leave() { guard.leave(); }
  void wait_a_moment() { progress.yield(); }
  void count() {
    const long seen = counter;
    for (int i = 0; i < 20; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
    counter = seen + 1;
  }
  void begin_locking() {
    guard.lock_calls();
    guard.wait_for_unguarded();
  }
};

/// One thread calls on and on, in nested calls, too, which wait now and then; at some moment
/// another one makes calls take the lock, and calls as well.
void meet(bool (*with)(), int round) {
  constexpr long kCalls = 300;
  Calls calls(with);
  std::atomic<long> done = 0;
  std::thread first([&] {
    for (long i = 0; i < kCalls; ++i) {
      calls.enter();
      calls.count();
      if (i % 3 == 0) {
        calls.enter();
        calls.count();
        if (i % 2 == 0) calls.wait_a_moment();
        calls.leave();
      }
      if (i % 7 == 0) calls.wait_a_moment();
      calls.leave();
      done = i;
    }
  });
  while (done < round % kCalls) std::this_thread::yield();
  calls.begin_locking();
  for (long i = 0; i < kCalls; ++i) {
    calls.enter();
    calls.count();
    calls.leave();
  }
  first.join();
  EXPECT_EQ(calls.counter, 2 * kCalls + kCalls / 3);
}

TEST(Presence, CallsUnderWayAreOverBeforeOthersGoOn) {
  const bool barriers = has_barrier();
  for (int round = 0; round < 400; ++round)
    meet(barriers && round % 2 != 0 ? barrier : nullptr, round);
}

TEST(Presence, ACallOfTheSameThreadDoesNotWaitForItself) {
  Calls calls(nullptr);
  calls.enter();
  calls.enter();
  calls.begin_locking();  // from a callback
  std::thread other([&] {
    calls.enter();
    calls.count();
    calls.leave();
  });
  calls.count();
  calls.leave();
  calls.count();  // the outer one still holds the lock
  calls.leave();
  other.join();
  EXPECT_EQ(calls.counter, 3);
}

TEST(Presence, AThreadThatSleepsIsNotWaitedFor) {
  Calls calls(nullptr);
  std::atomic<bool> asleep = false;
  std::atomic<bool> over = false;
  std::thread sleeper([&] {
    calls.enter();
    calls.progress.yield_hook()->before();
    asleep = true;
    while (!over) std::this_thread::yield();
    calls.progress.yield_hook()->after();
    calls.count();
    calls.leave();
  });
  while (!asleep) std::this_thread::yield();
  calls.begin_locking();  // ends although the sleeper's call is under way
  calls.enter();
  over = true;
  calls.count();
  calls.leave();
  sleeper.join();
  EXPECT_EQ(calls.counter, 2);
}

/// For a while: then calls do what they did before, unless somebody needs the lock by then.
TEST(CallGuard, LocksForNow) {
  for (const bool marks : {false, true}) {
    Progress progress;
    CallGuard guard(progress);
    if (marks) guard.mark_calls(nullptr);
    for (int round = 0; round < 3; ++round) {
      if (marks) guard.enter();
      guard.lock_calls_for_now();
      EXPECT_TRUE(guard.locking());
      EXPECT_TRUE(guard.locks_for_now());
      if (marks) {
        guard.wait_for_unguarded();  // the call that is under way takes the lock
      } else {
        guard.enter();
      }
      EXPECT_NE(progress.yield_hook(), nullptr);
      guard.enter();
      guard.end_lock_for_now();  // another call is around this one
      EXPECT_TRUE(guard.locking());
      guard.leave();
      guard.end_lock_for_now();
      guard.leave();
      EXPECT_FALSE(guard.locking());
      EXPECT_EQ(guard.guarded(), marks);
      EXPECT_EQ(progress.yield_hook() != nullptr, marks);
    }
    guard.lock_calls_for_now();
    guard.lock_calls();
    guard.enter();
    guard.end_lock_for_now();
    guard.leave();
    EXPECT_TRUE(guard.locking());
    EXPECT_FALSE(guard.locks_for_now());
    // Another thread can take it: nobody has kept it.
    std::thread other([&] {
      guard.enter();
      guard.leave();
    });
    other.join();
  }
}

}  // namespace
}  // namespace remit
