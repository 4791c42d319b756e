// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which rank may use which processors, on made-up hosts.
#include "launcher/plan/mapping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "launcher/plan/job.hpp"
#include "launcher/tree/wire.hpp"

namespace remit::launcher {
namespace {

using Ends = std::vector<int>;  // the first and the last of each range of processors

Processors host(const char* description) {
  Expected<Topology> topology = Topology::synthetic(description);
  EXPECT_TRUE(topology.has_value());
  return Processors(*topology);
}

std::vector<std::string> lists(const std::vector<Binding>& bindings) {
  std::vector<std::string> texts;
  texts.reserve(bindings.size());
  for (const Binding& binding : bindings) texts.push_back(binding.list());
  return texts;
}

using Lists = std::vector<std::string>;

std::vector<Binding> placed(const Processors& processors, int ranks, const Placement& placement) {
  const auto bindings = place_ranks(processors, ranks, placement);
  EXPECT_TRUE(bindings.has_value()) << (bindings ? "" : bindings.error().message);
  return bindings.value_or(std::vector<Binding>{});
}

std::vector<Binding> bind_ranks(const Processors& processors, int ranks, BindTo bind_to) {
  Placement placement;
  placement.bind_to = bind_to;
  return placed(processors, ranks, placement);
}

// As on the command line.
Lists lists_of(const Processors& processors, int ranks, const std::string& map_by,
               const std::string& rank_by, const std::string& bind_to) {
  Placement placement;
  EXPECT_TRUE(map_by.empty() || read_map_by(map_by, &placement));
  EXPECT_TRUE(rank_by.empty() || read_rank_by(rank_by, &placement));
  EXPECT_TRUE(bind_to.empty() || read_bind_to(bind_to, &placement));
  return lists(placed(processors, ranks, placement));
}

TEST(LauncherMapping, EachKindOfObject) {
  const Processors processors = host("pack:2 l3:1 core:4 pu:2");
  EXPECT_EQ(lists(bind_ranks(processors, 3, BindTo::core)), (Lists{"0-1", "2-3", "4-5"}));
  EXPECT_EQ(lists(bind_ranks(processors, 3, BindTo::socket)), (Lists{"0-7", "8-15", "0-7"}));
  EXPECT_EQ(lists(bind_ranks(processors, 2, BindTo::l3)), (Lists{"0-7", "8-15"}));
  EXPECT_EQ(lists(bind_ranks(processors, 2, BindTo::none)), (Lists{"", ""}));
  EXPECT_EQ(lists(bind_ranks(processors, 1, BindTo::numa)), (Lists{"0-15"}));
  // The first thread of every core comes before any second one.
  const Lists threads = lists(bind_ranks(processors, 16, BindTo::hwthread));
  EXPECT_EQ(threads[0], "0");
  EXPECT_EQ(threads[1], "2");
  EXPECT_EQ(threads[8], "1");
  EXPECT_EQ(std::set<std::string>(threads.begin(), threads.end()).size(), 16U);
}

TEST(LauncherMapping, MappingDealsInTurn) {
  const Processors processors = host("pack:2 core:4 pu:2");
  EXPECT_EQ(lists_of(processors, 4, "socket", "", "core"), (Lists{"0-1", "8-9", "2-3", "10-11"}));
  EXPECT_EQ(lists_of(processors, 4, "socket", "", "socket"), (Lists{"0-7", "8-15", "0-7", "8-15"}));
  EXPECT_EQ(lists_of(processors, 3, "core", "", "socket"), (Lists{"0-7", "0-7", "0-7"}));
  EXPECT_EQ(lists_of(processors, 5, "core", "", "socket").back(), "8-15");
  EXPECT_EQ(lists_of(processors, 3, "hwthread", "", "hwthread"), (Lists{"0", "2", "4"}));
  EXPECT_EQ(lists_of(processors, 2, "hwthread", "", "core"), (Lists{"0-1", "2-3"}));
  EXPECT_EQ(lists_of(processors, 3, "node", "", "core"), (Lists{"0-1", "2-3", "4-5"}));
  EXPECT_EQ(lists_of(processors, 9, "core", "", "core")[8], "0-1");
  EXPECT_EQ(lists_of(processors, 2, "socket", "", "none"), (Lists{"", ""}));
  // An even share of the socket; all of a socket that has more ranks than cores.
  EXPECT_EQ(lists_of(processors, 4, "socket", "", ""), (Lists{"0-3", "8-11", "4-7", "12-15"}));
  EXPECT_EQ(lists_of(processors, 5, "ppr:5:socket", "", ""), Lists(5, "0-7"));
  EXPECT_EQ(lists_of(processors, 9, "socket", "", ""), Lists(9, ""));
}

TEST(LauncherMapping, SeveralOnOneObjectAndSeveralCoresARank) {
  const Processors processors = host("pack:2 core:4 pu:2");
  EXPECT_EQ(lists_of(processors, 4, "ppr:2:socket", "", "core"),
            (Lists{"0-1", "2-3", "8-9", "10-11"}));
  EXPECT_EQ(lists_of(processors, 3, "slot:PE=2", "", ""), (Lists{"0-3", "4-7", "8-11"}));
  EXPECT_EQ(lists_of(processors, 3, "", "", "core:2"), (Lists{"0-3", "4-7", "8-11"}));
  EXPECT_EQ(lists_of(processors, 3, "socket:PE=2", "", ""), (Lists{"0-3", "8-11", "4-7"}));
  EXPECT_EQ(lists_of(processors, 2, "", "", "hwthread:3"), (Lists{"0-2", "3-5"}));
  const auto error = [&](int ranks, const char* map_by) {
    Placement placement;
    EXPECT_TRUE(read_map_by(map_by, &placement));
    const auto bindings = place_ranks(processors, ranks, placement);
    return bindings ? "no error" : bindings.error().message;
  };
  EXPECT_NE(error(5, "ppr:2:socket").find("ppr:2:socket: has room for 4 ranks"), std::string::npos);
  EXPECT_NE(error(5, "slot:PE=2").find("2 core for each of 5 ranks are 10"), std::string::npos);
  EXPECT_NE(error(4, "socket:PE=3").find("on each object"), std::string::npos);
}

TEST(LauncherMapping, RanksAreNumbered) {
  const Processors processors = host("pack:2 core:4 pu:1");
  EXPECT_EQ(lists_of(processors, 4, "socket", "fill", "core"), (Lists{"0", "1", "4", "5"}));
  EXPECT_EQ(lists_of(processors, 4, "socket", "core", "core"), (Lists{"0", "1", "4", "5"}));
  EXPECT_EQ(lists_of(processors, 4, "socket", "span", "core"), (Lists{"0", "4", "1", "5"}));
  EXPECT_EQ(lists_of(processors, 8, "core", "socket", "core"),
            (Lists{"0", "4", "1", "5", "2", "6", "3", "7"}));
  EXPECT_EQ(lists_of(processors, 4, "ppr:2:socket", "socket", "core"), (Lists{"0", "4", "1", "5"}));
  // Numbering loses and doubles nobody.
  for (const char* rank_by : {"slot", "node", "socket", "numa", "core", "hwthread", "l3cache"}) {
    const Lists all = lists_of(processors, 8, "socket", rank_by, "core");
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 8U) << rank_by;
  }
}

TEST(LauncherMapping, SharesAreDisjointCompleteAndFair) {
  const Processors processors = host("pack:2 core:8 pu:2");
  for (int ranks = 2; ranks <= 16; ++ranks) {
    std::set<int> seen;
    std::size_t least = 1000;
    std::size_t most = 0;
    for (const Binding& binding : bind_ranks(processors, ranks, BindTo::share)) {
      for (const int cpu : binding.cpus) EXPECT_TRUE(seen.insert(cpu).second);
      least = std::min(least, binding.cpus.size());
      most = std::max(most, binding.cpus.size());
    }
    EXPECT_EQ(seen.size(), 32U);
    EXPECT_LE(most - least, 2U);  // one core of two threads
  }
}

TEST(LauncherMapping, SharesBindNothingForOneRankOrForMoreThanCores) {
  const Processors processors = host("pack:1 core:4 pu:1");
  for (const int ranks : {1, 5, 17}) {
    for (const Binding& binding : bind_ranks(processors, ranks, BindTo::share)) {
      EXPECT_FALSE(binding.bound());
    }
  }
}

TEST(LauncherProcessors, CrossAsBytes) {
  const Processors here = host("pack:2 l3:2 l2:2 core:2 pu:2");
  const Expected<Processors> there = Processors::read(here.bytes());
  ASSERT_TRUE(there.has_value());
  EXPECT_EQ(there->bytes(), here.bytes());
  for (const char* map_by : {"slot", "socket", "numa", "l3cache", "l2cache", "core", "hwthread"}) {
    EXPECT_EQ(lists_of(*there, 9, map_by, "", "core"), lists_of(here, 9, map_by, "", "core"));
    EXPECT_EQ(lists_of(*there, 9, map_by, "fill", "l2cache"),
              lists_of(here, 9, map_by, "fill", "l2cache"));
  }
  EXPECT_EQ(there->count(Level::l2), 8);
  EXPECT_EQ(there->parts(Level::hwthread)[1].number, 2);
}

TEST(LauncherProcessors, OthersBytesAreRefused) {
  const std::string good = host("core:2 pu:1").bytes();
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(Processors::read(good.substr(0, size)).has_value()) << size;
  }
  EXPECT_FALSE(Processors::read(good + "x").has_value());
  const auto host_of = [](const std::vector<int>& ends, int level = 0) {
    WireWriter writer;
    writer.text("machine");
    for (std::size_t i = 0; i < kLevels; ++i) {
      for (const int number : {1, level, 0}) writer.number(number);
      writer.numbers(ends);
    }
    return Processors::read(writer.bytes());
  };
  EXPECT_TRUE(host_of({0, 3, 8, 8}).has_value());
  EXPECT_EQ(host_of({0, 3, 8, 8})->parts(Level::core)[0].cpus.list(),
            (std::vector<int>{0, 1, 2, 3, 8}));
  for (const auto& ends : {Ends{}, Ends{0}, Ends{-1, 3}, Ends{3, 2}, Ends{0, 1 << 30}}) {
    EXPECT_FALSE(host_of(ends).has_value());
  }
  EXPECT_FALSE(host_of({0, 1}, 7).has_value());
  EXPECT_FALSE(host_of({0, 1}, -1).has_value());
}

