// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The suite that every device passes: what rdma_btl/device.hpp promises, for one address space.
// Compiled once: a device's test gives a DeviceWorld (device_world.hpp), links this file, and
// instantiates:
//   INSTANTIATE_TEST_SUITE_P(Shm, DeviceSuite, ::testing::Values(make_world<ShmWorld>));

#include <poll.h>

#include <array>
#include <atomic>
#include <cstring>
#include <set>
#include <string>

#include "tests/unit/rdma_btl/device_asking.hpp"
#include "tests/unit/rdma_btl/device_world.hpp"

namespace remit::testing {

namespace {

/// Starts an operation; a put says to the target, if the device can, when it is visible there:
/// what its own completion says nothing about.
std::uint64_t start_visibly(Node& from, EndpointId endpoint, Operation& operation) {
  operation.notify = operation.kind == OpKind::put && from.device.caps().notify != NotifyMode::none;
  operation.notification = ++from.visible;
  return from.start(endpoint, operation);
}
/// Whether `target` has been told.
bool seen(const Node& target, const Operation& operation) {
  return !operation.notify || std::ranges::any_of(target.notifications, [&](const auto& told) {
    return told.second == operation.notification;
  });
}

/// Lengths around which devices change their ways, up to `max`.
[[nodiscard]] std::vector<std::size_t> interesting_lengths(std::size_t max,
                                                           std::size_t max_inline) {
  std::set<std::size_t> lengths{0, 1, 2, 3, max, max_inline, max_inline + 1};
  if (max > 0) lengths.insert(max - 1);
  for (std::size_t n = 4; n <= max; n *= 2) lengths.insert({n - 1, n, n + 1});
  std::erase_if(lengths, [max](std::size_t n) { return n > max; });
  return {lengths.begin(), lengths.end()};
}

}  // namespace

TEST_P(DeviceSuite, CapsMakeSense) {
  make_nodes(1);
  const Caps& caps = node(0).device.caps();
  EXPECT_FALSE(caps.name.empty());
  EXPECT_GE(caps.max_send, 64U);
  EXPECT_LE(caps.max_inline, caps.max_send);
  EXPECT_GE(caps.max_pieces, 1U);
  EXPECT_GT(caps.latency_ns, 0);
  EXPECT_GT(caps.bandwidth, 0);
  if (caps.has_put || caps.has_get) {
    EXPECT_GE(caps.max_message, caps.max_send);
  }
  EXPECT_EQ(&caps, &node(0).device.caps());
}

TEST_P(DeviceSuite, AddressesAreConstantAndChecked) {
  make_nodes(2);
  Device& a = node(0).device;
  Device& b = node(1).device;
  EXPECT_EQ(a.local_address(), a.local_address());
  EXPECT_TRUE(a.reachable(b.local_address()));
  EXPECT_FALSE(a.reachable({}));
  const Bytes garbage(b.local_address().size(), std::byte{0x5a});
  EXPECT_FALSE(a.reachable(garbage));
  Bytes cut = b.local_address();
  cut.pop_back();
  EXPECT_FALSE(a.reachable(cut));
  const Expected<EndpointId> refused = a.connect(1, garbage);
  ASSERT_FALSE(refused.has_value());
  EXPECT_FALSE(refused.error().message.empty());
}

TEST_P(DeviceSuite, ConnectTwiceIsTheSameEndpoint) {
  make_nodes(3);
  Node& a = node(0);
  const EndpointId to_b = a.connect(node(1));
  const EndpointId to_c = a.connect(node(2));
  EXPECT_NE(to_b, to_c);
  EXPECT_EQ(to_b + to_c, 1U) << "endpoints are dense from 0";
  EXPECT_EQ(a.connect(node(1)), to_b);
  EXPECT_EQ(a.device.peer(to_b), node(1).name);
  EXPECT_EQ(a.device.peer(to_c), node(2).name);
}

TEST_P(DeviceSuite, BothSidesConnectAtOnce) {
  constexpr std::size_t kCount = 100;
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  const EndpointId ab = a.connect(b);
  const EndpointId ba = b.connect(a);
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::array<std::byte, 1> byte{static_cast<std::byte>(i)};
    a.send(ab, byte);
    b.send(ba, byte);
  }
  ASSERT_TRUE(
      wait_until([&] { return a.receives.size() == kCount && b.receives.size() == kCount; }));
  for (const Node::Receive& receive : a.receives) EXPECT_EQ(receive.endpoint, ab);
  for (const Node::Receive& receive : b.receives) EXPECT_EQ(receive.endpoint, ba);
}

