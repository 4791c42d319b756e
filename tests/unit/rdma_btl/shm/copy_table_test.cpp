// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The table of copy methods: what it measures, what it then chooses, and its file.
#include "rdma_btl/shm/copies/copy_table.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/cache_file.hpp"

namespace {

using remit::shm::CopyMethod;
using remit::shm::CopyTable;

constexpr std::size_t kTogetherFrom = 64 * 1024;
constexpr std::size_t kBytes = 256 * 1024;

void measure(CopyTable& table, std::size_t bytes, std::uint64_t alone, std::uint64_t together,
             std::uint64_t ring) {
  for (unsigned i = 0; i != CopyTable::kSamples; ++i) {
    table.record(bytes, CopyMethod::alone, alone + i);
    table.record(bytes, CopyMethod::together, together + i);
    table.record(bytes, CopyMethod::ring, ring + i);
  }
}

TEST(CopyTable, KnowsNothingAtFirst) {
  CopyTable table(kTogetherFrom);
  EXPECT_EQ(table.best(kTogetherFrom - 1), CopyMethod::alone);
  EXPECT_EQ(table.best(kTogetherFrom), CopyMethod::together);
  EXPECT_TRUE(table.next(kBytes).timed);
  EXPECT_EQ(table.measured(), 0U);
}

/// What next() chooses for the transfers in which a class is measured first, each of 1000 ns.
std::vector<CopyMethod> first_choices(CopyTable& table, std::size_t bytes) {
  std::vector<CopyMethod> used;
  const std::size_t before = table.measured();
  while (table.measured() == before && used.size() != 100) {
    const CopyTable::Choice choice = table.next(bytes);
    EXPECT_TRUE(choice.timed);
    EXPECT_TRUE(table.record(bytes, choice.method, 1000)) << "news";
    used.push_back(choice.method);
  }
  return used;
}

TEST(CopyTable, MeasuresEachMethodSeveralTimesInARow) {
  CopyTable table(kTogetherFrom);
  const std::vector<CopyMethod> used = first_choices(table, kBytes);
  ASSERT_EQ(used.size(), 3 * CopyTable::kSamples);
  for (std::size_t i = 0; i != used.size(); ++i) {
    EXPECT_EQ(used[i], static_cast<CopyMethod>(i / CopyTable::kSamples)) << i;
  }
  EXPECT_TRUE(table.next(4 * kBytes).timed) << "another class";
  EXPECT_FALSE(table.next(2 * kBytes - 1).timed) << "the same class";
}

TEST(CopyTable, DoesNotAskTheTargetForLittle) {
  CopyTable table(kTogetherFrom);
  const std::vector<CopyMethod> used = first_choices(table, kTogetherFrom / 2);
  EXPECT_EQ(used.size(), 2 * CopyTable::kSamples);
  EXPECT_EQ(std::ranges::count(used, CopyMethod::together), 0);
}

TEST(CopyTable, ChoosesTheFastest) {
  CopyTable table(kTogetherFrom);
  measure(table, kBytes, 23000, 25000, 30000);
  EXPECT_EQ(table.best(kBytes), CopyMethod::together) << "as usual: the gain is too small";
  measure(table, 2 * kBytes, 20000, 25000, 30000);
  EXPECT_EQ(table.best(2 * kBytes), CopyMethod::alone) << "no more than both keep busy";
  measure(table, 4 * kBytes, 16000, 25000, 18000);
  EXPECT_EQ(table.best(4 * kBytes), CopyMethod::alone);
  measure(table, 16 * kBytes, 20000, 25000, 12000);
  EXPECT_EQ(table.best(16 * kBytes), CopyMethod::ring);
  EXPECT_EQ(table.measured(), 4U);
}

TEST(CopyTable, TransfersInTheTrapAreAClassOfTheirOwn) {
  CopyTable table(kTogetherFrom);
  const remit::shm::Transfer free{kBytes};
  const remit::shm::Transfer trapped{kBytes, true};
  measure(table, kBytes, 30000, 20000, 30000);
  EXPECT_EQ(table.best(free), CopyMethod::together);
  EXPECT_EQ(table.measured(), 1U);
  ASSERT_TRUE(table.next(trapped).timed);
  for (unsigned i = 0; i != CopyTable::kSamples; ++i) {
    static_cast<void>(table.record(trapped, CopyMethod::alone, 60000));
    static_cast<void>(table.record(trapped, CopyMethod::together, 40000));
    static_cast<void>(table.record(trapped, CopyMethod::ring, 25000));
  }
  EXPECT_EQ(table.best(trapped), CopyMethod::ring);
  EXPECT_EQ(table.best(free), CopyMethod::together);
  CopyTable other(kTogetherFrom);
  ASSERT_TRUE(other.merge(table.text("here"), "here"));
  EXPECT_EQ(other.best(trapped), CopyMethod::ring);
  EXPECT_EQ(other.best(free), CopyMethod::together);
  ASSERT_EQ(other.lines().size(), 2U);
  EXPECT_FALSE(other.lines()[0].trapped);
  EXPECT_TRUE(other.lines()[1].trapped);
}

TEST(CopyTable, OneSlowSampleDoesNotCount) {
  CopyTable table(kTogetherFrom);
  measure(table, kBytes, 10000, 15000, 30000);
  EXPECT_FALSE(table.record(kBytes, CopyMethod::together, 1)) << "no news";
  EXPECT_EQ(table.best(kBytes), CopyMethod::alone);
  EXPECT_FALSE(table.record(kBytes, CopyMethod::alone, 1000000));
  EXPECT_EQ(table.best(kBytes), CopyMethod::alone);
}

/// What `transfers` transfers cost if the methods take so long now; those that are measured are
/// recorded. Counts what each method was used for.
std::array<unsigned, remit::shm::kCopyMethods> run(CopyTable& table, unsigned transfers,
                                                   std::array<std::uint64_t, 3> ns) {
  std::array<unsigned, remit::shm::kCopyMethods> used = {};
  for (unsigned i = 0; i != transfers; ++i) {
    const auto [method, timed] = table.next(kBytes);
    const auto number = static_cast<std::size_t>(method);
    ++used[number];
    if (timed) static_cast<void>(table.record(kBytes, method, ns[number]));
  }
  return used;
}

constexpr unsigned kAll = 10000;
constexpr unsigned kNearlyAll = kAll - 2 * kAll / CopyTable::kRound * CopyTable::kTrial;

TEST(CopyTable, FollowsWhatIsFastestNow) {
  CopyTable table(kTogetherFrom);
  measure(table, kBytes, 60000, 40000, 60000);
  constexpr std::array<std::uint64_t, 3> kFar = {60000, 40000, 60000};
  constexpr std::array<std::uint64_t, 3> kNear = {60000, 40000, 15000};
  ASSERT_EQ(table.best(kBytes), CopyMethod::together);
  const auto far = run(table, kAll, kFar);
  EXPECT_GT(far[1], kNearlyAll) << "others are tried now and then";
  EXPECT_GT(far[2], 0U);
  static_cast<void>(run(table, 5 * 2 * CopyTable::kRound, kNear));
  EXPECT_EQ(table.best(kBytes), CopyMethod::ring);
  EXPECT_GT(run(table, kAll, kNear)[2], kNearlyAll);
  static_cast<void>(run(table, 4 * 16 * CopyTable::kRound, kFar));
  EXPECT_EQ(table.best(kBytes), CopyMethod::together) << "though it was far slower for long";
}

TEST(CopyTable, WhatMakesAllSlowChangesNoChoice) {
  CopyTable table(kTogetherFrom);
  measure(table, kBytes, 60000, 40000, 60000);
  EXPECT_GT(run(table, kAll, {300000, 200000, 300000})[1], kNearlyAll);
  EXPECT_GT(run(table, kAll, {60000, 40000, 60000})[1], kNearlyAll);
}

TEST(CopyTable, AMethodIsTriedSeveralTimesInARowAndTimedAtTheEnd) {
  CopyTable table(kTogetherFrom);
  measure(table, kBytes, 60000, 40000, 60000);
  std::vector<CopyTable::Choice> choices;
  for (unsigned i = 0; i != CopyTable::kRound; ++i) choices.push_back(table.next(kBytes));
  const auto is_trial = [](const CopyTable::Choice& c) { return c.method != CopyMethod::together; };
  const auto first = std::ranges::find_if(choices, is_trial);
  ASSERT_GE(first - choices.begin(), 8) << "the first transfers of a program are slow";
  EXPECT_EQ(std::ranges::count_if(choices, is_trial), CopyTable::kTrial);
  for (unsigned i = 0; i != CopyTable::kTrial; ++i) {
    EXPECT_EQ(first[i].method, first[0].method);
    EXPECT_EQ(first[i].timed, i >= CopyTable::kTrial / 2);
  }
}

TEST(CopyTable, WhatIsFarSlowerIsTriedSeldom) {
  CopyTable table(kTogetherFrom);
  measure(table, kBytes, 50000, 40000, 160000);
  const auto used = run(table, 64 * CopyTable::kRound, {50000, 40000, 160000});
  EXPECT_EQ(used[0], 32 * CopyTable::kTrial);
  EXPECT_EQ(used[2], 4 * CopyTable::kTrial);
}

TEST(CopyTable, OnlyWhatCanBeUsedIsTried) {
  CopyTable table(kTogetherFrom);
  for (unsigned i = 0; i != 1000; ++i) {
    const auto [method, timed] = table.next(kTogetherFrom / 2);
    EXPECT_NE(method, CopyMethod::together);
    if (timed) static_cast<void>(table.record(kTogetherFrom / 2, method, 1000));
  }
}

TEST(CopyTable, AJobBeginsWithWhatTheLastOneFound) {
  CopyTable one(kTogetherFrom);
  CopyTable later(kTogetherFrom);
  CopyTable idle(kTogetherFrom);
  measure(one, kBytes, 30000, 20000, 10000);
  measure(later, kBytes, 30000, 20000, 40000);
  ASSERT_TRUE(later.merge(one.text("here"), "here"));
  EXPECT_EQ(later.best(kBytes), CopyMethod::together) << "what it has measured itself";
  ASSERT_TRUE(idle.merge(one.text("here"), "here"));
  EXPECT_EQ(idle.best(kBytes), CopyMethod::ring);
  // One that measures little changes nothing.
  EXPECT_FALSE(idle.record(kBytes, CopyMethod::ring, 11000));
  ASSERT_TRUE(idle.merge(later.text("here"), "here"));
  EXPECT_EQ(idle.text("here"), later.text("here"));
}

TEST(CopyTable, AJobThatHasMeasuredAllMethodsReplacesWhatWasKept) {
  CopyTable kept(kTogetherFrom);
  measure(kept, kBytes, 30000, 20000, 10000);
  CopyTable job(kTogetherFrom);
  ASSERT_TRUE(job.merge(kept.text("here"), "here"));
  ASSERT_EQ(job.best(kBytes), CopyMethod::ring);
  unsigned news = 0;
  for (unsigned i = 0; i != 20000; ++i) {
    const auto [method, timed] = job.next(kBytes);
    constexpr std::array<std::uint64_t, 3> kNow = {30000, 20000, 40000};
    if (timed) news += job.record(kBytes, method, kNow[static_cast<std::size_t>(method)]) ? 1 : 0;
  }
  EXPECT_EQ(news, 1U) << "when all methods have been measured";
  ASSERT_TRUE(job.merge(kept.text("here"), "here"));
  EXPECT_EQ(job.best(kBytes), CopyMethod::together);
}

TEST(CopyTable, TheLargestClassHasNoEnd) {
  CopyTable table(kTogetherFrom);
  measure(table, std::size_t{1} << 40, 3, 2, 1);
  const std::size_t largest = CopyTable::kSmallest << (CopyTable::kClasses - 1);
  for (const std::size_t bytes : {largest, std::size_t{SIZE_MAX}}) {
    EXPECT_NE(table.next(bytes).method, CopyMethod::alone) << "it is measured";
    EXPECT_EQ(table.best(bytes), CopyMethod::ring);
  }
}

TEST(CopyTable, TextBringsItBack) {
  CopyTable table(kTogetherFrom);
  measure(table, kBytes, 20000, 15000, 30000);
  table.record(4 * kBytes, CopyMethod::ring, 1234);
  CopyTable other(kTogetherFrom);
  ASSERT_TRUE(other.merge(table.text("here"), "here"));
  EXPECT_EQ(other.text("here"), table.text("here"));
  EXPECT_FALSE(other.next(kBytes).timed);
  EXPECT_EQ(other.next(4 * kBytes).method, CopyMethod::alone);
}

TEST(CopyTable, AnotherHostSaysNothing) {
  CopyTable table(kTogetherFrom);
  measure(table, kBytes, 20000, 15000, 30000);
  CopyTable other(kTogetherFrom);
  ASSERT_TRUE(other.merge(table.text("here"), "there"));
  EXPECT_EQ(other.measured(), 0U);
}

TEST(CopyTable, RefusesWhatIsDamaged) {
  const std::string head = "remit copy table 3\nhere\n";
  const std::string good = "262144 free 1.0 8 2.0 8 3.0 8\n";
  for (const std::string& text : {
           std::string("something else\n"),
           std::string("remit copy table 3"),
           std::string("remit copy table 2\nhere\n262144 free 1.0 8 2.0 8 3.0 8\n"),
           head + "262145 free 1.0 8 2.0 8 3.0 8\n",
           head + good + "0 free 1 1 1 1 1 1\n",
           head + good + "262144 free 1.0 8 2.0\n",
           head + good + "262144 free 1.0 8 2.0 9 3.0 8\n",
           head + good + "262144 free -1.0 8 2.0 8 3.0 8\n",
           head + good + "262144 free 0.0 8 2.0 8 3.0 8\n",
           head + good + "262144 free 1e-300 8 2.0 8 3.0 8\n",
           head + good + "262144 free 1e308 8 2.0 8 3.0 8\n",
           head + good + "262144",
           head + good + "262144 near 1.0 8 2.0 8 3.0 8\n",
           head + good + "words\n",
       }) {
    CopyTable table(kTogetherFrom);
    EXPECT_FALSE(table.merge(text, "here")) << text;
    EXPECT_EQ(table.measured(), 0U) << text;
  }
  CopyTable table(kTogetherFrom);
  EXPECT_TRUE(table.merge(head + good, "here"));
  EXPECT_EQ(table.measured(), 1U);
}

class CopyTableFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "remit-copies-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = folder_ + "/new/folder/copies";
  }
  void TearDown() override {
    ::chmod(folder_.c_str(), 0700);
    std::filesystem::remove_all(folder_);
  }
  std::string folder_;
  std::string path_;
};

