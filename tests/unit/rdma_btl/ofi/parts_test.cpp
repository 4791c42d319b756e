// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Parts of the ofi device alone: the lines between two processes, what libfabric has to do.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "rdma_btl/ofi/lines.hpp"
#include "rdma_btl/ofi/request_pool.hpp"

namespace remit::ofi {
namespace {

template <class Condition>
bool in_time(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ::sched_yield();
  }
  return true;
}

// --- lines -------------------------------------------------------------------------------------

/// A process that has lines to one peer and to itself.
struct Side {
  explicit Side(PeerName name) : queue(::eventfd(0, EFD_NONBLOCK)) {
    sockaddr_storage address = {};
    reinterpret_cast<sockaddr_in&>(address) = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {}};
    EXPECT_TRUE(lines.open({.magic = kMagic, .version = kVersion, .job = 1, .name = name}, address,
                           queue.get()));
    peer.id = 0;
    peer.peer = name + 1;
    itself.id = 1;
    itself.peer = name;
  }

  void poll() { EXPECT_EQ(lines.poll(*this), ""); }
  void on_guest(Guest guest) { guests.push_back(std::move(guest)); }
  void on_line(EndpointId id, std::uint32_t events) {
    EXPECT_EQ(id, peer.id);
    if ((events & EPOLLOUT) != 0) writable = true;
    if (!writable) return;
    ended = peer.line.receive() != 0;
    LineMessage message;
    while (peer.line.take(std::as_writable_bytes(std::span(&message, 1)))) heard.push_back(message);
  }
  void on_message(EndpointId id, const LineMessage& message) {
    EXPECT_EQ(id, itself.id);
    heard.push_back(message);
  }
  [[nodiscard]] bool wakes() const {
    pollfd watched = {lines.fd(), POLLIN, 0};
    return ::poll(&watched, 1, 0) == 1;
  }

  shm::Fd queue;  ///< stands for that of the completion queue
  Lines lines;
  Endpoint peer;
  Endpoint itself;
  std::vector<Guest> guests;
  std::vector<LineMessage> heard;
  bool writable = false;
  bool ended = false;
};

TEST(OfiLines, AGuestSaysWhoItIsAndIsSpokenTo) {
  Side a(1);
  Side b(2);
  a.peer.address = b.lines.addresses().listener();
  ASSERT_TRUE(a.lines.connect(a.peer));
  ASSERT_TRUE(in_time([&] { return a.poll(), a.writable; }));
  ASSERT_EQ(a.peer.line.error(), 0);
  Hello hello;
  hello.from = 1;
  a.lines.say(a.peer, hello);
  a.lines.say(a.peer, LineKind::credits, 7);
  ASSERT_TRUE(in_time([&] { return b.poll(), !b.guests.empty(); }));
  EXPECT_EQ(b.guests[0].hello.from, 1U);
  b.writable = true;
  b.lines.adopt(b.peer, std::move(b.guests[0].line));
  b.on_line(0, EPOLLIN);  // what came behind the hello
  ASSERT_TRUE(in_time([&] { return b.poll(), !b.heard.empty(); }));
  EXPECT_EQ(b.heard[0].kind, LineKind::credits);
  EXPECT_EQ(b.heard[0].count, 7U);

  // More than the sockets hold: the rest follows when there is room.
  std::size_t said = 0;
  while (b.peer.line.flushed()) b.lines.say(b.peer, LineKind::credits, said++);
  for (std::size_t end = said + 1000; said != end;) b.lines.say(b.peer, LineKind::credits, said++);
  ASSERT_TRUE(in_time([&] {
    a.poll();
    b.lines.flush(b.peer);
    return a.heard.size() == said;
  }));
  EXPECT_TRUE(b.peer.line.flushed());
  for (std::size_t i = 0; i < said; ++i) ASSERT_EQ(a.heard[i].count, i);

  b.peer.line = {};
  ASSERT_TRUE(in_time([&] { return a.poll(), a.ended; }));
}

TEST(OfiLines, AProcessHearsWhatItSaysToItself) {
  Side a(1);
  for (int i = 0; i < 300; ++i) (void)a.lines.due(false, false);
  while (a.lines.due(false, false)) continue;
  a.lines.say(a.itself, LineKind::recall, 3);
  EXPECT_TRUE(a.lines.due(false, false)) << "at once";
  a.lines.arm(false);
  EXPECT_TRUE(a.wakes()) << "something is there already";
  a.lines.disarm();
  EXPECT_FALSE(a.wakes());
  a.poll();
  ASSERT_EQ(a.heard.size(), 1U);
  EXPECT_EQ(a.heard[0].kind, LineKind::recall);
  a.lines.arm(false);
  EXPECT_FALSE(a.wakes());
  a.lines.say(a.itself, LineKind::recall, 3);
  EXPECT_TRUE(a.wakes()) << "what is said between the last poll and a sleep";
  a.lines.disarm();
  a.poll();
  a.lines.arm(false);
  EXPECT_FALSE(a.wakes());
  (void)::eventfd_write(a.queue.get(), 1);
  EXPECT_TRUE(a.wakes()) << "the completion queue has something";
}