TEST_P(DeviceSuite, TheConnectedSideLearnsWhoItIs) {
  make_nodes(3);
  Node& target = node(2);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::array<std::byte, 1> byte{static_cast<std::byte>(i)};
    node(i).send(node(i).connect(target), byte);
  }
  ASSERT_TRUE(wait_until([&] { return target.receives.size() == 2; }));
  for (const Node::Receive& receive : target.receives) {
    const auto from = static_cast<std::size_t>(receive.data.at(0));
    EXPECT_EQ(target.device.peer(receive.endpoint), node(from).name);
    EXPECT_EQ(target.connect(node(from)), receive.endpoint);
    target.send(receive.endpoint, receive.data);
  }
  ASSERT_TRUE(
      wait_until([&] { return node(0).receives.size() == 1 && node(1).receives.size() == 1; }));
  EXPECT_EQ(node(1).receives[0].data.at(0), std::byte{1});
}

TEST_P(DeviceSuite, SendsOfEveryLength) {
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  const Caps& caps = a.device.caps();
  const EndpointId endpoint = a.connect(b);
  for (const std::size_t length : interesting_lengths(caps.max_send, caps.max_inline)) {
    Bytes data(length);
    fill_pattern(data, length);
    a.send(endpoint, data);
    std::fill(data.begin(), data.end(), std::byte{0xee});  // a send's bytes are free at once
    b.receives.clear();
    ASSERT_TRUE(wait_until([&] { return !b.receives.empty(); })) << length;
    ASSERT_EQ(b.receives[0].data.size(), length);
    EXPECT_EQ(find_mismatch(b.receives[0].data, length), -1) << length;
    EXPECT_TRUE(b.receives[0].aligned) << length;
  }
}

TEST_P(DeviceSuite, SendsGatherTheirPieces) {
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  const Caps& caps = a.device.caps();
  const EndpointId endpoint = a.connect(b);
  for (int round = 0; round < 300; ++round) {
    Bytes data(below(caps.max_send + 1));
    fill_pattern(data, static_cast<std::uint64_t>(round));
    std::vector<Piece> pieces;
    std::size_t used = 0;
    const std::size_t count = 1 + below(caps.max_pieces);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      const std::size_t length = below(3) ? below(data.size() - used + 1) : 0;
      pieces.push_back({data.data() + used, length, 0});
      used += length;
    }
    pieces.push_back({data.data() + used, data.size() - used, 0});
    Operation operation;
    operation.local = pieces;
    b.receives.clear();
    a.post(endpoint, operation);
    ASSERT_TRUE(wait_until([&] { return !b.receives.empty(); }));
    ASSERT_EQ(b.receives[0].data, data) << count << " pieces";
  }
}

TEST_P(DeviceSuite, SendsArriveOnceAndInTheirOrder) {
  constexpr std::uint32_t kCount = 20000;
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  const Caps& caps = a.device.caps();
  const EndpointId endpoint = a.connect(b);
  std::uint32_t sent = 0;
  std::size_t bad = 0;
  const auto send_some = [&] {
    for (int i = 0; i < 8 && sent < kCount && a.pending.size() < 32; ++i, ++sent) {
      const std::size_t most = below(16) ? 200 : caps.max_send;
      Bytes data(4 + below(std::min(most, caps.max_send) - 3));
      fill_pattern(data, sent);
      std::memcpy(data.data(), &sent, sizeof sent);
      a.send(endpoint, data);
    }
    return b.receives.size() == kCount;
  };
  ASSERT_TRUE(wait_until(send_some));
  std::vector<bool> seen(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    Bytes& data = b.receives[i].data;
    std::uint32_t number = 0;
    std::memcpy(&number, data.data(), sizeof number);
    ASSERT_LT(number, kCount);
    ASSERT_FALSE(seen[number]) << "message " << number << " came twice";
    seen[number] = true;
    if (caps.ordered) {
      ASSERT_EQ(number, i);
    }
    for (std::size_t k = 0; k < 4; ++k) data[k] = pattern(number, k);
    bad += find_mismatch(data, number) != -1;
  }
  EXPECT_EQ(bad, 0U);
}

