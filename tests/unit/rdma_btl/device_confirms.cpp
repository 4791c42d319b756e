// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The device suite: confirms, and the order that some devices keep. It is compiled with
// device_suite.cpp.
#include <array>
#include <cstring>
#include <map>
#include <vector>

#include "tests/unit/rdma_btl/device_world.hpp"

namespace remit::testing {

TEST_P(DeviceSuite, AConfirmOfNothing) {
  make_nodes(2);
  Node& a = node(0);
  const EndpointId endpoint = a.connect(node(1));
  std::vector<std::uint64_t> cookies;
  for (int i = 0; i < 100; ++i) cookies.push_back(a.start(endpoint, confirm_of_all()));
  ASSERT_TRUE(wait_until([&] { return a.completed.size() == cookies.size(); }));
  for (const std::uint64_t cookie : cookies) EXPECT_EQ(a.completed.at(cookie), MPI_SUCCESS);
}

/// Puts and atomics that have no completions of their own, of all lengths and in all numbers; what
/// is posted behind the confirm is not waited for, and does not spoil it.
TEST_P(DeviceSuite, WhatIsConfirmedIsVisible) {
  constexpr std::size_t kSpace = 60000;
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  const Caps& caps = a.device.caps();
  if (!caps.has_put) GTEST_SKIP() << "the device has no puts";
  const EndpointId endpoint = a.connect(b);
  a.send(endpoint, std::as_bytes(std::span("hello")));
  ASSERT_TRUE(wait_until([&] { return !b.receives.empty(); }));
  Buffer local(a.device, kSpace);
  Buffer remote(b.device, kSpace);
  Buffer word(b.device, 64);
  std::uint64_t adds = 0;
  for (std::uint64_t round = 0; round < 60; ++round) {
    fill_pattern(local.bytes(), round);
    fill_pattern(remote.bytes(), round + 1);
    std::size_t used = 0;
    for (std::size_t n = below(30); n != 0; --n) {
      const std::size_t most = std::min(below(4) ? 700 : kSpace, kSpace - used);
      const Piece piece = local.piece(used, below(most + 1));
      a.post(endpoint, put_of({&piece, 1}, remote.remote(used)));
      used += piece.length;
      if (!caps.has_atomic || below(2) != 0) continue;
      a.post(endpoint, atomic_of(AtomicKind::fetch_add, {}, word.remote(), 3));
      adds += 3;
    }
    const std::uint64_t confirmed = a.start(endpoint, confirm_of_all());
    const Piece rest = local.piece(used, kSpace - used);
    const std::uint64_t behind = a.start(endpoint, put_of({&rest, 1}, remote.remote(used)));
    const Node* const asleep = world_->is_passive() ? &b : nullptr;
    ASSERT_TRUE(wait_until([&] { return a.done(confirmed); }, asleep)) << "round " << round;
    ASSERT_EQ(a.completed[confirmed], MPI_SUCCESS);
    ASSERT_EQ(find_mismatch(remote.bytes().first(used), round), -1) << "round " << round;
    ASSERT_EQ(word.word(), adds);
    ASSERT_TRUE(wait_until([&] { return a.done(behind); }, asleep));
    const std::uint64_t all = a.start(endpoint, confirm_of_all());
    ASSERT_TRUE(wait_until([&] { return a.done(all); }, asleep));
    ASSERT_EQ(find_mismatch(remote.bytes(), round), -1) << "round " << round;
  }
}

/// Many are under way at a time; whenever one completes, all before it are visible.
TEST_P(DeviceSuite, EachConfirmIsOfAllBeforeIt) {
  constexpr std::size_t kCount = 1000;
  make_nodes(3);
  Node& a = node(0);
  if (!a.device.caps().has_put) GTEST_SKIP() << "the device has no puts";
  std::array<EndpointId, 2> endpoints;
  std::vector<std::unique_ptr<Buffer>> targets;
  for (std::size_t i = 0; i < 2; ++i) {
    endpoints[i] = a.connect(node(i + 1));
    targets.push_back(std::make_unique<Buffer>(node(i + 1).device, kCount * 8));
  }
  Buffer source(a.device, kCount * 8);
  for (std::size_t i = 0; i < kCount; ++i) source.word(i) = i + 1;
  std::map<std::uint64_t, std::pair<std::size_t, std::size_t>> confirms;  // target, words
  std::array<std::size_t, 2> put = {};
  std::size_t early = 0;
  std::size_t looked = 0;
  ASSERT_TRUE(wait_until([&] {
    for (std::size_t n = below(8); n != 0 && a.pending.size() < 50; --n) {
      const std::size_t to = below(2);
      if (put[to] == kCount) continue;
      const Piece piece = source.piece(put[to] * 8, 8);
      a.post(endpoints[to], put_of({&piece, 1}, targets[to]->remote(put[to] * 8)));
      ++put[to];
      if (below(3) != 0 && put[to] != kCount) continue;
      confirms[a.start(endpoints[to], confirm_of_all())] = {to, put[to]};
    }
    for (auto& [cookie, confirm] : confirms) {
      if (!a.done(cookie) || confirm.second == 0) continue;
      EXPECT_EQ(a.completed[cookie], MPI_SUCCESS);
      for (std::size_t i = 0; i < confirm.second; ++i) {
        early += targets[confirm.first]->word(i) != i + 1;
      }
      confirm.second = 0;
      ++looked;
    }
    return put[0] == kCount && put[1] == kCount && looked == confirms.size();
  }));
  EXPECT_EQ(early, 0U) << "confirmed, and not there";
}

/// Those under way when the peer dies, and those behind its death.
TEST_P(DeviceSuite, ConfirmsOfADeadPeerComplete) {
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  const EndpointId endpoint = a.connect(b);
  a.send(endpoint, std::as_bytes(std::span("hello")));
  ASSERT_TRUE(wait_until([&] { return b.receives.size() == 1; }));
  Buffer local(a.device, 100000);
  Buffer remote(b.device, 100000);
  if (!world_->kill(b.name)) GTEST_SKIP() << "no death in this world";
  dead_ = &b;
  std::vector<std::uint64_t> under_way;
  for (int i = 0; i < 10; ++i) {
    const Piece piece = local.piece();
    if (a.device.caps().has_put) a.post(endpoint, put_of({&piece, 1}, remote.remote()));
    under_way.push_back(a.start(endpoint, confirm_of_all()));
  }
  a.send(endpoint, std::as_bytes(std::span("anybody there?")));
  ASSERT_TRUE(wait_until([&] { return !a.failures.empty(); }));
  ASSERT_TRUE(wait_until([&] { return a.completed.size() == under_way.size(); }));
  const std::uint64_t behind = a.start(endpoint, confirm_of_all());
  ASSERT_TRUE(wait_until([&] { return a.done(behind); }));
  EXPECT_NE(a.completed[behind], MPI_SUCCESS);
}

/// Where a device keeps order, what is sent behind a notifying put comes behind the notification,
/// and what was sent before it before that; puts take effect in their order.
TEST_P(DeviceSuite, NotificationsAndSendsKeepTheirOrder) {
  constexpr std::uint32_t kCount = 3000;
  constexpr std::size_t kSpace = 3000;
  make_nodes(2);
  Node& a = node(0);
  Node& b = node(1);
  const Caps& caps = a.device.caps();
  if (!caps.in_order || caps.notify == NotifyMode::none) GTEST_SKIP() << "it promises no order";
  const EndpointId endpoint = a.connect(b);
  Buffer local(a.device, kSpace);
  Buffer remote(b.device, kSpace);
  std::uint32_t notified = 0;
  std::size_t sent = 0;
  std::vector<std::uint64_t> puts;
  while (notified + sent < kCount) {
    if (below(2) == 0) {
      a.send(endpoint, std::as_bytes(std::span(&notified, 1)));
      ++sent;
    } else {
      const Piece piece = local.piece(0, below(below(8) ? 64 : kSpace));
      puts.push_back(a.start(endpoint, notifying(put_of({&piece, 1}, remote.remote()), notified)));
      ++notified;
    }
    if (below(16) == 0) {
      ASSERT_TRUE(wait_until([&] { return puts.empty() || a.done(puts.back()); }));
    }
  }
  ASSERT_TRUE(
      wait_until([&] { return b.receives.size() == sent && b.notifications.size() == notified; }));
  for (std::uint32_t i = 0; i < notified; ++i) ASSERT_EQ(b.notifications[i].second, i);
  for (const Node::Receive& receive : b.receives) {
    std::uint32_t before = 0;
    std::memcpy(&before, receive.data.data(), sizeof before);
    ASSERT_EQ(receive.notifications, before);
  }
}

}  // namespace remit::testing
