// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Counters of notifications, requests that wait for them, and the comparisons of signals.
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "onesided/notified/notify_counters.hpp"
#include "onesided/notified/notify_waits.hpp"
#include "onesided/notified/signal.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

constexpr std::uint32_t kCounters = 4;

/// A member with counters that nobody shares.
class Member {
 public:
  Member() : lines_(NotifyCounters::bytes(kCounters) / kControlLine) {
    counters().set_count(kCounters);
  }
  [[nodiscard]] NotifyCounters counters() {
    return NotifyCounters(reinterpret_cast<std::byte*>(lines_.data()));
  }

 private:
  struct alignas(kControlLine) Line {
    std::byte bytes[kControlLine] = {};
  };
  std::vector<Line> lines_;
};

struct Waiting : Request {
  Waiting() : Request(RequestKind::receive) {}
};

TEST(NotifyCounters, TakeWholeLines) {
  EXPECT_EQ(NotifyCounters::bytes(0), kControlLine);
  EXPECT_EQ(NotifyCounters::bytes(7), kControlLine);
  EXPECT_EQ(NotifyCounters::bytes(8), 2 * kControlLine);
  EXPECT_EQ(NotifyCounters::bytes(1'000'000), (std::size_t{8} * 1'000'001 + 63) / 64 * 64);
}

TEST(NotifyCounters, AreApart) {
  Member member;
  NotifyCounters counters = member.counters();
  for (std::uint32_t i = 0; i < kCounters; ++i) {
    EXPECT_EQ(counters.value(i), 0U);
    counters.set(i, 10 * i);
    for (std::uint32_t n = 0; n <= i; ++n) counters.add(i);
  }
  for (std::uint32_t i = 0; i < kCounters; ++i) EXPECT_EQ(counters.value(i), 11 * i + 1);
  EXPECT_EQ(counters.count(), kCounters);
  EXPECT_EQ(counters.sleeps().load(), 0U);
}

TEST(NotifyCounters, CountBeyondWhatAnIntCounts) {
  Member member;
  member.counters().set(0, 0xffffffffU);
  member.counters().add(0);
  EXPECT_EQ(member.counters().value(0), std::uint64_t{1} << 32);
}

TEST(NotifyWaits, CompleteAtOnceOrLater) {
  Member member;
  Progress progress;
  NotifyWaits waits(progress, member.counters());
  Waiting now, later;
  member.counters().add(2);
  waits.start(now, {2, 1, false});
  EXPECT_TRUE(now.complete);
  EXPECT_EQ(now.status.tag, 2);
  waits.start(later, {2, 3, false});
  EXPECT_EQ(waits.pending(), 1U);
  EXPECT_EQ(progress.poll(), 0);
  member.counters().add(2);
  member.counters().add(1);
  EXPECT_EQ(progress.poll(), 0);
  EXPECT_FALSE(later.complete);
  member.counters().add(2);
  EXPECT_EQ(progress.poll(), 1);
  EXPECT_TRUE(later.complete);
  EXPECT_EQ(later.status.tag, 2);
  EXPECT_EQ(waits.pending(), 0U);
  EXPECT_EQ(progress.poll(), 0);
}

TEST(NotifyWaits, TakeInTheOrderOfTheirStarts) {
  Member member;
  Progress progress;
  NotifyWaits waits(progress, member.counters());
  Waiting first, second, small, looks;
  waits.start(first, {0, 2, true});
  waits.start(second, {0, 2, true});
  waits.start(small, {0, 1, true});
  waits.start(looks, {0, 4, false});
  member.counters().add(0);
  EXPECT_EQ(progress.poll(), 1);
  EXPECT_TRUE(small.complete);  // there was enough for it alone
  member.counters().add(0);
  EXPECT_EQ(progress.poll(), 0);
  member.counters().add(0);
  EXPECT_EQ(progress.poll(), 1);
  EXPECT_TRUE(first.complete && !second.complete && !looks.complete);
  member.counters().add(0);
  EXPECT_EQ(progress.poll(), 1);
  EXPECT_TRUE(looks.complete && !second.complete);
  member.counters().add(0);
  EXPECT_EQ(progress.poll(), 1);
  EXPECT_TRUE(second.complete);
  EXPECT_EQ(member.counters().value(0), 5U);
}