TEST_P(DeviceSuite, MessagesAreAskedForOrPolled) {
  make_nodes(2);
  if (!node(0).device.caps().ordered) {
    GTEST_SKIP() << "the device does not keep the order of sends";
  }
  Asking asking(node(0), node(1));
  // The receiver is polled by wait_until() in between.
  ASSERT_TRUE(wait_until([&] {
    asking.send_some(below(6));
    for (std::uint64_t n = below(8); n != 0; --n) {
      if (!asking.ask(below(4))) break;
    }
    asking.take_polled();
    return asking.done() || HasFailure();
  }));
  EXPECT_TRUE(asking.done());
}

TEST_P(DeviceSuite, NothingIsLostWhenTheReceiverSleeps) {
  constexpr std::uint32_t kCount = 5000;
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  const EndpointId endpoint = a.connect(b);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    a.send(endpoint, std::as_bytes(std::span(&i, 1)));
  }
  for (int i = 0; i < 2000; ++i) {
    if (!a.progress()) world_->idle();
  }
  ASSERT_TRUE(wait_until([&] { return b.receives.size() == kCount; }));
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    std::uint32_t number = 0;
    std::memcpy(&number, b.receives[i].data.data(), sizeof number);
    sum += number;
    if (a.device.caps().ordered) {
      ASSERT_EQ(number, i);
    }
  }
  EXPECT_EQ(sum, std::uint64_t{kCount} * (kCount - 1) / 2);
  EXPECT_TRUE(a.pending.empty());
  EXPECT_EQ(a.pending.bytes(), 0U);
}

TEST_P(DeviceSuite, ReceivedBytesStayUntilTheNextPoll) {
  make_nodes(2);
  Node& a = node(0);
  Device& b = node(1).device;
  const EndpointId endpoint = a.connect(node(1));
  const std::size_t length = std::min<std::size_t>(a.device.caps().max_send, 512);
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < 64; ++i) {
    Bytes data(length);
    fill_pattern(data, i);
    a.send(endpoint, data);
  }
  const auto look = [&] {
    std::array<Completion, 8> out;
    const std::size_t count = b.poll(out);
    if (!a.progress()) world_->idle();  // more arrives while we look
    for (const Completion& completion : std::span(out).first(count)) {
      if (completion.kind != CompletionKind::receive) continue;
      if (node(0).device.caps().ordered) {
        EXPECT_EQ(find_mismatch(completion.data, next), -1);
      }
      ++next;
    }
    return next == 64;
  };
  ASSERT_TRUE(wait_until(look, &node(1)));
}

TEST_P(DeviceSuite, PutAndGetOfEveryLengthAndAlignment) {
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  const Caps& caps = a.device.caps();
  if (!caps.has_put && !caps.has_get) GTEST_SKIP() << "the device has neither";
  const EndpointId endpoint = a.connect(b);
  const std::size_t max = std::min<std::size_t>(caps.max_message, (1 << 20) + 3);
  Buffer local(a.device, max + 64);
  Buffer remote(b.device, max + 128);
  for (const std::size_t length : interesting_lengths(max, caps.max_inline)) {
    const std::size_t here = below(64);
    const std::size_t there = 1 + below(63);
    const Piece piece = local.piece(here, length);
    for (const OpKind kind : {OpKind::put, OpKind::get}) {
      if (kind == OpKind::put ? !caps.has_put : !caps.has_get) continue;
      fill_pattern(local.bytes(), length * 2 + 1);
      fill_pattern(remote.bytes(), length * 2 + 100);
      const auto source = kind == OpKind::put ? local.bytes().subspan(here, length)
                                              : remote.bytes().subspan(there, length);
      Bytes expected_local(local.bytes().begin(), local.bytes().end());
      Bytes expected_remote(remote.bytes().begin(), remote.bytes().end());
      if (kind == OpKind::put) {
        std::copy(source.begin(), source.end(), expected_remote.begin() + static_cast<long>(there));
      } else {
        std::copy(source.begin(), source.end(), expected_local.begin() + static_cast<long>(here));
      }
      Operation operation = put_of({&piece, 1}, remote.remote(there));
      operation.kind = kind;
      const std::uint64_t cookie = start_visibly(a, endpoint, operation);
      ASSERT_TRUE(wait_until([&] { return a.done(cookie) && seen(b, operation); })) << length;
      EXPECT_EQ(a.completed[cookie], MPI_SUCCESS);
      ASSERT_TRUE(std::ranges::equal(local.bytes(), expected_local)) << length;
      ASSERT_TRUE(std::ranges::equal(remote.bytes(), expected_remote)) << length;
    }
  }
}

