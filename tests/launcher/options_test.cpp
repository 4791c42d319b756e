// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The command line of mpirun.
#include "launcher/cli/options.hpp"

#include <gtest/gtest.h>

#include "runtime/launch_params.hpp"

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
  EXPECT_TRUE(options.output.tag);
}

TEST(LauncherOptions, JobOptions) {
  const Options options =
      parsed({"--param", "Eager_Limit=8k", "-param", "a=b=c", "--bind-to", "numa", "-l",
              "--report-bindings", "-display-map", "--timeout", "2.5", "--grace=0",
              "--oversubscribe", "--allow-run-as-root", "prog"});
  const std::vector<std::pair<std::string, std::string>> expected{{"eager_limit", "8k"},
                                                                  {"a", "b=c"}};
  EXPECT_EQ(options.params, expected);
  EXPECT_EQ(options.placement.bind_to, BindTo::numa);
  EXPECT_TRUE(options.output.tag);
  EXPECT_TRUE(options.report_bindings);
  EXPECT_TRUE(options.display_map);
  EXPECT_EQ(options.timeout_s, 2.5);
  EXPECT_EQ(options.grace_s, 0);
  EXPECT_EQ(parsed({"-bind-to", "core:overload-allowed", "prog"}).placement.bind_to, BindTo::core);
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

Options parsed_with(const Words& words, const std::string& file) {
  Expected<Options> options =
      parse_options(words, [&](const std::string&) -> Expected<std::string> { return file; });
  EXPECT_TRUE(options.has_value()) << (options ? "" : options.error().message);
  return options.value_or(Options{});
}

TEST(LauncherOptions, FilesHoldOnePartALine) {
  const char* file =
      "# a comment\n-n 2 ./a 'one word' two\\ words \"q\\\"\"\n\n  -n 3 -x A=b ./b # end\n-n 1 c : "
      "-n 4 d";
  for (const char* option : {"-configfile", "--configfile", "--app", "-app"}) {
    const Options options = parsed_with({"-l", option, "file"}, file);
    ASSERT_EQ(options.apps.size(), 4U);
    EXPECT_TRUE(options.output.tag);
    EXPECT_EQ(options.apps[0].command, (Words{"./a", "one word", "two words", "q\""}));
    EXPECT_EQ(options.apps[1].ranks, 3);
    EXPECT_EQ(options.apps[1].env, (std::vector<EnvSetting>{{"A", "b"}}));
    EXPECT_EQ(options.apps[3].command, Words{"d"});
  }
  const Options behind = parsed_with({"-n", "2", "a", ":", "--app=file"}, "-n 3 b");
  EXPECT_EQ(behind.total_ranks(), 5);
  // A program's own argument is no option of mpirun.
  EXPECT_EQ(parsed({"prog", "--app", "file"}).apps[0].command.size(), 3U);

  const auto error = [](const Words& words, const std::string& text) {
    const auto options =
        parse_options(words, [&](const std::string&) -> Expected<std::string> { return text; });
    return options ? "no error" : options.error().message;
  };
  EXPECT_EQ(error({"--app", "f"}, "# nothing\n"), "f names no program");
  EXPECT_EQ(error({"--app", "f"}, "a\nb 'c\n"), "f line 2: the quote ' is not closed");
  EXPECT_NE(error({"--app", "f"}, "--app g").find("cannot name another"), std::string::npos);
  EXPECT_NE(error({"--app", "f", "prog"}, "a").find("nothing may stand behind"), std::string::npos);
  EXPECT_NE(error_of({"--app", "/no/such/file"}).find("/no/such/file"), std::string::npos);
}

TEST(LauncherOptions, PlacesInBothDialects) {
  const auto placement = [](Words words) {
    words.emplace_back("prog");
    return parsed(words).placement;
  };
  EXPECT_EQ(placement({"--map-by", "socket"}).map_by, Level::socket);
  EXPECT_EQ(placement({"-map-by", "Package:Oversubscribe"}).map_by, Level::socket);
  EXPECT_EQ(placement({"--map-by", "slot:PE=4"}).cores_per_rank, 4);
  EXPECT_EQ(placement({"--map-by", ":PE=4"}).cores_per_rank, 4);
  EXPECT_EQ(placement({"--map-by", "PE=4:span"}).cores_per_rank, 4);
  EXPECT_TRUE(placement({"--map-by", "PE=4:span"}).span);
  EXPECT_EQ(placement({"--map-by", ":PE=4"}).map_by, placement({"--map-by", "slot"}).map_by);
  EXPECT_NE(error_of({"--map-by", "ppr:2:PE=3", "prog"}).find("is no object"), std::string::npos);
  EXPECT_NE(error_of({"--map-by", "PE=x", "prog"}).find("PE=N"), std::string::npos);
  EXPECT_EQ(placement({"--map-by", "ppr:2:numa:pe=3,span"}).per_object, 2);
  EXPECT_EQ(placement({"--map-by", "ppr:2:numa:pe=3,span"}).cores_per_rank, 3);
  EXPECT_EQ(placement({"-bind-to", "core:3"}).cores_per_rank, 3);
  EXPECT_EQ(placement({"--cpus-per-proc", "2"}).cores_per_rank, 2);
  EXPECT_TRUE(placement({"--rank-by", "slot"}).rank_fill);
  EXPECT_EQ(placement({"--rank-by", "core"}).rank_by, Level::core);
  EXPECT_TRUE(placement({"--rank-by", "numa:span"}).rank_span);
  EXPECT_NE(error_of({"--rank-by", "numa:fast", "prog"}).find("modifier"), std::string::npos);
  EXPECT_EQ(placement({"--rank-by", "span", "--map-by", "numa"}).rank_by, Level::numa);
  EXPECT_EQ(placement({}).binding(), BindTo::share);
  EXPECT_NE(error_of({"--map-by", "moon", "prog"}).find("--map-by moon: 'moon' is no object"),
            std::string::npos);
  EXPECT_NE(error_of({"--map-by", "ppr:x:core", "prog"}).find("ppr:N:OBJECT"), std::string::npos);
  EXPECT_NE(error_of({"--map-by", "core:PE=0", "prog"}).find("PE=N"), std::string::npos);
  EXPECT_NE(error_of({"--map-by", "core:fast", "prog"}).find("'fast'"), std::string::npos);
  EXPECT_NE(error_of({"--rank-by", "moon", "prog"}).find("--rank-by moon: choose"),
            std::string::npos);
}

TEST(LauncherOptions, OutputAndInputInBothDialects) {
  OutputStyle style = parsed({"-prepend-rank", "--timestamp", "prog"}).output;
  EXPECT_TRUE(style.tag && style.timestamp && !style.merge && !style.copy);
  style = parsed({"--output", "tag,merge,dir=d:nocopy", "prog"}).output;
  EXPECT_TRUE(style.tag && style.merge && !style.copy && !style.timestamp);
  EXPECT_EQ(style.out_file, "d/rank.%r/stdout");
  style = parsed({"--output-filename", "d", "prog"}).output;
  EXPECT_TRUE(style.copy);
  EXPECT_EQ(style.err_file, "d/rank.%r/stderr");
  style = parsed({"--output", "file=f", "prog"}).output;
  EXPECT_EQ(style.out_file, "f.%r.out");
  EXPECT_TRUE(style.copy);
  style = parsed({"-outfile-pattern", "o.%r", "-errfile-pattern=e", "prog"}).output;
  EXPECT_EQ(style.out_file, "o.%r");
  EXPECT_EQ(style.err_file, "e");
  EXPECT_FALSE(style.copy);
  EXPECT_EQ(output_file("a/%r-%h%%%z", "7", "here"), "a/7-here%%z");
  EXPECT_EQ(output_file("log", "7", "here"), "log.7");
  EXPECT_EQ(parsed({"--stdin", "all", "prog"}).input.rank, InputTo::kAll);
  EXPECT_EQ(parsed({"--stdin", "none", "prog"}).input.rank, InputTo::kNone);
  EXPECT_EQ(parsed({"--stdin", "3", "prog"}).input.rank, 3);
  EXPECT_NE(error_of({"--stdin", "-1", "prog"}).find("--stdin -1: write"), std::string::npos);
  EXPECT_NE(error_of({"--output", "tags", "prog"}).find("'tags'"), std::string::npos);
  EXPECT_NE(error_of({"--output", "dir=", "prog"}).find("'dir='"), std::string::npos);
}

TEST(LauncherOptions, WhatStandsBeforeALine) {
  const auto prefix = [](const Words& words) {
    return line_prefix(parsed(words).output, "7", "here");
  };
  EXPECT_EQ(prefix({"prog"}), "");
  EXPECT_EQ(prefix({"-l", "prog"}), "[7] ");
  EXPECT_EQ(prefix({"-prepend-pattern", "%h/%r%% %z: ", "prog"}), "here/7% %z: ");
  EXPECT_EQ(prefix({"-l", "--prepend-pattern=<%r>", "prog"}), "<7>");
  EXPECT_EQ(prefix({"-prepend-pattern", "- ", "prog"}), "- ");
}

TEST(LauncherOptions, AnEmptyValueIsNone) {
  // It must not take the next word for its value.
  EXPECT_EQ(error_of({"-prepend-pattern", "", "-l", "prog"}),
            "option '-prepend-pattern' has an empty value: write TEXT, or leave the option out");
  for (const Words& words : {Words{"--prepend-pattern=", "-l", "prog"},
                             {"-n", "", "prog"},
                             {"-wdir", "", "-l", "prog"},
                             {"-genvlist", "", "prog"},
                             {"-app", ""},
                             {"-output-directory", "", "-l", "prog"}}) {
    EXPECT_NE(error_of(words).find("has an empty value: write "), std::string::npos) << words[0];
  }
  EXPECT_EQ(parsed({"-env", "A", "", "-l", "prog"}).apps[0].env[0], (EnvSetting{"A", ""}));
}

TEST(LauncherOptions, CountsThatFollowFromOthers) {
  const Processors processors(*Topology::synthetic("pack:4 core:2 pu:1"));
  const auto ranks = [&](const Words& words) {
    Options options = parsed(words);
    const Expected<JobRoom> room = find_room(options, {"here", {}});
    EXPECT_TRUE(room.has_value());
    std::vector<HostRoom> hosts;
    for (const HostSpec& spec : room->hosts) hosts.push_back({spec, &processors});
    const Expected<> done = complete_counts(*room, hosts, &options);
    return done ? options.total_ranks() : -1;
  };
  EXPECT_EQ(ranks({"prog"}), 1);
  EXPECT_EQ(ranks({"-ppn", "3", "prog"}), 3);
  EXPECT_EQ(ranks({"-N", "3", "-n", "2", "prog"}), 2);
  EXPECT_EQ(ranks({"--map-by", "ppr:2:socket", "prog"}), 8);
  EXPECT_EQ(ranks({"--host", "localhost:5", "prog"}), 5);
  EXPECT_EQ(ranks({"--host", "localhost:5", "-n", "2", "prog"}), 2);
  EXPECT_EQ(ranks({"--host", "localhost:*", "prog"}), 8);
  EXPECT_EQ(ranks({"--host", "a,b,a", "prog"}), 3);
  EXPECT_EQ(ranks({"--host", "a,b", "-N", "4", "prog"}), 8);
  EXPECT_EQ(ranks({"--host", "a,b", "--map-by", "ppr:1:socket", "prog"}), 8);
  EXPECT_EQ(ranks({"--host", "a,b", "m", ":", "--host", "a:3", "w", ":", "x"}), 6);
  EXPECT_EQ(ranks({"-n", "2", "--stdin", "1", "prog"}), 2);
  EXPECT_EQ(ranks({"-n", "2", "--stdin", "2", "prog"}), -1);
  EXPECT_NE(error_of({"--host", "a:x", "prog"}).find("'x' is no number"), std::string::npos);
  EXPECT_NE(error_of({"--hostfile", "/no/file", "prog"}).find("/no/file"), std::string::npos);
}

TEST(LauncherOptions, WhatOtherMpirunsAreTold) {
  const Options options = parsed(
      {"--mca", "btl", "self,vader", "--tune", "/opt/x", "--oversubscribe", "-genvlist", "A,B",
       "-envnone", "--use-hwthread-cpus", "-iface", "eth0", "--print-all-exitcodes", "prog"});
  EXPECT_TRUE(options.print_exit_codes);
  EXPECT_EQ(options.global_env, (std::vector<EnvSetting>{{"OMPI_MCA_btl", "self,vader"}}));
  EXPECT_EQ(options.inherit.names, (Words{"A", "B"}));
  EXPECT_FALSE(options.inherit.all);
  ASSERT_TRUE(options.apps[0].inherit.has_value());
  EXPECT_TRUE(options.apps[0].inherit->names.empty());
  ASSERT_EQ(options.notes.size(), 3U);
  EXPECT_EQ(options.notes[0], "--tune is not needed here and ignored");
}

TEST(LauncherOptions, WordsThatOnlyOthersHave) {
  const Options options =
      parsed({"-pernode", "-bind-to-core", "--bycore", "-maxtime", "7", "-s", "all",
              "-print-rank-map", "--gomca", "btl", "self", "-v", "--novm", "-usize", "5", "prog"});
  EXPECT_EQ(options.ranks_per_host, 1);
  EXPECT_EQ(options.placement.bind_to, BindTo::core);
  EXPECT_EQ(options.placement.map_by, Level::core);
  EXPECT_EQ(options.timeout_s, 7);
  EXPECT_EQ(options.input.rank, InputTo::kAll);
  EXPECT_TRUE(options.display_map);
  EXPECT_EQ(options.notes.size(), 3U);
  EXPECT_EQ(options.apps[0].command, Words{"prog"});
  EXPECT_EQ(parsed({"--maxtime=3", "prog"}).timeout_s, 3);
  EXPECT_EQ(parsed({"-info"}).action, Action::version);
  EXPECT_NE(error_of({"--maxtime"}).find("'--maxtime' needs a value"), std::string::npos);
  EXPECT_NE(error_of({"--cpu-set", "0-3", "prog"}).find("taskset"), std::string::npos);
  EXPECT_NE(error_of({"--rankfile", "/no/file", "prog"}).find("/no/file"), std::string::npos);
  EXPECT_NE(error_of({"-gdb", "prog"}).find("attach"), std::string::npos);
}

TEST(LauncherOptions, TranslationsBeforeAFile) {
  const auto read = [](const std::string&) -> Expected<std::string> {
    return std::string("-n 2 a\n-n 3 b\n");
  };
  const Words words{"-bind-to-core", "-l", "--configfile", "f"};
  const Expected<Options> options = parse_options(words, read);
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->placement.bind_to, BindTo::core);
  EXPECT_TRUE(options->output.tag);
  EXPECT_EQ(options->apps.size(), 2U);
}

