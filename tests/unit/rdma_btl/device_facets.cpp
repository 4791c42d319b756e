// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The part of the device suite for memory of the host, which a device may offer. The eager path has
// its test in device_suite.cpp: MessagesAreAskedForOrPolled.
#include <poll.h>

#include <atomic>
#include <cstdint>

#include "rdma_btl/host_memory.hpp"
#include "tests/unit/rdma_btl/device_world.hpp"

namespace remit::testing {

namespace {

/// Both know each other: a message of each has reached the other.
struct Pair {
  HostMemory* here;
  HostMemory* there;
  EndpointId out;
  EndpointId in;
};

}  // namespace

TEST_P(DeviceSuite, NoticesAreSeenByPeers) {
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  if (a.device.host_memory() == nullptr) GTEST_SKIP() << "the device has no host memory";
  const Pair pair{a.device.host_memory(), b.device.host_memory(), a.connect(b), b.connect(a)};
  const Notices own = pair.there->take_notices();
  ASSERT_NE(own.memory, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(own.memory) % 4096, 0U);
  for (const std::size_t at : {std::size_t{0}, kNoticeBytes - 1}) {
    EXPECT_EQ(own.memory[at], std::byte{0});
  }
  const std::byte byte{1};
  b.send(pair.in, {&byte, 1});
  ASSERT_TRUE(wait_until([&] { return a.receives.size() == 1; }));
  std::byte* seen = pair.here->notices_of(pair.out, own.index);
  ASSERT_NE(seen, nullptr) << "a message of the peer has arrived";
  fill_pattern({own.memory, kNoticeBytes}, 7);
  EXPECT_EQ(find_mismatch({seen, kNoticeBytes}, 7), -1);
  seen[100] = std::byte{0xee};
  EXPECT_EQ(own.memory[100], std::byte{0xee}) << "what nobody reads again may be overwritten";
  EXPECT_EQ(pair.here->notices_of(pair.out, ~std::uint32_t{0}), nullptr);

  // Given back, they are handed out again when nobody uses them, as they are.
  bool in_use = true;
  pair.there->return_notices(own.index, [&] { return in_use; });
  const Notices other = pair.there->take_notices();
  EXPECT_NE(other.index, own.index);
  in_use = false;
  const Notices again = pair.there->take_notices();
  EXPECT_EQ(again.index, own.index);
  EXPECT_EQ(again.memory[100], std::byte{0xee});
  for (const std::uint32_t index : {other.index, again.index}) {
    pair.there->return_notices(index, [] { return false; });
  }
}

TEST_P(DeviceSuite, NudgesEndASleep) {
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  if (a.device.host_memory() == nullptr) GTEST_SKIP() << "the device has no host memory";
  const EndpointId out = a.connect(b);
  const EndpointId in = b.connect(a);
  const std::byte byte{1};
  a.send(out, {&byte, 1});
  b.send(in, {&byte, 1});
  ASSERT_TRUE(wait_until([&] { return a.receives.size() == 1 && b.receives.size() == 1; }));
  b.device.arm();
  if (b.device.wait_fd() < 0) GTEST_SKIP() << "the device cannot wake a sleeper";
  b.progress();
  a.device.host_memory()->nudge(out);
  pollfd waiting{b.device.wait_fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&waiting, 1, 10'000), 1);
  b.device.disarm();
}

TEST_P(DeviceSuite, MemoryOfPeersIsReadAndWritten) {
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  if (a.device.host_memory() == nullptr) GTEST_SKIP() << "the device has no host memory";
  const Pair pair{a.device.host_memory(), b.device.host_memory(), a.connect(b), b.connect(a)};
  const std::byte byte{1};
  b.send(pair.in, {&byte, 1});
  ASSERT_TRUE(wait_until([&] { return a.receives.size() == 1; }));
  constexpr std::size_t kBytes = 100'000;
  // Where the device has no memory of its own only the kernel reaches it.
  void* allocated = pair.there->allocate(kBytes);
  Bytes heap(allocated == nullptr ? kBytes : 0);
  auto* theirs = allocated != nullptr ? static_cast<std::byte*>(allocated) : heap.data();
  fill_pattern({theirs, kBytes}, 3);
  const auto address = reinterpret_cast<std::uintptr_t>(theirs);
  if (pair.here->reaches_memory(pair.out)) {
    Bytes got(kBytes);
    // The first use may only ask for a mapping: what it cannot see then it copies.
    ASSERT_TRUE(pair.here->read_memory(pair.out, address, got.data(), kBytes));
    EXPECT_EQ(find_mismatch(got, 3), -1);
    fill_pattern(got, 4);
    ASSERT_TRUE(pair.here->write_memory(pair.out, address + 1, got.data(), kBytes - 2));
    EXPECT_EQ(theirs[0], pattern(3, 0));
    EXPECT_EQ(find_mismatch({theirs + 1, kBytes - 2}, 4), -1);
    EXPECT_EQ(theirs[kBytes - 1], pattern(3, kBytes - 1));
    ASSERT_TRUE(pair.here->read_memory(pair.out, address, got.data(), 0));
    if (allocated != nullptr) {
      std::byte* mapped = nullptr;
      ASSERT_TRUE(wait_until([&] {
        mapped = pair.here->map_memory(pair.out, address, kBytes);
        return mapped != nullptr;
      }));
      EXPECT_EQ(find_mismatch({mapped + 1, kBytes - 2}, 4), -1);
      const std::size_t word = (8 - address % 8) % 8;
      auto* there = reinterpret_cast<std::uint64_t*>(theirs + word);
      auto* here = reinterpret_cast<std::uint64_t*>(mapped + word);
      *there = 5;
      std::atomic_ref<std::uint64_t>(*here).fetch_add(2);
      EXPECT_EQ(std::atomic_ref<std::uint64_t>(*there).load(), 7U) << "changed in its place";
    }
  }
  if (allocated != nullptr) {
    EXPECT_EQ(pair.there->release(allocated), Released::done);
    EXPECT_NE(pair.there->release(allocated), Released::done) << "twice";
  }
  int none = 0;
  EXPECT_EQ(pair.there->release(&none), Released::foreign);
}

/// Of a target that does nothing from then on: by the facet, by the device's operations, and by the
/// target's own processor, all on one word.
TEST_P(DeviceSuite, AtomicsTakePlaceWithoutTheTarget) {
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  if (a.device.host_memory() == nullptr) GTEST_SKIP() << "the device has no host memory";
  const Pair pair{a.device.host_memory(), b.device.host_memory(), a.connect(b), b.connect(a)};
  Buffer target(b.device, 64);
  Buffer old(a.device, 8);
  void* allocated = pair.there->allocate(1);
  if (allocated == nullptr) GTEST_SKIP() << "the device has no memory of its own";
  EXPECT_EQ(pair.there->release(allocated), Released::done);
  const std::byte byte{1};
  b.send(pair.in, {&byte, 1});
  ASSERT_TRUE(wait_until([&] { return a.receives.size() == 1; }));
  if (!a.device.caps().atomic_with_cpu) GTEST_SKIP() << "the device's atomics are its own";
  const RemoteAddress remote = target.remote(8);
  std::uint64_t& word = target.word(1);
  const auto in_place = [&](AtomicKind kind, std::uint64_t operand, std::uint64_t compare = 0) {
    return pair.here->change_memory(pair.out, remote.address, kind, operand, compare);
  };
  ASSERT_TRUE(in_place(AtomicKind::fetch_add, 0)) << "mapped without the target's help";
  const auto operation = [&](AtomicKind kind, std::uint64_t operand, std::uint64_t compare = 0) {
    const Piece result = old.piece();
    const std::uint64_t cookie =
        a.start(pair.out, notifying(atomic_of(kind, {&result, 1}, remote, operand, compare), 3));
    EXPECT_TRUE(wait_until([&] { return a.done(cookie); }, &b)) << "the target does nothing";
    EXPECT_EQ(a.completed[cookie], MPI_SUCCESS);
    return old.word();
  };
  word = 5;
  EXPECT_EQ(in_place(AtomicKind::swap, ~std::uint64_t{0}), 5U);
  EXPECT_EQ(operation(AtomicKind::fetch_add, 3), ~std::uint64_t{0});
  EXPECT_EQ(word, 2U) << "addition wraps";
  EXPECT_EQ(in_place(AtomicKind::compare_swap, 9, 1), 2U);
  EXPECT_EQ(word, 2U) << "the comparison fails: unchanged";
  EXPECT_EQ(in_place(AtomicKind::compare_swap, 9, 2), 2U);
  EXPECT_EQ(std::atomic_ref(word).fetch_add(1), 9U);
  EXPECT_EQ(operation(AtomicKind::compare_swap, 20, 11), 10U);
  EXPECT_EQ(operation(AtomicKind::compare_swap, 20, 10), 10U);
  EXPECT_EQ(operation(AtomicKind::swap, 30), 20U);
  EXPECT_EQ(in_place(AtomicKind::fetch_add, 1), 30U);
  EXPECT_EQ(word, 31U);
  EXPECT_EQ(target.word(0) + target.word(2), 0U) << "its neighbours";

  ASSERT_TRUE(wait_until([&] { return b.notifications.size() == 4; }));
  EXPECT_EQ(b.notifications.back().second, 3U);
}

}  // namespace remit::testing
