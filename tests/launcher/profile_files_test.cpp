// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The launcher's part of profiles: which files of a folder are its own, and the clocks of hosts.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "launcher/cli/options.hpp"
#include "launcher/report/profile_records.hpp"
#include "launcher/report/profile_report.hpp"
#include "launcher/tree/host_clocks.hpp"
#include "launcher/tree/wire.hpp"

namespace remit::launcher {
namespace {

// --profile-dir names a folder of the user: what is not of an earlier job stays.
TEST(ProfileReport, RemovesItsOwnFilesOnly) {
  char name[] = "/tmp/remit_profile_dir.XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  const std::filesystem::path folder = name;
  const auto write = [&](const char* file, const std::string& text) {
    std::ofstream(folder / file) << text;
  };
  write("own.record", std::string("REMITPRF\2\0\0\0", 12));
  write("own.trace", "REMITTRC and entries");
  write("remit-clocks", "remit-clocks 1 1700000000 here\n");
  write("foreign.trace", "0.5 12.3\n");
  write("foreign.record", "");
  write("clocks", "my clocks\n");
  write("data.txt", "REMITTRC");
  std::filesystem::create_directory(folder / "folder.trace");
  std::filesystem::create_symlink("own.trace", folder / "link.trace");
  Options options;
  options.profile_dir = folder.string();
  const Expected<ProfilePlan> plan = plan_profile(options, "");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->folder, folder.string());
  std::set<std::string> left;
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    left.insert(each.path().filename().string());
  }
  EXPECT_EQ(left, (std::set<std::string>{"foreign.trace", "foreign.record", "clocks", "data.txt",
                                         "folder.trace", "link.trace"}));
  std::filesystem::remove_all(folder);
}

TEST(ProfileReport, NamesTheOptionThatWasUsed) {
  Options options;
  options.trace = true;
  const Expected<ProfilePlan> plan = plan_profile(options, "/dev/null");
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("--trace: /dev/null"), std::string::npos)
      << plan.error().message;
  EXPECT_EQ(plan.error().message.find("--profile"), std::string::npos) << plan.error().message;
}

TEST(ProfileRecords, ClocksOfOthersAreNotAddedTo) {
  char name[] = "/tmp/remit_profile_dir.XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  const std::filesystem::path folder = name;
  WireWriter writer;
  writer.text("a.record");
  const SeenClock clock{{1, 2, 3}, {4, 5, 6}};
  for (int node = 1; node <= 2; ++node) {
    ASSERT_TRUE(keep_clock(folder.string(), writer.bytes(), node, clock));
  }
  EXPECT_TRUE(is_profile_file(folder / "remit-clocks"));
  std::ifstream file(folder / "remit-clocks");
  std::string head;
  std::string line;
  ASSERT_TRUE(std::getline(file, head) && std::getline(file, line));
  EXPECT_TRUE(head.starts_with("remit-clocks 1 ")) << head;
  EXPECT_EQ(line, "1 1 2 3 4 5 6 a.record");
  std::ofstream(folder / "remit-clocks") << "something else\n";
  EXPECT_FALSE(keep_clock(folder.string(), writer.bytes(), 1, clock));
  std::filesystem::remove_all(folder);
}

// A daemon's answer to the newest question of a host, from a clock that is so far ahead.
Message answer_to(const std::pair<int, std::string>& question, std::int64_t ahead_ns) {
  WireReader reader(question.second);
  const std::int64_t asked_ns = reader.number();
  return {MessageKind::clock_told, question.first, 0, numbers(asked_ns, asked_ns + ahead_ns)};
}

TEST(HostClocks, TakeWhatTheyHaveAskedForOnce) {
  std::vector<std::pair<int, std::string>> asked;
  HostClocks clocks([&](int node, std::string text) { asked.emplace_back(node, std::move(text)); });
  clocks.ask(1);
  EXPECT_TRUE(asked.empty()) << "nobody has started it";
  clocks.start(3);
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0].first, 1);
  EXPECT_FALSE(clocks.of(1));
  const std::pair<int, std::string> question = asked[0];
  const auto send_bad = [&] {
    clocks.take({MessageKind::clock_told, 7, 0, answer_to(question, 5).payload});  // not asked
    clocks.take({MessageKind::clock_told, 1, 0, numbers(12, 5'000)});  // another question
    clocks.take({MessageKind::clock_told, 1, 0, question.second});     // no time
    WireReader reader(question.second);
    clocks.take({MessageKind::clock_told, 1, 0, numbers(reader.number(), -1)});
  };
  send_bad();
  EXPECT_FALSE(clocks.of(1));
  EXPECT_EQ(asked.size(), 2U);
  std::size_t rounds = 0;
  for (std::size_t before = 0; before != asked.size(); ++rounds) {
    before = asked.size();
    const Message answer = answer_to(rounds == 0 ? question : asked.back(), 1'000'000'000);
    clocks.take(answer);
    const std::size_t after = asked.size();
    clocks.take(answer);  // again: it is late
    send_bad();
    EXPECT_EQ(asked.size(), after);
    const auto seen = clocks.of(1);
    ASSERT_TRUE(seen);
    EXPECT_NEAR(static_cast<double>(seen->last.ahead_ns), 1e9,
                static_cast<double>(seen->last.within_ns) + 1);
  }
  EXPECT_EQ(rounds, 6U);
  EXPECT_FALSE(clocks.of(2));
}

// A job that is killed ends in the midst of a round: what that has is the newest.
TEST(HostClocks, ARoundThatIsUnderWayCounts) {
  std::vector<std::pair<int, std::string>> asked;
  HostClocks clocks([&](int node, std::string text) { asked.emplace_back(node, std::move(text)); });
  clocks.start(2);
  for (std::size_t i = 0; i < asked.size(); ++i) clocks.take(answer_to(asked[i], 1'000'000'000));
  const std::size_t first_rounds = asked.size();
  clocks.ask(1);
  EXPECT_EQ(asked.size(), first_rounds) << "it was asked a moment ago";
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  clocks.ask(1);
  ASSERT_EQ(asked.size(), first_rounds + 1);
  const auto before = clocks.of(1);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->last.at_ns, before->first.at_ns);
  clocks.take(answer_to(asked.back(), 2'000'000'000));
  const auto seen = clocks.of(1);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->first.at_ns, before->first.at_ns);
  EXPECT_GT(seen->last.at_ns, seen->first.at_ns + 20'000'000);
  EXPECT_NEAR(static_cast<double>(seen->last.ahead_ns), 2e9,
              static_cast<double>(seen->last.within_ns) + 1);
}

}  // namespace
}  // namespace remit::launcher
