// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Progress sources: their order, and that each is armed exactly while all are.
#include "runtime/progress_sources.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace remit {
namespace {

/// Writes down what is done to it.
class NotedSource final : public ProgressSource {
 public:
  NotedSource(std::string& notes, char name, int sleep_ms = -1)
      : notes_(notes), name_(name), sleep_ms_(sleep_ms) {}

  int progress() override {
    notes_ += name_;
    return events;
  }
  void arm() override { ++armed; }
  void disarm() override { --armed; }
  void wait_fds(std::vector<int>& out) const override { out.push_back(name_); }
  [[nodiscard]] int max_sleep_ms() const override { return sleep_ms_; }

  int events = 0;
  int armed = 0;

 private:
  std::string& notes_;
  const char name_;
  const int sleep_ms_;
};

TEST(ProgressSources, PollsInOrderAndCountsEvents) {
  std::string notes;
  NotedSource a(notes, 'a'), b(notes, 'b'), c(notes, 'c');
  ProgressSources sources;
  EXPECT_EQ(sources.poll(), 0);
  sources.add(&b);
  sources.add(&a);
  sources.add(&c);
  a.events = 2;
  c.events = 5;
  EXPECT_EQ(sources.poll(), 7);
  EXPECT_EQ(notes, "bac");
  sources.remove(&a);
  EXPECT_EQ(sources.poll(), 5);
  EXPECT_EQ(notes, "bacbc");
}

/// Brings another one with its first poll, and takes that away with its second.
class Opener final : public ProgressSource {
 public:
  Opener(ProgressSources& sources, ProgressSource& other) : sources_(sources), other_(other) {}
  int progress() override {
    if (++polls_ == 1) sources_.add(&other_);
    if (polls_ == 2) sources_.remove(&other_);
    return 0;
  }
  void arm() override {}
  void disarm() override {}
  void wait_fds(std::vector<int>& /*out*/) const override {}

 private:
  ProgressSources& sources_;
  ProgressSource& other_;
  int polls_ = 0;
};

TEST(ProgressSources, MayComeAndGoWhileAllArePolled) {
  std::string notes;
  NotedSource other(notes, 'o');
  ProgressSources sources;
  Opener opener(sources, other);
  sources.add(&opener);
  (void)sources.poll();
  EXPECT_EQ(notes, "o") << "the new one has its turn at once";
  (void)sources.poll();
  EXPECT_EQ(notes, "o");
}

TEST(ProgressSources, EachIsArmedWhileAllAre) {
  std::string notes;
  NotedSource early(notes, 'e'), late(notes, 'l');
  ProgressSources sources;
  sources.add(&early);
  EXPECT_EQ(early.armed, 0);
  sources.disarm();
  EXPECT_EQ(early.armed, 0) << "it was not armed";
  sources.arm();
  sources.add(&late);
  EXPECT_EQ(early.armed, 1);
  EXPECT_EQ(late.armed, 1);
  sources.remove(&early);
  EXPECT_EQ(early.armed, 0);
  sources.remove(&early);
  EXPECT_EQ(early.armed, 0) << "it had gone before";
  sources.disarm();
  EXPECT_EQ(late.armed, 0);
  sources.disarm();
  EXPECT_EQ(late.armed, 0);
  sources.remove(&late);
  EXPECT_EQ(late.armed, 0);
}

TEST(ProgressSources, TheShortestSleepIsSafeForAll) {
  std::string notes;
  NotedSource any(notes, 'a'), other(notes, 't'), zero(notes, 'z', 0);
  NotedSource seven(notes, 's', 7), nine(notes, 'n', 9);
  ProgressSources sources;
  std::vector<int> fds{3};
  EXPECT_EQ(sources.wait_fds(fds), -1);
  sources.add(&any);
  sources.add(&other);
  EXPECT_EQ(sources.wait_fds(fds), -1);
  sources.add(&nine);
  sources.add(&seven);
  fds.resize(1);
  EXPECT_EQ(sources.wait_fds(fds), 7);
  EXPECT_EQ(fds, (std::vector<int>{3, 'a', 't', 'n', 's'}));
  sources.add(&zero);
  EXPECT_EQ(sources.wait_fds(fds), 0);
}

}  // namespace
}  // namespace remit
