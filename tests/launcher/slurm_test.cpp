// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What Slurm's variables mean, and what srun is told.
#include "launcher/plan/slurm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "launcher/tree/tree_node.hpp"

namespace remit::launcher {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string expanded(std::string_view text) {
  const auto names = expand_host_list(text);
  return names ? fmt::format("{}", fmt::join(*names, " ")) : names.error().message;
}

TEST(LauncherSlurm, ListsOfHosts) {
  EXPECT_EQ(expanded("h1"), "h1");
  EXPECT_EQ(expanded("h1,h2,other"), "h1 h2 other");
  EXPECT_EQ(expanded("h[1-3]"), "h1 h2 h3");
  EXPECT_EQ(expanded("h[1-3,07,9-10]"), "h1 h2 h3 h07 h9 h10");
  EXPECT_EQ(expanded("h[008-011]-ib,x[1],y"), "h008-ib h009-ib h010-ib h011-ib x1 y");
  EXPECT_EQ(expanded("r[0-1]n[2-3]"), "r0n2 r0n3 r1n2 r1n3");
  EXPECT_EQ(expanded("a-b[1-2].c.d"), "a-b1.c.d a-b2.c.d");
  EXPECT_EQ(expanded("n[0-65535]").substr(0, 9), "n0 n1 n2 ");
  // Nothing comes behind the largest number.
  EXPECT_EQ(expanded("n[18446744073709551614-18446744073709551615]"),
            "n18446744073709551614 n18446744073709551615");
  EXPECT_EQ(expanded(std::string(255, 'a')), std::string(255, 'a'));
}

TEST(LauncherSlurm, WhatIsNoListIsAnError) {
  for (const char* text : {"", ",", "a,,b", "a[", "a[]", "a]", "a[1", "a[3-1]", "a[1-]", "a[-2]",
                           "a[x]", "a[1-2", "a[[1-2]]", "a[1,]", "-x", "a[0-65536]",
                           "a[0-999]b[0-999]", "a[0-99999999999999999999]", "a[1 -2]"}) {
    EXPECT_THAT(expanded(text), HasSubstr("is no list of hosts")) << text;
  }
}

TEST(LauncherSlurm, NoNameIsLongerThanThatOfAHost) {
  // So that a short text does not become gigabytes of names.
  for (const std::string& text :
       {std::string(256, 'a'), "[0-65535]" + std::string(255, 'a'), std::string(255, 'a') + "[1]b",
        "a[" + std::string(256, '0') + "-65535]"}) {
    EXPECT_THAT(expanded(text), HasSubstr("is no list of hosts")) << text;
  }
}

TEST(LauncherSlurm, Counts) {
  EXPECT_EQ(expand_counts("4"), (std::vector{4}));
  EXPECT_EQ(expand_counts("2(x3),1"), (std::vector{2, 2, 2, 1}));
  EXPECT_EQ(expand_counts("1,16(x2)"), (std::vector{1, 16, 16}));
  for (const char* text :
       {"", "x", "2(x", "2(x)", "2(x0)", "2(x2", "0", "-1", "1,,2", "2(3)", "2(x99999999)"}) {
    EXPECT_FALSE(expand_counts(text)) << text;
  }
}

// "h1:2 h2:*": the hosts of an allocation; or the error.
std::string allocated(std::vector<std::string> environment) {
  const auto found = find_allocation(environment);
  if (!found) return found.error().message;
  if (!*found) return "none";
  std::string text = (*found)->job;
  for (const HostSpec& host : (*found)->hosts) {
    text += fmt::format(" {}:{}", host.name,
                        host.slots == HostSpec::kAllCores ? "*" : std::to_string(host.slots));
  }
  return text + ((*found)->own_name.empty() ? "" : " on " + (*found)->own_name);
}

TEST(LauncherSlurm, Allocations) {
  EXPECT_EQ(allocated({"HOME=/"}), "none");
  EXPECT_EQ(allocated({"SLURM_JOB_ID=7"}), "none");
  EXPECT_EQ(allocated({"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST="}), "none");
  EXPECT_EQ(allocated({"SLURM_JOB_NODELIST=h[1-2]"}), "none");
  const std::vector<std::string> job{"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=h[1-3]"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), job.begin(), job.end());
    return allocated(more);
  };
  EXPECT_EQ(with({}), "7 h1:* h2:* h3:*");
  EXPECT_EQ(with({"SLURM_TASKS_PER_NODE=2(x2),1", "SLURM_JOB_CPUS_PER_NODE=8(x3)"}),
            "7 h1:2 h2:2 h3:1");
  EXPECT_EQ(with({"SLURM_TASKS_PER_NODE=1", "SLURM_JOB_CPUS_PER_NODE=8(x3)"}), "7 h1:8 h2:8 h3:8");
  EXPECT_EQ(with({"SLURM_TASKS_PER_NODE=x", "SLURMD_NODENAME=h2"}), "7 h1:* h2:* h3:* on h2");
  EXPECT_THAT(allocated({"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=h[1-"}),
              HasSubstr("SLURM_JOB_NODELIST: 'h[1-'"));
}

