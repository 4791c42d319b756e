// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Meetings of members that share words: nobody leaves before all have come, sleepers are woken, and
// when a member has ended all who live fail, wherever they are.
#include "files/staged/host_meeting.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "runtime/task.hpp"

namespace remit::testing {
namespace {

constexpr std::size_t kMembers = 3;
constexpr WaitPolicy kSleeps{false, 0, 0, true};
constexpr WaitPolicy kPollsOnly{false, 0, 0, false};

/// What wakes one member.
class Bell final : public ProgressSource {
 public:
  Bell() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Bell() override { ::close(event_); }
  void ring() {
    ++rings;
    const std::uint64_t one = 1;
    (void)!::write(event_, &one, sizeof one);
  }
  int progress() override {
    std::uint64_t count = 0;
    return ::read(event_, &count, sizeof count) > 0 ? 1 : 0;
  }
  void arm() override {}
  void disarm() override {}
  void wait_fds(std::vector<int>& out) const override { out.push_back(event_); }

  std::atomic<int> rings = 0;

 private:
  int event_;
};

/// Members in one process, each with a progress engine of its own.
struct Host {
  struct Member final : MeetingPeers {
    Member(Host& own_host, std::size_t place, const WaitPolicy& policy)
        : host(own_host),
          progress(policy),
          meeting(progress, *this, {host.lines.data(), host.lines.size()}, place) {
      progress.sources().add(&bell);
    }
    ~Member() override { progress.sources().remove(&bell); }
    bool has_ended(std::size_t member) override {
      ++looks;
      return known_ends.contains(member);
    }
    void wake(std::size_t member) override { host.members[member]->bell.ring(); }

    /// Meets the others; true if that went well.
    bool meet() {
      meeting.start();
      meeting.wait(nullptr);
      return !meeting.has_failed();
    }

    Host& host;
    Progress progress;
    Bell bell;
    HostMeeting meeting;
    std::set<std::size_t> known_ends;  ///< those of whom this member hears
    int looks = 0;
  };

  explicit Host(const WaitPolicy& policy) {
    for (std::size_t place = 0; place < kMembers; ++place) {
      members.push_back(std::make_unique<Member>(*this, place, policy));
    }
  }
  Member& operator[](std::size_t place) { return *members[place]; }

  std::array<MeetingLine, kMembers> lines{};
  std::vector<std::unique_ptr<Member>> members;
};

/// All members meet again and again.
void meet_often(Host& host, int times) {
  std::atomic<int> came = 0;
  std::vector<std::thread> threads;
  for (std::size_t place = 0; place < kMembers; ++place) {
    threads.emplace_back([&, place] {
      for (int round = 1; round <= times; ++round) {
        ++came;
        ASSERT_TRUE(host[place].meet());
        EXPECT_GE(came.load(), round * static_cast<int>(kMembers)) << "somebody had not come";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HostMeeting, NobodyLeavesBeforeAllHaveCome) {
  for (const WaitPolicy& policy : {WaitPolicy(), kSleeps, kPollsOnly}) {
    Host host(policy);
    meet_often(host, 500);
  }
}

TEST(HostMeeting, SleepersAreWoken) {
  Host host(kSleeps);
  std::thread first([&] { EXPECT_TRUE(host[0].meet()); });
  std::thread second([&] { EXPECT_TRUE(host[1].meet()); });
  while (host.lines[0].sleepers == 0 || host.lines[1].sleepers == 0) std::this_thread::yield();
  EXPECT_EQ(host[2].bell.rings, 0);
  EXPECT_TRUE(host[2].meet());
  first.join();
  second.join();
  EXPECT_GE(host[0].bell.rings, 1);
  EXPECT_GE(host[1].bell.rings, 1);
  EXPECT_EQ(host.lines[0].sleepers, 0U);
}

TEST(HostMeeting, WhoHasComeAndEndedFailsTheNextOneForAll) {
  Host host(kSleeps);
  host[2].meeting.start();  // and ends
  host[0].known_ends = {2};
  std::thread first([&] {
    EXPECT_TRUE(host[0].meet()) << "all have come to this one";
    EXPECT_FALSE(host[0].meet());
  });
  EXPECT_TRUE(host[1].meet());
  // This one never hears of the end but by the first one.
  EXPECT_FALSE(host[1].meet());
  first.join();
  EXPECT_GE(host[0].looks, 1);
}

// Two messages of which a member that was killed has sent one end a barrier well for whom that came
// to. Here the first member has met all, the second one is told otherwise.
TEST(HostMeeting, WhoLeavesIsNotWaitedFor) {
  Host host(kSleeps);
  for (std::size_t place = 0; place < kMembers; ++place) host[place].meeting.start();
  EXPECT_TRUE(host[0].meeting.is_over());
  host[1].meeting.leave();
  EXPECT_FALSE(host[0].meet());
  EXPECT_EQ(host[0].looks, 0) << "it was said by a word";
}

TEST(HostMeeting, WhoLeavesBeforeItComesIsNotWaitedForEither) {
  Host host(kSleeps);
  std::thread first([&] { EXPECT_FALSE(host[0].meet()); });
  std::thread second([&] { EXPECT_FALSE(host[1].meet()); });
  while (host.lines[0].sleepers == 0 || host.lines[1].sleepers == 0) std::this_thread::yield();
  host[2].meeting.leave();
  first.join();
  second.join();
  EXPECT_FALSE(host[2].meet()) << "it stays so";
}

/// Meets so often as a coroutine.
struct Meeter {
  HostMeeting& meeting;
  int times;
  FrameArena frames{};

  [[nodiscard]] FrameArena& arena() { return frames; }
  static Task<int> run(Meeter& self) {
    for (int round = 0; round < self.times; ++round) {
      self.meeting.start();
      co_await self.meeting;
      if (self.meeting.has_failed()) co_return round;
    }
    co_return self.times;
  }
};

TEST(HostMeeting, CoroutinesMeetThreads) {
  constexpr int kTimes = 200;
  for (const WaitPolicy& policy : {WaitPolicy(), kSleeps}) {
    Host host(policy);
    std::vector<std::thread> threads;
    for (const std::size_t place : {1U, 2U}) {
      threads.emplace_back([&, place] {
        for (int round = 0; round < kTimes; ++round) EXPECT_TRUE(host[place].meet());
        if (place == 2) {
          host[place].meeting.leave();
        } else {
          EXPECT_FALSE(host[place].meet());
        }
      });
    }
    Meeter meeter{host[0].meeting, kTimes + 1};
    Task<int> task = Meeter::run(meeter);
    task.start();
    host[0].progress.wait([&] { return task.done(); });
    EXPECT_EQ(task.result(), kTimes);
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(HostMeeting, MissingMembersAreNamed) {
  Host host(kPollsOnly);
  host[1].meeting.start();
  EXPECT_EQ(host[1].meeting.missing(), (std::vector<std::size_t>{0, 2}));
}

}  // namespace
}  // namespace remit::testing
