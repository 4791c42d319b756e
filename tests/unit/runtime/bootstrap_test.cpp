// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Bootstraps that need no launcher, the choice between them, and the Process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "runtime/bootstrap/bootstrap_open.hpp"
#include "runtime/bootstrap/memory_bootstrap.hpp"
#include "runtime/bootstrap/singleton_bootstrap.hpp"
#include "runtime/nagle.hpp"
#include "runtime/process.hpp"

namespace remit {
namespace {

using testing::HasSubstr;

Bytes blob_of(int rank) {
  return {std::byte(rank), std::byte(rank >> 8)};
}

struct Environment {
  explicit Environment(std::vector<std::string> list) : entries(std::move(list)) {
    for (std::string& entry : entries) pointers.push_back(entry.data());
    pointers.push_back(nullptr);
  }
  std::vector<std::string> entries;
  std::vector<char*> pointers;
};

TEST(Singleton, IsRankZeroOfOne) {
  auto alone = make_singleton_bootstrap();
  EXPECT_EQ(alone->identity().size, 1);
  EXPECT_TRUE(alone->identity().singleton);
  ASSERT_TRUE(alone->publish(blob_of(7)));
  EXPECT_FALSE(alone->poll());
  alone->lookup(0);
  alone->lookup(1);
  const auto own = alone->poll();
  ASSERT_TRUE(own && own->blob);
  EXPECT_EQ(*own->blob, blob_of(7));
  const auto other = alone->poll();
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->blob);
  EXPECT_FALSE(alone->poll());
  EXPECT_TRUE(alone->barrier());
}

TEST(MemoryJob, HostsAndLocalRanks) {
  MemoryJob job(7, {.ranks_per_host = 3});
  const auto last = job.join(6);
  EXPECT_EQ(last->identity().local_size, 1);
  EXPECT_EQ(last->identity().host, "virtual2");
  const auto middle = job.join(4);
  EXPECT_EQ(middle->identity().local_rank, 1);
  EXPECT_EQ(middle->identity().local_peers, (std::vector<int>{3, 4, 5}));
}

TEST(MemoryJob, LookUpWaitsForThePublisher) {
  MemoryJob job(2);
  auto a = job.join(0), b = job.join(1);
  a->lookup(1);
  EXPECT_FALSE(a->poll());
  ASSERT_TRUE(b->publish(blob_of(1)));
  const auto answer = a->poll();
  ASSERT_TRUE(answer && answer->blob);
  EXPECT_EQ(*answer->blob, blob_of(1));
  EXPECT_FALSE(b->publish(blob_of(1))) << "published twice";
}

TEST(MemoryJob, DelayedAnswersAllArriveAndReplayFromTheSeed) {
  constexpr int kRanks = 50;
  const auto order = [](std::uint64_t seed) {
    MemoryJob job(kRanks, {.seed = seed, .max_delay_polls = 20});
    std::vector<std::unique_ptr<Bootstrap>> ranks;
    for (int i = 0; i < kRanks; ++i) {
      ranks.push_back(job.join(i));
      EXPECT_TRUE(ranks.back()->publish(blob_of(i)));
    }
    for (int i = 0; i < kRanks; ++i) ranks[0]->lookup(i);
    std::vector<int> result;
    for (int polls = 0; polls < 1000 && result.size() < kRanks; ++polls) {
      if (const auto answer = ranks[0]->poll()) {
        EXPECT_EQ(*answer->blob, blob_of(answer->rank));
        result.push_back(answer->rank);
      }
    }
    EXPECT_EQ(result.size(), std::size_t{kRanks});
    return result;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(MemoryJob, LostAndInvalidRanksAreErrors) {
  MemoryJob job(2);
  auto a = job.join(0);
  job.lose(1);
  a->lookup(1);
  a->lookup(2);
  for (int i = 0; i < 2; ++i) {
    const auto answer = a->poll();
    ASSERT_TRUE(answer);
    EXPECT_FALSE(answer->blob);
  }
}

TEST(MemoryJob, BarrierWithoutAPumpWouldHang) {
  MemoryJob job(2);
  const auto a = job.join(0);
  EXPECT_FALSE(a->barrier());
}

TEST(MemoryJob, BarrierPumpsTheOthers) {
  MemoryJob job(2);
  const auto a = job.join(0), b = job.join(1);
  bool entered = false;
  job.set_pump([&] {
    ASSERT_FALSE(entered) << "both have entered";
    entered = true;
    EXPECT_TRUE(b->barrier());
  });
  EXPECT_TRUE(a->barrier());
  EXPECT_TRUE(entered);
}

TEST(MemoryJob, AbortThrows) {
  MemoryJob job(1);
  auto a = job.join(0);
  try {
    a->abort(7, "because");
  } catch (const JobAborted& aborted) {
    EXPECT_EQ(aborted.status(), 7);
    EXPECT_STREQ(aborted.what(), "because");
  }
}

TEST(OpenBootstrap, AloneWithoutLauncher) {
  Environment environment({"HOME=/"});
  const auto opened = open_bootstrap(environment.pointers.data());
  ASSERT_TRUE(opened);
  EXPECT_TRUE((*opened)->identity().singleton);
}

TEST(OpenBootstrap, NeverSilentlyZeroOfOne) {
  const std::vector<std::vector<std::string>> environments = {
      {"SLURM_STEP_NUM_TASKS=4", "SLURM_PROCID=1"},
      {"SLURM_NTASKS=4", "SLURM_STEP_ID=0"},
      {"OMPI_COMM_WORLD_SIZE=2"},
      {"PMI_SIZE=3", "PMI_RANK=0"},
      {"MPI_LOCALNRANKS=2", "MPI_LOCALRANKID=0"},
  };
  for (const auto& list : environments) {
    Environment environment(list);
    const auto opened = open_bootstrap(environment.pointers.data());
    ASSERT_FALSE(opened) << list[0];
    EXPECT_THAT(opened.error().message, HasSubstr(list[0]));
    EXPECT_THAT(opened.error().message, HasSubstr("start it with"));
    Environment forced(list);
    forced.pointers.pop_back();
    std::string alone = "REMIT_SINGLETON=1";
    forced.pointers.push_back(alone.data());
    forced.pointers.push_back(nullptr);
    EXPECT_TRUE(open_bootstrap(forced.pointers.data())) << list[0];
  }
}

TEST(OpenBootstrap, JobsOfOneRankAndBatchScriptsAreAlone) {
  const std::vector<std::vector<std::string>> environments = {
      {"SLURM_STEP_NUM_TASKS=1", "SLURM_STEP_ID=0", "SLURM_NTASKS=8", "SLURM_PROCID=0"},
      {"SLURM_NTASKS=8", "SLURM_PROCID=0"},
      {"PMI_SIZE=1", "PMI_RANK=0"},
      {"OMPI_COMM_WORLD_SIZE=1"},
      {"OMPI_COMM_WORLD_SIZE="},
  };
  for (const auto& list : environments) {
    Environment environment(list);
    EXPECT_TRUE(open_bootstrap(environment.pointers.data())) << list[0];
  }
}

TEST(OpenBootstrap, PmixIsPreferred) {
  Environment environment({"PMIX_NAMESPACE=x", "OMPI_COMM_WORLD_SIZE=4"});
  EXPECT_TRUE(find_launcher(environment.pointers.data()).pmix);
}

bool sends_at_once(int socket) {
  int yes = 0;
  socklen_t size = sizeof yes;
  EXPECT_EQ(::getsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, &size), 0);
  return yes != 0;
}

TEST(Nagle, NewSocketsOnly) {
  const int old = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const std::vector<int> before = low_descriptors();
  EXPECT_TRUE(std::ranges::is_sorted(before));
  EXPECT_TRUE(std::ranges::includes(open_descriptors(), before));
  EXPECT_TRUE(std::ranges::binary_search(before, old));
  const int fresh = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_GE(old, 0);
  ASSERT_GE(fresh, 0);
  disable_nagle_on_new_sockets(before);
  EXPECT_FALSE(sends_at_once(old));
  EXPECT_TRUE(sends_at_once(fresh));
  ::close(old);
  ::close(fresh);
}

// Fewer descriptors than are asked for may be allowed.
TEST(Nagle, WithALowLimitOfDescriptors) {
  rlimit limit = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit low = {100, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  const std::vector<int> open = low_descriptors();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_TRUE(std::ranges::binary_search(open, STDERR_FILENO));
}

TEST(Process, ManyInOneThread) {
  MemoryJob job(100, {.ranks_per_host = 10});
  auto clock = std::make_shared<VirtualClock>();
  std::vector<std::unique_ptr<Process>> processes;
  for (int i = 0; i < job.size(); ++i) {
    processes.push_back(std::make_unique<Process>(job.join(i), clock, Params(), 42));
  }
  EXPECT_EQ(processes[57]->rank(), 57);
  EXPECT_EQ(processes[57]->size(), 100);
  clock->advance_to(5);
  EXPECT_EQ(processes[3]->clock().now_ns(), 5U);
  EXPECT_EQ(processes[3]->random()(), processes[4]->random()()) << "same seed";
  std::string line;
  processes[57]->log().set_sink([&](LogLevel, const std::string& text) { line = text; });
  processes[57]->log().write(LogLevel::error, "x");
  EXPECT_EQ(line, "remit: rank 57 (virtual5): x");
}

}  // namespace
}  // namespace remit
