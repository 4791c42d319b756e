// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Parts of the verbs device that need no adapter.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <array>
#include <bit>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "rdma_btl/verbs/adapter/limits.hpp"
#include "rdma_btl/verbs/connections/address.hpp"
#include "rdma_btl/verbs/credits/demand.hpp"
#include "rdma_btl/verbs/endpoints.hpp"
#include "rdma_btl/verbs/messages/gather.hpp"
#include "rdma_btl/verbs/messages/send_slots.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

// --- work requests under way -------------------------------------------------------------------

std::uint32_t push(verbs::WorkRing& ring, std::uint64_t cookie, bool awaited = false) {
  verbs::Record record;
  record.cookie = cookie;
  record.awaited = awaited;
  ring.stage(record);
  const std::uint32_t number = ring.posted();
  ring.commit();
  return number;
}

/// The cookies that a completion tells of: those before it, then its own.
std::vector<std::uint64_t> finish(verbs::WorkRing& ring, std::uint32_t number) {
  std::vector<std::uint64_t> told;
  const verbs::Record own = ring.finish(number, [&](const verbs::Record& record) {
    if (record.cookie != kNoCompletion) told.push_back(record.cookie);
  });
  if (own.cookie != kNoCompletion) told.push_back(own.cookie);
  return told;
}

using Cookies = std::vector<std::uint64_t>;

TEST(VerbsWorkRing, ACompletionFinishesWhatIsBeforeIt) {
  verbs::WorkRing ring;
  EXPECT_FALSE(ring.made());
  ring.make(16);
  for (std::uint64_t cookie = 0; cookie < 5; ++cookie) push(ring, cookie);
  EXPECT_EQ(finish(ring, 3), (Cookies{0, 1, 2, 3}));
  EXPECT_FALSE(ring.holds(3));
  EXPECT_TRUE(ring.holds(4));
  EXPECT_FALSE(ring.holds(5)) << "nobody has posted it";
  EXPECT_EQ(ring.under_way(), 1U);
}

TEST(VerbsWorkRing, WhatIsAwaitedWaitsForItsOwn) {
  verbs::WorkRing ring;
  ring.make(16);
  push(ring, 0);
  push(ring, 1, true);
  push(ring, 2);
  push(ring, 3);
  EXPECT_EQ(finish(ring, 3), (Cookies{0, 3}));
  EXPECT_EQ(ring.retired(), 1U);
  EXPECT_EQ(finish(ring, 1), (Cookies{2, 1}));
  EXPECT_EQ(ring.under_way(), 0U);
}

TEST(VerbsWorkRing, WhatWasStagedOnlyIsNotUnderWay) {
  verbs::WorkRing ring;
  ring.make(16);
  verbs::Record refused;
  refused.cookie = 7;
  ring.stage(refused);
  EXPECT_EQ(ring.under_way(), 0U);
  push(ring, 8);
  EXPECT_EQ(finish(ring, 0), Cookies{8});
}

TEST(VerbsWorkRing, OneInSoManyAsksForACompletion) {
  verbs::WorkRing ring;
  EXPECT_FALSE(ring.has_tail());
  for (int round = 0; round < 3; ++round) {
    for (int i = 1; i < 4; ++i) EXPECT_FALSE(ring.signals(false, 4));
    EXPECT_TRUE(ring.has_tail());
    EXPECT_TRUE(ring.signals(false, 4));
    EXPECT_FALSE(ring.has_tail());
  }
  EXPECT_FALSE(ring.signals(false, 4));
  EXPECT_TRUE(ring.signals(true, 4));
  EXPECT_FALSE(ring.has_tail());
}

