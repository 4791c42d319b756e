// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Long messages whose memory is a few long runs: devices take them from, and put them to, their
// places. The simulated device checks every key and counts what it is given wrongly.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/unit/pt2pt/world.hpp"

namespace remit::testing {
namespace {

using Type = Ref<Datatype>;

Type vector(MPI_Count count, MPI_Count block, MPI_Count stride) {
  return *make_vector(count, block, stride, predefined(MPI_BYTE));
}

/// Runs of different lengths with holes of different lengths, `bytes` and a little more in all.
Type irregular(std::size_t bytes) {
  std::mt19937_64 random(test_seed());
  std::vector<MPI_Count> lengths, places;
  std::size_t at = 0;
  for (std::size_t sum = 0; sum < bytes; sum += static_cast<std::size_t>(lengths.back())) {
    lengths.push_back(static_cast<MPI_Count>(100 + random() % 5000));
    places.push_back(static_cast<MPI_Count>(at));
    at += static_cast<std::size_t>(lengths.back()) + 1 + random() % 2000;
  }
  return *make_hindexed(lengths, places, predefined(MPI_BYTE));
}

/// Gets or puts, and whether the device needs registration.
class Lists : public ::testing::TestWithParam<std::tuple<bool, bool, bool>> {
 protected:
  SimConfig config() {
    const auto [get, registration, hostile] = GetParam();
    SimConfig config = hostile ? sim_hostile(test_seed()) : SimConfig{};
    config.seed = test_seed();
    config.caps.has_get = get;
    config.caps.has_put = !get;
    config.caps.needs_registration = registration;
    config.caps.max_pieces = 16;
    config.caps.min_piece = 256;
    return config;
  }
  /// A get scatters at the receiver, a put gathers at the sender.
  [[nodiscard]] bool get() const { return std::get<0>(GetParam()); }

  /// Sends one element of `type` on the side that may be scattered; the other side is contiguous,
  /// with room for `room` bytes. True if what arrived is right.
  bool exchange(World& w, const Type& type, std::size_t room) {
    const auto size = static_cast<std::size_t>(type->layout().size());
    std::vector<std::byte> spread(static_cast<std::size_t>(type->extent()) + 64, std::byte{0xaa});
    const View scattered{spread.data(), 1, &type->layout()};
    std::vector<std::byte> flat(std::max(size, room));
    if (get()) {
      for (std::size_t i = 0; i < room; ++i) flat[i] = pattern(room, i);
    } else {
      for (std::size_t i = 0; i < spread.size(); ++i) spread[i] = pattern(room, i);
    }
    const std::vector<std::byte> before = spread;
    Request send(RequestKind::send), receive(RequestKind::receive);
    w.engine(1).irecv(receive, get() ? scattered : view(flat.data(), room), 0, 1, w.comm(1));
    w.engine(0).isend(send, get() ? view(flat.data(), room) : scattered, 1, 1, w.comm(0));
    if (!w.run([&] { return send.complete && receive.complete; })) return false;
    const std::size_t moved = std::min(size, room);
    std::vector<std::byte> packed(moved);
    scattered.pack(0, packed);
    if (!std::equal(packed.begin(), packed.end(), flat.begin())) return false;
    // Nothing beside the runs has changed.
    if (get()) {
      std::vector<std::byte> again = before;
      View{again.data(), 1, &type->layout()}.unpack(0, packed);
      if (again != spread) return false;
    }
    return w.engine(0).counters().malformed + w.engine(1).counters().malformed == 0;
  }
  Engine& mover(World& w) { return w.engine(get() ? 1 : 0); }
};

TEST_P(Lists, RegularAndIrregularRuns) {
  World w(2, config());
  const std::vector<Type> types = {vector(100, 1000, 1500), vector(30, 4096, 5000),
                                   irregular(100000), irregular(400000)};
  std::uint64_t listed = 0;
  for (const Type& type : types) {
    const auto size = static_cast<std::size_t>(type->layout().size());
    EXPECT_TRUE(exchange(w, type, size));
    EXPECT_EQ(mover(w).counters().listed, ++listed);
  }
  w.settle();
  EXPECT_EQ(
      w.engine(0).rendezvous().transfers().live() + w.engine(1).rendezvous().transfers().live(),
      0U);
}

TEST_P(Lists, TheShorterSideDecides) {
  World w(2, config());
  const Type type = irregular(200000);
  const auto size = static_cast<std::size_t>(type->layout().size());
  for (const std::size_t room : {size - 1, size / 2, std::size_t{70001}, std::size_t{20000}}) {
    if (get() && room > size) continue;
    EXPECT_TRUE(exchange(w, type, room)) << room;
  }
  EXPECT_EQ(mover(w).counters().listed, 4U);
}

TEST_P(Lists, ShortRunsAndLongHolesAreCopied) {
  World w(2, config());
  EXPECT_TRUE(exchange(w, vector(1000, 100, 200), 100000));  // runs too short
  EXPECT_EQ(mover(w).counters().listed, 0U);
  EXPECT_TRUE(exchange(w, vector(100, 1000, 9000), 100000));  // eight bytes of holes for one
  const bool registration = std::get<1>(GetParam());
  EXPECT_EQ(mover(w).counters().listed, registration ? 0U : 1U);
}

TEST_P(Lists, MemoryThatCannotBeRegisteredIsCopied) {
  if (!std::get<1>(GetParam())) GTEST_SKIP() << "nothing is registered";
  SimConfig little = config();
  little.max_registered = 350000;
  World w(2, little);
  EXPECT_TRUE(exchange(w, vector(300, 1000, 1500), 300000));
  EXPECT_EQ(mover(w).counters().listed, 0U);
}

INSTANTIATE_TEST_SUITE_P(Ways, Lists,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool(),
                                            ::testing::Bool()),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param) ? "Get" : "Put") +
                                  (std::get<1>(info.param) ? "Registered" : "") +
                                  (std::get<2>(info.param) ? "Hostile" : "Quiet");
                         });

}  // namespace
}  // namespace remit::testing