TEST_P(DeviceSuite, PutAndGetOfManyPieces) {
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  const Caps& caps = a.device.caps();
  const EndpointId endpoint = a.connect(b);
  constexpr std::size_t kSpace = 100000;
  Buffer local(a.device, kSpace);
  Buffer remote(b.device, kSpace);
  for (int round = 0; round < 200; ++round) {
    const OpKind kind = round % 2 ? OpKind::put : OpKind::get;
    if (kind == OpKind::put ? !caps.has_put : !caps.has_get) continue;
    fill_pattern(local.bytes(), static_cast<std::uint64_t>(round));
    fill_pattern(remote.bytes(), static_cast<std::uint64_t>(round) + 1);
    std::vector<Piece> pieces;
    std::size_t total = 0;
    const std::size_t share = kSpace / caps.max_pieces;
    const std::size_t count = 1 + below(caps.max_pieces);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t length = below(4) ? below(share) : 0;
      pieces.push_back(local.piece(i * share + below(share - length), length));
      total += length;
    }
    const std::size_t there = below(kSpace - total);
    Operation operation = put_of(pieces, remote.remote(there));
    operation.kind = kind;
    const std::uint64_t cookie = start_visibly(a, endpoint, operation);
    ASSERT_TRUE(wait_until([&] { return a.done(cookie) && seen(b, operation); }));
    const std::byte* other = remote.bytes().data() + there;
    for (const Piece& piece : pieces) {
      if (piece.length == 0) continue;
      ASSERT_EQ(std::memcmp(piece.address, other, piece.length), 0) << "round " << round;
      other += piece.length;
    }
  }
}

/// Few bytes on two pages, at the source or at the target; also behind a piece that fills a list.
TEST_P(DeviceSuite, PutAndGetOfFewBytesOnTwoPages) {
  constexpr std::size_t kPage = 4096;
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  const Caps& caps = a.device.caps();
  const EndpointId endpoint = a.connect(b);
  Buffer local(a.device, 3 * kPage);
  Buffer remote(b.device, 3 * kPage);
  const auto end_of_page = [](Buffer& buffer) {
    return kPage - reinterpret_cast<std::uintptr_t>(buffer.bytes().data()) % kPage;
  };
  for (const std::size_t length : {2, 7, 16, 31, 32, 33, 64}) {
    for (const std::size_t before : {std::size_t{1}, length / 3, length / 2, length - 1}) {
      for (const OpKind kind : {OpKind::put, OpKind::get}) {
        if (kind == OpKind::put ? !caps.has_put : !caps.has_get) continue;
        for (const bool two : {false, true}) {
          if (two && caps.max_pieces < 2) continue;
          fill_pattern(local.bytes(), length + before);
          fill_pattern(remote.bytes(), length + before + 1);
          const std::size_t here = end_of_page(local) - before;
          const std::size_t there = end_of_page(remote) - before;
          std::vector<Piece> pieces = {local.piece(here, length)};
          if (two) pieces.push_back(local.piece(here + length, 3));
          Operation operation = put_of(pieces, remote.remote(there));
          operation.kind = kind;
          const std::uint64_t cookie = start_visibly(a, endpoint, operation);
          ASSERT_TRUE(wait_until([&] { return a.done(cookie) && seen(b, operation); }));
          const std::size_t total = length + (two ? 3 : 0);
          ASSERT_TRUE(std::ranges::equal(local.bytes().subspan(here, total),
                                         remote.bytes().subspan(there, total)))
              << length << " bytes, " << before << " on the first page, "
              << (kind == OpKind::put ? "put" : "got");
        }
      }
    }
  }
}

TEST_P(DeviceSuite, LargePutsAndGetsTogether) {
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  const Caps& caps = a.device.caps();
  if (!caps.has_put || !caps.has_get) GTEST_SKIP() << "the device has not both";
  const std::size_t length = std::min<std::size_t>(caps.max_message, (5 << 20) + 3);
  Buffer out(a.device, length), in(a.device, length);
  Buffer there(b.device, length), here(b.device, length);
  fill_pattern(out.bytes(), 1);
  fill_pattern(here.bytes(), 2);
  const EndpointId endpoint = a.connect(b);
  const Piece out_piece = out.piece();
  const Piece in_piece = in.piece();
  Operation large = put_of({&out_piece, 1}, there.remote());
  const std::uint64_t put = start_visibly(a, endpoint, large);
  const std::uint64_t get = a.start(endpoint, get_of({&in_piece, 1}, here.remote()));
  ASSERT_TRUE(wait_until([&] { return a.done(put) && a.done(get) && seen(b, large); }));
  EXPECT_EQ(find_mismatch(there.bytes(), 1), -1);
  EXPECT_EQ(find_mismatch(in.bytes(), 2), -1);
}

