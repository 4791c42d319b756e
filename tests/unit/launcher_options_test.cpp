// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The command line of mpirun.
#include <gtest/gtest.h>

#include "launcher/options.hpp"

namespace remit::launcher {
namespace {

using Words = std::vector<std::string>;

Options parsed(const Words& words) {
  Expected<Options> options = parse_options(words);
  EXPECT_TRUE(options.has_value()) << (options ? "" : options.error().message);
  return options.value_or(Options{});
}

std::string error_of(const Words& words) {
  const Expected<Options> options = parse_options(words);
  return options ? "no error" : options.error().message;
}

TEST(LauncherOptions, EverySpellingOfTheCount) {
  for (const Words& count : {Words{"-n", "4"},
                             {"-np", "4"},
                             {"-c", "4"},
                             {"--n", "4"},
                             {"--np", "4"},
                             {"--np=4"},
                             {"-np=4"}}) {
    Words words = count;
    words.emplace_back("prog");
    const Options options = parsed(words);
    ASSERT_EQ(options.apps.size(), 1U);
    EXPECT_EQ(options.apps[0].ranks, 4);
    EXPECT_EQ(options.apps[0].command, Words{"prog"});
  }
  EXPECT_EQ(parsed({"prog"}).apps[0].ranks, 1);
}

TEST(LauncherOptions, OptionsEndAtTheProgram) {
  const Options options = parsed({"-n", "2", "prog", "-n", "7", "--help", "-x"});
  EXPECT_EQ(options.action, Action::run);
  EXPECT_EQ(options.apps[0].ranks, 2);
  EXPECT_EQ(options.apps[0].command, (Words{"prog", "-n", "7", "--help", "-x"}));
  EXPECT_EQ(parsed({"-n", "2", "--", "-odd-name"}).apps[0].command, Words{"-odd-name"});
}

TEST(LauncherOptions, Environment) {
  const Options options = parsed(
      {"-x", "A", "-x", "B=", "-x", "C=d=e", "-env", "D", "-v -w", "-genv", "E", "x y", "prog"});
  const std::vector<EnvSetting> expected{
      {"A", std::nullopt}, {"B", ""}, {"C", "d=e"}, {"D", "-v -w"}};
  EXPECT_EQ(options.apps[0].env, expected);
  EXPECT_EQ(options.global_env, (std::vector<EnvSetting>{{"E", "x y"}}));
  EXPECT_NE(error_of({"-x", "=5", "prog"}), "no error");
}

TEST(LauncherOptions, SeveralPrograms) {
  const Options options = parsed({"-n", "2", "-wdir", "/a", "a", "1", ":", "-np", "3", "-x", "V=1",
                                  "--tag-output", "b", ":", "c"});
  ASSERT_EQ(options.apps.size(), 3U);
  EXPECT_EQ(options.total_ranks(), 6);
  EXPECT_EQ(options.apps[0].wdir, "/a");
  EXPECT_EQ(options.apps[0].command, (Words{"a", "1"}));
  EXPECT_EQ(options.apps[1].wdir, "");
  EXPECT_EQ(options.apps[1].env.size(), 1U);
  EXPECT_EQ(options.apps[2].command, Words{"c"});
  EXPECT_TRUE(options.tag_output);
}

TEST(LauncherOptions, JobOptions) {
  const Options options =
      parsed({"--param", "Eager_Limit=8k", "-param", "a=b=c", "--bind-to", "numa", "-l",
              "--report-bindings", "-display-map", "--timeout", "2.5", "--grace=0",
              "--oversubscribe", "--allow-run-as-root", "prog"});
  const std::vector<std::pair<std::string, std::string>> expected{{"eager_limit", "8k"},
                                                                  {"a", "b=c"}};
  EXPECT_EQ(options.params, expected);
  EXPECT_EQ(options.bind_to, BindTo::numa);
  EXPECT_TRUE(options.tag_output);
  EXPECT_TRUE(options.report_bindings);
  EXPECT_TRUE(options.display_map);
  EXPECT_EQ(options.timeout_s, 2.5);
  EXPECT_EQ(options.grace_s, 0);
  EXPECT_EQ(parsed({"-bind-to", "core:overload-allowed", "prog"}).bind_to, BindTo::core);
}

TEST(LauncherOptions, UnknownOptionsNameNearOnes) {
  EXPECT_NE(error_of({"--tag-outptu", "prog"}).find("--tag-output"), std::string::npos);
  EXPECT_NE(error_of({"-bindto", "core", "prog"}).find("--bind-to"), std::string::npos);
  EXPECT_NE(error_of({"--bindings", "prog"}).find("--report-bindings"), std::string::npos);
  EXPECT_NE(error_of({"-", "prog"}), "");
  EXPECT_NE(error_of({"---", "prog"}).find("unknown option"), std::string::npos);
}

TEST(LauncherOptions, WrongValuesAreErrors) {
  for (const Words& words : {Words{"-n", "0", "prog"},
                             {"-n", "x", "prog"},
                             {"-n", "-3", "prog"},
                             {"-n"},
                             {"-n", "3"},
                             {},
                             {":"},
                             {"prog", ":"},
                             {"--bind-to", "moon", "prog"},
                             {"--timeout", "0", "prog"},
                             {"--param", "novalue", "prog"},
                             {"-genv", "A"},
                             {"--tag-output=3", "prog"}}) {
    EXPECT_NE(error_of(words), "no error") << fmt::format("{}", fmt::join(words, " "));
  }
}

TEST(LauncherOptions, ComplaintsNameTheOptionAsWritten) {
  EXPECT_EQ(error_of({"-n", "abc", "prog"}), "-n abc: use a whole number from 1 to 1048576");
  EXPECT_EQ(error_of({"-np=0", "prog"}), "-np 0: use a whole number from 1 to 1048576");
  EXPECT_EQ(error_of({"-n", "2", "--np", "3", "prog"}),
            "--np 3: -n 2 is given already for this program");
  EXPECT_EQ(error_of({"--grace", "1", "--grace", "2", "prog"}),
            "--grace 2: --grace 1 is given already");
  EXPECT_EQ(error_of({"--grace", "-3", "prog"}),
            "--grace -3: use a number of seconds from 0 to 1000000000");
  for (const char* wrong : {"-1", "0", "x", "1x", "nan", "inf", "1e300"}) {
    EXPECT_EQ(error_of({"--timeout", wrong, "prog"}),
              fmt::format("--timeout {}: use a number of seconds from 0.001 to 1000000000", wrong));
  }
  EXPECT_EQ(parsed({"-n", "2", "a", ":", "-n", "3", "b"}).total_ranks(), 5);
}

TEST(LauncherOptions, HelpNamesEveryOption) {
  EXPECT_EQ(parsed({"--help"}).action, Action::help);
  EXPECT_EQ(parsed({"-n", "2", "-V"}).action, Action::version);
  const std::string help = help_text();
  for (const char* name : {"-n", "--np", "-x", "--genv", "--wdir", "--bind-to", "--param",
                           "--tag-output", "--timeout", "--grace", "--report-bindings"}) {
    EXPECT_NE(help.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace remit::launcher
