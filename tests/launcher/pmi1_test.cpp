// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// PMI-1, line by line, without sockets.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "launcher/pmix/pmi1_space.hpp"

namespace remit::launcher {
namespace {

/// Ranks on the hosts that are given, one each.
Job job_on(const std::vector<int>& hosts) {
  Job job;
  job.nspace = "job";
  job.universe = 0;
  for (const int host : hosts) {
    while (std::cmp_less_equal(job.hosts.size(), host)) {
      const auto node = static_cast<int>(job.hosts.size());
      job.hosts.emplace_back().node = node;
    }
    Rank rank;
    rank.rank = static_cast<int>(job.ranks.size());
    rank.host = host;
    rank.app = rank.rank % 2;
    job.hosts[static_cast<std::size_t>(host)].ranks.push_back(rank.rank);
    job.ranks.push_back(rank);
  }
  return job;
}

TEST(Pmi1, MappingsAreShort) {
  EXPECT_EQ(process_mapping(job_on({0, 0, 0})), "(vector,(0,1,3))");
  EXPECT_EQ(process_mapping(job_on({0, 0, 1, 1, 2, 2})), "(vector,(0,3,2))");
  EXPECT_EQ(process_mapping(job_on({0, 1, 0, 1})), "(vector,(0,2,1),(0,2,1))");
  EXPECT_EQ(process_mapping(job_on({0, 0, 1, 2, 2})), "(vector,(0,1,2),(1,1,1),(2,1,2))");
}

/// One host of a job, and what it says.
struct Host {
  Host(const Job& job, int node)
      : space(job, node,
              {[this](int rank, const std::string& lines) { said[rank] += lines; },
               [this](int rank) { events += "connected " + std::to_string(rank) + "\n"; },
               [this](int rank) { events += "finalized " + std::to_string(rank) + "\n"; },
               [this](int rank, int status, const std::string& message) {
                 events += fmt::format("aborted {} {} {}\n", rank, status, message);
               },
               [this](std::string put) { entered.push_back(std::move(put)); }}) {}

  std::string ask(int rank, std::string_view line) {
    EXPECT_TRUE(space.take(rank, line)) << line;
    return std::exchange(said[rank], {});
  }