/// Sends that complete early say nothing about a get before them.
TEST_P(DeviceSuite, GetsAmongSends) {
  constexpr std::size_t kRounds = 20;
  constexpr std::size_t kSends = 40;
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  if (!a.device.caps().has_get) GTEST_SKIP() << "the device has no gets";
  const std::size_t length = std::min<std::size_t>(a.device.caps().max_message, 1 << 18);
  Buffer in(a.device, length), here(b.device, length);
  const EndpointId endpoint = a.connect(b);
  const Bytes word(8);
  for (std::size_t round = 0; round < kRounds; ++round) {
    fill_pattern(here.bytes(), round);
    fill_pattern(in.bytes(), round + 1);
    const Piece piece = in.piece();
    const std::uint64_t cookie = a.start(endpoint, get_of({&piece, 1}, here.remote()));
    for (std::size_t i = 0; i < kSends; ++i) a.send(endpoint, word);
    ASSERT_TRUE(wait_until([&] { return a.done(cookie); }));
    ASSERT_EQ(find_mismatch(in.bytes(), round), -1) << "round " << round;
  }
  EXPECT_TRUE(wait_until([&] { return b.receives.size() == kRounds * kSends; }));
}

TEST_P(DeviceSuite, AtomicsOfManyAddUp) {
  constexpr std::size_t kNodes = 4;
  constexpr std::size_t kEach = 500;
  make_nodes(kNodes);
  Node& home = node(0);
  if (!home.device.caps().has_atomic) GTEST_SKIP() << "the device has no atomics";
  Buffer counter(home.device, 64);
  counter.word() = 7;
  std::vector<std::unique_ptr<Buffer>> olds;
  std::vector<std::uint64_t> cookies;
  for (std::size_t i = 1; i < kNodes; ++i) {
    Node& other = node(i);
    const EndpointId endpoint = other.connect(home);
    olds.push_back(std::make_unique<Buffer>(other.device, kEach * 8));
    for (std::size_t k = 0; k < kEach; ++k) {
      const Piece result = olds.back()->piece(k * 8, 8);
      other.start(endpoint, atomic_of(AtomicKind::fetch_add, {&result, 1}, counter.remote(), 1));
    }
  }
  ASSERT_TRUE(wait_until([&] {
    std::size_t done = 0;
    for (std::size_t i = 1; i < kNodes; ++i) done += node(i).completed.size();
    return done == (kNodes - 1) * kEach;
  }));
  EXPECT_EQ(counter.word(), 7 + (kNodes - 1) * kEach);
  std::set<std::uint64_t> distinct;
  for (const auto& buffer : olds) {
    for (std::size_t k = 0; k < kEach; ++k) distinct.insert(buffer->word(k));
  }
  EXPECT_EQ(distinct.size(), (kNodes - 1) * kEach) << "each old value is seen once";
  EXPECT_EQ(*distinct.begin(), 7U);
}

TEST_P(DeviceSuite, SwapAndCompareSwap) {
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  if (!a.device.caps().has_atomic) GTEST_SKIP() << "the device has no atomics";
  Buffer word(b.device, 64);
  Buffer old(a.device, 64);
  const Piece result = old.piece(0, 8);
  const EndpointId endpoint = a.connect(b);
  const auto run = [&](AtomicKind kind, std::uint64_t operand, std::uint64_t compare) {
    const std::uint64_t cookie =
        a.start(endpoint, atomic_of(kind, {&result, 1}, word.remote(8), operand, compare));
    EXPECT_TRUE(wait_until([&] { return a.done(cookie); }));
    return old.word();
  };
  word.word(1) = 5;
  EXPECT_EQ(run(AtomicKind::swap, ~std::uint64_t{0}, 0), 5U);
  EXPECT_EQ(word.word(1), ~std::uint64_t{0});
  EXPECT_EQ(run(AtomicKind::compare_swap, 9, 8), ~std::uint64_t{0});
  EXPECT_EQ(word.word(1), ~std::uint64_t{0}) << "the comparison fails: unchanged";
  EXPECT_EQ(run(AtomicKind::compare_swap, 9, ~std::uint64_t{0}), ~std::uint64_t{0});
  EXPECT_EQ(word.word(1), 9U);
  EXPECT_EQ(run(AtomicKind::fetch_add, ~std::uint64_t{0}, 0), 9U);
  EXPECT_EQ(word.word(1), 8U) << "addition wraps";
  const std::uint64_t silent =
      a.start(endpoint, atomic_of(AtomicKind::fetch_add, {}, word.remote(8), 1));
  EXPECT_TRUE(wait_until([&] { return a.done(silent); }));
  EXPECT_EQ(word.word(1), 9U) << "no result wanted";
}

