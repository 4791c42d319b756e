// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Parameters, log, and the choice of how to wait.
#include "runtime/params.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/log.hpp"
#include "runtime/waiting/wait_policy.hpp"

namespace remit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const ParamDecl limit_param{"sample_limit", std::int64_t{4096}, "bytes", "a limit"};
const ParamDecl count_param{"sample_count", std::int64_t{-1}, "", "a count"};
const ParamDecl share_param{"sample_share", std::int64_t{3}, "", "a share", ParamRange{1, 9}};
const ParamDecl area_param{"sample_area", std::int64_t{8192}, "bytes", "an area",
                           ParamRange{4096, std::int64_t{1} << 30, true}};
const ParamDecl flag_param{"sample_flag", false, "", "a flag"};
const ParamDecl word_param{
    "sample_word", std::string("red"), "", "a choice", {"red", "green", "blue"}};
const ParamDecl free_param{"sample_text", std::string(""), "", "any text"};

/// An environ made of literals.
Expected<Params> read(std::vector<std::string> entries,
                      UnknownNames unknown = UnknownNames::error) {
  std::vector<char*> pointers;
  for (std::string& entry : entries) pointers.push_back(entry.data());
  pointers.push_back(nullptr);
  return Params::from_environment(pointers.data(), unknown);
}

TEST(Params, DefaultsAndAllTypes) {
  const Params defaults;
  EXPECT_EQ(defaults.integer(limit_param), 4096);
  EXPECT_FALSE(defaults.is_set(limit_param));
  const auto params =
      read({"HOME=/", "REMIT_SAMPLE_LIMIT=64k", "REMIT_SAMPLE_COUNT=-12", "REMIT_SAMPLE_FLAG=Yes",
            "REMIT_SAMPLE_WORD=Green", "REMIT_SAMPLE_TEXT=a=b c", "REMIT_TEST_SEED=1"});
  ASSERT_TRUE(params) << params.error().message;
  EXPECT_EQ(params->integer(limit_param), 65536);
  EXPECT_EQ(params->integer(count_param), -12);
  EXPECT_TRUE(params->flag(flag_param));
  EXPECT_EQ(params->text(word_param), "green");
  EXPECT_EQ(params->text(free_param), "a=b c");
  EXPECT_TRUE(params->is_set(limit_param));
}

TEST(Params, ByteSuffixes) {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"0", 0},          {"17", 17},
      {"3B", 3},         {"1k", 1024},
      {"1K", 1024},      {"2M", 2 << 20},
      {"1MiB", 1 << 20}, {"3gb", 3LL << 30},
      {"1T", 1LL << 40}, {"8388607T", 8388607LL << 40}};
  for (const auto& [text, bytes] : cases) {
    Params params;
    ASSERT_TRUE(params.set("sample_limit", text)) << text;
    EXPECT_EQ(params.integer(limit_param), bytes) << text;
  }
  for (const char* text :
       {"", "k", "-1", "1x", "1 k", "1kk", "1.5k", "8388608T", "0x10", "99999999999999999999"}) {
    Params params;
    EXPECT_FALSE(params.set("sample_limit", text)) << text;
    EXPECT_FALSE(params.is_set(limit_param)) << text;
  }
}

TEST(Params, PlainIntegersTakeNoSuffix) {
  Params params;
  EXPECT_FALSE(params.set("sample_count", "1k"));
  EXPECT_TRUE(params.set("sample_count", "-9223372036854775808"));
}

TEST(Params, RangesAreChecked) {
  Params params;
  for (const char* text : {"1", "9"}) EXPECT_TRUE(params.set("sample_share", text)) << text;
  for (const char* text : {"0", "10", "-3"}) EXPECT_FALSE(params.set("sample_share", text)) << text;
  EXPECT_EQ(params.integer(share_param), 9);
  for (const char* text : {"4k", "1G"}) EXPECT_TRUE(params.set("sample_area", text)) << text;
  for (const char* text : {"0", "3", "4095", "5k", "2G", "1T"}) {
    const auto done = params.set("sample_area", text);
    ASSERT_FALSE(done) << text;
    EXPECT_THAT(done.error().message,
                HasSubstr("parameter sample_area: '" + std::string(text) +
                          "' is not allowed; use 4 KiB to 1 GiB, a power of two"));
  }
  EXPECT_EQ(params.integer(area_param), 1 << 30);
}

TEST(Params, UnknownNameListsNearOnes) {
  const auto params = read({"REMIT_SAMPLE_LIMTI=4"});
  ASSERT_FALSE(params);
  EXPECT_THAT(params.error().message, HasSubstr("REMIT_SAMPLE_LIMTI"));
  EXPECT_THAT(params.error().message, HasSubstr("near names: sample_limit"));
  EXPECT_TRUE(read({"REMIT_SAMPLE_LIMTI=4"}, UnknownNames::ignore));
  const auto far = read({"REMIT_ZZZZZZZZZZZZ=4"});
  ASSERT_FALSE(far);
  EXPECT_THAT(far.error().message, Not(HasSubstr("near names")));
}

TEST(Params, MalformedValueListsWhatIsAllowed) {
  const auto word = read({"REMIT_SAMPLE_WORD=mauve"}, UnknownNames::ignore);
  ASSERT_FALSE(word);
  EXPECT_THAT(word.error().message, HasSubstr("red, green, blue"));
  const auto flag = read({"REMIT_SAMPLE_FLAG=perhaps"});
  ASSERT_FALSE(flag);
  EXPECT_THAT(flag.error().message, HasSubstr("yes or no"));
  const auto bytes = read({"REMIT_SAMPLE_LIMIT=lots"});
  ASSERT_FALSE(bytes);
  EXPECT_THAT(bytes.error().message, HasSubstr("64k"));
}

