// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The parts of the tcp device, each by itself.
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <random>

#include "rdma_btl/tcp/endpoint.hpp"
#include "rdma_btl/tcp/handshakes.hpp"
#include "rdma_btl/tcp/read_scheduler.hpp"
#include "tests/unit/rdma_btl/device_world.hpp"

namespace remit::testing {
namespace {

/// Bytes for places of all lengths come in parts of all lengths, out of a buffer or read in place.
TEST(TcpPlacement, BytesFindTheirPlaces) {
  std::mt19937_64 random(test_seed());
  tcp::Placement placement;
  for (int round = 0; round < 1000; ++round) {
    Bytes memory(400, std::byte{0xee});
    placement.clear();
    std::size_t total = 0;
    std::size_t at = 0;
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (std::size_t n = random() % 5; n != 0; --n) {
      const std::size_t bytes = random() % 60;
      at += random() % 9;
      placement.add(memory.data() + at, bytes);
      places.emplace_back(at, bytes);
      at += bytes;
      total += bytes;
    }
    placement.begin();
    EXPECT_TRUE(placement.active());
    EXPECT_EQ(placement.left(), total + tcp::filling(total));
    Bytes data(placement.left());
    fill_pattern(data, static_cast<std::uint64_t>(round));
    std::size_t come = 0;
    while (placement.left() != 0) {
      const std::size_t part = std::min<std::size_t>(1 + random() % 40, data.size() - come);
      const std::span<const std::byte> bytes = std::span(data).subspan(come, part);
      if (random() % 2 == 0) {
        EXPECT_EQ(placement.fill(bytes), part);
      } else {
        std::size_t left = part;
        for (const iovec& place : placement.rest()) {
          const std::size_t here = std::min(left, place.iov_len);
          if (here != 0) std::memcpy(place.iov_base, bytes.data() + (part - left), here);
          left -= here;
        }
        placement.move_on(part);
      }
      come += part;
    }
    const Bytes more(3);
    EXPECT_EQ(placement.fill(more), 0U) << "those are of the next frame";
    Bytes expected(400, std::byte{0xee});
    std::size_t from = 0;
    for (const auto& [place, bytes] : places) {
      std::copy_n(data.begin() + static_cast<long>(from), bytes,
                  expected.begin() + static_cast<long>(place));
      from += bytes;
    }
    ASSERT_EQ(memory, expected) << "round " << round;
    placement.end();
  }
}

TEST(TcpRequests, AnswersComeInTheirOrder) {
  tcp::Requests requests;
  tcp::Placement placement;
  std::array<std::byte, 30> memory;
  const std::array<Piece, 2> pieces = {Piece{memory.data(), 10, 0},
                                       Piece{memory.data() + 15, 10, 0}};
  EXPECT_FALSE(requests.begin_answer(1, placement)) << "nobody has asked";
  requests.add_get(pieces, 20, 1);
  requests.add_get(std::span(pieces).first(1), 10, 2);
  EXPECT_FALSE(requests.begin_answer(21, placement)) << "that is more than was asked for";
  ASSERT_TRUE(requests.begin_answer(12, placement));
  ASSERT_EQ(placement.rest().size(), 3U) << "two pieces and the filling";
  EXPECT_EQ(placement.rest()[1].iov_base, memory.data() + 15);
  EXPECT_EQ(placement.rest()[1].iov_len, 2U);
  EXPECT_FALSE(requests.end_answer()) << "eight are missing";
  ASSERT_TRUE(requests.begin_answer(8, placement));
  EXPECT_EQ(placement.rest()[0].iov_base, memory.data() + 17);
  EXPECT_EQ(requests.end_answer(), 1U);
  EXPECT_EQ(requests.refuse(), 2U);
  EXPECT_EQ(requests.gets(), 0U);
  EXPECT_FALSE(requests.refuse());
}

TEST(TcpRequests, AConfirmAsksOnlyIfSomethingWasPut) {
  tcp::Requests requests;
  EXPECT_FALSE(requests.must_ask());
  requests.note_put();
  EXPECT_TRUE(requests.must_ask());
  requests.add_confirm(7);
  EXPECT_TRUE(requests.must_ask()) << "the put is not known to be there";
  requests.add_confirm(8);
  EXPECT_EQ(requests.confirmed(), 7U);
  EXPECT_TRUE(requests.must_ask());
  EXPECT_EQ(requests.confirmed(), 8U);
  EXPECT_FALSE(requests.must_ask());
  EXPECT_FALSE(requests.confirmed());
  requests.note_put();
  requests.add_confirm(9);
  OwnCompletions own;
  requests.fail(own, 3);
  std::array<Completion, 2> out;
  ASSERT_EQ(own.take(out), 1U);
  EXPECT_EQ(out[0].cookie, 9U);
  EXPECT_EQ(out[0].endpoint, 3U);
  EXPECT_NE(out[0].status, MPI_SUCCESS);
}

/// Two ends of a stream with little room.
struct Stream {
  Stream() {
    std::array<int, 2> ends = {-1, -1};
    const int type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
    EXPECT_EQ(::socketpair(AF_UNIX, type, 0, ends.data()), 0);
    in.reset(ends[0]);
    out.reset(ends[1]);
    const int room = 5000;
    EXPECT_EQ(::setsockopt(out.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room), 0);
  }
  shm::Fd in, out;
};

/// Frames that wait and long data go over a socket that is full again and again; frames leave
/// before the next segment, transfers in their order.
TEST(TcpOutgoing, EverythingLeavesWhole) {
  tcp::LocalProcess self;
  self.config.segment_bytes = 3000;
  self.config.most_waiting = 4000;
  OwnCompletions own;
  tcp::Outgoing outgoing(self, own, 5);
  tcp::BufferPool pool;
  tcp::Incoming incoming(pool);
  tcp::Placement placement;
  const Stream stream;
  Bytes source(20000), target(20000);
  fill_pattern(source, 4);
  tcp::Transfer& put = outgoing.add(tcp::FrameKind::put);
  put.pieces = {Piece{source.data(), 7001, 0}, Piece{source.data() + 7001, 12999, 0}};
  put.bytes = source.size();
  put.cookie = 77;
  put.notify = true;
  (void)outgoing.add(tcp::FrameKind::confirm);
  EXPECT_EQ(outgoing.requests(), 2U);
  EXPECT_FALSE(outgoing.write(stream.out.get()));
  EXPECT_TRUE(outgoing.has_moved());
  EXPECT_FALSE(outgoing.has_moved());
  const Bytes message(1001, std::byte{9});
  const Piece piece{const_cast<std::byte*>(message.data()), message.size(), 0};
  std::size_t waiting = 0;
  for (auto sent = tcp::Outgoing::Sent::waits; sent != tcp::Outgoing::Sent::refused; ++waiting) {
    sent = outgoing.send_frame(stream.out.get(), tcp::FrameKind::message, {&piece, 1});
  }
  EXPECT_EQ(--waiting, 3U) << "as many as config allows";
  std::size_t messages = 0;
  std::size_t placed = 0;
  bool confirmed = false;
  for (int i = 0; i < 1000 && !confirmed; ++i) {
    (void)outgoing.write(stream.out.get());
    const tcp::Incoming::Read got = incoming.read(stream.in.get(), placement, false);
    ASSERT_EQ(got.error, 0);
    for (;;) {
      if (placement.active()) {
        incoming.fill(placement);
        if (placement.left() != 0) break;
        placement.end();
      }
      const std::optional<tcp::Frame> frame = incoming.next_frame();
      if (!frame) break;
      const auto rest = incoming.take_frame(*frame);
      if (!rest) break;
      if (frame->kind == tcp::FrameKind::message) {
        EXPECT_EQ(std::memcmp(rest->data(), message.data(), message.size()), 0);
        EXPECT_LT(placed, source.size()) << "it was to overtake the put";
        ++messages;
      } else if (frame->kind == tcp::FrameKind::put) {
        tcp::PutHead head;
        std::memcpy(&head, rest->data(), sizeof head);
        EXPECT_EQ(head.address, placed);
        EXPECT_EQ(head.notify, placed + frame->length == source.size() ? 1U : 0U);
        placement.clear();
        placement.add(target.data() + placed, frame->length);
        placement.begin();
        placed += frame->length;
      } else {
        EXPECT_EQ(frame->kind, tcp::FrameKind::confirm);
        confirmed = true;
      }
    }
    incoming.settle(self.config.message_bytes);
  }
  EXPECT_TRUE(confirmed);
  EXPECT_EQ(messages, waiting);
  EXPECT_EQ(target, source);
  EXPECT_TRUE(outgoing.written());
  std::array<Completion, 4> out;
  ASSERT_EQ(own.take(out), 1U);
  EXPECT_EQ(out[0].cookie, 77U);
}

TEST(TcpOutgoing, WhoCannotBeWrittenToIsCut) {
  tcp::LocalProcess self;
  OwnCompletions own;
  tcp::Outgoing outgoing(self, own, 0);
  Stream stream;
  stream.in.reset();
  const Bytes bytes(64);
  EXPECT_TRUE(outgoing.send(stream.out.get(), bytes));
  EXPECT_TRUE(outgoing.cut());
  outgoing.add(tcp::FrameKind::put).cookie = 3;
  EXPECT_TRUE(outgoing.write(stream.out.get()));
  EXPECT_TRUE(own.empty()) << "its reader tells why";
  outgoing.fail();
  EXPECT_FALSE(own.empty());
  EXPECT_TRUE(outgoing.written());
}

/// What is lent stays where it is, whatever comes meanwhile.
TEST(TcpIncoming, LentBytesStay) {
  tcp::BufferPool pool;
  tcp::Incoming incoming(pool);
  tcp::Placement placement;
  const Stream stream;
  const auto say = [&](std::byte what) {
    tcp::Frame frame;
    frame.length = 40;
    std::array<std::byte, sizeof frame + 40> all;
    all.fill(what);
    std::memcpy(all.data(), &frame, sizeof frame);
    ASSERT_EQ(::send(stream.out.get(), all.data(), all.size(), 0),
              static_cast<ssize_t>(all.size()));
  };
  const auto hear = [&] {
    EXPECT_TRUE(incoming.read(stream.in.get(), placement, false).some);
    const std::optional<tcp::Frame> frame = incoming.next_frame();
    return frame ? incoming.take_frame(*frame) : std::nullopt;
  };
  say(std::byte{1});
  const auto first = hear();
  ASSERT_TRUE(first.has_value());
  EXPECT_TRUE(incoming.lend());
  incoming.settle(1000);
  say(std::byte{2});
  const auto second = hear();
  ASSERT_TRUE(second.has_value());
  EXPECT_FALSE(incoming.lend()) << "it is lent already";
  incoming.settle(1000);
  EXPECT_EQ((*first)[39], std::byte{1});
  EXPECT_EQ((*second)[0], std::byte{2});
  EXPECT_FALSE(incoming.read(stream.in.get(), placement, false).some);
  incoming.give_back();
  incoming.settle(1000);
  const tcp::BufferPool::Buffer again = pool.take();
  EXPECT_GE(first->data(), again.get()) << "the buffer is free for others";
  EXPECT_LT(first->data(), again.get() + tcp::BufferPool::kBytes);
}

TEST(TcpReadScheduler, RestsAfterPollsInVain) {
  tcp::ReadScheduler scheduler;
  EXPECT_FALSE(scheduler.rests(1000));
  scheduler.polled(0, 1000);
  EXPECT_TRUE(scheduler.rests(1500));
  EXPECT_FALSE(scheduler.rests(1700));
  scheduler.polled(20, 0);
  scheduler.polled(0, 2000);
  EXPECT_TRUE(scheduler.rests(10000)) << "a stream that nobody answers";
  scheduler.sent();
  scheduler.polled(0, 20000);
  EXPECT_FALSE(scheduler.rests(21000)) << "an answer is awaited";
}

TEST(TcpReadScheduler, LooksAtAllMoreSeldomInVain) {
  tcp::ReadScheduler scheduler;
  const auto polls_until_due = [&] {
    unsigned polls = 0;
    while (!scheduler.look_due(false)) ++polls;
    return polls;
  };
  EXPECT_EQ(polls_until_due(), 0U);
  scheduler.looked(true);
  const unsigned first = polls_until_due();
  scheduler.looked(false);
  EXPECT_EQ(polls_until_due(), 2 * first);
  for (int i = 0; i < 20; ++i) scheduler.looked(false);
  EXPECT_LE(polls_until_due(), 64U);
  scheduler.looked(false);
  EXPECT_TRUE(scheduler.look_due(true)) << "something is awaited";
  scheduler.look_at_once();
  EXPECT_EQ(polls_until_due(), 0U);
}

TEST(TcpReadScheduler, ManyHotOnesCool) {
  tcp::LocalProcess self;
  OwnCompletions own;
  tcp::BufferPool pool;
  std::vector<std::unique_ptr<tcp::Endpoint>> endpoints;
  tcp::ReadScheduler scheduler;
  for (EndpointId id = 0; id < 20; ++id) {
    endpoints.push_back(std::make_unique<tcp::Endpoint>(self, own, pool, id, id));
    endpoints.back()->state = tcp::State::open;
    scheduler.warm(*endpoints.back());
    scheduler.warm(*endpoints.back());
  }
  EXPECT_FALSE(scheduler.few());
  for (int i = 0; i < 1000; ++i) {
    scheduler.warm(*endpoints[3]);
    scheduler.cool();
  }
  EXPECT_TRUE(scheduler.few());
  EXPECT_TRUE(endpoints[3]->hot);
  scheduler.warm(*endpoints[4]);
  const tcp::Endpoint* const before = scheduler.take_turns().front();
  EXPECT_NE(scheduler.take_turns().front(), before) << "each has its turn";
}

TEST(TcpEpollSet, WakesUntilItIsCalm) {
  tcp::EpollSet set;
  ASSERT_TRUE(set.open().has_value());
  std::array<epoll_event, 2> events;
  EXPECT_EQ(set.wait(events, 0), 0U);
  set.wake();
  ASSERT_EQ(set.wait(events, 0), 1U);
  EXPECT_EQ(std::uint64_t{events[0].data.u64},
            tcp::EpollSet::kNoToken);  // a copy: it is not aligned
  set.calm();
  EXPECT_EQ(set.wait(events, 0), 0U);
  const Stream stream;
  set.watch(stream.in.get(), 5, false);
  EXPECT_EQ(set.wait(events, 0), 0U);
  set.watch(stream.in.get(), 6, true);
  ASSERT_EQ(set.wait(events, 0), 1U) << "there is room";
  EXPECT_EQ(std::uint64_t{events[0].data.u64}, 6U);  // a copy: it is not aligned
  set.unwatch(stream.in.get());
  EXPECT_EQ(set.wait(events, 0), 0U);
}

}  // namespace
}  // namespace remit::testing
