// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Atomics of the shared-memory device: in the place where the memory is mapped, by the target where
// it is not, and both on one word.
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "rdma_btl/shm/rings/layout.hpp"
#include "tests/unit/rdma_btl/shm/side.hpp"

namespace remit::testing {
namespace {

ShmConfig sharing(PeerName name, ShmMapping mapping) {
  ShmConfig config = config_of(name);
  config.share_allocations = true;
  config.mapping = mapping;
  return config;
}

/// A target, who changes a word of it where it is mapped, and who asks the target for that.
class ShmAtomics : public ::testing::Test {
 protected:
  ShmAtomics() : word_(*devices_[0], 64) {
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      nodes_.push_back(std::make_unique<Node>(*devices_[i], i));
    }
    for (std::size_t i = 1; i < devices_.size(); ++i) {
      to_target_.push_back(nodes_[i]->connect(*nodes_[0]));
    }
    while (!devices_[1]->peers()[0].attached || !devices_[2]->peers()[0].attached) {
      for (const auto& node : nodes_) node->progress();
    }
  }
  [[nodiscard]] static std::unique_ptr<ShmDevice> make(PeerName name, ShmMapping mapping) {
    return ShmDevice::create(sharing(name, mapping)).value();
  }

  std::array<std::unique_ptr<ShmDevice>, 3> devices_ = {
      make(0, ShmMapping::automatic), make(1, ShmMapping::automatic), make(2, ShmMapping::never)};
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<EndpointId> to_target_;
  Buffer word_;
};

/// Each in a thread of its own, and the target's processor as well. Every old value is seen once.
TEST_F(ShmAtomics, InPlaceAndServedOnesAreAtomicWithEachOther) {
  constexpr std::uint64_t kEach = 20000;
  constexpr std::uint64_t kUnderWay = 16;
  std::array<std::vector<std::uint64_t>, 3> old;
  for (auto& values : old) values.assign(kEach, 0);
  std::atomic<int> adding = 2;
  const auto add = [&](std::size_t who) {
    Node& node = *nodes_[who];
    std::uint64_t posted = 0;
    while (node.completed.size() != kEach) {
      for (; posted != kEach && posted - node.completed.size() < kUnderWay; ++posted) {
        const Piece result{&old[who][posted], sizeof(std::uint64_t), 0};
        node.start(to_target_[who - 1],
                   atomic_of(AtomicKind::fetch_add, {&result, 1}, word_.remote(8), 1));
      }
      node.progress();
    }
    --adding;
  };
  std::thread mapped(add, 1);
  std::thread served(add, 2);
  for (std::uint64_t i = 0; adding != 0 || i < kEach;) {
    if (i < kEach) old[0][i++] = std::atomic_ref(word_.word(1)).fetch_add(1);
    nodes_[0]->progress();
  }
  mapped.join();
  served.join();
  EXPECT_EQ(devices_[1]->counters().atomics_in_place, kEach);
  EXPECT_EQ(devices_[2]->counters().atomics_in_place, 0U);
  EXPECT_EQ(word_.word(1), 3 * kEach);
  std::set<std::uint64_t> distinct;
  for (const auto& values : old) distinct.insert(values.begin(), values.end());
  EXPECT_EQ(distinct.size(), 3 * kEach) << "no change was lost";
  for (const auto& node : nodes_) {
    for (const auto& [cookie, status] : node->completed) ASSERT_EQ(status, MPI_SUCCESS);
  }
}

/// By the initiator where the memory is mapped, else by the target.
TEST_F(ShmAtomics, OutsideOfTheRegionAreRefused) {
  const auto status_of = [&](std::size_t who, std::size_t offset) {
    Node& node = *nodes_[who];
    const std::uint64_t cookie = node.start(
        to_target_[who - 1], atomic_of(AtomicKind::fetch_add, {}, word_.remote(offset), 1));
    while (!node.done(cookie)) {
      for (const auto& each : nodes_) each->progress();
    }
    return node.completed[cookie];
  };
  for (const std::size_t who : {1, 2}) {
    EXPECT_EQ(status_of(who, 56), MPI_SUCCESS);
    EXPECT_EQ(status_of(who, 64), MPI_ERR_RMA_RANGE);
    EXPECT_EQ(status_of(who, 12), MPI_ERR_RMA_RANGE) << "not aligned";
  }
  EXPECT_EQ(word_.word(7), 2U);
}

/// A key that only its owner can check goes to the owner, mapped or not.
TEST_F(ShmAtomics, OfRegionsThatAreNotPublishedAreTheTargetsToCheck) {
  RemoteAddress wrong = word_.remote();
  wrong.key += shm::kSharedRegions;
  Node& node = *nodes_[1];
  const std::uint64_t cookie =
      node.start(to_target_[0], atomic_of(AtomicKind::fetch_add, {}, wrong, 1));
  while (!node.done(cookie)) {
    for (const auto& each : nodes_) each->progress();
  }
  EXPECT_EQ(node.completed[cookie], MPI_ERR_RMA_RANGE);
  EXPECT_EQ(word_.word(0), 0U);
}

/// Compare and swap as a lock, held by one at a time: what it guards is no atomic.
TEST_F(ShmAtomics, GuardMemoryBothWays) {
  constexpr int kEach = 2000;
  std::atomic<std::uint64_t> guarded = 0;  // its changes are none: load, then store
  std::atomic<int> running = 2;
  const auto run = [&](std::size_t who) {
    Node& node = *nodes_[who];
    std::uint64_t old = 0;
    const Piece result{&old, sizeof old, 0};
    const auto change = [&](AtomicKind kind, std::uint64_t operand) {
      const std::uint64_t cookie = node.start(
          to_target_[who - 1], atomic_of(kind, {&result, 1}, word_.remote(), operand, 0));
      while (!node.done(cookie)) node.progress();
      return old;
    };
    for (int i = 0; i < kEach; ++i) {
      while (change(AtomicKind::compare_swap, who) != 0) {
      }
      guarded.store(guarded.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      EXPECT_EQ(change(AtomicKind::swap, 0), who) << "somebody else took the lock";
    }
    --running;
  };
  std::thread mapped(run, 1);
  std::thread served(run, 2);
  while (running != 0) nodes_[0]->progress();
  mapped.join();
  served.join();
  EXPECT_EQ(guarded, 2U * kEach);
}

/// The target of another process sleeps in the kernel; its memory is reached all the same.
TEST(ShmAtomicsOfProcesses, NeedNoTarget) {
  static constexpr std::uint64_t kAdded = 1000;
  const int status = run_pair(
      [](int channel) {
        Side side(sharing(1, ShmMapping::automatic), channel);
        Buffer memory(*side.device, 64);
        RemoteAddress other;
        if (!side.exchange(memory.remote(), other)) return 1;
        // Reads nothing but the channel until the other one says that it is done.
        Bytes token(1);
        if (!side.read_all(token)) return 2;
        return memory.word() == kAdded ? 0 : 3;
      },
      [](int channel, pid_t) {
        Side side(sharing(0, ShmMapping::automatic), channel);
        Buffer own(*side.device, 64);
        RemoteAddress other;
        ASSERT_TRUE(side.exchange(own.remote(), other));
        for (std::uint64_t i = 0; i < kAdded; ++i) {
          const std::uint64_t cookie =
              side.node->start(side.endpoint, atomic_of(AtomicKind::fetch_add, {}, other, 1));
          EXPECT_TRUE(side.wait([&] { return side.node->done(cookie); }));
          EXPECT_EQ(side.node->completed[cookie], MPI_SUCCESS);
        }
        EXPECT_EQ(side.device->counters().atomics_in_place, kAdded);
        const std::byte token{1};
        EXPECT_EQ(::write(channel, &token, 1), 1);
      });
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace remit::testing
