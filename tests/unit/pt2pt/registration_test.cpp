// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages over devices that need registration: what is registered, when, and what happens if the
// memory changes or cannot be registered. The simulated device checks every key.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "rdma_btl/registration/userfaultfd_monitor.hpp"
#include "tests/unit/pt2pt/world.hpp"

namespace remit::testing {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 20;

enum class Way { get, put };

SimConfig registering(Way way, bool hostile) {
  SimConfig config = hostile ? sim_hostile(test_seed()) : SimConfig{};
  config.seed = test_seed();
  config.caps.needs_registration = true;
  config.caps.has_get = way == Way::get;
  config.caps.has_put = way == Way::put;
  return config;
}

/// Pages of its own: no other rank's registration touches them.
class Mapped {
 public:
  Mapped() { remap(); }
  ~Mapped() { ::munmap(data_, kBytes); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  /// Other pages at the same address.
  void remap() {
    data_ = static_cast<std::byte*>(
        ::mmap(data_, kBytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | (data_ != nullptr ? MAP_FIXED : 0), -1, 0));
  }
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
};

class Registered : public ::testing::TestWithParam<std::tuple<Way, bool>> {
 protected:
  SimConfig config() { return registering(std::get<0>(GetParam()), std::get<1>(GetParam())); }
  [[nodiscard]] Way way() const { return std::get<0>(GetParam()); }

  void exchange(World& w, std::uint64_t tag, std::size_t bytes = kBytes) {
    for (std::size_t i = 0; i < bytes; ++i) out.data()[i] = pattern(tag, i);
    std::memset(in.data(), 0, bytes);
    Request send(RequestKind::send), receive(RequestKind::receive);
    w.engine(1).irecv(receive, view(in.data(), bytes), 0, 3, w.comm(1));
    w.engine(0).isend(send, view(out.data(), bytes), 1, 3, w.comm(0));
    ASSERT_TRUE(w.run([&] { return send.complete && receive.complete; }));
    EXPECT_EQ(receive.status.error, MPI_SUCCESS);
    EXPECT_EQ(std::memcmp(in.data(), out.data(), bytes), 0);
    w.settle();
  }
  /// The one that registers while the message travels: who gets or who puts.
  Engine& mover(World& w) { return w.engine(way() == Way::get ? 1 : 0); }

