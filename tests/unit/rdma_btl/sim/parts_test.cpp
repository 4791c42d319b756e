// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parts of the simulated network, each by itself.
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "rdma_btl/sim/event_queue.hpp"
#include "rdma_btl/sim/fault_plan.hpp"
#include "rdma_btl/sim/notice_memory.hpp"
#include "rdma_btl/sim/processes.hpp"
#include "rdma_btl/sim/registrations.hpp"

namespace remit::testing {
namespace {

TEST(SimEventQueue, EventsComeInTheirOrder) {
  sim::EventQueue queue;
  EXPECT_FALSE(queue.next());
  queue.schedule(20, sim::What::wake, 1);
  queue.schedule(10, sim::What::wake, 2);
  queue.schedule(10, sim::What::wake, 3);
  for (const std::uint32_t subject : {2U, 3U, 1U}) {
    const std::optional<sim::Event> event = queue.next();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->subject, subject);
    EXPECT_EQ(queue.now_ns(), event->time_ns);
  }
  EXPECT_EQ(queue.now_ns(), 20U);
  EXPECT_EQ(queue.happened(), 3U);
}

TEST(SimFaultPlan, InjectedErrorsAreForOne) {
  sim::RandomSource random(1);
  sim::FaultPlan plan(random, 0);
  plan.inject(1, 2);
  EXPECT_FALSE(plan.dooms(2, 1));
  EXPECT_TRUE(plan.dooms(1, 2));
  EXPECT_FALSE(plan.dooms(1, 2));
  sim::FaultPlan bad(random, 1);
  EXPECT_TRUE(bad.dooms(1, 2));
}

TEST(SimFaultPlan, ADownLinkKeepsWhatComes) {
  using Passage = sim::FaultPlan::Passage;
  sim::RandomSource random(1);
  sim::FaultPlan plan(random, 0);
  EXPECT_EQ(plan.pass(1, 2, {}), Passage::open);
  plan.take_down(1, 2, 100);
  EXPECT_TRUE(plan.is_down(2, 1));
  EXPECT_EQ(plan.pass(1, 3, {}), Passage::open);
  EXPECT_EQ(plan.pass(2, 1, {sim::What::arrive, 7, 0}), Passage::parked);
  EXPECT_EQ(plan.pass(1, 2, {sim::What::finish, 8, 0}), Passage::parked);
  EXPECT_TRUE(plan.expire(1, 2, 99).empty()) << "the timeout of an earlier interruption";
  const auto waited = plan.expire(1, 2, 100);
  ASSERT_EQ(waited.size(), 2U);
  EXPECT_EQ(waited[0].flight, 7U);
  EXPECT_EQ(waited[1].flight, 8U);
  EXPECT_EQ(plan.pass(1, 2, {}), Passage::failed);
  EXPECT_TRUE(plan.bring_up(2, 1).empty());
  EXPECT_EQ(plan.pass(1, 2, {}), Passage::open);
}

TEST(SimRegistrations, KeysAllowWhatTheyAreFor) {
  sim::Registrations registrations;
  std::array<std::byte, 100> memory;
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  const auto region = registrations.add(memory.data(), 100, Access::remote_read, 1, 2, 150);
  ASSERT_TRUE(region.has_value());
  EXPECT_FALSE(registrations.add(memory.data(), 51, Access::all, 3, 4, 150).has_value());
  EXPECT_TRUE(registrations.allows_access(2, address, 100, Access::remote_read));
  EXPECT_TRUE(registrations.allows_access(2, address + 99, 1, Access::remote_read));
  EXPECT_FALSE(registrations.allows_access(2, address + 99, 2, Access::remote_read));
  EXPECT_FALSE(registrations.allows_access(2, address, 8, Access::remote_write));
  EXPECT_FALSE(registrations.allows_access(1, address, 8, Access::remote_read)) << "a local key";
  EXPECT_TRUE(registrations.allows_access(1, address, 8, Access::local));
  EXPECT_TRUE(registrations.remove(*region));
  EXPECT_FALSE(registrations.remove(*region));
  EXPECT_FALSE(registrations.allows_access(1, address, 8, Access::local));
  EXPECT_TRUE(registrations.add(memory.data(), 100, Access::all, 5, 6, 150).has_value());
}

TEST(SimProcesses, NamesIndicesAndWhoIsReady) {
  sim::RandomSource random(1);
  sim::FlightPool flights;
  sim::Processes processes(random, false);
  sim::VirtualProcess a(0, processes.next_index(0), flights);
  processes.add(a);
  sim::VirtualProcess b(77, processes.next_index(77), flights);
  processes.add(b);
  EXPECT_THROW((void)processes.next_index(77), std::invalid_argument);
  EXPECT_THROW((void)processes.index_of(1), std::invalid_argument);
  EXPECT_EQ(processes.index_of(77), 1U);
  EXPECT_EQ(&processes.of(77), &b);
  processes.make_ready(b);
  processes.make_ready(a);
  processes.make_ready(b);
  EXPECT_EQ(processes.pop_ready(), PeerName{77});
  EXPECT_EQ(processes.pop_ready(), PeerName{0});
  EXPECT_EQ(processes.pop_ready(), std::nullopt);
  b.dead = true;
  EXPECT_EQ(processes.living(1), nullptr);
  a.in_flight = 3;
  processes.remove(a);
  EXPECT_EQ(processes.at(0), nullptr);
  EXPECT_EQ(processes.lost_at_exit(), 3U);
  EXPECT_THROW((void)processes.of(0), std::invalid_argument);
}

TEST(SimProcesses, EndpointsAreFoundAmongFewAndMany) {
  sim::FlightPool flights;
  sim::VirtualProcess process(0, 0, flights);
  for (std::uint32_t peer = 0; peer < 100; ++peer) {
    EXPECT_EQ(process.find_endpoint(1000 + peer), sim::kNoEndpoint);
    EXPECT_EQ(process.add_endpoint(1000 + peer), peer);
    for (std::uint32_t known = 0; known <= peer; ++known) {
      ASSERT_EQ(process.find_endpoint(1000 + known), known);
    }
  }
}

TEST(SimNoticeMemory, StaysAndIsAligned) {
  sim::NoticeMemory notices;
  EXPECT_EQ(notices.find(1, 0), nullptr);
  std::byte* const memory = notices.make(1, 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0U);
  memory[kNoticeBytes - 1] = std::byte{5};
  EXPECT_NE(notices.make(1, 1), memory);
  EXPECT_EQ(notices.find(1, 0), memory);
  EXPECT_EQ(notices.make(1, 0)[kNoticeBytes - 1], std::byte{5});
}

}  // namespace
}  // namespace remit::testing