  std::map<int, std::string> said;
  std::string events;
  std::vector<std::string> entered;
  Pmi1Space space;
};

TEST(Pmi1, ValuesAreEverywhereBehindABarrier) {
  const Job job = job_on({0, 0, 1});
  Host here(job, 0);
  Host there(job, 1);
  EXPECT_EQ(here.ask(1, "cmd=put kvsname=job key=card-1 value=a b=c"),
            "cmd=put_result rc=0 msg=success\n");
  EXPECT_EQ(there.ask(2, "cmd=put kvsname=job key=card-2 value="),
            "cmd=put_result rc=0 msg=success\n");
  EXPECT_EQ(there.ask(2, "cmd=get kvsname=job key=card-1"),
            "cmd=get_result rc=-1 msg=key_not_found value=unknown\n");
  EXPECT_EQ(here.ask(0, "cmd=barrier_in"), "");
  EXPECT_EQ(here.ask(0, "cmd=barrier_in"), "") << "once is enough";
  EXPECT_TRUE(here.entered.empty());
  EXPECT_EQ(there.ask(2, "cmd=barrier_in"), "");
  EXPECT_EQ(here.ask(1, "cmd=barrier_in"), "");
  ASSERT_EQ(here.entered.size() * there.entered.size(), 1U);
  const std::string all = here.entered[0] + there.entered[0];
  for (Host* host : {&here, &there}) EXPECT_TRUE(host->space.leave_barrier(all));
  for (const auto& [host, rank] : {std::pair(&here, 0), {&here, 1}, {&there, 2}}) {
    EXPECT_EQ(std::exchange(host->said[rank], {}), "cmd=barrier_out rc=0\n");
    EXPECT_EQ(host->ask(rank, "cmd=get kvsname=job key=card-1"),
              "cmd=get_result rc=0 msg=success value=a b=c\n");
    EXPECT_EQ(host->ask(rank, "cmd=get kvsname=job key=card-2"),
              "cmd=get_result rc=0 msg=success value=\n");
  }
  EXPECT_EQ(there.ask(2, "cmd=barrier_in"), "");
  ASSERT_EQ(there.entered.size(), 2U);
  EXPECT_LT(there.entered[1].size(), there.entered[0].size()) << "only what is new";
}

TEST(Pmi1, WhatARankAsks) {
  Host host(job_on({0, 0}), 0);
  EXPECT_EQ(host.ask(1, "cmd=init pmi_version=1 pmi_subversion=1"),
            "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1\n");
  EXPECT_EQ(host.ask(0, "cmd=init pmi_version=2 pmi_subversion=0"),
            "cmd=response_to_init rc=-1 pmi_version=1 pmi_subversion=1\n");
  EXPECT_EQ(host.ask(1, "cmd=get_maxes"),
            "cmd=maxes rc=0 kvsname_max=256 keylen_max=64 vallen_max=1024\n");
  EXPECT_EQ(host.ask(1, "cmd=get_appnum"), "cmd=appnum rc=0 appnum=1\n");
  EXPECT_EQ(host.ask(1, "cmd=get_my_kvsname"), "cmd=my_kvsname rc=0 kvsname=job\n");
  EXPECT_EQ(host.ask(1, "cmd=get_universe_size"), "cmd=universe_size rc=0 size=2\n");
  EXPECT_EQ(host.ask(1, "cmd=get kvsname=job key=PMI_process_mapping"),
            "cmd=get_result rc=0 msg=success value=(vector,(0,1,2))\n");
  EXPECT_EQ(host.ask(1, "cmd=finalize"), "cmd=finalize_ack rc=0\n");
  EXPECT_EQ(host.ask(0, "cmd=abort exitcode=7 message=why"), "");
  EXPECT_EQ(host.events, "connected 1\nconnected 0\nfinalized 1\naborted 0 7 why\n");
}

TEST(Pmi1, WhatItCannotDoIsRefused) {
  Host host(job_on({0}), 0);
  EXPECT_FALSE(host.space.take(0, "GET / HTTP/1.1"));
  EXPECT_FALSE(host.space.take(0, ""));
  EXPECT_EQ(host.ask(0, "mcmd=spawn"), "");
  EXPECT_EQ(host.ask(0, "execname=cmd=finalize"), "");
  EXPECT_EQ(host.ask(0, "cmd=finalize"), "") << "inside of the request";
  EXPECT_EQ(host.ask(0, "endcmd"),
            "cmd=spawn_result rc=-1 msg=Remit's_mpirun_spawns_by_PMIx_only\n");
  EXPECT_EQ(host.ask(0, "cmd=publish_name service=a port=b"),
            "cmd=publish_name_result rc=-1 msg=not_supported\n");
  EXPECT_EQ(host.ask(0, "cmd=put kvsname=job value=1"),
            "cmd=put_result rc=-1 msg=no_key_or_value\n");
  EXPECT_EQ(host.ask(0, "cmd=put kvsname=job key=a"), "cmd=put_result rc=-1 msg=no_key_or_value\n");
  EXPECT_EQ(host.ask(0, "cmd=put key=" + std::string(64, 'k') + " value=1"),
            "cmd=put_result rc=-1 msg=too_long\n");
  EXPECT_EQ(host.ask(0, "cmd=put key=k value=" + std::string(1024, 'v')),
            "cmd=put_result rc=-1 msg=too_long\n");
  EXPECT_FALSE(host.space.leave_barrier("nonsense"));
}

TEST(Pmi1, LongMappingsAreLeftToTheRanks) {
  std::vector<int> hosts;
  for (int i = 0; i < 2000; ++i) hosts.push_back(i % 3 == 0 ? 0 : 1);
  Host host(job_on(hosts), 0);
  EXPECT_EQ(host.ask(0, "cmd=get key=PMI_process_mapping"),
            "cmd=get_result rc=-1 msg=key_not_found value=unknown\n");
}

}  // namespace
}  // namespace remit::launcher
