// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Jobs that threads do: all of them once, told by polling, and sleepers are woken.
#include "files/storage/io_threads.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <deque>
#include <set>
#include <thread>

namespace remit::testing {
namespace {

struct Job final : IoJob {
  void run() noexcept override {
    if (pause.count() != 0) std::this_thread::sleep_for(pause);
    thread = std::this_thread::get_id();
    sigset_t blocked;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    gets_signals = ::sigismember(&blocked, SIGTERM) == 0;
    ++runs;
  }

  std::chrono::microseconds pause{0};
  int runs = 0;
  bool gets_signals = true;
  std::thread::id thread;
};

TEST(IoThreads, EachJobIsDoneOnceByOtherThreads) {
  Progress progress;
  std::deque<Job> jobs(1000);
  std::set<std::thread::id> threads;
  {
    IoThreads pool(progress, 3);
    for (Job& job : jobs) pool.start(job);
    EXPECT_TRUE(pool.busy());
    progress.wait([&] { return !pool.busy(); });
  }
  for (const Job& job : jobs) {
    EXPECT_EQ(job.runs, 1);
    EXPECT_TRUE(job.is_complete());
    EXPECT_FALSE(job.gets_signals);
    threads.insert(job.thread);
  }
  EXPECT_LE(threads.size(), 3U);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST(IoThreads, NoThreadMoreThanJobsAtOnce) {
  Progress progress;
  IoThreads pool(progress, 4);
  std::set<std::thread::id> threads;
  for (int i = 0; i < 50; ++i) {
    Job job;
    pool.start(job);
    progress.wait([&] { return job.is_complete(); });
    threads.insert(job.thread);
    // Its thread may need a moment until it waits again; only then no other one is started.
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_LE(threads.size(), 2U);
}

TEST(IoThreads, ASleeperIsWoken) {
  Progress progress(WaitPolicy{false, 0, 0, true});  // sleeps at once
  IoThreads pool(progress, 2);
  for (int i = 0; i < 200; ++i) {
    Job job;
    job.pause = std::chrono::microseconds(i % 10 * 50);
    pool.start(job);
    progress.wait([&] { return job.is_complete(); });
    EXPECT_EQ(job.runs, 1);
  }
  EXPECT_GT(progress.counters().sleeps, 0U);
  EXPECT_EQ(progress.counters().late, 0U);
}

TEST(IoThreads, JobsUnderWayAreFinishedAtTheEnd) {
  Progress progress;
  std::deque<Job> jobs(20);
  {
    IoThreads pool(progress, 2);
    for (Job& job : jobs) {
      job.pause = std::chrono::microseconds(200);
      pool.start(job);
    }
  }
  for (const Job& job : jobs) EXPECT_EQ(job.runs, 1);
}

}  // namespace
}  // namespace remit::testing
