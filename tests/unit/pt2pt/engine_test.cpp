// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages between virtual ranks: every protocol, size, layout and wildcard, under faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "tests/unit/pt2pt/world.hpp"

namespace remit::testing {
namespace {

using Buffer = std::vector<std::byte>;

Buffer patterned(std::size_t bytes, std::uint64_t tag) {
  Buffer buffer(bytes);
  for (std::size_t i = 0; i < bytes; ++i) buffer[i] = pattern(tag, i);
  return buffer;
}

/// What the devices of a test leave out.
struct Mask {
  const char* name;
  bool get, put, ordered, registration;
  std::size_t max_pieces, max_send, max_message;
};
constexpr std::array kMasks = {
    Mask{"all", true, true, true, false, 8, 8192, 1 << 20},
    Mask{"registration", true, true, true, true, 8, 8192, 10000},
    Mask{"put", false, true, true, true, 4, 4096, 7000},
    Mask{"get", true, false, true, true, 2, 2048, 1 << 20},
    Mask{"sends", false, false, true, false, 1, 1024, 0},
    Mask{"unordered", true, true, false, true, 3, 2048, 5000},
    Mask{"unordered_sends", false, false, false, false, 1, 512, 0},
};

SimConfig masked_config(const Mask& mask, std::uint64_t seed, bool hostile) {
  SimConfig config = hostile ? sim_hostile(seed) : quiet(seed);
  Caps& caps = config.caps;
  caps.has_get = mask.get;
  caps.has_put = mask.put;
  caps.ordered = mask.ordered;
  caps.needs_registration = mask.registration;
  caps.max_pieces = mask.max_pieces;
  caps.max_send = mask.max_send;
  caps.max_message = mask.max_message;
  caps.max_inline = std::min(caps.max_inline, mask.max_send);
  return config;
}

TEST(Engine, FirstEagerMessage) {
  World w(2, quiet(test_seed()));
  std::uint64_t value = 42, got = 0;
  Request send(RequestKind::send), receive(RequestKind::receive);
  EXPECT_FALSE(w.engine(0).try_send(&value, 8, 1, 7, w.comm(0)));
  w.engine(1).irecv(receive, view(&got, 8), 0, 7, w.comm(1));
  w.engine(0).isend(send, view(&value, 8), 1, 7, w.comm(0));
  ASSERT_TRUE(w.run([&] { return send.complete && receive.complete; }));
  EXPECT_EQ(got, 42U);
  EXPECT_EQ(receive.status.source, 0);
  EXPECT_EQ(receive.status.tag, 7);
  EXPECT_EQ(receive.status.bytes, 8);
  EXPECT_EQ(receive.status.error, MPI_SUCCESS);

  // From now on the fast path is open; a message that comes first waits.
  value = 43;
  EXPECT_TRUE(w.engine(0).try_send(&value, 8, 1, 8, w.comm(0)));
  w.settle();
  EXPECT_TRUE(w.engine(1).iprobe(0, 8, w.comm(1)).has_value());
  Request second(RequestKind::receive);
  w.engine(1).irecv(second, view(&got, 8), MPI_ANY_SOURCE, MPI_ANY_TAG, w.comm(1));
  EXPECT_TRUE(second.complete);
  EXPECT_EQ(got, 43U);
  EXPECT_EQ(second.status.tag, 8);
}

class EngineMasks : public ::testing::TestWithParam<int> {
 protected:
  const Mask& mask() { return kMasks[static_cast<std::size_t>(GetParam())]; }
};

TEST_P(EngineMasks, EverySizeAndMode) {
  for (const bool hostile : {false, true}) {
    World w(2, masked_config(mask(), test_seed(), hostile));
    for (const std::size_t bytes : {0UL, 1UL, 8UL, 16UL, 17UL, 400UL, 1000UL, 1024UL, 4000UL,
                                    8168UL, 8192UL, 8193UL, 30000UL, 200001UL}) {
      for (const SendMode mode : {SendMode::standard, SendMode::synchronous}) {
        for (const bool early : {false, true}) {
          SCOPED_TRACE(fmt::format("{} bytes, mode {}, early {}, hostile {}", bytes,
                                   static_cast<int>(mode), early, hostile));
          const Buffer out = patterned(bytes, bytes);
          Buffer in(bytes + 16, std::byte{0xee});
          Request send(RequestKind::send), receive(RequestKind::receive);
          const auto post = [&] {
            w.engine(1).irecv(receive, view(in.data(), bytes + 16), 0, 3, w.comm(1));
          };
          if (early) post();
          w.engine(0).isend(send, view(out.data(), bytes), 1, 3, w.comm(0), mode);
          if (!early) {
            w.settle();
            if (mode == SendMode::synchronous) {
              EXPECT_FALSE(send.complete);
            }
            post();
          }
          ASSERT_TRUE(w.run([&] { return send.complete && receive.complete; }));
          EXPECT_EQ(send.status.error, MPI_SUCCESS);
          EXPECT_EQ(receive.status.error, MPI_SUCCESS);
          EXPECT_EQ(receive.status.bytes, static_cast<MPI_Count>(bytes));
          EXPECT_TRUE(std::equal(out.begin(), out.end(), in.begin()));
          EXPECT_EQ(in[bytes], std::byte{0xee});
        }
      }
    }
    w.settle();
    EXPECT_EQ(
        w.engine(0).rendezvous().transfers().live() + w.engine(1).rendezvous().transfers().live(),
        0U);
    EXPECT_EQ(w.engine(1).receiver().unexpected().bytes(), 0U);
    EXPECT_EQ(w.engine(0).counters().malformed + w.engine(1).counters().malformed, 0U);
    EXPECT_TRUE(w.engine(0).flushed() && w.engine(1).flushed());
  }
}

TEST_P(EngineMasks, Layouts) {
  // Every third int of a strided vector, long runs, and contiguous, in all pairs.
  const auto sparse = make_vector(5000, 1, 3, predefined(MPI_INT));
  const auto runs = make_vector(10, 500, 700, predefined(MPI_INT));
  const auto dense = make_contiguous(5000, predefined(MPI_INT));
  const std::array types = {&**sparse, &**runs, &**dense};
  for (const bool hostile : {false, true}) {
    World w(2, masked_config(mask(), test_seed() + 1, hostile));
    for (const Datatype* from : types) {
      for (const Datatype* to : types) {
        for (const int count : {1, 2}) {
          const std::size_t bytes = 20000 * static_cast<std::size_t>(count);
          const auto span = static_cast<std::size_t>(from->extent()) * 2 + 64;
          const Buffer out = patterned(span, 5);
          Buffer in(static_cast<std::size_t>(to->extent()) * 2 + 64);
          const View source{const_cast<std::byte*>(out.data()), count, &from->layout()};
          const View target{in.data(), count, &to->layout()};
          Request send(RequestKind::send), receive(RequestKind::receive);
          w.engine(0).isend(send, source, 1, 1, w.comm(0));
          w.engine(1).irecv(receive, target, 0, MPI_ANY_TAG, w.comm(1));
          ASSERT_TRUE(w.run([&] { return send.complete && receive.complete; }));
          Buffer packed_out(bytes), packed_in(bytes);
          source.pack(0, packed_out);
          target.pack(0, packed_in);
          EXPECT_EQ(packed_out, packed_in) << "hostile " << hostile;
        }
      }
    }
    w.settle();
    EXPECT_EQ(
        w.engine(0).rendezvous().transfers().live() + w.engine(1).rendezvous().transfers().live(),
        0U);
  }
}

TEST_P(EngineMasks, Truncation) {
  World w(2, masked_config(mask(), test_seed() + 2, true));
  for (const std::size_t room : {0UL, 5UL, 300UL, 29999UL}) {
    for (const std::size_t bytes : {6UL, 400UL, 30000UL}) {
      if (bytes <= room) continue;
      const Buffer out = patterned(bytes, 9);
      Buffer in(room + 8, std::byte{0xee});
      Request send(RequestKind::send), receive(RequestKind::receive);
      w.engine(0).isend(send, view(out.data(), bytes), 1, 1, w.comm(0));
      w.engine(1).irecv(receive, view(in.data(), room), 0, 1, w.comm(1));
      ASSERT_TRUE(w.run([&] { return send.complete && receive.complete; }));
      EXPECT_EQ(receive.status.error, MPI_ERR_TRUNCATE);
      EXPECT_EQ(send.status.error, MPI_SUCCESS);
      EXPECT_TRUE(
          std::equal(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(room), out.begin()));
      EXPECT_EQ(in[room], std::byte{0xee});
    }
  }
}

/// Random traffic of several ranks, checked against MPI's rules: messages of one pair and tag
/// arrive in the order of sending, each once, with its bytes.
TEST_P(EngineMasks, RandomTraffic) {
  std::mt19937_64 random(test_seed() + static_cast<std::uint64_t>(GetParam()));
  const int size = 2 + static_cast<int>(random() % 6);
  World w(size, masked_config(mask(), random(), true),
          {{"eager_pool", std::to_string(20000 + random() % 200000)}});
  struct Sent {
    Request request{RequestKind::send};
    Buffer data;
  };
  struct Received {
    Request request{RequestKind::receive};
    Buffer data;
  };
  constexpr int kMessages = 1500;
  constexpr int kTags = 3;
  const std::array sizes = {0UL, 8UL, 100UL, 500UL, 3000UL, 9000UL, 40000UL};
  std::vector<std::deque<std::unique_ptr<Received>>> in(static_cast<std::size_t>(size));
  std::deque<std::unique_ptr<Sent>> out;
  // Sequence numbers of each (source, destination, tag), written into the data.
  std::map<std::tuple<int, int, int>, std::uint32_t> next_sent, next_received;
  std::vector<int> due(static_cast<std::size_t>(size), 0);
  int sent = 0, received = 0;

  const auto check = [&](int rank, const Received& r) {
    ASSERT_EQ(r.request.status.error, MPI_SUCCESS);
    const int source = r.request.status.source, tag = r.request.status.tag;
    const auto bytes = static_cast<std::size_t>(r.request.status.bytes);
    std::uint32_t& expected = next_received[{source, rank, tag}];
    if (bytes >= 4) {
      std::uint32_t number = 0;
      std::memcpy(&number, r.data.data(), 4);
      ASSERT_EQ(number, expected) << "from " << source << " to " << rank << " tag " << tag;
      for (std::size_t i = 4; i < bytes; ++i) ASSERT_EQ(r.data[i], pattern(number, i));
    }
    ++expected;
    ++received;
  };
  // Receives complete out of order; their matching order is that of posting, so check from front.
  const auto drain = [&] {
    for (int rank = 0; rank < size; ++rank) {
      auto& queue = in[static_cast<std::size_t>(rank)];
      while (!queue.empty() && queue.front()->request.complete) {
        check(rank, *queue.front());
        if (HasFatalFailure()) return;
        queue.pop_front();
      }
    }
    while (!out.empty() && out.front()->request.complete) out.pop_front();
  };
  const auto post_receive = [&](int rank) {
    auto& queue = in[static_cast<std::size_t>(rank)];
    auto r = std::make_unique<Received>();
    r->data.resize(40000);
    w.engine(rank).irecv(r->request, view(r->data.data(), r->data.size()), MPI_ANY_SOURCE,
                         MPI_ANY_TAG, w.comm(rank));
    queue.push_back(std::move(r));
    --due[static_cast<std::size_t>(rank)];
  };
  while (sent < kMessages || received < kMessages) {
    if (sent < kMessages && out.size() < 200 && random() % 3 != 0) {
      const int from = static_cast<int>(random() % static_cast<unsigned>(size));
      const int to = static_cast<int>(random() % static_cast<unsigned>(size));
      const int tag = static_cast<int>(random() % kTags);
      auto s = std::make_unique<Sent>();
      const std::uint32_t number = next_sent[{from, to, tag}]++;
      s->data = patterned(sizes[random() % sizes.size()], number);
      if (s->data.size() >= 4) std::memcpy(s->data.data(), &number, 4);
      if (!w.engine(from).try_send(s->data.data(), s->data.size(), to, tag, w.comm(from))) {
        w.engine(from).isend(s->request, view(s->data.data(), s->data.size()), to, tag,
                             w.comm(from),
                             random() % 8 == 0 ? SendMode::synchronous : SendMode::standard);
        out.push_back(std::move(s));
      }
      ++due[static_cast<std::size_t>(to)];
      ++sent;
    }
    const int rank = static_cast<int>(random() % static_cast<unsigned>(size));
    if (due[static_cast<std::size_t>(rank)] > 0 && random() % 2 == 0) post_receive(rank);
    if (sent == kMessages) {
      for (int r = 0; r < size; ++r) {
        while (due[static_cast<std::size_t>(r)] > 0) post_receive(r);
      }
    }
    drain();
    if (HasFatalFailure()) return;
    if (sent == kMessages) {
      ASSERT_TRUE(w.run([&] {
        drain();
        return HasFatalFailure() || received == kMessages;
      })) << received
          << " of " << kMessages << " received";
    } else {
      for (unsigned i = 0; i < random() % 4; ++i) {
        w.poll_all();
        w.network().step();
      }
    }
  }
  w.settle();
  drain();
  EXPECT_TRUE(out.empty());
  for (int rank = 0; rank < size; ++rank) {
    EXPECT_EQ(w.engine(rank).rendezvous().transfers().live(), 0U);
    EXPECT_EQ(w.engine(rank).receiver().unexpected().bytes(), 0U);
    EXPECT_EQ(w.engine(rank).counters().malformed, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Masks, EngineMasks, ::testing::Range(0, static_cast<int>(kMasks.size())),
                         [](const auto& info) {
                           return kMasks[static_cast<std::size_t>(info.param)].name;
                         });

}  // namespace
}  // namespace remit::testing
