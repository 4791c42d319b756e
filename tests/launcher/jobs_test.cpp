// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the controller is made of, without processes: the table of jobs, ends of ranks and of jobs,
// states of hosts, preparations.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "launcher/job_end.hpp"
#include "launcher/job_table.hpp"
#include "launcher/rank_failures.hpp"
#include "launcher/tree/host_states.hpp"
#include "launcher/tree/preparations.hpp"
#include "mpi.h"
#include "runtime/bootstrap/spawn_keys.hpp"

namespace remit::launcher {
namespace {

/// Ranks 0 and 1 on mpirun's host, rank 2 on another one.
Job job_on_two_hosts(int number = 0, int first = 0) {
  Job job;
  job.nspace = "job" + std::to_string(number);
  job.number = number;
  job.first = first;
  job.apps.push_back({{"./a.out"}, "/bin/a.out", "", "/", 3, 0, {}});
  job.hosts = {{"a", {0, 1}, 0, 0}, {"b", {2}, 1, 0}};
  for (int rank = 0; rank < 3; ++rank) {
    Rank& added = job.ranks.emplace_back();
    added.rank = rank;
    added.host = rank == 2 ? 1 : 0;
  }
  return job;
}

int exit_status(int code) {
  return code << 8;
}

TEST(JobTable, CountsProcessesOfAllJobs) {
  JobTable jobs;
  jobs.add(job_on_two_hosts(), nullptr);
  RunningJob& spawned = jobs.add(job_on_two_hosts(1, 3), nullptr);
  EXPECT_EQ(jobs.size(), 6);
  EXPECT_EQ(&spawned, jobs.at(4).of);
  EXPECT_EQ(jobs.at(4).rank, 1);
  EXPECT_TRUE(jobs.is_here(4));
  EXPECT_FALSE(jobs.is_here(5));
  EXPECT_EQ(jobs.host_of(5).name, "b");
  EXPECT_THROW((void)jobs.at(6), std::out_of_range);
  for (const int rank : {0, 2, 4}) jobs.at(rank).spawned = true;
  jobs.at(2).exited = true;
  jobs.at(3).dropped = true;
  EXPECT_EQ(jobs.living(), 2);
  EXPECT_EQ(jobs.present_by_node(), (std::map<int, int>{{0, 3}, {1, 1}}));
  jobs.at(4).pid = 17;
  EXPECT_EQ(jobs.name_of(4), "rank 1 of spawned job 1 (pid 17, ./a.out) on host a");
  EXPECT_FALSE(jobs.has_job_exited(jobs.at(2)));
  jobs.at(0).exited = jobs.at(1).exited = true;
  EXPECT_TRUE(jobs.has_job_exited(jobs.at(2)));
}

TEST(JobTable, ExitCodesHostByHost) {
  JobTable jobs;
  jobs.add(job_on_two_hosts(), nullptr);
  jobs.add(job_on_two_hosts(1, 3), nullptr);
  jobs.at(0).code = 0;
  jobs.at(2).code = 139;
  jobs.at(4).code = 7;
  EXPECT_EQ(jobs.exit_codes(),
            "mpirun: exit codes: [a] 0,- [b] 139\n"
            "mpirun: exit codes of spawned job 1: [a] -,7 [b] -\n");
}

TEST(JobEnd, TheFirstCauseIsToldOnce) {
  JobEnd end;
  EXPECT_EQ(end.words(), "");
  end.decide({3, "rank 1 failed", 1, 0, "do that"}, 2);
  EXPECT_TRUE(end.is_decided());
  EXPECT_FALSE(end.suspect({4, "rank 2 misses rank 1", 2, 0, ""}));
  end.count_another();
  end.lose_reader(STDOUT_FILENO);
  EXPECT_EQ(end.result().status, 3);
  EXPECT_FALSE(end.has_spoken());
  EXPECT_EQ(end.final_message(),
            "mpirun: rank 1 failed; the other 3 ranks were ended.\nmpirun: do that.\n");
  EXPECT_TRUE(end.has_spoken());
}

TEST(JobEnd, SuspicionsAndReaders) {
  JobEnd end;
  EXPECT_TRUE(end.suspect({4, "rank 2 misses rank 1", 2, 0, ""}));
  EXPECT_FALSE(end.suspect({5, "rank 3 misses rank 1", 3, 0, ""}));
  EXPECT_EQ(end.suspected()->status, 4);
  EXPECT_FALSE(end.is_decided());
  end.lose_reader(STDERR_FILENO);
  EXPECT_EQ(end.result().status, 128 + SIGPIPE);
  EXPECT_EQ(end.words(), "");
  end.lose_reader(STDOUT_FILENO);
  EXPECT_EQ(end.words(),
            "mpirun: nobody reads mpirun's standard output any more: output of the ranks is "
            "lost.\n");
}

class RankFailuresTest : public ::testing::Test {
 protected:
  RankFailuresTest() : failures_(jobs_, options_) {
    jobs_.add(job_on_two_hosts(), nullptr);
    jobs_.add(job_on_two_hosts(1, 3), nullptr);
  }
  std::string words_of(int rank, int wait_status) {
    const auto cause = failures_.of_exit(rank, wait_status, {false, "", store_});
    if (!cause) return "";
    EXPECT_EQ(cause->culprit, rank);
    return cause->words.substr(cause->words.find(')') + 2);
  }

