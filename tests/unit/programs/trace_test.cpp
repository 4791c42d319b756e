// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Traces of several ranks, made here: ends of messages joined, clocks of hosts set right, what is
// drawn of very many events.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "programs/profile/message_join.hpp"
#include "programs/profile/otf2.hpp"
#include "programs/profile/perfetto.hpp"
#include "programs/profile/record_time.hpp"
#include "programs/profile/trace_digest.hpp"
#include "tests/unit/test_seed.hpp"
#include "tool/profile/functions.hpp"

namespace remit::profiles {
namespace {

using profile::Record;
using profile::TraceEntry;
using profile::TraceFile;
using profile::TraceKind;

constexpr std::uint64_t kBeginNs = 1'700'000'000'000'000'000;
constexpr std::int64_t kEpochNs = static_cast<std::int64_t>(kBeginNs);

// A rank whose ticks are nanoseconds since the job began.
class MadeTrace {
 public:
  MadeTrace(int rank, HostClock clock, std::shared_ptr<const std::vector<int>> ranks)
      : rank_(rank), clock_(clock), ranks_(std::move(ranks)) {
    record_->first = {0, 0};
    record_->last = {1'000'000, 1'000'000};
  }

  void add(TraceKind kind, std::uint64_t begin, std::uint64_t end, int peer = -1,
           std::uint32_t place = 1, std::int32_t tag = 0, std::uint8_t thread = 0) {
    TraceEntry& entry = file_->entries[file_->begun % profile::kTraceEntries];
    entry = {begin, end, 8, peer, tag, 0, place, 0, kind, thread, 0, 0};
    entry.sequence = static_cast<std::uint32_t>(++file_->begun);
  }
  [[nodiscard]] TraceSource source() const {
    return {rank_,  file_, record_, Timeline(*record_, clock_), kBeginNs, 0, {{0, 0}},
            ranks_, 0,     {}};
  }
  [[nodiscard]] TraceFile& file() { return *file_; }

 private:
  int rank_;
  HostClock clock_;
  std::shared_ptr<const std::vector<int>> ranks_;
  std::shared_ptr<TraceFile> file_ = std::make_shared<TraceFile>();
  std::shared_ptr<Record> record_ = std::make_shared<Record>();
};

std::shared_ptr<const std::vector<int>> ranks_of(int count) {
  auto all = std::make_shared<std::vector<int>>();
  for (int i = 0; i < count; ++i) all->push_back(i);
  return all;
}

HostClock own_clock() {
  return {0, kEpochNs, 0};
}

// One that is `ahead` of the first, and of which that is known but for `wrong`.
HostClock other_clock(std::int64_t ahead, std::int64_t wrong, std::int64_t within) {
  const ClockReading sample{0, ahead + wrong, within};
  return {1, kEpochNs, sample, sample};
}

TEST(Trace, MessagesOfOneKindAreJoinedInTheirOrder) {
  const auto ranks = ranks_of(2);
  MadeTrace first(0, own_clock(), ranks);
  MadeTrace second(1, own_clock(), ranks);
  for (std::uint32_t i = 1; i <= 3; ++i) {
    first.add(TraceKind::sent, i * 100, i * 100, 1, i);
    second.add(TraceKind::received, i * 100 + 50, i * 100 + 50, 0, i);
  }
  first.add(TraceKind::sent, 400, 400, 1, 1, 7);  // another tag
  second.add(TraceKind::received, 900, 900, 0, 1, 7);
  first.add(TraceKind::sent, 500, 500, 1, 2, 7);  // nobody has received it
  std::vector<TraceSource> sources{first.source(), second.source()};
  const JoinedMessages messages = join_messages(sources);
  ASSERT_EQ(messages.all.size(), 4U);
  EXPECT_EQ(messages.sent, 5U);
  EXPECT_EQ(messages.received, 4U);
  EXPECT_EQ(messages.alone, 1U);
  EXPECT_EQ(messages.moved, 0U);
  EXPECT_EQ(messages.all[3].tag, 7);
  EXPECT_EQ(messages.all[3].received, 900);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(messages.all[static_cast<std::size_t>(i)].received -
                  messages.all[static_cast<std::size_t>(i)].sent,
              50);
  }
}

// Whatever the clocks are off within what is known of them, no message arrives before it left, and
// no clock is moved further than that.
TEST(Trace, NoMessageArrivesBeforeItLeft) {
  const std::uint64_t seed = testing::test_seed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 20; ++round) {
    const std::int64_t within = 1 + static_cast<std::int64_t>(random() % 5000);
    const std::int64_t wrong =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * within + 1)) - within;
    constexpr std::int64_t kAhead = 10'000'000;
    const auto ranks = ranks_of(2);
    MadeTrace first(0, own_clock(), ranks);
    MadeTrace second(1, other_clock(kAhead, wrong, within), ranks);
    for (std::uint32_t i = 1; i <= 100; ++i) {
      const std::uint64_t at = i * 10'000;
      const std::uint64_t took = 20 + random() % 1000;
      first.add(TraceKind::sent, at, at, 1, i);
      second.add(TraceKind::received, at + took + kAhead, at + took + kAhead, 0, i);
      second.add(TraceKind::sent, at + 5000 + kAhead, at + 5000 + kAhead, 0, i);
      first.add(TraceKind::received, at + 5000 + took, at + 5000 + took, 1, i);
    }
    std::vector<TraceSource> sources{first.source(), second.source()};
    const JoinedMessages messages = join_messages(sources);
    ASSERT_EQ(messages.all.size(), 200U);
    EXPECT_EQ(messages.moved, 0U) << "one shift is enough: the clock is off by " << wrong;
    for (const JoinedMessage& message : messages.all) {
      EXPECT_GE(message.received, message.sent);
    }
    EXPECT_EQ(sources[0].shift_ns, 0);
    EXPECT_LE(std::abs(sources[1].shift_ns), within);
  }
}