TEST(Params, ListIsSortedAndHoldsDeclarations) {
  const auto all = all_params();
  EXPECT_NE(std::find(all.begin(), all.end(), &limit_param), all.end());
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const ParamDecl* a, const ParamDecl* b) {
    return std::string_view(a->name) < b->name;
  }));
  EXPECT_EQ(environment_name(limit_param), "REMIT_SAMPLE_LIMIT");
}

TEST(Log, PrefixAndLevel) {
  Log log("rank 3: ", LogLevel::warning);
  std::vector<std::string> lines;
  log.set_sink([&](LogLevel, const std::string& line) { lines.push_back(line); });
  log.write(LogLevel::info, "unheard");
  log.write(LogLevel::warning, "{} of {}", 1, 2);
  log.set_level(log_level_from("info"));
  log.write(LogLevel::info, "heard");
  EXPECT_EQ(lines, (std::vector<std::string>{"rank 3: 1 of 2", "rank 3: heard"}));
}

TEST(WaitPolicy, SpinsOnlyWhileCoresSuffice) {
  const Params params;
  EXPECT_TRUE(make_wait_policy(params, CoreShare{4, 4}).spin);
  EXPECT_FALSE(make_wait_policy(params, CoreShare{4, 5}).spin);
  EXPECT_TRUE(make_wait_policy(params, CoreShare{1, 1}).spin);
  EXPECT_TRUE(make_wait_policy(params, CoreShare{4, 5}).sleep);
  EXPECT_FALSE(make_wait_policy(params, CoreShare{4, 4, true}).spin);
}

TEST(WaitPolicy, WordsOverride) {
  Params params;
  ASSERT_TRUE(params.set("wait", "spin"));
  EXPECT_TRUE(make_wait_policy(params, CoreShare{1, 9}).spin);
  EXPECT_FALSE(make_wait_policy(params, CoreShare{1, 9}).sleep);
  ASSERT_TRUE(params.set("wait", "yield"));
  EXPECT_FALSE(make_wait_policy(params, CoreShare{9, 1}).spin);
  EXPECT_FALSE(make_wait_policy(params, CoreShare{9, 1}).sleep);
  ASSERT_TRUE(params.set("wait", "sleep"));
  EXPECT_EQ(make_wait_policy(params, CoreShare{9, 1}).yields, 0U);
  EXPECT_TRUE(make_wait_policy(params, CoreShare{9, 1}).sleep);
  EXPECT_FALSE(params.set("wait", "snooze"));
}

TEST(WaitPolicy, LauncherMayTellWhoShares) {
  Identity identity;
  identity.size = identity.local_size = 64;
  Params params;
  EXPECT_EQ(core_share(params, identity).ranks, 64);
  identity.core_sharers = 3;
  EXPECT_EQ(core_share(params, identity).ranks, 3);
  ASSERT_TRUE(params.set("core_sharers", "2"));
  EXPECT_EQ(core_share(params, identity).ranks, 2);
}

TEST(WaitPolicy, OtherJobsCountWhenAsked) {
  // Two ranks, and as many as there could be cores from other jobs.
  Identity identity;
  identity.size = identity.local_size = 2;
  Params params;
  ASSERT_TRUE(params.set("core_sharers", "1048576"));
  const CoreShare share = core_share(params, identity);
  EXPECT_EQ(share.ranks, 1 << 20);
  EXPECT_FALSE(share.suffices());
  EXPECT_FALSE(make_wait_policy(params, identity).spin);
}

TEST(WaitPolicy, TheQuotaIsThatOfAllRanks) {
  const Params params;
  const auto is_short = [&](int ranks, int sharers, const HostCores& cores) {
    Identity identity;
    identity.size = identity.local_size = ranks;
    identity.core_sharers = sharers;
    return core_share(params, identity, cores).quota_short;
  };
  // Two ranks, each bound to a core of its own.
  EXPECT_TRUE(is_short(2, 1, {8, 1, 1}));
  EXPECT_FALSE(is_short(2, 1, {8, 1, 2}));
  EXPECT_FALSE(is_short(2, 1, {8, 1}));
  EXPECT_FALSE(is_short(1, 1, {8, 8, 1}));
  // A quota of the whole host does not limit anybody.
  EXPECT_FALSE(is_short(64, 1, {8, 1, 8}));
  EXPECT_TRUE(is_short(64, 1, {8, 1, 7}));
}

TEST(WaitPolicy, InWords) {
  EXPECT_EQ(describe(WaitPolicy{true, 20000, 300, true}),
            "spins for 20000 empty polls, then yields its core up to 300 times, then sleeps");
  EXPECT_EQ(describe(WaitPolicy{true, 5, 0, true}), "spins for 5 empty polls, then sleeps");
  EXPECT_EQ(describe(WaitPolicy{false, 5, 300, true}),
            "yields its core up to 300 times, then sleeps");
  EXPECT_EQ(describe(WaitPolicy{false, 5, 0, true}), "sleeps at once");
  EXPECT_EQ(describe(WaitPolicy{true, 5, 1, false}), "spins and never sleeps");
  EXPECT_EQ(describe(WaitPolicy{false, 5, 1, false}), "yields its core and never sleeps");
}

}  // namespace
}  // namespace remit