/// Each slot is reused only after the target has seen and acknowledged it; the target looks at the
/// bytes in the very moment in which it sees the notification.
TEST_P(DeviceSuite, NotificationsComeAfterTheirBytes) {
  constexpr std::size_t kSlots = 8;
  constexpr std::size_t kSlotBytes = 20000;
  constexpr std::uint32_t kRounds = 6000;
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  if (!a.device.caps().has_put || a.device.caps().notify == NotifyMode::none) GTEST_SKIP();
  Buffer source(a.device, kSlots * kSlotBytes);
  Buffer target(b.device, kSlots * kSlotBytes);
  const EndpointId ab = a.connect(b);
  const EndpointId ba = b.connect(a);
  std::array<std::size_t, kSlots> lengths{};
  std::array<std::uint32_t, kSlots> round_of{};
  std::vector<std::size_t> free_slots;
  for (std::size_t slot = 0; slot < kSlots; ++slot) free_slots.push_back(slot);
  std::uint32_t started = 0;
  std::uint32_t seen = 0;
  std::size_t early = 0;
  const auto turn = [&] {
    for (const auto& [endpoint, notification] : b.notifications) {
      const std::size_t slot = notification % kSlots;
      EXPECT_EQ(endpoint, ba);
      EXPECT_EQ(notification / kSlots, round_of[slot]);
      early += find_mismatch(target.bytes().subspan(slot * kSlotBytes, lengths[slot]),
                             round_of[slot]) != -1;
      ++seen;
      b.send(ba, std::as_bytes(std::span(&notification, 1)));
    }
    b.notifications.clear();
    for (const Node::Receive& receive : a.receives) {
      std::uint32_t notification = 0;
      std::memcpy(&notification, receive.data.data(), sizeof notification);
      free_slots.push_back(notification % kSlots);
    }
    a.receives.clear();
    while (!free_slots.empty() && started < kRounds) {
      const std::size_t slot = free_slots.back();
      free_slots.pop_back();
      lengths[slot] = below(started % 64 ? 600 : kSlotBytes);
      round_of[slot] = started;
      fill_pattern(source.bytes().subspan(slot * kSlotBytes, lengths[slot]), started);
      const Piece piece = source.piece(slot * kSlotBytes, lengths[slot]);
      a.start(ab, notifying(put_of({&piece, 1}, target.remote(slot * kSlotBytes)),
                            static_cast<std::uint32_t>(started * kSlots + slot)));
      ++started;
    }
    return seen == kRounds && a.completed.size() == kRounds;
  };
  ASSERT_TRUE(wait_until(turn)) << seen << " of " << kRounds;
  EXPECT_EQ(early, 0U) << "notifications seen before their bytes";
}

TEST_P(DeviceSuite, SignalsWithoutBytesAndAtomicsWithNotification) {
  constexpr std::uint32_t kCount = 2000;
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  const Caps& caps = a.device.caps();
  if (!caps.has_put || caps.notify == NotifyMode::none) GTEST_SKIP();
  const EndpointId endpoint = a.connect(b);
  Buffer word(b.device, 64);
  word.word() = 0;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const bool atomic = caps.has_atomic && i % 2 == 1;
    Operation operation =
        atomic ? atomic_of(AtomicKind::fetch_add, {}, word.remote(), 1) : put_of({}, word.remote());
    a.post(endpoint, notifying(operation, ~i));  // all 32 bits, and no local completion
  }
  std::size_t atomics = 0;
  std::size_t looked = 0;
  bool late = false;
  ASSERT_TRUE(wait_until([&] {
    for (; looked < b.notifications.size(); ++looked) {
      atomics += caps.has_atomic && ~b.notifications[looked].second % 2 == 1;
      late |= word.word() < atomics;
    }
    return b.notifications.size() == kCount;
  }));
  std::set<std::uint32_t> distinct;
  for (const auto& notification : b.notifications) distinct.insert(~notification.second);
  EXPECT_EQ(distinct.size(), kCount);
  EXPECT_EQ(*distinct.rbegin(), kCount - 1);
  EXPECT_FALSE(late) << "a notification came before its atomic";
  EXPECT_TRUE(a.completed.empty()) << "kNoCompletion";
}

