// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The report of mpirun --profile, on records that are made here: what is told of times, waits, the
// guilty rank, the strip, and two profiles.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "programs/profile/advice.hpp"
#include "programs/profile/compare.hpp"
#include "programs/profile/figures.hpp"
#include "programs/profile/formats.hpp"
#include "programs/profile/wait_chains.hpp"
#include "tool/profile/functions.hpp"
#include "tool/profile/record.hpp"

namespace remit::profiles {
namespace {

using profile::Record;
using profile::SiteRecord;
using profile::ThreadTable;

// Of a record a tick is two nanoseconds.
constexpr std::uint64_t kTicksPerMs = 500'000;
constexpr std::uint64_t kFirstTicks = 7'000'000;
constexpr std::uint64_t kBeginNs = 1'700'000'000'000'000'000;
constexpr std::uint64_t kMsNs = 1'000'000;

std::uint32_t function_named(const std::string& name) {
  for (std::uint32_t i = 0; i < profile::kFunctions; ++i) {
    if (name == profile::kFunctionRows[i].name) return i;
  }
  ADD_FAILURE() << "no function " << name;
  return 0;
}

template <std::size_t N>
void set_text(std::array<char, N>& to, const std::string& text) {
  std::snprintf(to.data(), N, "%s", text.c_str());
}

// A rank that ran for `run_ms` and was in one call for `mpi_ms` of them, at their end.
std::shared_ptr<Record> make_record(int rank, std::uint64_t run_ms, std::uint64_t mpi_ms,
                                    const std::string& function = "MPI_Allreduce") {
  auto record = std::make_shared<Record>();
  record->magic = profile::kMagic;
  record->version = profile::kVersion;
  record->bytes = sizeof(Record);
  record->function_hash = profile::kFunctionHash;
  record->stage = profile::Stage::finalized;
  record->rank = rank;
  record->ranks = 4;
  record->uses_tsc = 1;
  set_text(record->job, "job");
  set_text(record->host, "host");
  record->realtime_ns = kBeginNs;
  record->first = {kFirstTicks, 5'000};
  record->last = {kFirstTicks + 100 * kTicksPerMs, 5'000 + 100 * kMsNs};
  record->init_ticks = kFirstTicks;
  const std::uint64_t end = kFirstTicks + run_ms * kTicksPerMs;
  record->finalize_ticks = end;
  ThreadTable& table = record->threads[0];
  table.threads = 1;
  table.first_ticks = kFirstTicks;
  table.last_ticks = end;
  table.mpi_ticks = mpi_ms * kTicksPerMs;
  table.column_shift = 19;  // a little more than a millisecond
  while ((run_ms * kTicksPerMs) >> table.column_shift >= profile::kColumns) ++table.column_shift;
  for (std::uint64_t ms = run_ms - mpi_ms; ms < run_ms; ++ms) {
    table.column_mpi[(ms * kTicksPerMs) >> table.column_shift] += kTicksPerMs;
  }
  table.site_count = 1;
  SiteRecord& site = table.sites[0];
  site.address = 0x401234;
  site.function = function_named(function);
  site.module = profile::kModules;
  site.calls = 3;
  site.ticks = mpi_ms * kTicksPerMs;
  site.max_ticks = site.ticks / 2;
  return record;
}

void blame(Record& record, int peer, std::uint64_t ms, profile::Cause cause) {
  record.tells = remit::profile::kTellsWaits;
  ThreadTable& table = record.threads[0];
  const auto kind = static_cast<std::size_t>(cause);
  table.waited_ns[kind] += ms * kMsNs;
  table.sites[0].waited_ns[kind] += ms * kMsNs;
  table.sites[0].blamed[0] = {peer + 1, 1, ms * kMsNs};
}

Profile profile_of(const std::vector<std::shared_ptr<Record>>& all,
                   std::optional<std::uint64_t> ended_ns = std::nullopt) {
  Records records;
  for (const auto& record : all) records.all.push_back(record);
  Symbols symbols;
  return make_profile(records, symbols, ended_ns);
}

TEST(ProfileReport, TimesAreThoseOfTheRecord) {
  const Profile profile = profile_of({make_record(0, 80, 20), make_record(1, 80, 60)});
  ASSERT_EQ(profile.ranks.size(), 2U);
  EXPECT_NEAR(profile.ranks[0].run, 0.080, 1e-9);
  EXPECT_NEAR(profile.ranks[0].mpi, 0.020, 1e-9);
  EXPECT_NEAR(profile.ranks[1].outside(), 0.020, 1e-9);
  ASSERT_EQ(profile.sites.size(), 1U);
  EXPECT_EQ(profile.sites[0].calls, 6U);
  EXPECT_NEAR(profile.sites[0].seconds, 0.080, 1e-9);
  EXPECT_NEAR(profile.sites[0].longest, 0.030, 1e-9);
  // 40 ms of computing on average, 60 at most, of 80.
  EXPECT_NEAR(profile.efficiency.load_balance, 40.0 / 60, 1e-6);
  EXPECT_NEAR(profile.efficiency.communication, 60.0 / 80, 1e-6);
  EXPECT_NEAR(profile.efficiency.parallel, 0.5, 1e-6);
  EXPECT_EQ(profile.missing, 2);
}

TEST(ProfileReport, TheStripHasTheTimeOfTheRecord) {
  const Profile profile = profile_of({make_record(0, 100, 30)});
  double mpi = 0;
  for (const double share : profile.ranks[0].strip_mpi) mpi += share / kStripColumns * 0.100;
  EXPECT_NEAR(mpi, 0.030, 2e-3);
  EXPECT_EQ(profile.ranks[0].strip_mpi[10], 0);
  EXPECT_GT(profile.ranks[0].strip_mpi[kStripColumns - 10], 0.9);
}

TEST(ProfileReport, WhoIsLongestOutsideIsTheCulpritWhereNobodyTells) {
  const Profile profile =
      profile_of({make_record(0, 100, 60), make_record(1, 100, 5), make_record(2, 100, 60)});
  EXPECT_EQ(profile.culprit.rank, 1);
  EXPECT_EQ(profile.culprit.site, 0);
  EXPECT_NEAR(profile.culprit.seconds, 0.055, 1e-6);
  EXPECT_NE(summary_of(profile).find("rank 1 computes 55.0 ms longer"), std::string::npos)
      << summary_of(profile);
}

TEST(ProfileReport, TheCulpritIsWhomTheOthersWaitedFor) {
  const auto first = make_record(0, 100, 60);
  const auto second = make_record(1, 100, 50);
  const auto third = make_record(2, 100, 5);
  blame(*first, 3, 50, profile::Cause::late_sender);
  blame(*second, 3, 30, profile::Cause::late_sender);
  const Profile profile = profile_of({first, second, third, make_record(3, 100, 50)});
  EXPECT_EQ(profile.culprit.rank, 3);
  EXPECT_EQ(profile.culprit.cause, "late sender");
  EXPECT_NEAR(profile.culprit.seconds, 0.080, 1e-9);
  EXPECT_NEAR(profile.ranks[0].waiting(), 0.050, 1e-9);
  // 165 of 400 ms in MPI, 80 of them waiting.
  EXPECT_NE(summary_of(profile).find("MPI 41 % of the time (60 % on rank 0), 20 of it waiting, "
                                     "most for rank 3 in MPI_Allreduce"),
            std::string::npos)
      << summary_of(profile);
}

TEST(ProfileReport, ChainsOfWaitsAreFollowedWhileTheyLast) {
  // Rank 0 waits for 1 from 0 to 100 ms; rank 1 for 2 from 20 to 60, and 2 for 0 from 50 to 70.
  constexpr auto kMs = static_cast<std::int64_t>(kMsNs);
  const std::vector<std::vector<WaitSpan>> waits{
      {{0, 100 * kMs, 1}}, {{20 * kMs, 60 * kMs, 2}}, {{50 * kMs, 70 * kMs, 0}}};
  WaitChains chains(waits);
  std::map<int, double> seconds;
  chains.follow(0, waits[0][0], seconds);
  EXPECT_NEAR(seconds[1], 0.060, 1e-9);
  EXPECT_NEAR(seconds[2], 0.040, 1e-9);  // it waits for the first one: there the chain ends
  EXPECT_EQ(seconds[0], 0);
}

TEST(ProfileReport, WhatLongWaitsTellGoesForAllOfTheirPlace) {
  const auto first = make_record(0, 100, 60);
  const auto second = make_record(1, 100, 50);
  blame(*first, 1, 40, profile::Cause::late_sender);
  blame(*second, 2, 10, profile::Cause::late_sender);
  const auto keep = [](Record& record, std::uint64_t end_ms, std::uint64_t ms, int peer) {
    ThreadTable& table = record.threads[0];
    table.long_waits[table.long_wait_count++] = {kFirstTicks + end_ms * kTicksPerMs, ms * kMsNs,
                                                 peer, 0};
  };
  keep(*first, 50, 20, 1);
  keep(*second, 45, 10, 2);
  const Profile profile = profile_of({first, second, make_record(2, 100, 5)});
  EXPECT_NEAR(profile.sites[0].blamed.at(1), 0.040, 1e-9);
  // Half of the wait that is known was one for rank 2: so are 20 ms of 40, and 10 of 10.
  EXPECT_NEAR(profile.sites[0].behind.at(1), 0.020, 1e-6);
  EXPECT_NEAR(profile.sites[0].behind.at(2), 0.030, 1e-6);
  EXPECT_EQ(profile.culprit.rank, 2);
  EXPECT_NEAR(profile.culprit.through, 0.020, 1e-6);
}

TEST(ProfileReport, StacksAreFollowedToTheirEnds) {
  const auto record = make_record(0, 40, 10);
  // main calls two functions, each of which calls the one with the call of MPI.
  record->frames[0] = {0x1000, profile::kModules, 0};
  record->frames[1] = {0x2000, profile::kModules, 1};
  record->frames[2] = {0x3000, profile::kModules, 1};
  record->frame_count = 3;
  ThreadTable& table = record->threads[0];
  table.sites[0].caller = 2;
  table.sites[1] = table.sites[0];
  table.sites[1].caller = 3;
  table.sites[2] = table.sites[0];
  table.site_count = 3;
  const Profile profile = profile_of({record});
  ASSERT_EQ(profile.sites.size(), 2U);
  EXPECT_EQ(profile.sites[0].calls, 6U);
  ASSERT_EQ(profile.sites[0].callers.size(), 2U);
  EXPECT_EQ(profile.sites[0].callers[0].offset, 0x2000U);
  EXPECT_EQ(profile.sites[0].callers[1].offset, 0x1000U);
  EXPECT_EQ(profile.sites[1].callers[0].offset, 0x3000U);
  // Frames that go around in a record that is damaged.
  record->frames[0].caller = 3;
  record->frames[2].caller = 1;
  EXPECT_LE(profile_of({record}).sites[1].callers.size(), 3U);
  table.sites[0].caller = ~0U;
  EXPECT_TRUE(profile_of({record}).sites.size() >= 2U);
}

TEST(ProfileReport, ACallThatNeverReturnedLastsUntilTheEnd) {
  const auto record = make_record(0, 40, 0, "MPI_Recv");
  record->stage = profile::Stage::running;
  record->finalize_ticks = 0;
  ThreadTable& table = record->threads[0];
  table.current = {1, 3, kFirstTicks + 40 * kTicksPerMs};
  const Profile profile = profile_of({record}, kBeginNs + 90 * kMsNs);
  const Rank& rank = profile.ranks[0];
  EXPECT_NEAR(rank.run, 0.090, 1e-6);
  EXPECT_NEAR(rank.mpi, 0.050, 1e-6);
  EXPECT_EQ(rank.open.site, 0);
  EXPECT_EQ(rank.open.peer, 3);
  EXPECT_NEAR(rank.open.since, 0.050, 1e-6);
  EXPECT_NEAR(profile.sites[0].longest, 0.050, 1e-6);
  EXPECT_NE(summary_of(profile).find("rank 0 did not leave MPI_Recv"), std::string::npos);
}

TEST(ProfileReport, PeaksAreNotAdded) {
  const auto first = make_record(0, 10, 1);
  const auto second = make_record(1, 10, 1);
  for (const auto& [record, value] : {std::pair(first, 5U), std::pair(second, 7U)}) {
    record->counter_count = 2;
    set_text(record->counters[0].name, "messages_eager");
    record->counters[0].value = value;
    set_text(record->counters[1].name, "unexpected_peak_bytes");
    record->counters[1].is_peak = 1;
    record->counters[1].value = value;
  }
  const Profile profile = profile_of({first, second});
  EXPECT_EQ(profile.counters.at("messages_eager"), 12U);
  EXPECT_EQ(profile.counters.at("unexpected_peak_bytes"), 7U);
}

TEST(ProfileReport, ComparisonFindsWhatBecameSlower) {
  const Profile before = profile_of({make_record(0, 100, 20)});
  const Profile after = profile_of({make_record(0, 130, 50)});
  const Comparison slower = compare(before, after, 0.1);
  EXPECT_TRUE(slower.is_slower);
  EXPECT_NE(slower.text.find("+150 %"), std::string::npos) << slower.text;
  EXPECT_FALSE(compare(after, before, 0.1).is_slower);
  EXPECT_FALSE(compare(before, after, 2).is_slower);
  // Less than a hundredth of the run is nothing.
  EXPECT_FALSE(
      compare(profile_of({make_record(0, 1000, 1)}), profile_of({make_record(0, 1000, 5)}), 0.1)
          .is_slower);
}

TEST(ProfileReport, NothingInThePageEndsItsData) {
  const auto record = make_record(0, 10, 1);
  set_text(record->program, "/tmp/</script><script>alert(1)</script>");
  const std::string page = to_page(profile_of({record}));
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("\\u003c/script>"), std::string::npos);
}

TEST(ProfileRecord, BucketsArePowersOfTwo) {
  EXPECT_EQ(profile::bucket_of(0), 0U);
  EXPECT_EQ(profile::bucket_of(1), 1U);
  EXPECT_EQ(profile::bucket_of(31), 5U);
  EXPECT_EQ(profile::bucket_of(32), 6U);
  EXPECT_EQ(profile::bucket_of(~std::uint64_t{0}), profile::kBuckets - 1);
}

}  // namespace
}  // namespace remit::profiles