/// Requests of which some are awaited complete in any order that an adapter may choose.
TEST(VerbsWorkRing, EveryCookieIsToldOnce) {
  constexpr std::uint32_t kDepth = 16;
  constexpr std::uint64_t kRequests = 20000;
  std::mt19937 random(test_seed());
  verbs::WorkRing ring;
  ring.make(kDepth);
  std::vector<std::uint32_t> open;  // will give a completion of their own
  std::set<std::uint64_t> awaited;
  std::uint64_t next = 0;
  std::vector<int> told(kRequests);
  while (next < kRequests || !open.empty()) {
    if (next < kRequests && ring.under_way() < kDepth && (random() % 2 == 0 || open.empty())) {
      const bool awaits = random() % 3 == 0;
      const std::uint32_t number = push(ring, next, awaits);
      if (awaits) awaited.insert(next);
      if (awaits || random() % 2 == 0 || ring.under_way() == kDepth || next + 1 == kRequests) {
        open.push_back(number);
      }
      ++next;
    } else if (!open.empty()) {
      // What is not awaited completes in order; awaited ones when they like.
      std::size_t pick = random() % open.size();
      while (pick > 0 && awaited.count(open[pick]) == 0) --pick;
      const std::uint32_t number = open[pick];
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(pick));
      if (!ring.holds(number)) continue;
      for (const std::uint64_t cookie : finish(ring, number)) ++told[cookie];
    }
  }
  ring.abandon([&](const verbs::Record& record) {
    if (record.cookie != kNoCompletion) ++told[record.cookie];
  });
  EXPECT_EQ(ring.under_way(), 0U);
  EXPECT_EQ(std::count(told.begin(), told.end(), 1), static_cast<std::ptrdiff_t>(kRequests));
}

// --- send slots --------------------------------------------------------------------------------

TEST(VerbsSendSlots, TheLastAreKeptForTheDevice) {
  constexpr std::size_t kCount = 24;
  constexpr std::size_t kBytes = 64;
  std::vector<std::byte> block(verbs::SendSlots::block_bytes(kCount, kBytes));
  verbs::SendSlots slots;
  slots.make(block.data(), 17, kCount, kBytes);
  EXPECT_EQ(slots.lkey(), 17U);
  std::set<std::byte*> taken = {slots.trash()};
  std::vector<std::uint32_t> held;
  while (slots.has_room()) held.push_back(slots.take());
  EXPECT_EQ(held.size(), kCount - verbs::SendSlots::kSpare);
  EXPECT_TRUE(slots.runs_short());
  while (!slots.exhausted()) held.push_back(slots.take());
  for (const std::uint32_t slot : held) {
    EXPECT_TRUE(taken.insert(slots[slot]).second) << "given twice";
    EXPECT_LE(slots[slot] + kBytes, block.data() + block.size());
  }
  EXPECT_EQ(held.size(), kCount);
  for (const std::uint32_t slot : held) slots.give_back(slot);
  EXPECT_FALSE(slots.runs_short());
}

// --- scatter/gather lists ----------------------------------------------------------------------

TEST(VerbsGather, EveryByteIsInOneRequest) {
  std::mt19937 random(test_seed());
  for (int round = 0; round < 2000; ++round) {
    std::vector<Piece> pieces(random() % 7);
    std::uintptr_t address = 0x10000;
    std::size_t total = 0;
    for (Piece& piece : pieces) {
      address += random() % 5000;
      piece = {reinterpret_cast<void*>(address), random() % 3 == 0 ? 0 : random() % 80, 1};
      address += piece.length;
      total += piece.length;
    }
    Operation operation;
    operation.local = pieces;
    operation.remote.address = 0x4000 + random() % 4096;
    const auto source = random() % 2 == 0 ? verbs::Source::local : verbs::Source::remote;
    const std::uint32_t per_request = 1 + random() % 4;
    const bool cut = random() % 2 == 0;
    verbs::Gather gather(operation, source, per_request, cut);
    const std::uint32_t promised = gather.requests();
    std::uint32_t requests = 0;
    std::size_t bytes = 0;
    for (; !gather.done(); ++requests) {
      const std::uint64_t remote = operation.remote.address + bytes;
      ibv_send_wr request = {};
      const std::size_t these = gather.next(request);
      ASSERT_LE(request.num_sge, static_cast<int>(per_request));
      std::size_t listed = 0;
      for (int i = 0; i < request.num_sge; ++i) {
        ASSERT_NE(request.sg_list[i].length, 0U);
        listed += request.sg_list[i].length;
      }
      ASSERT_EQ(listed, these);
      if (cut && request.num_sge == 1 && these <= verbs::kCopiedAtOnce) {
        const std::uint64_t first =
            source == verbs::Source::local ? request.sg_list[0].addr : remote;
        ASSERT_LE(these, verbs::to_page_end(first)) << "lies on two pages";
      }
      bytes += these;
    }
    ASSERT_EQ(bytes, total);
    ASSERT_EQ(requests, promised);
  }
}