/// Everybody talks to everybody with everything; sums at the end say whether all came once.
TEST_P(DeviceSuite, Storm) {
  constexpr std::size_t kNodes = 5;
  constexpr std::size_t kOperations = 4000;
  make_nodes(kNodes);
  const Caps& caps = node(0).device.caps();
  std::vector<std::unique_ptr<Buffer>> counters;
  std::vector<std::array<EndpointId, kNodes>> endpoints(kNodes);
  for (std::size_t i = 0; i < kNodes; ++i) {
    counters.push_back(std::make_unique<Buffer>(node(i).device, 64));
    counters.back()->word() = 0;
    for (std::size_t j = 0; j < kNodes; ++j) {
      if (i != j) endpoints[i][j] = node(i).connect(node(j));
    }
  }
  std::size_t posted = 0, sends = 0, adds = 0, bytes = 0;
  const auto turn = [&] {
    for (int burst = 0; burst < 20 && posted < kOperations; ++burst, ++posted) {
      const std::size_t i = below(kNodes);
      const std::size_t j = (i + 1 + below(kNodes - 1)) % kNodes;
      if (caps.has_atomic && below(3) == 0) {
        node(i).start(endpoints[i][j],
                      atomic_of(AtomicKind::fetch_add, {}, counters[j]->remote(), j + 1));
        adds += j + 1;
        continue;
      }
      const Bytes data(below(caps.max_send + 1), static_cast<std::byte>(i));
      node(i).send(endpoints[i][j], data);
      bytes += data.size();
      ++sends;
    }
    std::size_t received = 0;
    std::size_t waiting = 0;
    for (const auto& node : nodes_) {
      received += node->receives.size();
      waiting += node->pending.size();
    }
    return posted == kOperations && waiting == 0 && received == sends;
  };
  ASSERT_TRUE(wait_until(turn));
  ASSERT_TRUE(wait_until([&] {
    std::size_t sum = 0;
    for (const auto& counter : counters) sum += counter->word();
    return sum == adds;
  }));
  std::size_t received_bytes = 0;
  for (const auto& node : nodes_) {
    for (const Node::Receive& receive : node->receives) {
      received_bytes += receive.data.size();
      const auto from = static_cast<std::byte>(node->device.peer(receive.endpoint));
      EXPECT_TRUE(std::ranges::all_of(receive.data, [&](std::byte b) { return b == from; }));
    }
  }
  EXPECT_EQ(received_bytes, bytes);
}

TEST_P(DeviceSuite, RegisterAndDeregisterAgainAndAgain) {
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  const Caps& caps = a.device.caps();
  if (!caps.has_get) GTEST_SKIP() << "the device has no get";
  const EndpointId endpoint = a.connect(b);
  for (std::uint64_t round = 0; round < 100; ++round) {
    Buffer local(a.device, 5000, below(64));
    Buffer remote(b.device, 5000, below(64));
    fill_pattern(remote.bytes(), round);
    const Piece piece = local.piece();
    const std::uint64_t cookie = a.start(endpoint, get_of({&piece, 1}, remote.remote()));
    ASSERT_TRUE(wait_until([&] { return a.done(cookie); }));
    ASSERT_EQ(find_mismatch(local.bytes(), round), -1);
  }
}

TEST_P(DeviceSuite, ArmedDevicesWake) {
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  const EndpointId endpoint = a.connect(b);
  a.send(endpoint, std::as_bytes(std::span("first")));
  ASSERT_TRUE(wait_until([&] { return !b.receives.empty(); }));
  b.device.arm();
  if (b.device.wait_fd() < 0) GTEST_SKIP() << "the device cannot wake a sleeper";
  b.device.disarm();
  for (std::size_t round = 0; round < 500; ++round) {
    b.receives.clear();
    b.device.arm();
    b.progress();  // the rule: once more after arm()
    ASSERT_TRUE(b.receives.empty());
    pollfd waiting{b.device.wait_fd(), POLLIN, 0};
    a.send(endpoint, std::as_bytes(std::span("wake")));
    for (int tries = 0; tries < 100000 && ::poll(&waiting, 1, 0) == 0; ++tries) {
      if (!a.progress()) world_->idle();
    }
    ASSERT_EQ(waiting.revents & POLLIN, POLLIN) << "lost wake-up in round " << round;
    b.device.disarm();
    ASSERT_TRUE(wait_until([&] { return !b.receives.empty(); }));
  }
}

