// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What arrives while somebody listens goes another way than else, to the same receives.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <span>

#include "tests/unit/pt2pt/world.hpp"

namespace remit::testing {
namespace {

struct Counts final : EventListener {
  void heard(EventKind kind, std::span<const std::int64_t> /*values*/) noexcept override {
    ++of[kind];
  }
  std::map<EventKind, int> of;
};

constexpr Events::Mask kArrivals =
    Events::bit(EventKind::message_arrived) | Events::bit(EventKind::message_matched);

/// Rank 0 sends messages of all protocols to rank 1, where somebody listens now and then.
class Dispatch : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr std::size_t kMost = 60'000;

  void message(std::mt19937_64& random, bool listens) {
    const std::size_t bytes = random() % (std::size_t{1} << random() % 16);
    const auto tag = static_cast<int>(random() % 1000);
    std::vector<std::byte> data(bytes), got(kMost);
    for (std::size_t i = 0; i < bytes; ++i) data[i] = pattern(static_cast<unsigned>(tag), i);
    Request send(RequestKind::send), receive(RequestKind::receive);
    const bool late = random() % 2 == 0;
    const auto post = [&] {
      world_.engine(1).irecv(receive, view(got.data(), kMost), 0, tag, world_.comm(1));
    };
    if (!late) post();
    send.complete =
        random() % 2 == 0 && world_.engine(0).try_send(data.data(), bytes, 1, tag, world_.comm(0));
    if (!send.complete)
      world_.engine(0).isend(send, view(data.data(), bytes), 1, tag, world_.comm(0));
    if (late) {
      world_.settle();
      post();
    }
    ASSERT_TRUE(world_.run([&] { return send.complete && receive.complete; }));
    EXPECT_EQ(receive.status.bytes, static_cast<MPI_Count>(bytes));
    EXPECT_TRUE(std::equal(data.begin(), data.end(), got.begin())) << bytes;
    world_.settle();
    sent_ += 1;
    told_ += listens ? 1 : 0;
    EXPECT_EQ(counts_.of[EventKind::message_arrived], told_) << bytes << (late ? " late" : "");
    EXPECT_EQ(counts_.of[EventKind::message_matched], told_) << bytes << (late ? " late" : "");
  }

  const std::uint64_t seed_ = test_seed();
  World world_{2, GetParam() ? sim_hostile(seed_) : quiet(seed_)};
  Counts counts_;
  int sent_ = 0;
  int told_ = 0;  ///< of these: while somebody listened
};

TEST_P(Dispatch, EveryMessageIsAnEventWhileSomebodyListensAndArrivesAnyway) {
  SCOPED_TRACE(seed_);
  std::mt19937_64 random(seed_);
  bool listens = false;
  while (sent_ < 600) {
    if (random() % 8 == 0) {
      listens = !listens;
      world_.process(1).events().want(listens ? kArrivals : 0, listens ? &counts_ : nullptr);
    }
    message(random, listens);
    if (HasFailure()) return;
  }
  EXPECT_GT(told_, 0);
  EXPECT_LT(told_, sent_);
  EXPECT_EQ(world_.engine(1).counters().malformed, 0U);
  world_.process(1).events().want(0, nullptr);
}

INSTANTIATE_TEST_SUITE_P(Faults, Dispatch, ::testing::Bool());

}  // namespace
}  // namespace remit::testing