TEST(Trace, WhatNoClockExplainsIsCounted) {
  const auto ranks = ranks_of(2);
  MadeTrace first(0, own_clock(), ranks);
  MadeTrace second(1, other_clock(0, 0, 100), ranks);
  first.add(TraceKind::sent, 10'000, 10'000, 1, 1);
  second.add(TraceKind::received, 4'000, 4'000, 0, 1);
  std::vector<TraceSource> sources{first.source(), second.source()};
  const JoinedMessages messages = join_messages(sources);
  ASSERT_EQ(messages.all.size(), 1U);
  EXPECT_EQ(messages.all[0].received, messages.all[0].sent);
  EXPECT_EQ(messages.moved, 1U);
  EXPECT_EQ(messages.moved_too_far, 1U);
  EXPECT_EQ(messages.largest_move, 5'900);
  // The exporters see the time that the page shows.
  EXPECT_EQ(load_trace(sources[1]).ends.at(0).at, messages.all[0].sent);
}

TEST(Trace, AnEntryThatIsNotWholeIsLeftOut) {
  MadeTrace made(0, own_clock(), ranks_of(1));
  for (std::uint64_t i = 0; i < 10; ++i) made.add(TraceKind::call, i * 10, i * 10 + 5);
  made.file().entries[4].sequence = 0;
  EXPECT_EQ(load_trace(made.source()).calls.size(), 9U);
}

// A thread takes several entries at once: the last ones of each may still be those of an older
// round, or nothing.
TEST(Trace, EntriesThatWereTakenAndNotWrittenAreLeftOut) {
  MadeTrace made(0, own_clock(), ranks_of(1));
  for (std::uint64_t i = 0; i < 3; ++i) made.add(TraceKind::call, i * 10, i * 10 + 5);
  made.file().begun = profile::kTraceEntriesTaken;
  EXPECT_EQ(load_trace(made.source()).calls.size(), 3U);
  EXPECT_EQ(load_trace(made.source()).damaged, 0U);

  MadeTrace again(0, own_clock(), ranks_of(1));
  for (std::uint64_t i = 0; i < profile::kTraceEntries + 3; ++i) {
    again.add(TraceKind::call, i * 10, i * 10 + 5);
  }
  again.file().begun = profile::kTraceEntries + profile::kTraceEntriesTaken;
  const RankTrace trace = load_trace(again.source());
  EXPECT_EQ(trace.calls.size(), profile::kTraceEntries - profile::kTraceEntriesTaken + 3);
  EXPECT_EQ(trace.damaged, 0U);
}

TEST(Trace, WhatNoProcessCanHaveWrittenIsLeftOut) {
  MadeTrace made(0, own_clock(), ranks_of(1));
  constexpr std::uint64_t kMinute = 60'000'000'000;
  made.add(TraceKind::call, 100, 200);
  made.add(TraceKind::call, 300, 299);           // ends before it begins
  made.add(TraceKind::call, 300, kMinute);       // long after the record's end
  made.add(TraceKind::call, ~0ULL, ~0ULL);       //
  made.add(TraceKind::wait, kMinute, 500);       // began long before the record did
  made.add(TraceKind::wait, ~0ULL, 500);         //
  made.add(static_cast<TraceKind>(77), 10, 20);  // no kind
  made.add(TraceKind::none, 10, 20);             //
  made.add(TraceKind::wait, 50, 500, 0, 1, 0, 7);
  made.add(TraceKind::sent, 10, 20, 0, 1, 0, profile::kThreads);  // of a thread without a table
  for (const TraceKind kind : {TraceKind::call, TraceKind::wait}) {
    made.add(kind, 10, 20, 0, 1, 0, profile::kThreads);
  }
  made.add(TraceKind::received, 10, 20, 0, 1, 0, profile::kThreads + 1);
  const RankTrace trace = load_trace(made.source());
  EXPECT_EQ(trace.calls.size(), 1U);
  EXPECT_EQ(trace.waits.size(), 1U);
  EXPECT_EQ(trace.ends.size(), 1U);
  EXPECT_EQ(trace.damaged, 10U);
}

// A profile of so many ranks with one call site, for these traces.
Profile profile_of(std::vector<TraceSource> sources) {
  Profile profile;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Rank rank;
    rank.number = static_cast<int>(i);
    rank.label = std::to_string(i);
    profile.ranks.push_back(rank);
  }
  profile.sites.emplace_back();
  profile.begin = static_cast<double>(kBeginNs) * 1e-9;
  profile.traces = std::move(sources);
  return profile;
}