// --- limits ------------------------------------------------------------------------------------

ibv_device_attr able() {
  ibv_device_attr device = {};
  device.max_sge = 32;
  device.max_qp_init_rd_atom = device.max_qp_rd_atom = 128;
  device.max_qp_wr = 1 << 20;
  device.max_cqe = 1 << 20;
  device.max_srq = 1000;
  device.max_srq_wr = 1 << 20;
  device.atomic_cap = IBV_ATOMIC_HCA;
  return device;
}

TEST(VerbsLimits, WhatIsUnderWayFitsTheCompletionQueue) {
  for (int entries = 64; entries <= 1 << 16; entries = entries * 3 / 2) {
    for (const bool srq : {false, true}) {
      ibv_device_attr device = able();
      device.max_cqe = entries;
      if (!srq) device.max_srq = 0;
      VerbsConfig config;
      const verbs::Limits limits = verbs::limits_of(device, false, config);
      EXPECT_LE(config.completion_entries, static_cast<std::uint32_t>(entries));
      EXPECT_LE(limits.budget + limits.max_slots, config.completion_entries);
      EXPECT_LE(config.receive_slots, limits.max_slots);
      EXPECT_EQ(config.mask.srq, !srq);
    }
  }
}

TEST(VerbsLimits, AConnectionsDepthIsAPowerOfTwo) {
  for (const int depth : {16, 17, 100, 127, 128, 100000}) {
    ibv_device_attr device = able();
    device.max_qp_wr = depth;
    VerbsConfig config;
    (void)verbs::limits_of(device, false, config);
    EXPECT_TRUE(std::has_single_bit(config.send_depth));
    EXPECT_LE(config.send_depth, static_cast<std::uint32_t>(depth));
    EXPECT_GT(2 * config.send_depth,
              std::min<std::uint32_t>(static_cast<std::uint32_t>(depth), 128));
  }
}

TEST(VerbsLimits, IwarpHasNeitherImmediateDataNorAtomics) {
  const ibv_device_attr device = able();
  VerbsConfig config;
  const verbs::Limits limits = verbs::limits_of(device, true, config);
  EXPECT_FALSE(limits.immediate);
  EXPECT_EQ(limits.max_sge_read, 1U);
  const Caps caps = verbs::caps_under(limits, config, device, {}, 1e9);
  EXPECT_FALSE(caps.has_atomic);
  EXPECT_EQ(caps.notify, NotifyMode::write_then_send);
  EXPECT_GT(caps.get_slowdown, 1);

  VerbsConfig plain;
  const verbs::Limits all = verbs::limits_of(device, false, plain);
  const Caps more = verbs::caps_under(all, plain, device, {}, 1e9);
  EXPECT_TRUE(more.has_atomic);
  EXPECT_FALSE(more.atomic_with_cpu);
  EXPECT_EQ(more.notify, NotifyMode::immediate);
}

// --- addresses ---------------------------------------------------------------------------------