TEST(LauncherOptions, ParametersFillWhatTheCommandLineLeavesOpen) {
  Params params;
  ASSERT_TRUE(params.set("bind_to", "none"));
  ASSERT_TRUE(params.set("job_grace", "500"));
  ASSERT_TRUE(params.set("job_timeout", "7"));
  ASSERT_TRUE(params.set("tag_output", "yes"));
  Options open = parsed({"prog"});
  ASSERT_TRUE(apply_params(params, &open));
  EXPECT_EQ(open.placement.bind_to, BindTo::none);
  EXPECT_EQ(open.grace(), 0.5);
  EXPECT_EQ(open.timeout_s, 7);
  EXPECT_TRUE(open.output.tag);
  Options given = parsed({"--bind-to", "core", "--grace", "1", "--timeout", "2", "prog"});
  ASSERT_TRUE(apply_params(params, &given));
  EXPECT_EQ(given.placement.bind_to, BindTo::core);
  EXPECT_EQ(given.grace(), 1);
  EXPECT_EQ(given.timeout_s, 2);
  ASSERT_TRUE(params.set("map_by", "moon"));
  EXPECT_FALSE(apply_params(params, &open));
}

TEST(LauncherOptions, StacksAreAValueOfProfile) {
  EXPECT_FALSE(parsed({"--profile", "prog"}).profile_stack);
  const Options stacks = parsed({"--profile=stack", "prog"});
  EXPECT_TRUE(stacks.profile);
  EXPECT_TRUE(stacks.profile_stack);
  EXPECT_NE(error_of({"--profile=deep", "prog"}).find("--profile=stack"), std::string::npos);
  EXPECT_NE(error_of({"--profile=", "prog"}).find("--profile=stack"), std::string::npos);
  Params params;
  ASSERT_TRUE(params.set("profile_stack", "yes"));
  Options open = parsed({"--trace", "prog"});
  ASSERT_TRUE(apply_params(params, &open));
  EXPECT_TRUE(open.profile_stack);
}

