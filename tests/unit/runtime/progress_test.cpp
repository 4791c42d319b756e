// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Progress: order of work, and sleeping without losing a wake-up.
#include "runtime/progress.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <random>
#include <span>
#include <string>
#include <thread>

#include "runtime/waiting/word_watch.hpp"

namespace remit {
namespace {

/// A counter that another thread raises, with the sleep word and eventfd of a shared-memory device.
class CounterSource final : public ProgressSource {
 public:
  CounterSource() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~CounterSource() override { ::close(event_); }

  /// Any thread.
  void raise() {
    raised_.fetch_add(1, std::memory_order_seq_cst);
    if (asleep_.load(std::memory_order_seq_cst)) ring();
  }
  [[nodiscard]] std::uint64_t seen() const { return seen_; }

  int progress() override {
    const std::uint64_t now = raised_.load(std::memory_order_seq_cst);
    const int events = static_cast<int>(now - seen_);
    seen_ = now;
    return events;
  }
  void arm() override { asleep_.store(true, std::memory_order_seq_cst); }
  void disarm() override {
    asleep_.store(false, std::memory_order_seq_cst);
    std::uint64_t count = 0;
    (void)!::read(event_, &count, sizeof count);
  }
  void wait_fds(std::vector<int>& out) const override { out.push_back(event_); }

 private:
  void ring() {
    const std::uint64_t one = 1;
    (void)!::write(event_, &one, sizeof one);
  }