TEST(LauncherMapping, ListsAreWrittenAsTheKernelDoes) {
  EXPECT_EQ((Binding{{0, 1, 2, 5, 7, 8}, ""}.list()), "0-2,5,7-8");
  EXPECT_EQ(Binding{}.list(), "");
}

TEST(LauncherMapping, ThisHostHasProcessorsAndAnXml) {
  const Expected<Topology> topology = Topology::load();
  ASSERT_TRUE(topology.has_value());
  EXPECT_GE(topology->count(HWLOC_OBJ_PU), 1);
  const Expected<std::string> xml = topology->xml();
  ASSERT_TRUE(xml.has_value());
  EXPECT_NE(xml->find("<topology"), std::string::npos);
  EXPECT_EQ(xml->find("PCIDev"), std::string::npos);
}

tl::expected<Job, LaunchError> job_of(const Options& options, const Processors& processors,
                                      const std::string& own, char** environment) {
  const Expected<JobRoom> room = find_room(options, {own, {}});
  if (!room) return tl::unexpected(LaunchError{2, room.error().message});
  std::vector<HostRoom> hosts;
  for (const HostSpec& spec : room->hosts) hosts.push_back({spec, &processors});
  return make_job(options, *room, hosts, environment);
}

TEST(LauncherJob, RanksProgramsAndEnvironment) {
  Options options;
  options.apps = {{2, {"sh", "a"}, "", {{"HOME", std::nullopt}, {"X", "1"}}},
                  {3, {"/bin/sh"}, "/", {}}};
  options.global_env = {{"X", "0"}};
  options.params = {{"eager-limit", "7"}};
  options.placement.bind_to = BindTo::none;
  std::string inherited[] = {"PATH=/nowhere:/bin", "HOME=/h", "PMIX_RANK=5", "PMIX_MCA_gds=hash"};
  char* environment[] = {inherited[0].data(), inherited[1].data(), inherited[2].data(),
                         inherited[3].data(), nullptr};
  const auto job = job_of(options, host("core:2 pu:1"), "here", environment);
  ASSERT_TRUE(job.has_value()) << job.error().message;
  ASSERT_EQ(job->ranks.size(), 5U);
  EXPECT_EQ(job->ranks[3].app, 1);
  EXPECT_EQ(job->ranks[3].app_rank, 1);
  EXPECT_EQ(job->apps[1].first_rank, 2);
  EXPECT_EQ(job->apps[0].program, "/bin/sh");
  EXPECT_EQ(job->apps[1].wdir, "/");
  EXPECT_EQ(job->hosts[0].ranks, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_STREQ(get_env(job->apps[0].env, "X"), "1");
  EXPECT_STREQ(get_env(job->apps[1].env, "X"), "0");
  EXPECT_STREQ(get_env(job->apps[0].env, "REMIT_EAGER_LIMIT"), "7");
  EXPECT_STREQ(get_env(job->apps[0].env, "PMIX_MCA_gds"), "hash");
  EXPECT_EQ(get_env(job->apps[0].env, "PMIX_RANK"), nullptr);
}

/// Each would bind its ranks to the first processors of the machine.
TEST(LauncherJob, HostsOfOneMachineBindNothingByThemselves) {
  const auto topology = Topology::synthetic("core:4 pu:1", "m");
  ASSERT_TRUE(topology.has_value());
  const Processors processors(*topology);
  const auto bound = [&](int hosts, std::optional<BindTo> bind_to) {
    Options options;
    options.placement.bind_to = bind_to;
    options.ranks_per_host = 2;
    options.apps = {{2 * hosts, {"/bin/sh"}, "/", {}}};
    options.apps[0].hosts = *read_host_words(hosts == 1 ? "a" : "a,b");
    const auto job = job_of(options, processors, "a", environ);
    EXPECT_TRUE(job.has_value()) << job.error().message;
    return job->ranks[0].binding.list();
  };
  EXPECT_EQ(bound(1, {}), "0-1");
  EXPECT_EQ(bound(2, {}), "");
  EXPECT_EQ(bound(2, BindTo::core), "0");
}

TEST(LauncherJob, InheritedVariablesHostsAndPath) {
  std::string inherited[] = {"PATH=/bin", "A=1", "B=2"};
  char* environment[] = {inherited[0].data(), inherited[1].data(), inherited[2].data(), nullptr};
  const auto made = [&](const Options& options) {
    return job_of(options, host("core:2 pu:1"), "here.example", environment);
  };
  Options options;
  options.apps = {{1, {"sh"}, "/", {{"B", std::nullopt}}}};
  options.inherit = {false, {"A"}};
  auto job = made(options);
  ASSERT_TRUE(job.has_value()) << job.error().message;
  EXPECT_STREQ(get_env(job->apps[0].env, "A"), "1");
  EXPECT_STREQ(get_env(job->apps[0].env, "B"), "2");  // asked for by -x
  EXPECT_EQ(get_env(job->apps[0].env, "PATH"), nullptr);
  options.apps[0].inherit = Inheritance{false, {}};
  EXPECT_EQ(get_env(made(options)->apps[0].env, "A"), nullptr);
  options.apps[0].command = {"group"};
  options.apps[0].path = "/etc";
  EXPECT_EQ(made(options).error().status, 126);  // found, but no program
  options.apps[0].command = {"sh"};
  for (const char* name : {"here.example", "here", "localhost", "127.0.0.1"}) {
    options.apps[0].hosts = *read_host_words(name);
    ASSERT_TRUE(made(options).has_value()) << name;
    EXPECT_EQ(made(options)->hosts[0].name, "here.example");
  }
}

TEST(LauncherJob, ProgramsThatCannotRun) {
  EXPECT_EQ(find_program("sh", "/", "/nowhere:/bin").value_or(""), "/bin/sh");
  EXPECT_EQ(find_program("nosuch", "/", "/bin").error().status, 127);
  EXPECT_EQ(find_program("./nosuch", "/", "/bin").error().status, 127);
  EXPECT_EQ(find_program("/etc/passwd", "/", "/bin").error().status, 126);
  EXPECT_EQ(find_program("passwd", "/etc", "").error().status, 126);
  const auto here = find_program("passwd", "/etc", "/nowhere");
  ASSERT_FALSE(here.has_value());
  EXPECT_NE(here.error().message.find("write ./passwd"), std::string::npos);
}

}  // namespace
}  // namespace remit::launcher