TEST_F(CopyTableFile, IsMadeAndRead) {
  CopyTable table(kTogetherFrom);
  measure(table, kBytes, 20000, 15000, 30000);
  ASSERT_TRUE(remit::shm::save_copy_table(path_, table));
  CopyTable other(kTogetherFrom);
  remit::shm::load_copy_table(path_, other);
  EXPECT_EQ(other.text("x"), table.text("x"));
  const auto files = std::filesystem::directory_iterator(folder_ + "/new/folder");
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "nothing temporary is left";
}

TEST_F(CopyTableFile, KeepsWhatOthersMeasured) {
  CopyTable mine(kTogetherFrom);
  CopyTable theirs(kTogetherFrom);
  measure(mine, kBytes, 20000, 15000, 30000);
  measure(theirs, 4 * kBytes, 20000, 15000, 30000);
  ASSERT_TRUE(remit::shm::save_copy_table(path_, theirs));
  ASSERT_TRUE(remit::shm::save_copy_table(path_, mine));
  CopyTable both(kTogetherFrom);
  remit::shm::load_copy_table(path_, both);
  EXPECT_EQ(both.measured(), 2U);
}

TEST_F(CopyTableFile, ReplacesDamage) {
  path_ = folder_ + "/copies";
  std::ofstream(path_) << "remit copy table 1\n" << remit::measured_host() << "\nrubbish";
  CopyTable table(kTogetherFrom);
  remit::shm::load_copy_table(path_, table);
  EXPECT_EQ(table.measured(), 0U);
  measure(table, kBytes, 20000, 15000, 30000);
  ASSERT_TRUE(remit::shm::save_copy_table(path_, table));
  CopyTable other(kTogetherFrom);
  remit::shm::load_copy_table(path_, other);
  EXPECT_EQ(other.measured(), 1U);
}

TEST_F(CopyTableFile, SaysWhereItCannotBeWritten) {
  CopyTable table(kTogetherFrom);
  std::ofstream(folder_ + "/file") << "";
  const auto saved = remit::shm::save_copy_table(folder_ + "/file/copies", table);
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().message.find(folder_ + "/file/copies"), std::string::npos)
      << saved.error().message;
}

TEST(CopyTablePath, FollowsTheCacheFolder) {
  EXPECT_EQ(remit::shm::copy_table_path("none"), "");
  EXPECT_EQ(remit::shm::copy_table_path("/some/file"), "/some/file");
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_TRUE(remit::shm::copy_table_path("auto").starts_with("/cache/remit/copies-"));
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "/home/someone", 1);
  EXPECT_TRUE(
      remit::shm::copy_table_path("auto").starts_with("/home/someone/.cache/remit/copies-"));
  ::setenv("HOME", "relative", 1);
  EXPECT_EQ(remit::shm::copy_table_path("auto"), "") << "nowhere";
}

}  // namespace