  int event_;
  std::atomic<std::uint64_t> raised_{0};
  std::atomic<bool> asleep_{false};
  std::uint64_t seen_ = 0;
};

constexpr WaitPolicy kSleepAtOnce{.spin = false, .spin_polls = 0, .yields = 0, .sleep = true};

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(Progress, PollsSourcesAndCountsEvents) {
  CounterSource a, b;
  Progress progress;
  progress.sources().add(&a);
  progress.sources().add(&b);
  EXPECT_EQ(progress.poll(), 0);
  a.raise();
  b.raise();
  b.raise();
  EXPECT_EQ(progress.poll(), 3);
  progress.sources().remove(&a);
  a.raise();
  EXPECT_EQ(progress.poll(), 0);
}

/// A sleeper per thread plays ping-pong; each sleeps as early as it may. A lost wake-up hangs here.
void ping_pong(const WaitPolicy& policy, std::uint64_t rounds) {
  CounterSource ping, pong;
  std::thread other([&] {
    Progress progress(policy);
    progress.sources().add(&ping);
    for (std::uint64_t i = 1; i <= rounds; ++i) {
      progress.wait([&] { return ping.seen() >= i; });
      pong.raise();
    }
  });
  Progress progress(policy);
  progress.sources().add(&pong);
  for (std::uint64_t i = 1; i <= rounds; ++i) {
    ping.raise();
    progress.wait([&] { return pong.seen() >= i; });
  }
  other.join();
  EXPECT_EQ(pong.seen(), rounds);
}

/// REMIT_TEST_ROUNDS sets more: a round costs two context switches.
std::uint64_t rounds(std::uint64_t fallback) {
  const char* text = std::getenv("REMIT_TEST_ROUNDS");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : fallback;
}

TEST(Progress, LosesNoWakeUpSleepingAtOnce) {
  ping_pong(kSleepAtOnce, rounds(10'000));
}

TEST(Progress, LosesNoWakeUpAroundTheEdgeOfYielding) {
  ping_pong({.spin = false, .spin_polls = 0, .yields = 1, .sleep = true}, rounds(10'000));
}

TEST(Progress, LosesNoWakeUpAroundTheEdgeOfSpinning) {
  ping_pong({.spin = true, .spin_polls = 30, .yields = 1, .sleep = true}, rounds(10'000));
}

TEST(Progress, IdleWaitUsesNoProcessorTime) {
  CounterSource source;
  Progress progress(kSleepAtOnce);
  progress.sources().add(&source);
  std::thread waker([&] {
    ::poll(nullptr, 0, 300);
    source.raise();
  });
  const double before = cpu_seconds();
  progress.wait([&] { return source.seen() != 0; });
  EXPECT_LT(cpu_seconds() - before, 0.03);
  EXPECT_LE(progress.counters().sleeps, 3U);
  waker.join();
}

void run_on_one_core(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ASSERT_EQ(::sched_setaffinity(0, sizeof set, &set), 0);
}

/// A rank that believes its core to be its own, and another process that works there.
TEST(Progress, SpinningIsGivenUpWhereOthersWantTheCore) {
  CounterSource source;
  Progress progress({.spin = true, .spin_polls = 1U << 31, .yields = 1U << 31, .sleep = true});
  progress.sources().add(&source);
  cpu_set_t all;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  const int core = ::sched_getcpu();
  std::thread worker([&] {
    run_on_one_core(core);
    while (cpu_seconds() < 0.2) {
    }
    source.raise();
  });
  run_on_one_core(core);
  progress.wait([&] { return source.seen() != 0; });
  worker.join();
  EXPECT_GE(progress.counters().crowded, 1U);
  EXPECT_GE(progress.counters().sleeps, 1U);
  // Each time the worker had the core for a turn: a few of them are enough.
  EXPECT_LE(progress.counters().yields, 100U);
  ASSERT_EQ(::sched_setaffinity(0, sizeof all, &all), 0);
}

TEST(Progress, SleepPolicyIsObeyed) {
  CounterSource source;
  Progress never({.spin = false, .spin_polls = 0, .yields = 5, .sleep = false});
  never.sources().add(&source);
  int asked = 0;
  never.wait([&] { return ++asked > 100; });
  EXPECT_EQ(never.counters().sleeps, 0U);
  EXPECT_EQ(never.counters().yields, 100U);
}

/// A source that can only bound the sleep: time passes by itself.
class Timed final : public ProgressSource {
 public:
  int progress() override { return 0; }
  void arm() override { ++arms; }
  void disarm() override { ++disarms; }
  void wait_fds(std::vector<int>&) const override {}
  int max_sleep_ms() const override { return 1; }
  int arms = 0;
  int disarms = 0;
};

TEST(Progress, SleepIsBoundedBySources) {
  Timed timed;
  CounterSource silent;
  Progress progress(kSleepAtOnce);
  progress.sources().add(&silent);
  progress.sources().add(&timed);
  int asked = 0;
  progress.wait([&] { return ++asked > 5; });
  EXPECT_EQ(timed.arms, timed.disarms);
  EXPECT_EQ(progress.counters().sleeps, 5U);
}

/// Counts the waits that were told of.
struct WaitCounter final : EventListener {
  void heard(EventKind kind, std::span<const std::int64_t> /*values*/) noexcept override {
    if (kind == EventKind::wait_ended) ++waits;
  }
  int waits = 0;
};

/// A wait that an exception ends is over as any other is.
TEST(Progress, AWaitThatFailsIsOver) {
  Events events;
  Progress progress(kSleepAtOnce, &events);
  WaitCounter counter;
  events.want(Events::bit(EventKind::wait_ended), &counter);
  int asked = 0;
  const auto fails = [&]() -> bool {
    if (++asked > 3) throw std::bad_alloc();
    return false;
  };
  EXPECT_THROW(progress.wait(fails), std::bad_alloc);
  EXPECT_EQ(counter.waits, 1);
  events.want(0, nullptr);
}

/// Has no memory as long as it is armed.
class FailsAsleep final : public ProgressSource {
 public:
  int progress() override {
    if (arms != disarms) throw std::bad_alloc();
    return 0;
  }
  void arm() override { ++arms; }
  void disarm() override { ++disarms; }
  void wait_fds(std::vector<int>&) const override {}
  int arms = 0;
  int disarms = 0;
};

TEST(Progress, ASleepThatFailsIsOver) {
  FailsAsleep source;
  Progress progress(kSleepAtOnce);
  progress.sources().add(&source);
  const auto never = [] { return false; };
  for (int times = 1; times <= 3; ++times) {  // each thread is the first one that sleeps
    EXPECT_THROW(progress.wait(never), std::bad_alloc);
    EXPECT_EQ(source.arms, times);
    EXPECT_EQ(source.disarms, times);
  }
}

struct MutexHook final : Progress::YieldHook {
  void before() override { mutex.unlock(); }
  void after() override { mutex.lock(); }
  std::mutex mutex;
};

/// What has changed is one event, however often somebody polls; only a watch with a word for
/// sleepers bounds the sleep.
TEST(WordWatch, ReportsAChangeOnce) {
  Progress progress;
  std::atomic<std::uint32_t> sleepers{0};
  bool changed = false;
  auto test = [&] { return changed; };
  {
    WordWatch watch(progress, test, &sleepers);
    EXPECT_EQ(watch.max_sleep_ms(), 1);
    EXPECT_EQ(progress.poll(), 0);
    changed = true;
    EXPECT_EQ(progress.poll(), 1);
    EXPECT_EQ(progress.poll(), 0);
  }
  WordWatch watch(progress, test, nullptr);
  EXPECT_EQ(watch.max_sleep_ms(), -1);
  EXPECT_EQ(progress.poll(), 1);
  EXPECT_EQ(progress.poll(), 0);
}

/// Two threads in MPI: one sleeps, the other completes its wait without any event of a source.
TEST(Progress, ThreadIsWokenByAnotherThread) {
  CounterSource silent;
  Progress progress(kSleepAtOnce);
  progress.sources().add(&silent);
  MutexHook hook;
  progress.set_yield_hook(&hook);
  const std::uint64_t count = rounds(5'000);
  std::uint64_t turn = 0;  // guarded by hook.mutex; even: ours
  const auto play = [&](std::uint64_t parity) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::lock_guard lock(hook.mutex);
      progress.wait([&] { return turn % 2 == parity; });
      ++turn;
      progress.wake_sleepers();
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(turn, 2 * count);
}

/// Neither does a thread sleep beside a source that came when another one slept already, nor stays
/// a source armed that goes meanwhile.
TEST(Progress, SourceIsArmedWhileOthersSleep) {
  CounterSource silent;
  Progress progress(kSleepAtOnce);
  progress.sources().add(&silent);
  MutexHook hook;
  progress.set_yield_hook(&hook);
  std::unique_lock lock(hook.mutex);
  bool over = false;  // guarded by hook.mutex
  std::thread sleeper([&] {
    const std::lock_guard held(hook.mutex);
    progress.wait([&] { return over; });
  });
  while (progress.counters().sleeps == 0) {
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
  Timed timed;
  progress.sources().add(&timed);
  EXPECT_EQ(timed.arms, timed.disarms + 1);
  int asked = 0;
  progress.wait([&] { return ++asked > 3; });
  EXPECT_EQ(timed.arms, timed.disarms + 1);  // the other one sleeps still
  progress.sources().remove(&timed);
  std::atomic<std::uint32_t> sleepers{0};
  auto never = [] { return false; };
  {
    const WordWatch watch(progress, never, &sleepers);
    EXPECT_EQ(sleepers, 1U);
  }
  EXPECT_EQ(sleepers, 0U);
  { const WordWatch watch(progress, never, nullptr); }
  EXPECT_EQ(timed.arms, timed.disarms);
  over = true;
  progress.wake_sleepers();
  lock.unlock();
  sleeper.join();
  EXPECT_EQ(timed.arms, timed.disarms);
}

}  // namespace
}  // namespace remit