std::string temporary_path(const char* name) {
  return ::testing::TempDir() + "trace_test." + std::to_string(::getpid()) + "." + name;
}

void expect_bounds(const RankTrace& trace) {
  for (const TracedCall& call : trace.calls) {
    ASSERT_LE(call.begin, call.end);
    ASSERT_TRUE(call.thread >= 0 && call.thread < static_cast<int>(profile::kThreads));
    ASSERT_TRUE(call.site == 0 || call.site == -1);
  }
  for (const TracedWait& wait : trace.waits) {
    ASSERT_LE(wait.begin, wait.end);
    ASSERT_TRUE(wait.thread >= 0 && wait.thread < static_cast<int>(profile::kThreads));
    ASSERT_LT(static_cast<std::size_t>(wait.cause), profile::kCauses);
    ASSERT_TRUE(wait.peer >= -1 && wait.peer < 2);
  }
  for (const MessageEnd& end : trace.ends) {
    ASSERT_TRUE(end.thread >= 0 && end.thread <= static_cast<int>(profile::kThreads));
    ASSERT_TRUE(end.peer >= -1 && end.peer < 2);
  }
}

// Any bytes of a file may be wrong: what is left is drawn and written all the same.
TEST(Trace, DamagedOnesAreRead) {
  const std::uint64_t seed = testing::test_seed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  constexpr std::uint64_t kEntries = 3000;
  for (int round = 0; round < 8; ++round) {
    const auto ranks = ranks_of(2);
    std::vector<TraceSource> sources;
    for (int rank = 0; rank < 2; ++rank) {
      MadeTrace made(rank, rank == 0 ? own_clock() : other_clock(77, 3, 5), ranks);
      for (std::uint64_t i = 1; i <= kEntries; ++i) {
        const auto kind = static_cast<TraceKind>(1 + random() % 4);
        const std::uint64_t begin = kind == TraceKind::wait ? 20 : i * 100;
        made.add(kind, begin, i * 100 + 50, 1 - rank, 1, 0,
                 static_cast<std::uint8_t>(random() % 8));
      }
      const std::span<std::byte> bytes =
          std::as_writable_bytes(std::span(made.file().entries).first(kEntries));
      for (int i = 0; i < 4000; ++i) {
        bytes[random() % bytes.size()] = static_cast<std::byte>(random());
      }
      // All threads' numbers, of which few bytes are; and the count, of which one is.
      for (std::uint64_t i = 0; i < kEntries; i += 5) {
        made.file().entries[i].thread = static_cast<std::uint8_t>(random());
      }
      if (round % 2 == 1) made.file().begun = random();
      sources.push_back(made.source());
    }
    for (const TraceSource& source : sources) expect_bounds(load_trace(source));
    const TraceDigest digest = digest_traces(sources, {1000, 1000, 1000});
    if (round % 2 == 0) {
      EXPECT_GT(digest.calls, 100U);
    }
    const Profile profile = profile_of(std::move(sources));
    const std::string file = temporary_path("perfetto");
    EXPECT_TRUE(write_perfetto(profile, file));
    std::filesystem::remove(file);
    const std::string folder = temporary_path("otf2");
    (void)write_otf2(profile, folder);  // its library may be missing
    std::filesystem::remove_all(folder);
  }
}