TEST(VerbsAddress, SaysWhatWasPacked) {
  for (const int family : {AF_INET, AF_INET6}) {
    verbs::Listening where;
    where.address.ss_family = static_cast<sa_family_t>(family);
    if (family == AF_INET) {
      ::inet_pton(AF_INET, "10.9.0.1", &reinterpret_cast<sockaddr_in&>(where.address).sin_addr);
    } else {
      ::inet_pton(AF_INET6, "fe80::1", &reinterpret_cast<sockaddr_in6&>(where.address).sin6_addr);
    }
    where.port = htons(4711);
    where.host = "node1";
    verbs::Address address;
    address.job = 3;
    address.name = 5;
    std::vector<std::byte> bytes = verbs::pack(address, where);
    const auto out = verbs::unpack(bytes);
    ASSERT_TRUE(out);
    EXPECT_EQ(out->address.job, 3U);
    EXPECT_EQ(out->address.name, 5U);
    EXPECT_EQ(out->where.host, "node1");
    EXPECT_EQ(verbs::to_text(out->where.address), family == AF_INET ? "10.9.0.1" : "fe80::1");
    verbs::set_port(where.address, where.port);
    EXPECT_EQ(std::memcmp(&out->where.address, &where.address, sizeof where.address), 0);

    EXPECT_FALSE(verbs::unpack(std::span(bytes).first(bytes.size() - 1))) << "a shorter name";
    EXPECT_FALSE(verbs::unpack(std::span(bytes).first(sizeof(verbs::Address) - 1)));
    bytes[offsetof(verbs::Address, version)] ^= std::byte{1};
    EXPECT_FALSE(verbs::unpack(bytes)) << "of another version";
  }
}

// --- who waits for receives --------------------------------------------------------------------

TEST(VerbsDemand, IsInVainUntilSomebodyIsServed) {
  verbs::Demand demand;
  EXPECT_FALSE(demand.any());
  demand.on_request(1000);
  demand.on_request(1050);
  EXPECT_TRUE(demand.any());
  EXPECT_EQ(demand.waiting(2, 1060), 2U);
  EXPECT_FALSE(demand.in_vain(1099, 100));
  EXPECT_TRUE(demand.in_vain(1100, 100));
  EXPECT_FALSE(demand.in_vain(1199, 100)) << "twice in that time";
  demand.on_loan(1150);
  EXPECT_FALSE(demand.in_vain(1249, 100));
  EXPECT_EQ(demand.waiting(0, 1250), 0U);
  EXPECT_FALSE(demand.any());
}

TEST(VerbsDemand, ANewPeerThatDoesNotComeBackIsForgotten) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  verbs::Demand demand;
  demand.on_newcomer(false, kSecond);
  EXPECT_TRUE(demand.any());
  EXPECT_EQ(demand.waiting(0, 2 * kSecond - 1), 1U);
  EXPECT_EQ(demand.waiting(1, 2 * kSecond), 1U) << "only the one that has asked";
  EXPECT_TRUE(demand.any());
  EXPECT_EQ(demand.waiting(0, 2 * kSecond), 0U);
  EXPECT_FALSE(demand.any());
  demand.on_newcomer(true, 3 * kSecond);
  EXPECT_FALSE(demand.any()) << "nobody waited";
}

// --- peers -------------------------------------------------------------------------------------

TEST(VerbsEndpoints, AreFoundByQueuePair) {
  verbs::Endpoints endpoints;
  verbs::Endpoint& first = endpoints.find_or_add(7).first;
  for (PeerName name = 100; name < 357; ++name) (void)endpoints.find_or_add(name);
  EXPECT_EQ(endpoints.of_queue_pair(99), nullptr);
  endpoints.bind(99, first);
  EXPECT_EQ(endpoints.of_queue_pair(99), &first);
  endpoints.unbind(99);
  EXPECT_EQ(endpoints.of_queue_pair(99), nullptr);
}

}  // namespace
}  // namespace remit::testing
