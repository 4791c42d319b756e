// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Events: who is told what, switches, waits that are watched; and watermarks.
#include "runtime/events.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/progress.hpp"
#include "runtime/watermark.hpp"

namespace remit {
namespace {

struct Heard {
  EventKind kind;
  std::vector<std::int64_t> values;
};

struct Listener final : EventListener {
  std::vector<Heard> all;
  void heard(EventKind kind, std::span<const std::int64_t> values) noexcept override {
    all.push_back({kind, {values.begin(), values.end()}});
  }
};

struct Switch final : EventSwitch {
  int changes = 0;
  void wanted_events_changed() override { ++changes; }
};

TEST(Events, EveryKindHasItsPlaceItsNameAndElements) {
  for (std::size_t i = 0; i < kEventKinds; ++i) {
    const EventDecl& decl = kEvents[i];
    EXPECT_EQ(static_cast<std::size_t>(decl.kind), i) << decl.name;
    EXPECT_GE(decl.size(), 1U) << decl.name;
    bool enumerated = false;
    for (std::size_t e = 0; e < decl.size(); ++e) {
      enumerated = enumerated || decl.elements[e].type == EventType::enumerated;
    }
    EXPECT_EQ(enumerated, decl.words != EventWords::none) << decl.name;
    for (std::size_t other = 0; other < i; ++other) {
      EXPECT_NE(std::string_view(decl.name), kEvents[other].name);
    }
  }
}

TEST(Events, TellsWhatIsWantedAndNothingElse) {
  Events events;
  Listener listener;
  events.raise(EventKind::slept, 1);
  events.want(Events::bit(EventKind::slept), &listener);
  EXPECT_TRUE(events.wanted(EventKind::slept));
  EXPECT_FALSE(events.wanted(EventKind::woken));
  events.raise(EventKind::slept, -1);
  events.raise(EventKind::woken, 5);
  events.want(Events::bit(EventKind::slept), nullptr);
  events.raise(EventKind::slept, 2);
  ASSERT_EQ(listener.all.size(), 1U);
  EXPECT_EQ(listener.all[0].kind, EventKind::slept);
  EXPECT_EQ(listener.all[0].values, std::vector<std::int64_t>{-1});
}

TEST(Events, TellsSwitchesWhenWhatIsWantedChanges) {
  Events events;
  Listener listener;
  Switch part;
  events.add(&part);
  events.want(Events::bit(EventKind::slept), &listener);
  events.want(Events::bit(EventKind::slept), &listener);
  EXPECT_EQ(part.changes, 1);
  events.want(0, nullptr);
  EXPECT_EQ(part.changes, 2);
  events.remove(&part);
  events.want(Events::bit(EventKind::slept), &listener);
  EXPECT_EQ(part.changes, 2);
}

TEST(Events, CallsThatMayWaitAreFoundByName) {
  EXPECT_EQ(waiting_call("no such function"), kFirstWaitingCall);
  const auto names = waiting_calls();
  for (std::size_t i = 1; i < names.size(); ++i) {
    EXPECT_EQ(waiting_call(names[i]), kFirstWaitingCall + static_cast<int>(i));
    EXPECT_EQ(waiting_call(std::string(names[i]) + "_c"), kFirstWaitingCall + static_cast<int>(i));
  }
}

/// Something comes at each of these polls.
struct Source final : ProgressSource {
  int polls = 0;
  std::vector<int> comes;
  int progress() override {
    ++polls;
    return std::find(comes.begin(), comes.end(), polls) != comes.end() ? 1 : 0;
  }
  void arm() override {}
  void disarm() override {}
  void wait_fds(std::vector<int>&) const override {}
};

struct Subject final : WaitSubject {
  explicit Subject(const Source& from) : source(from) {}
  void describe(CallRecord& record) const override {
    set_text(record.function, "MPI_Waitall");
    record.kind = CallKind::receive;
    record.has_peer = true;
    record.context = 8;
    record.tag = source.polls;  // of what is missing now
    record.waits_for.add(3);
  }
  const Source& source;
};

TEST(Events, AWaitThatFoundNothingTellsForWhomItWaitedLast) {
  for (const bool spin : {true, false}) {
    Events events;
    Listener listener;
    Progress progress({.spin = spin, .spin_polls = 10, .yields = 1000, .sleep = false}, &events);
    Source source;
    progress.sources().add(&source);
    events.want(Events::bit(EventKind::wait_ended), &listener);
    source.comes = {1, 30, 60};
    const Subject subject(source);
    int seen = 0;
    progress.wait([&] { return ++seen == 2; }, &subject);  // something comes at once
    EXPECT_TRUE(listener.all.empty());
    progress.wait([&] { return source.polls >= 60; }, &subject);
    ASSERT_EQ(listener.all.size(), 1U);
    const std::vector<std::int64_t>& values = listener.all[0].values;
    EXPECT_EQ(values[0], waiting_call("MPI_Waitall"));
    EXPECT_EQ(values[1], 3);
    EXPECT_EQ(values[2], 8);
    EXPECT_EQ(values[3], 31);  // after what came last but one
    EXPECT_GT(values[4], 0);
    EXPECT_EQ(values[5], static_cast<std::int64_t>(WaitCause::late_sender));
    events.want(0, nullptr);
    source.polls = 0;
    source.comes = {20};
    progress.wait([&] { return source.polls >= 20; }, &subject);
    EXPECT_EQ(listener.all.size(), 1U);
    progress.sources().remove(&source);
  }
}

TEST(Watermark, BeginsAnewAndForgetsNothing) {
  Watermark mark;
  mark.reach(10);
  mark.reach(4);
  EXPECT_EQ(mark.recent(), 10U);
  mark.restart(4);
  EXPECT_EQ(mark.recent(), 4U);
  EXPECT_EQ(mark.most(), 10U);
  mark.reach(7);
  EXPECT_EQ(mark.recent(), 7U);
  mark.reach(12);
  mark.restart(0);
  EXPECT_EQ(mark.most(), 12U);
  EXPECT_EQ(mark.recent(), 0U);
}

}  // namespace
}  // namespace remit