  Mapped out, in;
};

bool monitored() {
  return UserfaultfdMonitor::open().has_value();
}

TEST_P(Registered, TheSecondMessageRegistersNothing) {
  if (!monitored()) GTEST_SKIP() << "no userfaultfd";
  World w(2, config());
  exchange(w, 1);
  exchange(w, 2);  // what was deferred the first time is registered now
  const std::uint64_t before = w.engine(0).links().devices().registrations().registrations +
                               w.engine(1).links().devices().registrations().registrations;
  exchange(w, 3);
  EXPECT_EQ(w.engine(0).links().devices().registrations().registrations +
                w.engine(1).links().devices().registrations().registrations,
            before);
  EXPECT_GT(w.engine(0).links().devices().registrations().hits, 0U);
  EXPECT_GT(w.engine(1).links().devices().registrations().hits, 0U);
  EXPECT_EQ(
      w.engine(0).rendezvous().transfers().live() + w.engine(1).rendezvous().transfers().live(),
      0U);
}

TEST_P(Registered, ChangedMemoryIsRegisteredAnew) {
  if (!monitored()) GTEST_SKIP() << "no userfaultfd";
  World w(2, config());
  for (std::uint64_t round = 1; round < 5; ++round) {
    exchange(w, round);
    exchange(w, round + 100);
    out.remap();
    in.remap();
    EXPECT_GE(w.engine(0).links().devices().registrations().invalidations, round);
    EXPECT_GE(w.engine(1).links().devices().registrations().invalidations, round);
  }
  w.settle();
  EXPECT_EQ(w.engine(0).links().devices().registrations().pinned_bytes, 0U)
      << "deregistered by progress";
}

TEST_P(Registered, PiecesAreRegisteredWhileOthersTravel) {
  World w(2, config(), {{"pin_piece", "65536"}});
  exchange(w, 1);
  const MessageCounters& counters = mover(w).counters();
  EXPECT_EQ(counters.deferred, 1U);
  EXPECT_GE(counters.pinned_pieces, kBytes / 65536 - 1);
  EXPECT_EQ(counters.bounced, 0U);
}

TEST_P(Registered, EachCanBeSwitchedOff) {
  {
    World w(2, config(), {{"pin_piece", "0"}});
    exchange(w, 1);
    EXPECT_EQ(mover(w).counters().pinned_pieces, 0U);
    EXPECT_EQ(mover(w).counters().deferred, 0U);
  }
  {
    World w(2, config(), {{"pin_piece", "65536"}, {"pin_deferred", "false"}});
    exchange(w, 1);
    EXPECT_EQ(mover(w).counters().deferred, 0U);
    EXPECT_GE(mover(w).counters().pinned_pieces, kBytes / 65536);
  }
  {
    World w(2, config(), {{"memory_monitor", "none"}});
    exchange(w, 1);
    exchange(w, 2);
    EXPECT_EQ(w.engine(0).links().devices().memory_monitor(), "none");
    EXPECT_EQ(w.engine(0).links().devices().registrations().hits, 0U);
    EXPECT_EQ(w.engine(0).links().devices().registrations().pinned_bytes, 0U);
  }
}

TEST_P(Registered, LittleMemoryIsEnough) {
  SimConfig little = config();
  little.max_registered = 300'000;  // far less than a message: the bounce buffer and some pieces
  World w(2, little, {{"pin_piece", "65536"}, {"pipeline_fragment", "8192"}});
  for (std::uint64_t round = 0; round < 4; ++round) exchange(w, round);
  EXPECT_LE(w.engine(0).links().devices().registrations().pinned_peak, 300'000U);
}

/// A message that nobody receives holds nearly all memory that rank 1 may register; what is left is
/// enough for the bounce buffer and no piece.
TEST_P(Registered, PiecesThatCannotBeRegisteredBounce) {
  if (way() != Way::get) GTEST_SKIP() << "only who offers memory for a get holds it meanwhile";
  SimConfig little = config();
  little.max_registered = kBytes + 300'000;
  World w(2, little, {{"pin_piece", "65536"}});
  Mapped unreceived;
  Request waits(RequestKind::send), receives(RequestKind::receive);
  w.engine(1).isend(waits, view(unreceived.data(), kBytes), 0, 9, w.comm(1));
  w.settle();
  exchange(w, 1);
  EXPECT_EQ(mover(w).counters().deferred, 1U);
  EXPECT_EQ(mover(w).counters().bounced, kBytes / 65536 - 1);
  w.engine(0).irecv(receives, view(in.data(), kBytes), 1, 9, w.comm(0));
  EXPECT_TRUE(w.run([&] { return waits.complete && receives.complete; }));
}

TEST_P(Registered, WithoutMemoryToRegisterMessagesArriveOrFailButNeverHang) {
  SimConfig none = config();
  none.max_registered = 1;
  World w(2, none);
  Request send(RequestKind::send), receive(RequestKind::receive);
  w.engine(1).irecv(receive, view(in.data(), kBytes), 0, 3, w.comm(1));
  w.engine(0).isend(send, view(out.data(), kBytes), 1, 3, w.comm(0));
  EXPECT_TRUE(w.run([&] { return send.complete && receive.complete; }));
}

TEST_P(Registered, OnDemandPagingRegistersOnce) {
  SimConfig demand = config();
  demand.caps.pages_on_demand = true;
  World w(2, demand);
  exchange(w, 1);
  in.remap();
  exchange(w, 2);
  for (int rank : {0, 1}) {
    EXPECT_EQ(w.engine(rank).counters().on_demand, 2U);
    EXPECT_EQ(w.engine(rank).links().devices().registrations().registrations, 0U);
  }
  World off(2, demand, {{"on_demand_paging", "false"}});
  exchange(off, 3);
  EXPECT_EQ(off.engine(0).counters().on_demand, 0U);
}

TEST_P(Registered, WhatCannotBePagedOnDemandIsRegistered) {
  SimConfig refusing = config();
  refusing.caps.pages_on_demand = true;
  refusing.max_registered = std::size_t{1} << 30;
  World w(2, refusing);
  exchange(w, 1);
  exchange(w, 2);
  EXPECT_EQ(mover(w).counters().on_demand, 0U);
  EXPECT_GT(mover(w).links().devices().registrations().registrations, 0U);
}

TEST_P(Registered, StagingStaysRegistered) {
  World w(2, config());
  exchange(w, 1, 3 * 65536);
  for (std::uint64_t round = 0; round < 50; ++round) {
    in.remap();
    out.remap();
    exchange(w, round, std::size_t{20'000} + 777 * round);
  }
  EXPECT_EQ(w.engine(0).rendezvous().transfers().live(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Ways, Registered,
                         ::testing::Combine(::testing::Values(Way::get, Way::put),
                                            ::testing::Bool()));

}  // namespace
}  // namespace remit::testing
