// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Lists of hosts, rankfiles, and which rank runs on which host: on made-up hosts.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <random>

#include "launcher/plan/job.hpp"
#include "launcher/plan/spawn_job.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::launcher {
namespace {

const OwnNames kOwn{"here.example", {"10.0.0.9", "fe80::9"}};

Processors processors_of(const char* description) {
  Expected<Topology> topology = Topology::synthetic(description);
  EXPECT_TRUE(topology.has_value());
  return Processors(*topology);
}

// "a:2 b:*": names and slots.
std::string text_of(const Expected<std::vector<HostSpec>>& hosts) {
  if (!hosts) return hosts.error().message;
  std::string text;
  for (const HostSpec& host : *hosts) {
    const std::string slots = host.slots == HostSpec::kAllCores ? "*" : std::to_string(host.slots);
    const std::string most = host.max_slots > 0 ? fmt::format("<={}", host.max_slots) : "";
    text += fmt::format("{}{}:{}{}", text.empty() ? "" : " ", host.name, slots, most);
  }
  return text;
}

std::string file(const std::string& text) {
  return text_of(read_hostfile("f", text));
}

std::string chosen(const std::string& words, const std::string& hostfile = "") {
  const auto hosts = hostfile.empty() ? std::vector<HostSpec>{} : *read_hostfile("f", hostfile);
  const auto read = words.empty() ? std::vector<HostWord>{} : read_host_words(words);
  if (!read) return read.error().message;
  return text_of(resolve_hosts(*read, hosts, kOwn));
}

TEST(LauncherHosts, BothSyntaxesOfHostfiles) {
  EXPECT_EQ(file("a slots=4 max_slots=8\nb:3\n# no host\n\n  c   # comment\n"), "a:4<=8 b:3 c:*");
  EXPECT_EQ(file("a slots=2\nb\na slots=3\n"), "a:5 b:*");
  EXPECT_EQ(file("a\nb\na\n"), "a:2 b:*");  // a machine file: one line, one rank
  EXPECT_EQ(file("user@a:2\nlocalhost slots=1 max-slots=1"), "user@a:2 localhost:1<=1");
  EXPECT_EQ(file("[fe80::1]:2\nfe80::2\n[fe80::3]"), "fe80::1:2 fe80::2:* fe80::3:*");
  EXPECT_EQ(file("a cpus=3\r\nb count=2\r\n"), "a:3 b:2");
  EXPECT_EQ(file(""), "");
}

TEST(LauncherHosts, SlotsHaveALimit) {
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "a slots=1048576 max_slots=1048576\n";
  EXPECT_EQ(file(many), "a:1048576<=1048576");
}

TEST(LauncherHosts, WrongLinesAreNamed) {
  EXPECT_EQ(file("a\nb:x"), "--hostfile f line 2: 'x' is no number of ranks");
  EXPECT_EQ(file("a slots=0"), "--hostfile f line 1: '0' is no number of ranks");
  EXPECT_NE(file("a slot=3").find("'slot=3' is not known; write NAME slots=N"), std::string::npos);
  EXPECT_NE(file("a slots=4 max_slots=2").find("slots=4 is more than max_slots=2"),
            std::string::npos);
  EXPECT_NE(file(":4").find("name is missing"), std::string::npos);
  EXPECT_NE(file("-oProxyCommand=x").find("name is missing"), std::string::npos);
  EXPECT_NE(file("'a").find("quote"), std::string::npos);
  EXPECT_NE(file("a slots=99999999999").find("no number"), std::string::npos);
}

TEST(LauncherHosts, WordsOnTheCommandLine) {
  EXPECT_EQ(chosen("a,b:3,a"), "a:2 b:3");
  EXPECT_EQ(chosen("a:*,b:-1"), "a:* b:*");
  EXPECT_EQ(chosen("localhost,here:2,127.0.0.1,10.0.0.9,::1,[fe80::9]:2"), "here.example:8");
  EXPECT_EQ(chosen("hereabouts"), "hereabouts:1");
  EXPECT_NE(chosen("a,,b").find("name is missing"), std::string::npos);
  EXPECT_NE(chosen("-x").find("name is missing"), std::string::npos);
}

TEST(LauncherHosts, WordsChooseAmongAHostfile) {
  const char* hosts = "a slots=4\nb:2\nlocalhost:3\nc\n";
  EXPECT_EQ(chosen("", hosts), "a:4 b:2 here.example:3 c:*");
  EXPECT_EQ(chosen("b,a:1", hosts), "b:2 a:1");
  EXPECT_EQ(chosen("b,b", hosts), "b:2");
  EXPECT_EQ(chosen("+n1,+n0", hosts), "b:2 a:4");
  EXPECT_EQ(chosen("+e:2,a", hosts), "a:4 b:2 here.example:3");
  EXPECT_EQ(chosen("+e,b", hosts), "b:2 a:4 here.example:3 c:*");
  EXPECT_EQ(chosen("here", hosts), "here.example:3");
  EXPECT_EQ(chosen("d", hosts), "--host d: the hostfile has no such host");
  EXPECT_NE(chosen("+n4", hosts).find("there are 4 hosts, counted from 0"), std::string::npos);
  EXPECT_NE(chosen("+e:5", hosts).find("there are 4 hosts"), std::string::npos);
  EXPECT_NE(chosen("+x", hosts).find("write +nI"), std::string::npos);
  EXPECT_NE(chosen("+n0").find("there are 0 hosts"), std::string::npos);
}

struct Case {
  std::string hosts = {};   // as --host
  std::string map_by = {};  // "": not given
  std::string rank_by = {};
  int per_host = 0;
};

// The host of each rank, as its index; or the error. Every host has 2 sockets of 2 cores.
std::string dealt(const Case& test, const std::vector<int>& apps,
                  const std::string& hostfile = "") {
  const Processors processors = processors_of("pack:2 core:2 pu:1");
  Placement placement;
  EXPECT_TRUE(test.map_by.empty() || read_map_by(test.map_by, &placement));
  EXPECT_TRUE(test.rank_by.empty() || read_rank_by(test.rank_by, &placement));
  const auto specs = resolve_hosts(
      test.hosts.empty() ? std::vector<HostWord>{} : *read_host_words(test.hosts),
      hostfile.empty() ? std::vector<HostSpec>{} : *read_hostfile("f", hostfile), kOwn);
  std::vector<HostRoom> rooms;
  std::vector<int> all;
  for (const HostSpec& spec : *specs) {
    all.push_back(static_cast<int>(rooms.size()));
    rooms.push_back({spec, &processors});
  }
  std::vector<AppRoom> programs;
  programs.reserve(apps.size());
  for (const int ranks : apps) programs.push_back({ranks, all});
  const auto hosts = deal_to_hosts(rooms, programs, placement, test.per_host);
  if (!hosts) return hosts.error().message;
  std::string text;
  for (const int host : *hosts) text += std::to_string(host);
  return text;
}

TEST(LauncherHosts, SlotsAreFilledHostByHost) {
  EXPECT_EQ(dealt({"a:2,b:3"}, {5}), "00111");
  EXPECT_EQ(dealt({"a:2,b:3"}, {3}), "001");
  EXPECT_EQ(dealt({"a,b"}, {4}), "0011");
  EXPECT_EQ(dealt({"a:4,b:2"}, {7}), "0000011");      // one more round
  EXPECT_EQ(dealt({"a:2,b:1"}, {9}), "000000111");    // three rounds
  EXPECT_EQ(dealt({"a:2,b:2"}, {1, 2, 2}), "00101");  // several programs: "0" "01" "1" and over
  EXPECT_EQ(dealt({"a:*,b:*"}, {6}), "000011");       // four cores
  for (const char* object : {"slot", "core", "socket", "numa", "hwthread", "l3cache"}) {
    EXPECT_EQ(dealt({"a:2,b:3", object}, {5}), "00111") << object;
  }
}

TEST(LauncherHosts, NodesAndObjectsInTurn) {
  EXPECT_EQ(dealt({"a:2,b:2,c:2", "node"}, {5}), "01201");
  EXPECT_EQ(dealt({"a:1,b:3", "node"}, {4}), "0111");
  EXPECT_EQ(dealt({"a:1,b:3", "node"}, {6}), "011101");  // over the slots: again in turn
  EXPECT_EQ(dealt({"a:4,b:4", "socket:span"}, {6}), "001100");
  EXPECT_EQ(dealt({"a:4,b:4", "core:span"}, {8}), "00001111");
}

TEST(LauncherHosts, SoManyOnEachHost) {
  EXPECT_EQ(dealt({"a:9,b", "", "", 2}, {4}), "0011");
  EXPECT_EQ(dealt({"a,b", "", "", 2}, {3}), "001");
  EXPECT_EQ(dealt({"a,b", "", "", 2}, {6}), "000011");  // one more round
  EXPECT_EQ(dealt({"a,b", "ppr:3:node"}, {6}), "000111");
  EXPECT_EQ(dealt({"a,b", "ppr:1:socket"}, {4}), "0011");
  EXPECT_EQ(dealt({"a,b", "ppr:2:core"}, {9}), "000000001");
  EXPECT_EQ(dealt({"a,b,c", "node", "", 1}, {3}), "012");
}

TEST(LauncherHosts, NumberingAcrossHosts) {
  EXPECT_EQ(dealt({"a:4,b:4", "", "node"}, {6}), "010100");
  EXPECT_EQ(dealt({"a:4,b:4", "node", "slot"}, {6}), "000111");
  EXPECT_EQ(dealt({"a:4,b:4", "node", "core"}, {6}), "000111");
  EXPECT_EQ(dealt({"a:4,b:4", "socket", "span"}, {8}), "00110011");
  EXPECT_EQ(dealt({"a:4,b:4", "core", "socket:span"}, {8}), "00001111");
}

TEST(LauncherHosts, MaxSlotsIsALimit) {
  EXPECT_EQ(dealt({}, {6}, "a slots=1 max_slots=2\nb:2"), "001111");
  EXPECT_EQ(dealt({}, {4}, "a slots=1 max_slots=2\nb slots=1 max_slots=2"), "0011");
  EXPECT_NE(dealt({}, {5}, "a slots=1 max_slots=2\nb slots=1 max_slots=2").find("room for 4 ranks"),
            std::string::npos);
  EXPECT_NE(dealt({"", "node"}, {5}, "a max_slots=2\nb max_slots=2").find("room for 4 ranks"),
            std::string::npos);
}

// However it is asked for: everyone has a host, no host more than another needs to have.
TEST(LauncherHosts, NobodyIsLost) {
  const std::uint64_t seed = testing::test_seed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const std::vector<std::string> map_by{"", "slot", "node", "socket:span", "core", "ppr:2:socket"};
  const std::vector<std::string> rank_by{"", "slot", "node", "span", "core"};
  for (int i = 0; i < 300; ++i) {
    Case test{"a:" + std::to_string(1 + random() % 4), map_by[random() % map_by.size()],
              rank_by[random() % rank_by.size()], static_cast<int>(random() % 3)};
    const int hosts = 1 + static_cast<int>(random() % 5);
    for (int host = 1; host < hosts; ++host) {
      test.hosts += fmt::format(",h{}:{}", host, 1 + random() % 4);
    }
    const std::vector<int> apps{1 + static_cast<int>(random() % 9), static_cast<int>(random() % 9)};
    const std::string text = dealt(test, apps);
    EXPECT_EQ(static_cast<int>(text.size()), apps[0] + apps[1]) << text;
    for (const char host : text) EXPECT_LT(host - '0', hosts) << text;
  }
}

TEST(LauncherRankfile, Lines) {
  const auto ranks = read_rankfile("r", "# c\nrank 1=b slot=0:1\nrank 0=+n0 slot=0,2-3\nrank 2=a");
  ASSERT_TRUE(ranks.has_value()) << ranks.error().message;
  ASSERT_EQ(ranks->ranks.size(), 3U);
  EXPECT_EQ(ranks->ranks[0].host.kind, HostWord::Kind::nth);
  EXPECT_EQ(ranks->ranks[1].slot, "0:1");
  EXPECT_EQ(ranks->ranks[2].slot, "");
  const auto error = [](const char* text) {
    const auto read = read_rankfile("r", text);
    return read ? "no error" : read.error().message;
  };
  EXPECT_EQ(error("rank 1=a"), "--rankfile r: rank 0 is missing");
  EXPECT_EQ(error("rank 0=a\nrank 0=b"), "--rankfile r line 2: rank 0 has a line already");
  EXPECT_NE(error("rank 0=a slot=x").find("slot=x: write cores"), std::string::npos);
  EXPECT_NE(error("rank 0=a slot=3-1").find("write cores"), std::string::npos);
  EXPECT_EQ(error("rank 0=a slot=0-65535"), "no error");
  // A short line does not name any number of cores.
  EXPECT_NE(error("rank 0=a slot=0-65536").find("write cores"), std::string::npos);
  EXPECT_NE(error("rank 0=a slot=0-40000,0-40000").find("write cores"), std::string::npos);
  EXPECT_NE(error("rank x=a").find("write 'rank N=HOST"), std::string::npos);
  EXPECT_NE(error("0=a").find("write 'rank N=HOST"), std::string::npos);
  EXPECT_NE(error("rank 0=a slots=1").find("'slots=1' is not known"), std::string::npos);
  EXPECT_NE(error("rank 0=a,b").find("no host"), std::string::npos);
  EXPECT_NE(error("\n").find("names no rank"), std::string::npos);
}

TEST(LauncherRankfile, Cores) {
  const Processors processors = processors_of("pack:2 core:4 pu:2");
  const auto list = [&](const char* slot) {
    const auto binding = bind_line(processors, "r", {0, {}, slot, 7});
    return binding ? binding->list() : binding.error().message;
  };
  EXPECT_EQ(list("0,2-3"), "0-1,4-7");
  EXPECT_EQ(list("1:0-1"), "8-11");
  EXPECT_EQ(list("1:*"), "8-15");
  EXPECT_EQ(list(""), "");
  EXPECT_EQ(list("8"), "--rankfile r line 7: slot=8: its host has 8 cores, counted from 0");
  EXPECT_NE(list("2:0").find("has 2 sockets"), std::string::npos);
  EXPECT_NE(list("0:4").find("the socket has 4 cores"), std::string::npos);
}

tl::expected<Job, LaunchError> job_on(const std::vector<std::string>& words,
                                      const Processors& processors) {
  Options options = *parse_options(words);
  const Expected<JobRoom> room = find_room(options, kOwn);
  if (!room) return tl::unexpected(LaunchError{2, room.error().message});
  std::vector<HostRoom> hosts;
  for (const HostSpec& spec : room->hosts) hosts.push_back({spec, &processors});
  if (auto done = complete_counts(*room, hosts, &options); !done) {
    return tl::unexpected(LaunchError{2, done.error().message});
  }
  char* environment[] = {nullptr};
  return make_job(options, *room, hosts, environment);
}

TEST(LauncherJob, RanksOfSeveralHosts) {
  const Processors processors = processors_of("core:4 pu:1");
  const auto job = job_on({"--host", "a:2,b:4,c", "-n", "5", "/bin/sh"}, processors);
  ASSERT_TRUE(job.has_value()) << job.error().message;
  ASSERT_EQ(job->hosts.size(), 2U);  // c has no rank
  EXPECT_EQ(job->hosts[1].ranks, (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(job->ranks[4].host, 1);
  EXPECT_EQ(job->ranks[4].local_rank, 2);
  EXPECT_EQ(job->ranks[0].binding.list(), "0-1");
  EXPECT_EQ(job->ranks[3].binding.list(), "1");
  // Programs with hosts of their own.
  const auto two =
      job_on({"--host", "a", "/bin/sh", ":", "--host", "b,c", "-n", "2", "/bin/true"}, processors);
  ASSERT_TRUE(two.has_value()) << two.error().message;
  ASSERT_EQ(two->hosts.size(), 3U);
  EXPECT_EQ(two->hosts[2].ranks, std::vector<int>{2});
  const auto elsewhere = job_on({"--nolocal", "--host", "here,b", "/bin/sh"}, processors);
  ASSERT_TRUE(elsewhere.has_value());
  EXPECT_EQ(elsewhere->hosts[0].name, "b");
  EXPECT_NE(job_on({"--nolocal", "/bin/sh"}, processors).error().message.find("no other host"),
            std::string::npos);
}

TEST(LauncherJob, RankfilesKeepToTheHostsThatAreAllowed) {
  const Processors processors = processors_of("core:4 pu:1");
  const std::string path = ::testing::TempDir() + "launcher_hosts_test.ranks";
  std::ofstream(path) << "rank 0=a\n\nrank 1=here\nrank 2=b\n";
  // The names of the ranks' hosts, or the error.
  const auto hosts = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--rankfile", path});
    const auto job = job_on(words, processors);
    if (!job) return job.error().message;
    std::string text;
    for (const Rank& rank : job->ranks) {
      text += (text.empty() ? "" : " ") + job->hosts[static_cast<std::size_t>(rank.host)].name;
    }
    return text;
  };
  const std::string at = "--rankfile " + path;
  EXPECT_EQ(hosts({"/bin/sh"}), "a here.example b");
  EXPECT_EQ(hosts({"--host", "b,localhost,a,c", "/bin/sh"}), "a here.example b");
  EXPECT_EQ(hosts({"--host", "a,b", "-n", "1", "/bin/sh"}), "a");
  EXPECT_EQ(hosts({"--host", "a,b", "/bin/sh"}),
            at + " line 3: here.example is not among the hosts of --host");
  EXPECT_EQ(hosts({"-n", "1", "/bin/sh", ":", "-n", "2", "--host", "here", "/bin/sh"}),
            at + " line 4: b is not among the hosts of --host");
  EXPECT_EQ(hosts({"--host", "c", "/bin/sh"}), at + " line 1: a is not among the hosts of --host");
  EXPECT_EQ(hosts({"--nolocal", "/bin/sh"}),
            at + " line 3: here.example is this host, which --nolocal leaves out");
  std::filesystem::remove(path);
}

// A job of two ranks on the first of three hosts, "a:2,here:2,c:2" say, and what its rank 1 spawns.
class Spawning {
 public:
  explicit Spawning(const std::string& hosts, const std::string& map_by = "slot") {
    options_ = *parse_options(std::vector<std::string>{"-n", "2", "--map-by", map_by, "/bin/sh"});
    const auto specs = *resolve_hosts(*read_host_words(hosts), {}, kOwn);
    for (const HostSpec& spec : specs) {
      hosts_.push_back({spec, &processors_, static_cast<int>(hosts_.size())});
    }
    parent_.nspace = parent_.root = "n";
    parent_.allocated = 3;
    parent_.apps.push_back({{"/bin/sh"}, "/bin/sh", "/bin", "/", 2, 0, {"A=1", "B=2"}});
    parent_.hosts.push_back({hosts_[0].name(), {0, 1}, 0});
    parent_.ranks.resize(2);
  }

  [[nodiscard]] tl::expected<Job, LaunchError> make(const SpawnOrder& order) const {
    return make_spawned_job(order, parent_, options_, {3, 9, hosts_, living_});
  }
  /// Of `ranks` processes: the names of their hosts, or the error.
  [[nodiscard]] std::string on(int ranks, const std::string& hosts = "") const {
    SpawnOrder order;
    order.asker = 1;
    order.programs.push_back({{"/bin/sh"}, {}, "", "", hosts, ranks});
    const auto job = make(order);
    if (!job) return job.error().message;
    std::string text;
    for (const Rank& rank : job->ranks)
      text += job->hosts[static_cast<std::size_t>(rank.host)].name;
    return text;
  }

  std::vector<HostRoom> hosts_;
  std::vector<int> living_{2, 0, 0};

 private:
  Processors processors_ = processors_of("core:4 pu:1");
  Options options_;
  Job parent_;
};

/// Containers of one machine, one of them with processors of its own, and a host that is another
/// one.
TEST(LauncherJob, HostsOfOneMachineShareItsProcessors) {
  const auto processors = [](const char* description, const char* machine) {
    const auto topology = Topology::synthetic(description, machine);
    EXPECT_TRUE(topology.has_value());
    // As they come from another host.
    return Processors::read(Processors(*topology).bytes()).value();
  };
  const Processors first = processors("core:4 pu:1", "m");
  const Processors other = processors("core:4 pu:1", "n");
  const Processors unknown = processors("core:4 pu:1", "");
  const Processors apart = processors("core:4(indexes=4,5,6,7) pu:1(indexes=4,5,6,7)", "m");
  EXPECT_TRUE(first.shared_with(first));
  EXPECT_FALSE(first.shared_with(other));
  EXPECT_FALSE(unknown.shared_with(unknown));
  EXPECT_FALSE(first.shared_with(apart));
  const auto neighbours = [](const std::vector<const Processors*>& hosts,
                             const std::vector<int>& dealt, const std::vector<int>& living) {
    std::vector<HostRoom> rooms;
    for (const Processors* each : hosts) rooms.push_back({{"h", 4}, each});
    Job job;
    job.ranks.resize(dealt.size());
    seat_ranks(rooms, dealt, living, &job);
    std::vector<int> counts;
    for (const Host& host : job.hosts) counts.push_back(host.neighbours);
    return counts;
  };
  using Counts = std::vector<int>;
  EXPECT_EQ(neighbours({&first, &first, &first}, {0, 0, 1, 2}, {}), (Counts{2, 3, 3}));
  EXPECT_EQ(neighbours({&first, &other, &apart, &first}, {0, 1, 2, 3}, {}), (Counts{1, 0, 0, 1}));
  EXPECT_EQ(neighbours({&unknown, &unknown}, {0, 1}, {}), (Counts{0, 0}));
  EXPECT_EQ(neighbours({&first, &first}, {0, 0}, {1, 5}), (Counts{6}));
}

TEST(LauncherSpawn, FreeSlotsComeFirst) {
  Spawning spawning("a:2,b:2,c:2");
  EXPECT_EQ(spawning.on(1), "b");
  EXPECT_EQ(spawning.on(3), "bbc");
  EXPECT_EQ(spawning.on(6), "aabbcc");  // full once, and over; neighbours are together
  spawning.living_ = {2, 2, 1};
  EXPECT_EQ(spawning.on(1), "c");
  EXPECT_EQ(spawning.on(4), "aabc");
  spawning.living_ = {7, 7, 7};
  EXPECT_EQ(spawning.on(3), "abc");
  EXPECT_EQ(Spawning("a:1,b:1,c:4", "node").on(5), "bcccc");
}

TEST(LauncherSpawn, HostsThatAreNamed) {
  Spawning spawning("a:2,user@b:2,c:2");
  EXPECT_EQ(spawning.on(3, "c"), "ccc");
  EXPECT_EQ(spawning.on(3, "c,b,c"), "ccb");
  EXPECT_EQ(spawning.on(1, "localhost"), "a");  // that of the rank which asks
  EXPECT_EQ(spawning.on(1, "c,d"), "info key host: d is not a host of this job, which has a,b,c");
  EXPECT_EQ(spawning.on(1, "c,"), "info key host: c, is not a host of this job, which has a,b,c");
}

TEST(LauncherSpawn, NoRoomAndNonsense) {
  Spawning spawning("a:2,b:2,c:2");
  for (HostRoom& host : spawning.hosts_) host.spec.max_slots = 2;
  EXPECT_EQ(spawning.on(4), "bbcc");
  EXPECT_NE(spawning.on(5).find("leaves room for 4 ranks"), std::string::npos);
  EXPECT_NE(spawning.on(1, "a").find("leaves room for 0 ranks"), std::string::npos);
  EXPECT_NE(spawning.on(0).find("without processes"), std::string::npos);
  EXPECT_NE(spawning.on(std::numeric_limits<int>::max()).find("too many"), std::string::npos);
}

TEST(LauncherSpawn, WhatTheJobIs) {
  const Spawning spawning("a:2,b:1,c:2");
  SpawnOrder order;
  order.asker = 1;
  order.parent_port = "port";
  order.programs.push_back({{"/bin/sh", "x"}, {"B=3"}, "usr", "/opt", "", 2});
  order.programs.push_back({{"/no/such/file"}, {}, "", "", "c", 1});  // its host will say so
  const auto job = spawning.make(order);
  ASSERT_TRUE(job.has_value()) << job.error().message;
  EXPECT_EQ(fmt::format("{} {} {} {}", job->nspace, job->root, job->number, job->first),
            "n.3 n 3 9");
  EXPECT_EQ(fmt::format("{} {} {}", job->spawner.job, job->spawner.rank, job->parent_port),
            "n 1 port");
  EXPECT_EQ(job->allocated, 3);
  ASSERT_EQ(job->hosts.size(), 2U);  // b, c
  EXPECT_EQ(job->hosts[1].node, 2);
  EXPECT_EQ(job->hosts[1].ranks, (std::vector<int>{1, 2}));
  EXPECT_EQ(job->ranks[2].local_rank, 1);
  EXPECT_EQ(job->ranks[2].app, 1);
  EXPECT_EQ(job->apps[0].wdir, "/usr");
  EXPECT_EQ(job->apps[0].env, (std::vector<std::string>{"A=1", "B=3", "PWD=/usr"}));
  EXPECT_EQ(job->apps[0].search_path, "/opt:/bin");
  // On mpirun's own host programs are looked for.
  order.programs[1].hosts = "a";
  EXPECT_NE(spawning.make(order).error().message.find("/no/such/file"), std::string::npos);
  order.programs[1] = {{"/bin/sh"}, {}, "/no/such/folder", "", "a", 1};
  EXPECT_NE(spawning.make(order).error().message.find("wdir /no/such/folder"), std::string::npos);
}

TEST(LauncherJob, MoreRanksThanSlotsAreToldOf) {
  const Processors processors = processors_of("core:4 pu:1");
  const auto excess = [&](const std::string& host, int ranks) {
    const Options options = *parse_options(
        std::vector<std::string>{"--host", host, "-n", std::to_string(ranks), "/bin/sh"});
    const Expected<JobRoom> room = find_room(options, kOwn);
    std::vector<HostRoom> hosts;
    for (const HostSpec& spec : room->hosts) hosts.push_back({spec, &processors});
    char* environment[] = {nullptr};
    return describe_excess(*make_job(options, *room, hosts, environment), hosts);
  };
  EXPECT_EQ(excess("a:2,b:1", 3), "");
  EXPECT_EQ(excess("a:2,b:1", 5), "more ranks than slots: a has 4 ranks and 2 slots");
  EXPECT_EQ(excess("a,b", 5), "");  // nobody said how many
}

}  // namespace
}  // namespace remit::launcher
