// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Bounded receive memory, many ranks, probes, cancel, messages to oneself, and death of peers.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "pt2pt/engine_report.hpp"
#include "tests/unit/pt2pt/world.hpp"

namespace remit::testing {
namespace {

struct Send {
  Request request{RequestKind::send};
  std::vector<std::byte> data;
};

TEST(Flow, OneSenderSmallPool) {
  World w(2, quiet(test_seed()), {{"eager_pool", "20000"}});
  std::deque<Send> sends;
  for (int i = 0; i < 500; ++i) {
    Send& s = sends.emplace_back();
    s.data.assign(100, static_cast<std::byte>(i));
    w.engine(0).isend(s.request, view(s.data.data(), 100), 1, i, w.comm(0));
  }
  w.settle();
  EXPECT_FALSE(sends.back().request.complete);
  std::size_t completed = 0;
  for (const Send& s : sends) completed += s.request.complete;
  EXPECT_GT(completed, 5U);
  EXPECT_LE(completed * (sizeof(Unexpected) + 128), 20000U);
  std::vector<std::byte> in(100);
  for (int i = 499; i >= 0; --i) {
    Request receive(RequestKind::receive);
    w.engine(1).irecv(receive, view(in.data(), 100), 0, i, w.comm(1));
    ASSERT_TRUE(w.run([&] { return receive.complete; }));
    ASSERT_EQ(in[99], static_cast<std::byte>(i));
  }
  w.settle();
  EXPECT_TRUE(
      std::all_of(sends.begin(), sends.end(), [](const Send& s) { return s.request.complete; }));
  EXPECT_EQ(w.engine(1).receiver().unexpected().bytes(), 0U);
}

/// What found no credit and fits its announcement is taken without asking for it, cut off or not;
/// its send ends then, and not before.
TEST(Flow, ShortMessagesTravelInTheirAnnouncements) {
  for (const bool synchronous : {false, true}) {
    World w(2, quiet(test_seed()), {{"eager_pool", "20000"}});
    constexpr std::size_t kMost = 24;
    std::deque<Send> sends;
    for (std::size_t i = 0; i < 500; ++i) {
      Send& s = sends.emplace_back();
      s.data.assign(i % kMost, static_cast<std::byte>(i));
      w.engine(0).isend(s.request, view(s.data.data(), s.data.size()), 1, static_cast<int>(i),
                        w.comm(0), synchronous ? SendMode::synchronous : SendMode::standard);
    }
    w.settle();
    EXPECT_FALSE(sends.back().request.complete);
    EXPECT_GT(w.engine(0).counters().starved, 100U);
    for (std::size_t i = 500; i-- != 0;) {
      std::vector<std::byte> in(kMost, std::byte{0xEE});
      const std::size_t room = i % 7 == 0 ? 3 : kMost;
      const std::size_t sent = i % kMost;
      Request receive(RequestKind::receive);
      w.engine(1).irecv(receive, view(in.data(), room), 0, static_cast<int>(i), w.comm(1));
      if (sent <= kRtsData) {
        ASSERT_TRUE(receive.complete) << i;
      }
      ASSERT_TRUE(w.run([&] { return receive.complete; }));
      const std::size_t got = std::min(sent, room);
      ASSERT_EQ(static_cast<std::size_t>(receive.status.bytes), got);
      ASSERT_EQ(receive.status.error, sent > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
      for (std::size_t j = 0; j < kMost; ++j) {
        ASSERT_EQ(in[j], j < got ? static_cast<std::byte>(i) : std::byte{0xEE});
      }
    }
    w.settle();
    for (const Send& s : sends) EXPECT_TRUE(s.request.complete);
    EXPECT_EQ(w.engine(1).receiver().unexpected().bytes(), 0U);
    EXPECT_EQ(w.engine(0).rendezvous().transfers().live(), 0U);
  }
}

/// A synchronous send that left eagerly can be taken back while nobody has received it.
TEST(Flow, SynchronousEagerSendsAreCancelled) {
  World w(2, quiet(test_seed()));
  std::uint64_t value = 7, got = 0;
  Request first(RequestKind::send), second(RequestKind::send);
  w.engine(0).isend(first, view(&value, 8), 1, 5, w.comm(0), SendMode::synchronous);
  w.engine(0).isend(second, view(&value, 8), 1, 5, w.comm(0), SendMode::synchronous);
  w.settle();
  ASSERT_FALSE(first.complete);
  w.engine(0).cancel(first);
  ASSERT_TRUE(w.run([&] { return first.complete; }));
  EXPECT_TRUE(first.status.cancelled);
  Request receive(RequestKind::receive);
  w.engine(1).irecv(receive, view(&got, 8), 0, 5, w.comm(1));
  w.engine(0).cancel(second);  // too late
  ASSERT_TRUE(w.run([&] { return receive.complete && second.complete; }));
  EXPECT_FALSE(second.status.cancelled);
  EXPECT_EQ(got, 7U);
  w.settle();
  EXPECT_EQ(w.engine(1).receiver().unexpected().bytes(), 0U);
  EXPECT_EQ(w.engine(0).rendezvous().transfers().live(), 0U);
}

/// Many senders to one receiver, exact receives in another order.
void incast(int size, const char* pool, bool hostile) {
  const std::uint64_t seed = test_seed();
  World w(size, hostile ? sim_hostile(seed) : quiet(seed), {{"eager_pool", pool}});
  constexpr int kEach = 20;
  std::deque<Send> sends;
  for (int i = 0; i < kEach; ++i) {
    for (int rank = 1; rank < size; ++rank) {
      Send& s = sends.emplace_back();
      s.data.assign(i % 3 == 0 ? 3000 : 24, static_cast<std::byte>(rank + i));
      w.engine(rank).isend(s.request, view(s.data.data(), s.data.size()), 0, i, w.comm(rank));
    }
    w.poll_all();
  }
  w.settle();
  std::size_t waiting = 0;
  for (const Send& s : sends) waiting += !s.request.complete;
  const std::size_t bound = std::stoul(pool) + waiting * sizeof(Unexpected);
  EXPECT_LE(w.engine(0).receiver().unexpected().bytes(), bound);
  std::vector<std::byte> in(3000);
  for (int rank = size - 1; rank > 0; --rank) {
    for (int i = 0; i < kEach; ++i) {
      Request receive(RequestKind::receive);
      w.engine(0).irecv(receive, view(in.data(), in.size()), rank, i % 2 ? i : MPI_ANY_TAG,
                        w.comm(0));
      ASSERT_TRUE(w.run([&] { return receive.complete; }));
      ASSERT_EQ(receive.status.tag, i);
      ASSERT_EQ(in[0], static_cast<std::byte>(rank + i));
    }
  }
  w.settle();
  for (const Send& s : sends) EXPECT_TRUE(s.request.complete);
  EXPECT_EQ(w.engine(0).receiver().unexpected().bytes(), 0U);
  EXPECT_EQ(w.engine(0).counters().malformed, 0U);
}

TEST(Flow, Incast) {
  incast(40, "1000000", false);
}
TEST(Flow, IncastTinyPool) {
  incast(40, "10000", true);
}
TEST(Flow, IncastNoPool) {
  incast(10, "0", true);
}
TEST(Flow, IncastOf300) {
  incast(300, "100000", false);
}

TEST(Flow, IdlePeersGiveTheirLeasesBack) {
  const int size = 20;
  World w(size, quiet(test_seed()), {{"eager_pool", "262144"}});
  std::uint64_t value = 0, got = 0;
  // One after the other talks a lot, then falls silent.
  for (int rank = 1; rank < size; ++rank) {
    for (int i = 0; i < 200; ++i) {
      Request send(RequestKind::send), receive(RequestKind::receive);
      w.engine(rank).isend(send, view(&value, 8), 0, i, w.comm(rank));
      w.engine(0).irecv(receive, view(&got, 8), rank, i, w.comm(0));
      ASSERT_TRUE(w.run([&] { return send.complete && receive.complete; }));
    }
    // A burst that is not received at once asks for more than its window.
    std::deque<Send> burst;
    for (int i = 0; i < 100; ++i) {
      Send& s = burst.emplace_back();
      s.data.resize(500);
      w.engine(rank).isend(s.request, view(s.data.data(), 500), 0, i, w.comm(rank));
    }
    w.settle();
    std::vector<std::byte> in(500);
    for (int i = 0; i < 100; ++i) {
      Request receive(RequestKind::receive);
      w.engine(0).irecv(receive, view(in.data(), 500), rank, i, w.comm(0));
      ASSERT_TRUE(w.run([&] { return receive.complete; }));
    }
    w.settle();
    for (const Send& s : burst) ASSERT_TRUE(s.request.complete);
  }
  EXPECT_GT(w.engine(0).counters().recalls, 0U);
  EXPECT_LE(w.engine(0).receiver().unexpected().peak(), 262144U + 100 * sizeof(Unexpected));
}

/// What messages of a peer occupied that is gone serves others once they are received.
TEST(Flow, MemoryOfALostPeerComesBack) {
  World w(8, quiet(test_seed()), {{"eager_pool", "65536"}});
  constexpr std::size_t kBytes = 100;
  constexpr int kMessages = 40;
  std::vector<std::byte> in(kBytes);
  // Of messages to itself as many complete at once as there is memory that nobody was promised.
  const auto free_memory = [&] {
    std::deque<Send> sends;
    do {
      Send& s = sends.emplace_back();
      s.data.resize(kBytes);
      w.engine(0).isend(s.request, view(s.data.data(), kBytes), 0, 1000, w.comm(0));
    } while (sends.back().request.complete);
    for (std::size_t i = 0; i < sends.size(); ++i) {
      Request receive(RequestKind::receive);
      w.engine(0).irecv(receive, view(in.data(), kBytes), 0, 1000, w.comm(0));
      EXPECT_TRUE(receive.complete);
    }
    return sends.size() - 1;
  };
  std::deque<Send> doomed;
  for (int i = 0; i < kMessages; ++i) {
    Send& s = doomed.emplace_back();
    s.data.resize(kBytes);
    w.engine(1).isend(s.request, view(s.data.data(), kBytes), 0, i, w.comm(1));
    w.settle();
    ASSERT_TRUE(s.request.complete);
  }
  Request last(RequestKind::receive);
  w.engine(0).irecv(last, view(in.data(), kBytes), 1, kMessages, w.comm(0));
  w.kill(1);
  ASSERT_TRUE(w.run([&] { return last.complete; }));
  EXPECT_EQ(last.status.error, MPI_ERR_PROC_ABORTED);
  const std::size_t before = free_memory();
  const std::size_t pulled = w.engine(0).counters().pulled;
  EXPECT_LT(pulled, std::size_t{kMessages}) << "some came with credits";
  for (int i = 0; i < kMessages; ++i) {
    Request receive(RequestKind::receive);
    w.engine(0).irecv(receive, view(in.data(), kBytes), 1, i, w.comm(0));
    ASSERT_TRUE(receive.complete && receive.status.error == MPI_SUCCESS);
  }
  EXPECT_GT(free_memory(), before + pulled) << "not only what was pulled without credits";
}

/// Programs that send to their neighbours before they receive: not portable, and everywhere.
TEST(Flow, ManySmallSendsEndWithoutReceives) {
  for (const bool hostile : {false, true}) {
    const int size = 64;
    World w(size, hostile ? sim_hostile(test_seed()) : quiet(test_seed()));
    std::deque<Send> sends;
    constexpr int kEach = 300;
    for (int rank = 0; rank < size; ++rank) {
      for (int i = 0; i < kEach; ++i) {
        Send& s = sends.emplace_back();
        s.data.assign(i % 50 == 0 ? 0 : 16, static_cast<std::byte>(rank + i));
        w.engine(rank).isend(s.request, view(s.data.data(), s.data.size()), (rank + 1) % size, i,
                             w.comm(rank));
      }
    }
    w.settle();
    std::uint64_t pulled = 0;
    for (int rank = 0; rank < size; ++rank) pulled += w.engine(rank).counters().pulled;
    EXPECT_GT(pulled, 0U);
    EXPECT_TRUE(
        std::all_of(sends.begin(), sends.end(), [](const Send& s) { return s.request.complete; }));
    std::vector<std::byte> in(16);
    for (int rank = 0; rank < size; ++rank) {
      for (int i = kEach - 1; i >= 0; --i) {
        Request receive(RequestKind::receive);
        const int from = (rank + size - 1) % size;
        w.engine(rank).irecv(receive, view(in.data(), 16), from, i, w.comm(rank));
        ASSERT_TRUE(receive.complete);
        if (i % 50 != 0) {
          ASSERT_EQ(in[15], static_cast<std::byte>(from + i));
        }
      }
      EXPECT_EQ(w.engine(rank).receiver().unexpected().bytes(), 0U);
    }
  }
}

TEST(Flow, MemoryOnlyForPeersInUse) {
  World w(200, quiet(test_seed()));
  std::uint64_t value = 0, got = 0;
  Request send(RequestKind::send), receive(RequestKind::receive);
  w.engine(3).isend(send, view(&value, 8), 150, 0, w.comm(3));
  w.engine(150).irecv(receive, view(&got, 8), 3, 0, w.comm(150));
  ASSERT_TRUE(w.run([&] { return receive.complete; }));
  EXPECT_EQ(w.engine(3).links().table().all().size(), 1U);
  EXPECT_EQ(w.engine(150).links().table().all().size(), 1U);
  EXPECT_EQ(w.engine(0).links().table().all().size(), 0U);
}

TEST(Self, SendsAndReceives) {
  World w(1, quiet(test_seed()));
  Engine& e = w.engine(0);
  for (const std::size_t bytes : {0UL, 8UL, 5000UL, 100000UL}) {
    for (const SendMode mode : {SendMode::standard, SendMode::synchronous}) {
      for (const bool early : {false, true}) {
        std::vector<std::byte> out(bytes), in(bytes + 1);
        for (std::size_t i = 0; i < bytes; ++i) out[i] = pattern(bytes, i);
        Request send(RequestKind::send), receive(RequestKind::receive);
        if (early) e.irecv(receive, view(in.data(), bytes + 1), MPI_ANY_SOURCE, 4, w.comm(0));
        e.isend(send, view(out.data(), bytes), 0, 4, w.comm(0), mode);
        if (!early) {
          EXPECT_EQ(send.complete, mode == SendMode::standard && bytes <= 8192);
          e.irecv(receive, view(in.data(), bytes + 1), 0, MPI_ANY_TAG, w.comm(0));
        }
        EXPECT_TRUE(send.complete && receive.complete);
        EXPECT_EQ(receive.status.bytes, static_cast<MPI_Count>(bytes));
        EXPECT_TRUE(std::equal(out.begin(), out.end(), in.begin()));
      }
    }
  }
  EXPECT_EQ(e.receiver().unexpected().bytes(), 0U);
}

TEST(Probe, FindsAndTakes) {
  World w(2, quiet(test_seed()));
  const std::vector<std::byte> small(10, std::byte{1}), large(50000, std::byte{2});
  Request a(RequestKind::send), b(RequestKind::send), c(RequestKind::send);
  w.engine(0).isend(a, view(small.data(), 10), 1, 5, w.comm(0));
  w.engine(0).isend(b, view(large.data(), 50000), 1, 6, w.comm(0));
  w.engine(0).isend(c, view(small.data(), 10), 1, 5, w.comm(0), SendMode::synchronous);
  w.settle();
  EXPECT_FALSE(w.engine(1).iprobe(0, 7, w.comm(1)).has_value());
  const auto found = w.engine(1).iprobe(MPI_ANY_SOURCE, 6, w.comm(1));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->bytes, 50000);
  EXPECT_EQ(found->source, 0);
  ProbeResult result;
  MatchedMessage* big = w.engine(1).improbe(0, 6, w.comm(1), result);
  ASSERT_NE(big, nullptr);
  EXPECT_FALSE(w.engine(1).iprobe(MPI_ANY_SOURCE, 6, w.comm(1)).has_value());
  MatchedMessage* first = w.engine(1).improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, w.comm(1), result);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(result.tag, 5);
  std::vector<std::byte> in(50000);
  Request r1(RequestKind::receive), r2(RequestKind::receive), r3(RequestKind::receive);
  w.engine(1).irecv(r3, view(in.data(), 10), 0, 5, w.comm(1));
  w.engine(1).imrecv(r2, view(in.data(), 50000), big);
  w.engine(1).imrecv(r1, view(in.data(), 10), first);
  ASSERT_TRUE(w.run([&] {
    return r1.complete && r2.complete && r3.complete && a.complete && b.complete && c.complete;
  }));
  EXPECT_EQ(r2.status.bytes, 50000);
  EXPECT_EQ(r2.status.tag, 6);
  EXPECT_EQ(in[49999], std::byte{2});
}

TEST(Cancel, Receives) {
  World w(2, quiet(test_seed()));
  std::uint64_t value = 1, got = 0;
  Request cancelled(RequestKind::receive), kept(RequestKind::receive), send(RequestKind::send);
  w.engine(1).irecv(cancelled, view(&got, 8), 0, 1, w.comm(1));
  w.engine(1).irecv(kept, view(&got, 8), 0, 1, w.comm(1));
  w.engine(1).cancel(cancelled);
  EXPECT_TRUE(cancelled.complete && cancelled.status.cancelled);
  w.engine(0).isend(send, view(&value, 8), 1, 1, w.comm(0));
  ASSERT_TRUE(w.run([&] { return kept.complete; }));
  EXPECT_EQ(got, 1U);
  w.engine(1).cancel(kept);
  EXPECT_FALSE(kept.status.cancelled);
}

TEST(Cancel, Sends) {
  World w(2, quiet(test_seed()));
  const std::vector<std::byte> large(50000, std::byte{2});
  std::vector<std::byte> in(50000);
  Request waiting(RequestKind::send), announced(RequestKind::send), late(RequestKind::send);
  Request receive(RequestKind::receive), self(RequestKind::send);
  w.engine(0).isend(waiting, view(large.data(), 50000), 1, 1, w.comm(0));
  w.engine(0).cancel(waiting);  // not even connected
  EXPECT_TRUE(waiting.complete && waiting.status.cancelled);
  w.engine(0).isend(announced, view(large.data(), 50000), 1, 2, w.comm(0));
  w.settle();
  w.engine(0).cancel(announced);
  ASSERT_TRUE(w.run([&] { return announced.complete; }));
  EXPECT_TRUE(announced.status.cancelled);
  EXPECT_FALSE(w.engine(1).iprobe(0, 2, w.comm(1)).has_value());
  w.engine(1).irecv(receive, view(in.data(), 50000), 0, 3, w.comm(1));
  w.engine(0).isend(late, view(large.data(), 50000), 1, 3, w.comm(0));
  w.engine(0).cancel(late);  // the receive is there: it cannot be cancelled any more
  ASSERT_TRUE(w.run([&] { return late.complete && receive.complete; }));
  EXPECT_FALSE(late.status.cancelled);
  w.engine(0).isend(self, view(large.data(), 50000), 0, 3, w.comm(0));
  w.engine(0).cancel(self);
  EXPECT_TRUE(self.complete && self.status.cancelled);
  w.settle();
  EXPECT_EQ(
      w.engine(0).rendezvous().transfers().live() + w.engine(1).rendezvous().transfers().live(),
      0U);
  EXPECT_EQ(w.engine(0).receiver().unexpected().bytes(), 0U);
}

TEST(Failure, EveryOperationWithADeadPeerEnds) {
  for (int round = 0; round < 30; ++round) {
    const std::uint64_t seed = test_seed() + static_cast<std::uint64_t>(round);
    std::deque<Send> doomed_sends;  // of rank 2; its engine goes first
    World w(3, round % 2 ? sim_hostile(seed) : quiet(seed));
    std::mt19937_64 random(seed);
    std::deque<Send> sends;
    struct Receive {
      Request request{RequestKind::receive};
      std::vector<std::byte> data;
    };
    std::deque<Receive> receives;
    const auto traffic = [&](int rank, int peer) {
      for (int i = 0; i < 10; ++i) {
        Send& s = sends.emplace_back();
        s.data.resize(i % 2 ? 30000 : 100);
        w.engine(rank).isend(s.request, view(s.data.data(), s.data.size()), peer, i, w.comm(rank));
        Receive& r = receives.emplace_back();
        r.data.resize(30000);
        w.engine(rank).irecv(r.request, view(r.data.data(), 30000), peer, i + (i % 3 == 0 ? 50 : 0),
                             w.comm(rank));
      }
    };
    traffic(0, 2);
    traffic(1, 2);
    for (int i = 0; i < 10; ++i) {
      const int to = i % 2;
      Send& s = doomed_sends.emplace_back();
      s.data.resize(i % 3 ? 30000 : 100);
      w.engine(2).isend(s.request, view(s.data.data(), s.data.size()), to, i, w.comm(2));
    }
    for (unsigned i = random() % 60; i > 0; --i) {
      w.poll_all();
      w.network().step();
    }
    w.kill(2);
    ASSERT_TRUE(w.run([&] {
      return std::all_of(sends.begin(), sends.end(),
                         [](const Send& s) { return s.request.complete; }) &&
             std::all_of(receives.begin(), receives.end(),
                         [](const Receive& r) { return r.request.complete; });
    })) << "round "
        << round;
    // Afterwards everything with it fails at once, and the others still talk.
    Request send(RequestKind::send), receive(RequestKind::receive);
    std::uint64_t value = 7, got = 0;
    w.engine(0).isend(send, view(&value, 8), 2, 99, w.comm(0));
    EXPECT_TRUE(send.complete);
    EXPECT_EQ(send.status.error, MPI_ERR_PROC_ABORTED);
    EXPECT_NE(failure_words(w.engine(0), w.comm(0), 2), "");
    EXPECT_NE(failure_words(w.engine(0), w.comm(0), MPI_ANY_SOURCE), "");
    CommCore without = w.comm(0);
    without.local = Group::regular(ProcId{0}, 1, 2);
    EXPECT_EQ(failure_words(w.engine(0), without, MPI_ANY_SOURCE), "") << "it is not a member";
    Request good(RequestKind::send);
    w.engine(1).irecv(receive, view(&got, 8), 0, 7, w.comm(1));
    w.engine(0).isend(good, view(&value, 8), 1, 7, w.comm(0));
    ASSERT_TRUE(w.run([&] { return good.complete && receive.complete; }));
    EXPECT_EQ(got, 7U);
    EXPECT_EQ(w.engine(0).rendezvous().transfers().live(), 0U);
  }
}

}  // namespace
}  // namespace remit::testing