const OwnNames kOwnInSlurm{"h1.site", {"10.0.0.1", "n1"}};

// The hosts of the job when this is said inside an allocation of n1:2 (here), n2:3, n3:4; or the
// error.
std::string used(const std::string& words, const std::string& hostfile = "") {
  const Allocation allocation{
      "7", {{"n1", 2, true, 0}, {"n2", 3, true, 0}, {"n3", 4, true, 0}}, "n1"};
  Options options;
  options.apps.emplace_back();
  if (!words.empty()) options.apps[0].hosts = *read_host_words(words);
  if (!hostfile.empty()) options.hostfile = *read_hostfile("f", hostfile);
  if (auto done = use_allocation(allocation, kOwnInSlurm, &options); !done)
    return done.error().message;
  const auto room = find_room(options, kOwnInSlurm);
  if (!room) return room.error().message;
  std::string text;
  for (const HostSpec& host : room->hosts) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", host.name, host.slots);
  }
  return text;
}

TEST(LauncherSlurm, TheAllocationIsTheHosts) {
  EXPECT_EQ(used(""), "h1.site:2 n2:3 n3:4");
  EXPECT_EQ(used("n3,n2:1"), "n3:4 n2:1");
  EXPECT_EQ(used("localhost,me@n2"), "h1.site:2 n2:3");
  EXPECT_EQ(used("+n1,+e:1"), "n2:3 h1.site:2");
  EXPECT_EQ(used("", "n3\nn1 slots=1\n"), "n3:4 h1.site:1");
  EXPECT_EQ(used("n3", "n3:2\nlocalhost"), "n3:2");
  EXPECT_EQ(used("", "n2\nn2\n"), "n2:2");
}

TEST(LauncherSlurm, OtherHostsAreNotAllowed) {
  EXPECT_EQ(used("n2,n4"),
            "--host: host n4 is not in the allocation of Slurm's job 7, which is n1,n2,n3");
  EXPECT_THAT(used("", "n2\nx slots=3\n"),
              HasSubstr("--hostfile: host x is not in the allocation"));
  EXPECT_THAT(used("n3", "n2"), HasSubstr("the hostfile has no such host"));
  EXPECT_THAT(used("+n3"), HasSubstr("there are 3 hosts"));
  Options options;
  options.rankfile = *read_rankfile("r", "rank 0=n2\nrank 1=x slot=0\n");
  const auto done = use_allocation({"7", {{"n2", 1, true, 0}}, ""}, kOwnInSlurm, &options);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("--rankfile r line 2: host x is not in"));
}

TEST(LauncherSlurm, Srun) {
  EXPECT_TRUE(is_srun({"srun"}));
  EXPECT_TRUE(is_srun({"/opt/slurm/bin/srun", "--account=x"}));
  EXPECT_FALSE(is_srun({"ssh"}));
  EXPECT_FALSE(is_srun({"mysrun"}));
  EXPECT_FALSE(is_srun({}));
  const auto words = srun_command({"srun", "-A", "x"}, {"n2", "n3"},
                                  {"/opt/my remit/bin/mpirun", "--remit-daemon"});
  EXPECT_EQ(words[0], "srun");
  EXPECT_EQ(words[2], "x");
  EXPECT_THAT(words, Contains("--nodes=2"));
  EXPECT_THAT(words, Contains("--nodelist=n2,n3"));
  EXPECT_THAT(words, Contains("--overlap"));
  EXPECT_EQ(words[words.size() - 2], "/opt/my remit/bin/mpirun");
  EXPECT_EQ(words.back(), "--remit-daemon");
}

TEST(LauncherSlurm, SrunHasNoOptionsFromTheEnvironment) {
  EXPECT_THAT(srun_environment({"A=1", "SLURM_JOB_ID=7", "SLURM_NTASKS=4", "SLURM_CONF=/c",
                                "SLURM_CPU_BIND=x", "SLURM_STEP_ID=0", "SLURM_JOB_IDS=1",
                                "SSH_CONNECTION=1 2 3 4", "SLURMD_NODENAME=n1"}),
              ElementsAre("A=1", "SLURM_JOB_ID=7", "SLURM_CONF=/c", "SLURMD_NODENAME=n1"));
}

TEST(LauncherSlurm, ADaemonFindsItsNode) {
  StartFrame frame{"1", {5, 6}, {"n2", "n3"}, "", {}, 0, 0};
  EXPECT_EQ(*frame.find_node("n3"), 6);
  for (const char* name : {static_cast<const char*>(nullptr), "n4"}) {
    const auto node = frame.find_node(name);
    ASSERT_FALSE(node);
    EXPECT_THAT(node.error().message, HasSubstr("daemons were to be started on n2,n3"));
  }
  frame = {"1", {5}, {"alias"}, "", {}, 0, 0};
  EXPECT_EQ(*frame.find_node(nullptr), 5);
  EXPECT_EQ(*frame.find_node("n9"), 5);
}

}  // namespace
}  // namespace remit::launcher