TEST(LauncherOptions, TracesNeedNoOtherOption) {
  EXPECT_TRUE(parsed({"--trace", "prog"}).trace);
  EXPECT_FALSE(parsed({"--profile", "prog"}).trace);
  EXPECT_NE(error_of({"--trace=folder", "prog"}).find("--trace"), std::string::npos);
  Params params;
  ASSERT_TRUE(params.set("trace", "there"));
  Options open = parsed({"prog"});
  ASSERT_TRUE(apply_params(params, &open));
  EXPECT_TRUE(open.trace);
  EXPECT_EQ(open.profile_dir, "there");
  ASSERT_TRUE(params.set("profile", "here"));
  Options both = parsed({"prog"});
  ASSERT_TRUE(apply_params(params, &both));
  EXPECT_TRUE(both.trace);
  EXPECT_EQ(both.profile_dir, "here");
}

TEST(LauncherOptions, HelpNamesEveryOption) {
  EXPECT_EQ(parsed({"--help"}).action, Action::help);
  EXPECT_EQ(parsed({"-n", "2", "-V"}).action, Action::version);
  const std::string help = help_text();
  for (const char* name : {"-n",
                           "--np",
                           "-x",
                           "--genv",
                           "--wdir",
                           "--bind-to",
                           "--param",
                           "--tag-output",
                           "--timeout",
                           "--grace",
                           "--report-bindings",
                           "--map-by",
                           "--rank-by",
                           "--stdin",
                           "--timestamp",
                           "--output-filename",
                           "--app",
                           "--oversubscribe",
                           "--prepend-pattern",
                           "--profile",
                           "--trace",
                           "--print-all-exitcodes"}) {
    EXPECT_NE(help.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace remit::launcher