TEST(NotifyWaits, BeginAnewWhenACounterIsSet) {
  Member member;
  Progress progress;
  NotifyWaits waits(progress, member.counters());
  Waiting taken, again, none;
  for (int i = 0; i < 5; ++i) member.counters().add(1);
  waits.start(taken, {1, 5, true});
  EXPECT_TRUE(taken.complete);
  waits.start(none, {1, 1, true});
  EXPECT_FALSE(none.complete);
  waits.cancel(none);
  waits.set(1, 3);
  waits.start(again, {1, 3, true});
  EXPECT_TRUE(again.complete);
}

TEST(NotifyWaits, Cancel) {
  Member member;
  Progress progress;
  NotifyWaits waits(progress, member.counters());
  Waiting cancelled, kept, stranger;
  waits.start(cancelled, {3, 1, true});
  waits.start(kept, {3, 1, true});
  waits.cancel(stranger);
  EXPECT_FALSE(stranger.complete);
  waits.cancel(cancelled);
  EXPECT_TRUE(cancelled.complete && cancelled.status.cancelled);
  member.counters().add(3);
  EXPECT_EQ(progress.poll(), 1);
  EXPECT_TRUE(kept.complete && !kept.status.cancelled);
}

/// Others ring only for a process that may sleep for a counter.
TEST(NotifyWaits, SayThatTheySleep) {
  Member member;
  Progress progress;
  std::atomic<std::uint32_t>& sleeps = member.counters().sleeps();
  {
    NotifyWaits waits(progress, member.counters());
    waits.arm();
    EXPECT_EQ(sleeps.load(), 0U);
    Waiting one, two;
    waits.start(one, {0, 1, true});  // another thread's, while this one sleeps
    EXPECT_EQ(sleeps.load(), 1U);
    waits.disarm();
    EXPECT_EQ(sleeps.load(), 0U);
    waits.arm();
    EXPECT_EQ(sleeps.load(), 1U);
    member.counters().add(0);
    EXPECT_EQ(progress.poll(), 1);
    EXPECT_EQ(sleeps.load(), 0U);
    waits.start(two, {0, 1, true});
    EXPECT_EQ(sleeps.load(), 1U);
  }
  EXPECT_EQ(sleeps.load(), 0U);
  EXPECT_EQ(progress.poll(), 0);  // it is no source any more
}

/// An event by which a sleeper is woken.
class Bell final : public ProgressSource {
 public:
  Bell() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Bell() override { ::close(event_); }
  void ring() const {
    const std::uint64_t one = 1;
    (void)!::write(event_, &one, sizeof one);
  }
  int progress() override { return 0; }
  void arm() override {}
  void disarm() override {
    std::uint64_t count = 0;
    (void)!::read(event_, &count, sizeof count);
  }
  void wait_fds(std::vector<int>& out) const override { out.push_back(event_); }

 private:
  int event_;
};

/// A wake-up that is lost leaves the sleeper asleep for good: nothing else ends its sleep.
TEST(NotifyWaits, LoseNoWakeUp) {
  constexpr int kRounds = 20000;
  Member mine, peers;
  Bell bell, peers_bell;
  constexpr WaitPolicy kSleepAtOnce{.spin = false, .spin_polls = 0, .yields = 0, .sleep = true};
  const auto play = [&](NotifyCounters own, Bell& own_bell, NotifyCounters other,
                        const Bell& others_bell, bool begins) {
    Progress progress(kSleepAtOnce);
    progress.sources().add(&own_bell);
    NotifyWaits waits(progress, own);
    const auto tell = [&] {
      other.add(1);
      if (other.sleeps().load(std::memory_order_seq_cst) != 0) others_bell.ring();
    };
    for (int round = 0; round < kRounds; ++round) {
      Waiting waiting;
      if (begins) tell();
      waits.start(waiting, {1, 1, true});
      progress.wait([&] { return waiting.complete; });
      if (!begins) tell();
    }
  };
  std::thread peer([&] { play(peers.counters(), peers_bell, mine.counters(), bell, false); });
  play(mine.counters(), bell, peers.counters(), peers_bell, true);
  peer.join();
  EXPECT_EQ(mine.counters().value(1), std::uint64_t{kRounds});
  EXPECT_EQ(peers.counters().value(1), std::uint64_t{kRounds});
}