TEST(Trace, TheRingKeepsTheNewest) {
  MadeTrace made(0, own_clock(), ranks_of(1));
  for (std::uint64_t i = 0; i < profile::kTraceEntries + 1000; ++i) {
    made.add(TraceKind::call, i * 10, i * 10 + 5);
  }
  const RankTrace trace = load_trace(made.source());
  EXPECT_EQ(trace.overwritten, 1000U);
  ASSERT_EQ(trace.calls.size(), profile::kTraceEntries);
  EXPECT_EQ(trace.calls.front().begin, 10'000);
}

// What is drawn is bounded, has each call once, and the longest ones by themselves.
TEST(Trace, OfVeryManyCallsTheLongestAreDrawn) {
  const std::uint64_t seed = testing::test_seed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  constexpr int kRanks = 8;
  constexpr std::uint64_t kCalls = 5'000;
  const auto ranks = ranks_of(kRanks);
  std::vector<TraceSource> sources;
  for (int rank = 0; rank < kRanks; ++rank) {
    MadeTrace made(rank, own_clock(), ranks);
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < kCalls; ++i) {
      const std::uint64_t took = i == 777 ? 1'000'000 : 10 + random() % 100;
      made.add(TraceKind::call, at, at + took);
      at += took + random() % 50;
    }
    sources.push_back(made.source());
  }
  const DrawnLimits limits{8'000, 100, 100};
  const TraceDigest digest = digest_traces(sources, limits);
  EXPECT_EQ(digest.calls, kRanks * kCalls);
  std::size_t drawn = 0;
  ASSERT_EQ(digest.rows.size(), static_cast<std::size_t>(kRanks));
  for (const DrawnRow& row : digest.rows) {
    std::uint64_t calls = 0;
    bool has_longest = false;
    std::int64_t until = 0;
    for (const DrawnCall& call : row.calls) {
      EXPECT_GE(call.begin, until);
      until = call.end;
      calls += call.calls;
      has_longest = has_longest || (call.calls == 1 && call.inside == 1'000'000);
    }
    EXPECT_EQ(calls, kCalls);
    EXPECT_TRUE(has_longest);
    drawn += row.calls.size();
  }
  EXPECT_LE(drawn, limits.calls * 5 / 4);
  EXPECT_FALSE(digest.notes.empty());
}

// The farther times are from the samples of a clock, the less is known of it.
TEST(HostClock, IsKnownLessFarFromItsSamples) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::int64_t kAhead = 7 * kSecond;
  const ClockReading first{100 * kSecond, kAhead, 50};
  HostClock once(1, kEpochNs, first, first);
  EXPECT_EQ(once.within_ns(), 50);
  once.widen_for(99 * kSecond + kAhead, 36'100 * kSecond + kAhead);  // ten hours
  EXPECT_NEAR(static_cast<double>(once.within_ns()), 36'000e9 * 1e-4, 1e3);
  const ClockReading last{200 * kSecond, kAhead + 1000, 80};
  HostClock twice(1, kEpochNs, first, last);
  twice.widen_for(first.at_ns + kAhead, last.at_ns + kAhead);
  EXPECT_NEAR(static_cast<double>(twice.within_ns()), 80 + 50e9 * 1e-5, 1e3);
  HostClock unknown(1, kEpochNs, HostClock::kUnknown);
  unknown.widen_for(0, kSecond);
  EXPECT_EQ(unknown.within_ns(), HostClock::kUnknown);
}

// A folder with records of these hosts, as files, and what mpirun notes of clocks.
class RecordFolder {
 public:
  RecordFolder() { std::filesystem::create_directory(path_); }
  ~RecordFolder() { std::filesystem::remove_all(path_); }
  RecordFolder(const RecordFolder&) = delete;
  RecordFolder& operator=(const RecordFolder&) = delete;

  // Its clock is at 1000 seconds when it begins, and what it takes for the time of day is wrong.
  void add(const std::string& name, const std::string& host, std::uint64_t realtime_ns) const {
    auto record = std::make_unique<Record>();
    record->magic = profile::kMagic;
    record->version = profile::kVersion;
    record->bytes = sizeof(Record);
    record->function_hash = profile::kFunctionHash;
    host.copy(record->host.data(), record->host.size() - 1);
    record->realtime_ns = realtime_ns;
    record->first = {0, kStartNs};
    record->last = {1'000'000, kStartNs + 1'000'000};
    std::ofstream file(path_ / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(record.get()), sizeof(Record));
  }
  void write_clocks(const std::string& text) const {
    std::ofstream(path_ / profile::kClocksName) << text;
  }
  [[nodiscard]] Records read() const { return *read_folders({path_.string()}); }

  static constexpr std::uint64_t kStartNs = 1'000'000'000'000;

 private:
  std::filesystem::path path_ = temporary_path("records");
};

TEST(Clocks, AreThoseOfMpirunWhereItHasMeasured) {
  const RecordFolder folder;
  folder.add("a.record", "silent", kBeginNs + 5'000'000'000);  // its host has not answered
  folder.add("b.record", "here", kBeginNs);
  folder.add("c.record", "there", kBeginNs + 3'000'000'000);
  // The clock of "there" is 400 seconds ahead, mpirun's shows 600 when its record begins.
  const std::int64_t epoch = kEpochNs - static_cast<std::int64_t>(RecordFolder::kStartNs);
  folder.write_clocks(
      "remit-clocks 1 " + std::to_string(epoch) +
      " here\n1 600000000000 400000000000 40 600000000000 400000000000 40 c.record\n");
  const Records records = folder.read();
  ASSERT_EQ(records.all.size(), 3U);
  EXPECT_TRUE(records.notes.empty());
  const std::vector<HostClock> clocks = clocks_of(records);
  EXPECT_EQ(clocks[0].within_ns(), HostClock::kUnknown);
  EXPECT_EQ(clocks[1].within_ns(), 0);
  EXPECT_EQ(clocks[1].realtime_ns(RecordFolder::kStartNs), kEpochNs);
  EXPECT_GE(clocks[2].within_ns(), 40);
  EXPECT_EQ(clocks[2].realtime_ns(RecordFolder::kStartNs), kEpochNs - 400'000'000'000);
  EXPECT_NE(clocks[0].number(), clocks[1].number());
}

TEST(Clocks, NonsenseIsNotTaken) {
  const RecordFolder folder;
  folder.add("a.record", "here", kBeginNs);
  const std::string head = "remit-clocks 1 1700000000000000000 here\n";
  for (const char* const line :
       {"1 0 0 5 0 0 5", "a.record", "1 0 0 -5 0 0 5 a.record", "1 5 0 5 4 0 5 a.record",
        "1 0 0 5 10000000000 200000000 5 a.record",  // runs two hundredths faster
        "1 0 9000000000000000000 5 0 0 5 a.record", "1 0 0 5 9000000000000000000 0 5 a.record",
        "1 0 -9223372036854775808 5 0 0 5 a.record", "x 0 0 5 0 0 5 a.record"}) {
    folder.write_clocks(head + line + "\n");
    EXPECT_TRUE(folder.read().clocks.empty()) << line;
  }
  folder.write_clocks(head + "1 0 0 5 10000000000 2000 5 a.record\n");
  EXPECT_EQ(folder.read().clocks.size(), 1U);
  folder.write_clocks("1 0 0 5 10000000000 2000 5 a.record\n");  // somebody else's file
  const Records records = folder.read();
  EXPECT_TRUE(records.clocks.empty());
  EXPECT_EQ(records.notes.size(), 1U);
}

// Of clocks that nobody has compared nothing can be too far off.
TEST(Trace, UnknownClocksAreNotCompared) {
  const auto ranks = ranks_of(2);
  MadeTrace first(0, own_clock(), ranks);
  MadeTrace second(1, HostClock(1, kEpochNs, HostClock::kUnknown), ranks);
  // Each way takes less than nothing: no shift makes both right.
  first.add(TraceKind::sent, 10'000'000, 10'000'000, 1, 1);
  second.add(TraceKind::received, 4'000'000, 4'000'000, 0, 1);
  second.add(TraceKind::sent, 5'000'000, 5'000'000, 0, 1);
  first.add(TraceKind::received, 1'000'000, 1'000'000, 1, 1);
  std::vector<TraceSource> sources{first.source(), second.source()};
  const JoinedMessages messages = join_messages(sources);
  EXPECT_EQ(messages.all.size(), 2U);
  EXPECT_GE(messages.moved, 1U);
  EXPECT_EQ(messages.moved_too_far, 0U);
}

// Where threads share a table their calls overlap; Perfetto closes what began last on a track.
TEST(Trace, CallsThatOverlapAreLeftOutOfPerfettos) {
  const auto size_with = [](std::uint64_t begin, std::uint8_t thread) {
    MadeTrace made(0, own_clock(), ranks_of(1));
    made.add(TraceKind::call, 100, 200, -1, 1, 0, thread);
    made.add(TraceKind::call, begin, begin + 100, -1, 1, 0, thread);
    const std::string path = temporary_path("perfetto");
    EXPECT_TRUE(write_perfetto(profile_of({made.source()}), path));
    const auto size = std::filesystem::file_size(path);
    std::filesystem::remove(path);
    return size;
  };
  EXPECT_LT(size_with(150, kSharedTable), size_with(200, kSharedTable));
  EXPECT_EQ(size_with(150, kSharedTable - 1), size_with(200, kSharedTable - 1));
}

// The threads of a rank share what it may draw.
TEST(Trace, ManyThreadsDrawNoMoreThanOne) {
  const std::uint64_t seed = testing::test_seed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  constexpr std::uint64_t kCalls = 16'000;
  const auto ranks = ranks_of(2);
  std::vector<TraceSource> sources;
  for (int rank = 0; rank < 2; ++rank) {
    MadeTrace made(rank, own_clock(), ranks);
    for (std::uint64_t i = 0; i < kCalls; ++i) {
      const auto thread = static_cast<std::uint8_t>(i % profile::kThreads);
      const std::uint64_t took = 1 + random() % 90;
      made.add(TraceKind::call, i * 100, i * 100 + took, -1, 1, 0, thread);
      made.add(TraceKind::wait, took, i * 100 + took, -1, 1, 0, thread);
    }
    sources.push_back(made.source());
  }
  const DrawnLimits limits{4'000, 1'000, 100};
  const TraceDigest digest = digest_traces(sources, limits);
  ASSERT_EQ(digest.rows.size(), 2 * profile::kThreads);
  std::size_t calls = 0;
  std::size_t waits = 0;
  std::uint64_t inside = 0;
  for (const DrawnRow& row : digest.rows) {
    calls += row.calls.size();
    waits += row.waits.size();
    for (const DrawnCall& call : row.calls) inside += call.calls;
  }
  EXPECT_EQ(inside, 2 * kCalls);
  EXPECT_LE(calls, limits.calls * 5 / 4);
  EXPECT_LE(waits, limits.waits);
  EXPECT_GT(waits, limits.waits / 2);
}

}  // namespace
}  // namespace remit::profiles