  JobTable jobs_;
  Options options_;
  DataStore store_;
  RankFailures failures_;
};

TEST_F(RankFailuresTest, GoodEndsAreNone) {
  EXPECT_EQ(words_of(0, exit_status(0)), "");  // no MPI program at all
  jobs_.at(1).was_connected = true;
  EXPECT_EQ(words_of(1, exit_status(0)), "");
}

TEST_F(RankFailuresTest, SignalsAndStatuses) {
  EXPECT_EQ(words_of(0, SIGKILL),
            "on host a was killed by signal 9 (Killed); if nobody sent it, the host ran out of "
            "memory (see dmesg)");
  failures_.note(JobControl{1, {{0, 1}}, {SIGKILL}});
  EXPECT_EQ(words_of(0, SIGKILL),
            "on host a was killed by signal 9 (Killed), for which rank 1 asked (PMIx_Job_control)");
  EXPECT_EQ(words_of(0, exit_status(3)), "on host a exited with status 3");
  jobs_.at(0).connected = jobs_.at(0).was_connected = true;
  EXPECT_EQ(words_of(0, exit_status(0)), "on host a exited without calling MPI_Finalize");
  EXPECT_EQ(failures_.of_exit(0, exit_status(3), {false, "", store_})->delay_s, 0);
  jobs_.at(0).connected = false;
  EXPECT_EQ(failures_.of_exit(0, exit_status(3), {false, "", store_})->delay_s, options_.grace());
  EXPECT_EQ(failures_.of_exit(2, exit_status(127), {false, "told there", store_})->advice,
            "told there");
}

TEST_F(RankFailuresTest, SpawnedOnesOweTheirSpawner) {
  EXPECT_NE(words_of(4, exit_status(0)).find("without calling MPI_Init"), std::string::npos);
  for (const int rank : {3, 4, 5}) jobs_.at(rank).was_connected = true;
  EXPECT_EQ(words_of(4, exit_status(0)), "");
  for (const int rank : {3, 4, 5}) jobs_.at(rank).exited = true;
  EXPECT_EQ(words_of(4, exit_status(0)), "") << "somebody has asked for those who spawned it";
  ASSERT_TRUE(store_.publish({key_of_name(parent_port_name("job1")), "job1", 0, "port", true}));
  EXPECT_NE(words_of(4, exit_status(0)).find("without calling MPI_Init"), std::string::npos);
}

TEST_F(RankFailuresTest, Aborts) {
  EXPECT_EQ(failures_.of_abort(0, 256, "").status, 1) << "an abort does not look like success";
  EXPECT_EQ(failures_.of_abort(0, 7, "N/A").words.find(": N/A"), std::string::npos);
  EXPECT_TRUE(RankFailures::misses_another(MPI_ERR_PROC_ABORTED, "gone"));
  EXPECT_FALSE(RankFailures::misses_another(MPI_ERR_IN_STATUS, "truncated"));
}

TEST(HostStates, WhatIsBelowIsLostToo) {
  HostStates states(Tree(7, 2));  // 0: 1 2; 1: 3 4; 2: 5 6
  for (const int node : {1, 3, 5}) states.set_busy(node);
  for (const int node : {3, 4, 5}) states.set_folders(node, {"/tmp/" + std::to_string(node)});
  states.lose(1);
  EXPECT_EQ(states.lost(), (std::set<int>{1, 3, 4}));
  EXPECT_EQ(states.present(), (std::set<int>{2, 5, 6}));
  const std::vector<int> nodes{0, 1, 3, 3, 5};
  EXPECT_EQ(states.take_gone(1, nodes), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(states.take_gone(1, nodes), std::vector<int>()) << "they are told of once";
  EXPECT_FALSE(states.is_empty());
  states.set_empty(5);
  EXPECT_TRUE(states.is_empty());
  EXPECT_EQ(states.remains().nodes, (std::vector<int>{3, 4}));
  EXPECT_EQ(states.remains().folders, (std::vector<std::string>{"/tmp/3", "/tmp/4"}));
}

TEST(Preparations, TheLastAnswerTells) {
  Preparations preparations;
  std::vector<std::string> told;
  const auto tell = [&](const tl::expected<void, LaunchError>& result) {
    told.push_back(result ? "ready" : result.error().message);
  };
  preparations.begin(0, {1, 2}, tell);
  preparations.begin(1, {1, 2}, tell);
  preparations.answered(0, 1, "");
  preparations.answered(0, 1, "twice");
  preparations.answered(7, 1, "nobody asked");
  preparations.answered(1, 2, "no such program");
  EXPECT_TRUE(told.empty());
  preparations.answered(1, 1, "nor here");
  preparations.answered(0, 2, "");
  EXPECT_EQ(told, (std::vector<std::string>{"no such program", "ready"}));
  preparations.begin(2, {1}, tell);
  preparations.clear();
  preparations.answered(2, 1, "");
  EXPECT_EQ(told.size(), 2U);
}

}  // namespace
}  // namespace remit::launcher