/// What should have become of the requests: a list that is searched from its front.
struct WaitsModel {
  struct Started {
    Waiting* request;
    NotifyGoal goal;
  };
  std::uint64_t values[kCounters] = {};
  std::uint64_t taken[kCounters] = {};
  std::vector<Started> waiting;
  std::vector<Waiting*> done;

  bool reach(const NotifyGoal& goal) {
    const std::uint64_t value = values[goal.index];
    if (!goal.takes) return value >= goal.count;
    if (value < taken[goal.index] + goal.count) return false;
    taken[goal.index] += goal.count;
    return true;
  }
  void start(Waiting& request, const NotifyGoal& goal) {
    if (reach(goal)) {
      done.push_back(&request);
    } else {
      waiting.push_back({&request, goal});
    }
  }
  void poll() {
    std::vector<Started> rest;
    for (const Started& started : waiting) {
      if (reach(started.goal)) {
        done.push_back(started.request);
      } else {
        rest.push_back(started);
      }
    }
    waiting = rest;
  }
};

TEST(NotifyWaits, AreAsTheModelAtRandom) {
  std::mt19937_64 random(test_seed());
  const auto below = [&](std::uint64_t end) { return random() % end; };
  Member member;
  Progress progress;
  NotifyWaits waits(progress, member.counters());
  WaitsModel model;
  std::vector<std::unique_ptr<Waiting>> all;
  for (int step = 0; step < 20000; ++step) {
    const auto index = static_cast<std::uint32_t>(below(kCounters));
    const std::uint64_t what = below(100);
    if (what < 45) {
      member.counters().add(index);
      ++model.values[index];
    } else if (what < 70) {
      all.push_back(std::make_unique<Waiting>());
      const bool takes = below(2) == 0;
      const NotifyGoal goal{index, takes ? 1 + below(4) : model.values[index] + below(4), takes};
      waits.start(*all.back(), goal);
      model.start(*all.back(), goal);
    } else if (what < 72) {
      const std::uint64_t value = below(6);
      waits.set(index, value);
      model.values[index] = value;
      model.taken[index] = 0;
    } else if (what < 75 && !model.waiting.empty()) {
      const auto victim =
          model.waiting.begin() + static_cast<std::ptrdiff_t>(below(model.waiting.size()));
      waits.cancel(*victim->request);
      ASSERT_TRUE(victim->request->status.cancelled);
      model.waiting.erase(victim);
    } else {
      const std::size_t before = model.done.size();
      model.poll();
      ASSERT_EQ(progress.poll(), static_cast<int>(model.done.size() - before)) << "step " << step;
    }
    ASSERT_EQ(waits.pending(), model.waiting.size()) << "step " << step;
    for (const auto& started : model.waiting) ASSERT_FALSE(started.request->complete);
    ASSERT_TRUE(std::all_of(
        model.done.begin(), model.done.end(),
        [](const Waiting* request) { return request->complete && !request->status.cancelled; }))
        << "step " << step;
    model.done.clear();
  }
}

TEST(SignalTest, ComparesUnsigned) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  struct Case {
    SignalTest test;
    bool below, same, above;  // the word, to the value
  };
  constexpr Case kCases[] = {
      {SignalTest::equal, false, true, false},   {SignalTest::not_equal, true, false, true},
      {SignalTest::greater, false, false, true}, {SignalTest::greater_equal, false, true, true},
      {SignalTest::less, true, false, false},    {SignalTest::less_equal, true, true, false},
  };
  for (const Case& c : kCases) {
    for (const std::uint64_t value : {std::uint64_t{1}, std::uint64_t{1} << 63, kMost - 1}) {
      EXPECT_EQ(passes(c.test, value - 1, value), c.below);
      EXPECT_EQ(passes(c.test, value, value), c.same);
      EXPECT_EQ(passes(c.test, value + 1, value), c.above);
    }
  }
}

}  // namespace
}  // namespace remit::testing