TEST(OfiLines, TheyArePolledNowAndThenAndSoonWhenSomethingIsExpected) {
  Side a(1);
  EXPECT_TRUE(a.lines.due(false, false));
  int busy = 1;
  while (!a.lines.due(false, false)) ++busy;
  int idle = 1;
  while (!a.lines.due(true, false)) ++idle;
  EXPECT_LT(idle, busy);
  EXPECT_TRUE(a.lines.due(true, true));
  EXPECT_FALSE(a.lines.due(false, true)) << "while messages come they are not in the way";
}

// --- requests ----------------------------------------------------------------------------------

class OfiRequests : public ::testing::Test {
 protected:
  void SetUp() override {
    const Expected<Api> api = load_api();
    ASSERT_TRUE(api) << api.error().message;
    OfiConfig config;
    config.interface = "lo";
    Expected<Plan> plan = make_plan(*api, config);
    ASSERT_TRUE(plan) << plan.error().message;
    fabric_ = std::make_unique<Fabric>(*api, nullptr);
    const Expected<> opened = fabric_->open(*plan, 64, true);
    ASSERT_TRUE(opened) << opened.error().message;
    pool_ = std::make_unique<RequestPool>(*fabric_);
    pool_->set_message_bytes(100);
    ASSERT_TRUE(pool_->add_receives(4));
    ASSERT_TRUE(pool_->add_sends(2));
    pool_->add_transfers(1);
    const Expected<fi_addr_t> itself = fabric_->add_peer(fabric_->address().data());
    ASSERT_TRUE(itself) << itself.error().message;
    itself_ = *itself;
  }
  void TearDown() override {
    if (fabric_) fabric_->close();
  }

  /// Sends a message to this process itself.
  void send(std::size_t bytes) {
    Request& request = *pool_->free_send();
    std::memset(request.buffer, 'x', bytes);
    request.endpoint = 3;
    request.bytes = bytes;
    request.forgotten = false;
    // While libfabric makes a connection it has to be called.
    ASSERT_TRUE(in_time([&] {
      return ::fi_send(fabric_->endpoint(), request.buffer, bytes, request.key, itself_,
                       &request.context) == 0 ||
             (read(), false);
    }));
    pool_->start(request);
  }
  void read() {
    fi_cq_data_entry entry = {};
    while (::fi_cq_read(fabric_->queue(), &entry, 1) == 1) {
      auto& request = *static_cast<Request*>(entry.op_context);
      if (request.kind == Request::Kind::receive) {
        received_.push_back(entry.len);
        request.endpoint = 3;
        pool_->used(request);
      } else {
        ++sent_;
        pool_->finish(request);
      }
    }
  }

  std::unique_ptr<Fabric> fabric_;
  std::unique_ptr<RequestPool> pool_;
  fi_addr_t itself_ = FI_ADDR_UNSPEC;
  std::vector<std::size_t> received_;
  std::size_t sent_ = 0;
};

TEST_F(OfiRequests, SendsComeBackAndReceivesArePostedAgain) {
  std::size_t reposted = 0;
  for (std::size_t bytes = 1; bytes <= 20; ++bytes) {
    send(bytes);
    EXPECT_EQ(pool_->under_way(), 1U);
    ASSERT_TRUE(in_time([&] { return read(), received_.size() == bytes && sent_ == bytes; }));
    EXPECT_EQ(received_.back(), bytes);
    EXPECT_EQ(pool_->under_way(), 0U);
    // Four receives are there: twenty messages arrive only if they are given back.
    pool_->repost([&](const Request& receive) {
      EXPECT_EQ(receive.endpoint, 3U);
      ++reposted;
    });
  }
  EXPECT_EQ(reposted, 20U);
}

TEST_F(OfiRequests, WhatIsForgottenIsNotWaitedFor) {
  send(10);
  send(11);
  EXPECT_EQ(pool_->free_send(), nullptr) << "there are two";
  EXPECT_NE(pool_->free_transfer(), nullptr);
  pool_->forget(4, [](const Request& /*request*/) { FAIL() << "of another endpoint"; });
  std::size_t forgotten = 0;
  pool_->forget(3, [&](const Request& /*request*/) { ++forgotten; });
  pool_->forget(3, [&](const Request& /*request*/) { ++forgotten; });
  EXPECT_EQ(forgotten, 2U) << "once each";
  EXPECT_EQ(pool_->under_way(), 0U);
  ASSERT_TRUE(in_time([&] { return read(), sent_ == 2; }));
  EXPECT_EQ(pool_->under_way(), 0U) << "it is not counted twice";
  EXPECT_NE(pool_->free_send(), nullptr);
}

}  // namespace
}  // namespace remit::ofi