TEST_P(DeviceSuite, FlushedInTheEnd) {
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  EXPECT_TRUE(a.device.flushed());
  const EndpointId endpoint = a.connect(b);
  for (int i = 0; i < 1000; ++i) a.send(endpoint, std::as_bytes(std::span("to be flushed")));
  ASSERT_TRUE(wait_until([&] { return a.pending.empty() && a.device.flushed(); }));
  ASSERT_TRUE(wait_until([&] { return b.receives.size() == 1000; }, &a))
      << "flushed, so it arrives without its sender";
}

TEST_P(DeviceSuite, DeadPeersFailTheirEndpoint) {
  make_nodes(3);
  Node& a = node(0);
  Node& b = node(1);
  Node& c = node(2);
  const EndpointId ab = a.connect(b);
  const EndpointId ac = a.connect(c);
  a.send(ab, std::as_bytes(std::span("hello")));
  ASSERT_TRUE(wait_until([&] { return b.receives.size() == 1; }));
  if (!world_->kill(b.name)) GTEST_SKIP() << "no death in this world";
  dead_ = &b;
  a.send(ab, std::as_bytes(std::span("anybody there?")));
  ASSERT_TRUE(wait_until([&] { return !a.failures.empty(); }));
  EXPECT_EQ(a.failures, std::vector<EndpointId>{ab});
  EXPECT_FALSE(a.device.explain(ab).empty());
  std::array<Operation, 100> sends;
  EXPECT_EQ(a.device.post(ab, sends), sends.size()) << "a failed endpoint accepts everything";
  if (a.device.caps().has_get) {
    Buffer local(a.device, 64);
    const Piece piece = local.piece();
    const std::uint64_t cookie = a.start(ab, get_of({&piece, 1}, RemoteAddress{}));
    ASSERT_TRUE(wait_until([&] { return a.done(cookie); }));
    EXPECT_NE(a.completed[cookie], MPI_SUCCESS);
  }
  a.send(ac, std::as_bytes(std::span("but we live")));
  ASSERT_TRUE(wait_until([&] { return c.receives.size() == 1; }));
  EXPECT_EQ(a.failures.size(), 1U) << "said once";
}

/// Two threads, each with its device: finds missing fences where memory is really shared.
TEST_P(DeviceSuite, TwoThreads) {
  if (!world_->has_threads()) GTEST_SKIP() << "one thread";
  static constexpr std::uint32_t kCount = 30000;
  make_nodes(2);
  std::atomic<int> satisfied = 0;
  const auto talk = [this, &satisfied](std::size_t me) {
    Node& self = node(me);
    const EndpointId endpoint = self.connect(node(1 - me));
    std::uint32_t sent = 0;
    std::size_t bad = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(3);
    while (sent < kCount || self.receives.size() < kCount || !self.pending.empty()) {
      if (sent < kCount && self.pending.size() < 16) {
        Bytes data(4 + sent % 300);
        fill_pattern(data, sent);
        std::memcpy(data.data(), &sent, sizeof sent);
        self.send(endpoint, data);
        ++sent;
      }
      if (!self.progress()) std::this_thread::yield();
      if (std::chrono::steady_clock::now() > end) break;
    }
    // What its device has accepted leaves it as long as somebody polls.
    for (++satisfied; satisfied != 2 && std::chrono::steady_clock::now() < end;) {
      if (!self.progress()) std::this_thread::yield();
    }
    for (std::uint32_t i = 0; i < self.receives.size(); ++i) {
      const Bytes& data = self.receives[i].data;
      std::uint32_t number = 0;
      std::memcpy(&number, data.data(), sizeof number);
      bad += number != i || data.size() != 4 + i % 300;
      for (std::size_t k = 4; k < data.size(); ++k) bad += data[k] != pattern(i, k);
    }
    EXPECT_EQ(self.receives.size(), kCount);
    EXPECT_EQ(bad, 0U);
  };
  std::thread other(talk, 1);
  talk(0);
  other.join();
}

}  // namespace remit::testing
