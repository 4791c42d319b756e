// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Parts of the shared-memory device that need no peer.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "rdma_btl/shm/agenda.hpp"
#include "rdma_btl/shm/copies/assist.hpp"
#include "rdma_btl/shm/copies/job.hpp"
#include "rdma_btl/shm/peers/notice_pool.hpp"
#include "rdma_btl/shm/peers/region_table.hpp"
#include "rdma_btl/shm/rings/lending.hpp"
#include "rdma_btl/shm/rings/ring_scans.hpp"

namespace remit::testing {
namespace {

TEST(ShmRegionTable, AKeyNamesARegionUntilItIsRemoved) {
  const auto home = std::make_unique<shm::Home>();
  shm::RegionTable table;
  table.publish_in(home.get());
  std::array<std::byte, 100> memory;
  const auto at = reinterpret_cast<std::uint64_t>(memory.data());
  const Region first = table.add(memory.data(), 100, Access::remote_read);
  const auto may = [&](const Region& region, std::uint64_t address, std::uint64_t length,
                       Access access) {
    const bool allowed = table.allowed(region.remote_key, address, length, access);
    // Peers find the same, but that they need not ask for nothing.
    const bool seen = shm::published(*home, {address, region.remote_key}, length, access);
    EXPECT_TRUE(length == 0 || seen == allowed);
    return allowed;
  };
  EXPECT_TRUE(may(first, at, 100, Access::remote_read));
  EXPECT_TRUE(may(first, at + 99, 1, Access::remote_read));
  EXPECT_FALSE(may(first, at, 100, Access::remote_write));
  EXPECT_FALSE(may(first, at + 1, 100, Access::remote_read));
  EXPECT_FALSE(may(first, at - 1, 1, Access::remote_read));
  EXPECT_FALSE(may(first, at + 50, ~std::uint64_t{0}, Access::remote_read)) << "no overflow";
  EXPECT_TRUE(table.allowed(~std::uint64_t{0}, 0, 0, Access::remote_read)) << "nothing";
  table.remove(first);
  EXPECT_FALSE(may(first, at, 1, Access::remote_read));
  const Region second = table.add(memory.data(), 100, Access::all);
  EXPECT_NE(second.remote_key, first.remote_key);
  table.remove(first);  // once more: nothing happens
  EXPECT_FALSE(may(first, at, 1, Access::remote_read)) << "its place is used again";
  EXPECT_TRUE(may(second, at, 1, Access::remote_atomic));
}

TEST(ShmRegionTable, RegionsBeyondThePublishedOnesAreTheTargetsToCheck) {
  const auto home = std::make_unique<shm::Home>();
  shm::RegionTable table;
  table.publish_in(home.get());
  std::byte memory{};
  Region last;
  for (std::size_t i = 0; i <= shm::kSharedRegions; ++i) last = table.add(&memory, 1, Access::all);
  const auto beyond = reinterpret_cast<std::uint64_t>(&memory) + 1;
  EXPECT_TRUE(shm::published(*home, {beyond, last.remote_key}, 1, Access::remote_read));
  EXPECT_FALSE(table.allowed(last.remote_key, beyond, 1, Access::remote_read));
  EXPECT_TRUE(table.allowed(last.remote_key, beyond - 1, 1, Access::remote_read));
}

TEST(ShmNoticePool, HandsOutWhatNobodyUses) {
  shm::NoticePool pool(2);
  EXPECT_EQ(pool.take(), 0U);
  bool in_use = true;
  pool.give_back(0, [&] { return in_use; });
  EXPECT_EQ(pool.take(), 1U) << "the first one is still in use";
  EXPECT_EQ(pool.take(), std::nullopt);
  in_use = false;
  EXPECT_EQ(pool.take(), 0U);
  EXPECT_EQ(pool.take(), std::nullopt) << "it is in use again";
}

TEST(ShmAgenda, EventsComeInTheirOrderAndAreWork) {
  shm::Agenda agenda;
  EXPECT_TRUE(agenda.empty());
  for (std::uint64_t cookie = 1; cookie <= 3; ++cookie) {
    agenda.post(shm::event_of(CompletionKind::local, 0, MPI_SUCCESS, cookie));
  }
  EXPECT_TRUE(agenda.has(shm::Agenda::kWork));
  std::array<Completion, 3> out;
  EXPECT_EQ(agenda.take_events(out, 1), 3U) << "there is room for two";
  EXPECT_EQ(out[1].cookie, 1U);
  EXPECT_EQ(out[2].cookie, 2U);
  EXPECT_TRUE(agenda.has_events());
  EXPECT_EQ(agenda.take_events(out, 0), 1U);
  EXPECT_EQ(out[0].cookie, 3U);
  agenda.add(shm::Agenda::kArmed);
  agenda.set(shm::Agenda::kWork, false);
  EXPECT_FALSE(agenda.empty());
  agenda.remove(shm::Agenda::kArmed);
  EXPECT_TRUE(agenda.empty());
}

shm::Scan scan_of(std::uint64_t expected) {
  shm::Scan scan = {};
  scan.expected = expected;
  return scan;
}

TEST(ShmRingScans, TheLastActiveOnesAreHot) {
  shm::RingScans scans;
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(scans.open(scan_of(1)), i);
  EXPECT_FALSE(scans.all_hot());
  ASSERT_EQ(scans.hot_count(), shm::RingScans::kHot);
  const auto is_hot = [&](std::uint32_t index) {
    for (std::uint32_t i = 0; i != scans.hot_count(); ++i) {
      if (&scans.hot(i) == &scans[index]) return true;
    }
    return false;
  };
  EXPECT_FALSE(is_hot(15));
  scans.make_hot(15);
  EXPECT_TRUE(is_hot(15));
  EXPECT_FALSE(is_hot(0)) << "it was the first";
  scans.make_hot(15);  // it is already
  EXPECT_TRUE(is_hot(1));
  std::vector<bool> visited(20);
  for (int i = 0; i < 20; ++i) visited[scans.next_in_turn()] = true;
  EXPECT_EQ(visited, std::vector<bool>(20, true));
  scans.close(3);
  EXPECT_EQ(scans.in_use(), 19U);
  EXPECT_NE(shm::cell_number(scans[3].next->header.load()), scans[3].expected) << "never read";
  EXPECT_EQ(scans.open(scan_of(5)), 3U);
  EXPECT_EQ(scans[3].expected, 5U);
  EXPECT_EQ(scans.in_use(), 20U);
}

TEST(ShmLending, AMailboxIsOursAgainWhenItWasRead) {
  shm::Endpoint endpoint;
  endpoint.mail = true;
  std::array<std::byte, 64> mail{}, area{};
  area.fill(std::byte{7});
  shm::Lending lending;
  lending.lend(mail, endpoint);
  lending.lend(area);
  EXPECT_FALSE(endpoint.mail);
  EXPECT_FALSE(lending.empty());
  lending.end();
  EXPECT_TRUE(endpoint.mail);
  EXPECT_TRUE(lending.empty());
  EXPECT_EQ(area[0], std::byte{0}) << "its lines were taken";
}

TEST(ShmJobTable, ALateAnswerNamesNothing) {
  shm::JobTable table;
  Operation operation;
  operation.kind = OpKind::get;
  shm::Job& job = table.add(4, operation);
  const shm::JobName name = shm::JobTable::name_of(job);
  EXPECT_EQ(table.find(name, 4), &job);
  EXPECT_EQ(table.find(name, 5), nullptr) << "of another peer";
  EXPECT_EQ(table.find(name + 1, 4), nullptr);
  table.remove(job);
  EXPECT_EQ(table.find(name, 4), nullptr);
  shm::Job& next = table.add(4, operation);
  EXPECT_EQ(&next, &job) << "the place is used again";
  EXPECT_EQ(table.find(name, 4), nullptr);
  EXPECT_EQ(table.size(), 1U);
}

/// From both ends at once; each chunk is taken by one, and the first one by the initiator.
TEST(ShmAssist, EachChunkIsTakenOnce) {
  using shm::AssistEnd;
  constexpr std::uint16_t kGeneration = 7;
  for (std::uint32_t chunks = 1; chunks <= 257; ++chunks) {
    shm::Assist assist = {};
    assist.claims = kGeneration;
    std::vector<int> taken(chunks);
    std::thread target([&] {
      while (const auto number = shm::claim_chunk(assist, kGeneration, chunks, AssistEnd::back)) {
        ++taken[chunks - 1 - *number];
      }
    });
    std::vector<std::uint32_t> front;
    while (const auto number = shm::claim_chunk(assist, kGeneration, chunks, AssistEnd::front)) {
      front.push_back(*number);
    }
    target.join();
    ASSERT_FALSE(front.empty());
    for (const std::uint32_t number : front) ++taken[number];
    EXPECT_EQ(taken, std::vector<int>(chunks, 1));
    EXPECT_EQ(shm::chunks_taken(assist.claims, AssistEnd::front), front.size());
    EXPECT_EQ(shm::claim_chunk(assist, kGeneration + 1, 1000, AssistEnd::front), std::nullopt)
        << "another transfer's";
  }
}

}  // namespace
}  // namespace remit::testing
