// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Tests of the simulated network itself: replay, order, time, faults, and that it catches misuse;
// and of PendingQueue, which needs a device that refuses.
#include <array>
#include <cstring>
#include <string>

#include "rdma_btl/sim/sim_device.hpp"
#include "tests/sanitized.h"
#include "tests/unit/rdma_btl/device_world.hpp"

namespace remit::testing {
namespace {

/// Processes 0 .. count-1 on one network.
struct Cluster {
  explicit Cluster(const SimConfig& config, std::size_t count = 2) : network(config) {
    for (PeerName name = 0; name < count; ++name) {
      devices.push_back(network.add_process(name));
      nodes.push_back(std::make_unique<Node>(*devices.back(), name));
    }
  }
  Node& node(std::size_t i) { return *nodes[i]; }
  SimDevice& device(std::size_t i) { return *devices[i]; }

  template <class Done>
  [[nodiscard]] bool run(Done done) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (devices[i] && network.alive(i)) network.wake(i);
    }
    return network.run([this](PeerName name) { nodes[name]->progress(); }, done);
  }
  /// Until nothing is under way.
  void drain() {
    (void)run([] { return false; });
  }

  SimNetwork network;
  std::vector<std::unique_ptr<SimDevice>> devices;
  std::vector<std::unique_ptr<Node>> nodes;
};

SimConfig seeded(std::uint64_t seed) {
  SimConfig config;
  config.seed = seed;
  return config;
}

/// Some traffic among `count` processes; returns the hash of the run.
std::uint64_t traffic(const SimConfig& config, std::size_t count = 20) {
  Cluster cluster(config, count);
  std::size_t expected = 0;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const std::size_t from = cluster.network.random()() % count;
    const std::size_t to = cluster.network.random()() % count;
    Node& node = cluster.node(from);
    node.send(node.connect(cluster.node(to)), std::as_bytes(std::span(&i, 1)));
    ++expected;
  }
  EXPECT_TRUE(cluster.run([&] {
    std::size_t received = 0;
    for (const auto& node : cluster.nodes) received += node->receives.size();
    return received == expected;
  }));
  return cluster.network.trace_hash();
}

TEST(Sim, TheSameSeedIsTheSameRun) {
  const std::uint64_t seed = test_seed();
  EXPECT_EQ(traffic(sim_hostile(seed)), traffic(sim_hostile(seed)));
  EXPECT_NE(traffic(sim_hostile(seed)), traffic(sim_hostile(seed + 1)));
}

TEST(Sim, TheTraceSaysWhatHappens) {
  Cluster cluster(seeded(1));
  std::vector<std::string> lines;
  cluster.network.set_trace([&](std::string_view line) { lines.emplace_back(line); });
  cluster.node(0).send(cluster.node(0).connect(cluster.node(1)), Bytes(5));
  cluster.drain();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0], "1120 ns: arrive send 0 -> 1, 5 bytes, part 0 of 1");
}

/// o at the sender, max(g, kG) and L on the way, o at the receiver; then everything again back.
TEST(Sim, TimeFollowsLogGP) {
  SimConfig config = seeded(1);
  config.link = {.latency_ns = 5000, .overhead_ns = 300, .gap_ns = 40, .bytes_per_ns = 2};
  Cluster cluster(config);
  const EndpointId ab = cluster.node(0).connect(cluster.node(1));
  cluster.node(0).send(ab, Bytes(1000));
  cluster.drain();
  EXPECT_EQ(cluster.network.now_ns(), 300U + 500 + 5000);
  EXPECT_EQ(cluster.device(1).busy_until_ns(), 300U + 500 + 5000 + 300);
  cluster.node(1).send(cluster.node(1).receives.at(0).endpoint, Bytes(1));
  cluster.drain();
  EXPECT_EQ(cluster.network.now_ns(), 6100U + 300 + 40 + 5000);
}

TEST(Sim, AConfirmGoesToAndFro) {
  SimConfig config = seeded(1);
  config.link = {.latency_ns = 5000, .overhead_ns = 300, .gap_ns = 40, .bytes_per_ns = 2};
  Cluster cluster(config);
  Node& a = cluster.node(0);
  const std::uint64_t cookie = a.start(a.connect(cluster.node(1)), confirm_of_all());
  cluster.drain();
  EXPECT_EQ(a.completed.at(cookie), MPI_SUCCESS);
  EXPECT_EQ(cluster.network.now_ns(), 300U + 40 + 5000 + 5000);
  EXPECT_EQ(cluster.device(0).stats().confirms, 1U);
}

/// A confirm that fails, or before which something does, leaves the others as they should be.
TEST(Sim, ErrorsAmongConfirms) {
  for (const std::uint32_t doomed : {0U, 1U, 2U}) {
    SimConfig config = sim_hostile(test_seed() + doomed);
    config.partial_accept = 0;
    config.queue_depth = 8;
    Cluster cluster(config);
    Node& a = cluster.node(0);
    Buffer from(a.device, 1000);
    Buffer to(cluster.node(1).device, 1000);
    const Piece piece = from.piece();
    const EndpointId endpoint = a.connect(cluster.node(1));
    std::array<std::uint64_t, 4> cookies = {};
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (i == doomed) cluster.network.inject_error(0, 1);
      cookies[i] =
          a.start(endpoint, i % 2 == 0 ? put_of({&piece, 1}, to.remote()) : confirm_of_all());
    }
    cluster.drain();
    EXPECT_EQ(a.completed.size(), 4U);
    EXPECT_NE(a.completed.at(cookies[doomed]), MPI_SUCCESS);
    if (doomed != 0) continue;  // the other confirm may have been quicker
    EXPECT_NE(a.completed.at(cookies[1]), MPI_SUCCESS) << "what is before it has failed";
    EXPECT_NE(a.completed.at(cookies[3]), MPI_SUCCESS) << "its endpoint has failed";
  }
}

/// Many senders to one: the receiving adapter takes them one after the other.
TEST(Sim, IncastIsSerialized) {
  SimConfig config = seeded(1);
  config.link.bytes_per_ns = 1;
  config.link.overhead_ns = 0;
  Cluster cluster(config, 11);
  for (std::size_t i = 1; i < 11; ++i) {
    cluster.node(i).send(cluster.node(i).connect(cluster.node(0)), Bytes(1000));
  }
  cluster.drain();
  EXPECT_EQ(cluster.network.now_ns(), config.link.latency_ns + 10 * 1000);
}

TEST(Sim, LinksMayDiffer) {
  SimConfig config = seeded(1);
  const SimLink near{.latency_ns = 50, .overhead_ns = 10, .gap_ns = 1, .bytes_per_ns = 50};
  config.link_between = [&near](PeerName a, PeerName b) {
    return a / 2 == b / 2 ? &near : nullptr;
  };
  Cluster cluster(config, 4);
  cluster.node(0).send(cluster.node(0).connect(cluster.node(1)), Bytes(1));
  cluster.drain();
  EXPECT_EQ(cluster.network.now_ns(), 61U);
}

/// How many of `count` small sends arrive behind a later one.
std::size_t overtaken(const SimConfig& config) {
  Cluster cluster(config);
  Node& a = cluster.node(0);
  Node& b = cluster.node(1);
  const EndpointId endpoint = a.connect(b);
  for (std::uint32_t i = 0; i < 1000; ++i) a.send(endpoint, std::as_bytes(std::span(&i, 1)));
  EXPECT_TRUE(cluster.run([&] { return b.receives.size() == 1000; }));
  std::size_t behind = 0;
  std::uint32_t highest = 0;
  for (const Node::Receive& receive : b.receives) {
    std::uint32_t number = 0;
    std::memcpy(&number, receive.data.data(), sizeof number);
    behind += number < highest;
    highest = std::max(highest, number);
  }
  return behind;
}

TEST(Sim, OrderIsAsDeclared) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    SimConfig config = sim_hostile(test_seed() + i);
    EXPECT_EQ(overtaken(config), 0U) << "seed " << config.seed;
    config.caps.ordered = false;
    config.queue_depth = 64;
    config.partial_accept = 0;
    EXPECT_GT(overtaken(config), 10U) << "seed " << config.seed;
  }
}

/// Two senders to one, whose link to one of them comes and goes: order, through congestion, too.
void interrupted_traffic(std::uint64_t seed) {
  SimConfig config = sim_hostile(seed);
  config.link.gap_ns = 0;
  Cluster cluster(config, 3);
  Node& target = cluster.node(2);
  constexpr std::uint32_t kCount = 3000;
  std::array<std::uint32_t, 2> next{};
  for (std::size_t i = 0; i < 2; ++i) {
    const EndpointId endpoint = cluster.node(i).connect(target);
    for (std::uint32_t k = 0; k < kCount; ++k) {
      cluster.node(i).send(endpoint, std::as_bytes(std::span(&k, 1)));
    }
  }
  bool up = true;
  std::uint64_t toggles = 0;
  ASSERT_TRUE(cluster.network.run_until([&] {
    for (const auto& node : cluster.nodes) node->progress();
    if (cluster.network.random()() % 50 == 0) {
      up = !up;
      ++toggles;
      cluster.network.set_link(0, 2, up);
    }
    if (!up && cluster.network.random()() % 10 == 0) cluster.network.wake_at(0, 0);
    for (const Node::Receive& receive : target.receives) {
      const auto from = static_cast<std::size_t>(target.device.peer(receive.endpoint));
      std::uint32_t number = 0;
      std::memcpy(&number, receive.data.data(), sizeof number);
      EXPECT_EQ(number, next[from]) << "seed " << seed;
      next[from] = number + 1;
    }
    target.receives.clear();
    if (!up && next[1] == kCount) cluster.network.set_link(0, 2, up = true);
    return next[0] == kCount && next[1] == kCount;
  }));
  EXPECT_GT(toggles, 2U);
}

TEST(Sim, OrderHoldsWhileTheLinkGoesUpAndDown) {
  for (std::uint64_t i = 0; i < 10; ++i) interrupted_traffic(test_seed() + i);
}

TEST(Sim, BytesOfAPutBecomeVisibleInPartsBeforeItsNotification) {
  SimConfig config = seeded(test_seed());
  config.max_chunks = 8;
  config.link.jitter_ns = 5000;
  std::size_t half_way = 0;
  std::size_t last_before_first = 0;
  Cluster cluster(config);
  Node& a = cluster.node(0);
  Node& b = cluster.node(1);
  const EndpointId endpoint = a.connect(b);
  Buffer source(a.device, 64);
  Buffer target(b.device, 64);
  for (std::uint32_t round = 1; round <= 100; ++round) {
    const auto tag = static_cast<std::byte>(round);
    std::ranges::fill(source.bytes(), tag);
    const Piece piece = source.piece();
    const std::uint64_t cookie =
        a.start(endpoint, notifying(put_of({&piece, 1}, target.remote()), round));
    bool in_parts = false;
    bool tail_first = false;
    ASSERT_TRUE(cluster.network.run_until([&] {
      b.progress();
      const auto there = std::ranges::count(target.bytes(), tag);
      if (there != 64) {
        EXPECT_TRUE(b.notifications.empty());
      }
      in_parts |= there > 0 && there < 64;
      tail_first |= target.bytes().back() == tag && target.bytes().front() != tag;
      return !b.notifications.empty();
    }));
    half_way += in_parts;
    last_before_first += tail_first;
    b.notifications.clear();
    ASSERT_TRUE(cluster.run([&] { return a.done(cookie); }));
  }
  EXPECT_GT(half_way, 50U);
  EXPECT_GT(last_before_first, 10U);
}

/// A put that reads its source late catches whoever reuses it before the completion.
TEST(Sim, ReusingAPutsMemoryEarlyIsVisible) {
  Cluster cluster(seeded(1));
  Node& a = cluster.node(0);
  Buffer source(a.device, 64);
  Buffer target(cluster.node(1).device, 64);
  fill_pattern(source.bytes(), 1);
  const Piece piece = source.piece();
  a.start(a.connect(cluster.node(1)), put_of({&piece, 1}, target.remote()));
  fill_pattern(source.bytes(), 2);
  cluster.drain();
  EXPECT_EQ(find_mismatch(target.bytes(), 2), -1);
}

TEST(SimDeathTest, KeepingReceivedBytesIsCaught) {
  if (kAddressSanitized == 0) GTEST_SKIP() << "the address sanitizer catches it";
  Cluster cluster(seeded(1));
  const Bytes data(4096, std::byte{7});
  cluster.node(0).send(cluster.node(0).connect(cluster.node(1)), data);
  cluster.network.step();
  std::array<Completion, 1> out;
  ASSERT_EQ(cluster.device(1).poll(out), 1U);
  const volatile std::byte* kept = out[0].data.data() + 100;
  const std::byte before = *kept;
  EXPECT_EQ(before, std::byte{7});
  std::array<Completion, 1> none;
  EXPECT_EQ(cluster.device(1).poll(none), 0U);
  EXPECT_DEATH((void)*kept, "heap-use-after-free");
}

TEST(Sim, MisuseOfCapsIsCounted) {
  SimConfig config = seeded(1);
  config.caps.has_put = false;
  config.caps.max_pieces = 1;
  config.caps.notify = NotifyMode::none;
  Cluster cluster(config);
  Node& a = cluster.node(0);
  Buffer memory(a.device, 64);
  Buffer target(cluster.node(1).device, 64);
  const EndpointId endpoint = a.connect(cluster.node(1));
  const std::array<Piece, 2> pieces{memory.piece(0, 8), memory.piece(8, 8)};
  const std::array<Operation, 5> wrong{
      put_of({&pieces[0], 1}, target.remote()), get_of(pieces, target.remote()),
      atomic_of(AtomicKind::swap, {}, target.remote(4), 0),
      notifying(atomic_of(AtomicKind::swap, {}, target.remote(), 0), 1),
      get_of({&pieces[0], 1}, target.remote())};
  std::vector<std::uint64_t> cookies;
  for (const Operation& operation : wrong) cookies.push_back(a.start(endpoint, operation));
  a.post(endpoint, confirm_of_all());  // that nobody waits for
  a.send(endpoint, Bytes(config.caps.max_send + 1));
  cluster.drain();
  EXPECT_EQ(cluster.network.violations(), 6U);
  EXPECT_EQ(cluster.network.last_violation(), "process 0 posts a send above Caps::max_send");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NE(a.completed.at(cookies[i]), MPI_SUCCESS) << i;
  EXPECT_EQ(a.completed.at(cookies[4]), MPI_SUCCESS) << "the last one was right";
  EXPECT_TRUE(cluster.node(1).receives.empty());
}

TEST(Sim, KeysAreChecked) {
  SimConfig config = seeded(test_seed());
  config.caps.needs_registration = true;
  Cluster cluster(config);
  Node& a = cluster.node(0);
  Node& b = cluster.node(1);
  const EndpointId endpoint = a.connect(b);
  Bytes memory(256);
  const Region all = *a.device.register_memory(memory.data(), 128, Access::all);
  Bytes other(256);
  const Region readable = *b.device.register_memory(other.data(), 128, Access::remote_read);
  const auto address = reinterpret_cast<std::uintptr_t>(other.data());
  const auto outcome = [&](const Operation& operation) {
    const std::uint64_t before = cluster.network.violations();
    const std::uint64_t cookie = a.start(endpoint, operation);
    EXPECT_TRUE(cluster.run([&] { return a.done(cookie); }));
    EXPECT_EQ(cluster.network.violations() - before, a.completed[cookie] == MPI_SUCCESS ? 0U : 1U);
    return a.completed[cookie] == MPI_SUCCESS;
  };
  const Piece good{memory.data(), 64, all.local_key};
  const Piece remote_key{memory.data(), 64, all.remote_key + 1};
  const Piece outside{memory.data() + 100, 64, all.local_key};
  EXPECT_TRUE(outcome(get_of({&good, 1}, {address, readable.remote_key})));
  EXPECT_TRUE(outcome(get_of({&good, 1}, {address + 64, readable.remote_key})));
  EXPECT_FALSE(outcome(get_of({&good, 1}, {address + 65, readable.remote_key})));
  EXPECT_FALSE(outcome(get_of({&good, 1}, {address - 1, readable.remote_key})));
  EXPECT_FALSE(outcome(get_of({&good, 1}, {address, readable.local_key})));
  EXPECT_FALSE(outcome(put_of({&good, 1}, {address, readable.remote_key}))) << "only readable";
  EXPECT_FALSE(outcome(get_of({&remote_key, 1}, {address, readable.remote_key})));
  EXPECT_FALSE(outcome(get_of({&outside, 1}, {address, readable.remote_key})));
  b.device.deregister(readable);
  EXPECT_FALSE(outcome(get_of({&good, 1}, {address, readable.remote_key})));
  const std::uint64_t before = cluster.network.violations();
  b.device.deregister(readable);
  EXPECT_EQ(cluster.network.violations(), before + 1) << "deregistered twice";
  a.device.deregister(all);
}

TEST(Sim, FullQueuesRefuseAndTheProcessIsWokenForMore) {
  SimConfig config = seeded(1);
  config.queue_depth = 3;
  Cluster cluster(config);
  const std::array<Operation, 5> sends;
  const EndpointId endpoint = cluster.node(0).connect(cluster.node(1));
  EXPECT_EQ(cluster.device(0).post(endpoint, sends), 3U);
  EXPECT_EQ(cluster.device(0).post(endpoint, sends), 0U);
  EXPECT_EQ(cluster.device(0).stats().refused, 2U);
  EXPECT_EQ(cluster.network.pop_ready(), std::nullopt);
  EXPECT_TRUE(cluster.network.step());
  const std::optional<PeerName> first = cluster.network.pop_ready();
  const std::optional<PeerName> second = cluster.network.pop_ready();
  EXPECT_TRUE(first == PeerName{0} || second == PeerName{0}) << "may post again";
  EXPECT_EQ(cluster.device(0).post(endpoint, sends), 1U);
}

TEST(Sim, EvenAPostRefusedInFullIsOfferedAgain) {
  SimConfig config = seeded(test_seed());
  config.partial_accept = 0.95;
  Cluster cluster(config);
  Node& a = cluster.node(0);
  for (int i = 0; i < 200; ++i) a.send(a.connect(cluster.node(1)), Bytes(1));
  EXPECT_TRUE(cluster.run([&] { return cluster.node(1).receives.size() == 200; }));
  EXPECT_GT(cluster.device(0).stats().refused, 50U);
}

TEST(Sim, SlowConnectionsDelayTheFirstOperation) {
  SimConfig config = seeded(test_seed());
  config.connect_ns = 1'000'000;
  Cluster cluster(config, 3);
  Node& a = cluster.node(0);
  a.send(a.connect(cluster.node(1)), Bytes(1));
  EXPECT_TRUE(cluster.run([&] { return cluster.node(1).receives.size() == 1; }));
  EXPECT_GE(cluster.network.now_ns(), 500'000U);
  const std::uint64_t then = cluster.network.now_ns();
  a.send(a.connect(cluster.node(1)), Bytes(1));
  EXPECT_TRUE(cluster.run([&] { return cluster.node(1).receives.size() == 2; }));
  EXPECT_LT(cluster.network.now_ns() - then, 10'000U);
}

TEST(Sim, InjectedErrorsFailTheOperationAndBothEnds) {
  Cluster cluster(seeded(test_seed()));
  Node& a = cluster.node(0);
  Node& b = cluster.node(1);
  const EndpointId endpoint = a.connect(b);
  Buffer memory(a.device, 64);
  Buffer target(b.device, 64);
  const Piece piece = memory.piece();
  cluster.network.inject_error(0, 1);
  const std::uint64_t cookie =
      a.start(endpoint, notifying(put_of({&piece, 1}, target.remote()), 1));
  cluster.drain();
  EXPECT_EQ(a.completed.at(cookie), MPI_ERR_OTHER);
  EXPECT_EQ(a.failures, std::vector<EndpointId>{endpoint});
  EXPECT_EQ(b.failures.size(), 1U);
  EXPECT_TRUE(b.notifications.empty());
  EXPECT_EQ(a.device.explain(endpoint), "process 1: the adapter reported an error (injected)");
  EXPECT_EQ(cluster.network.violations(), 0U);
}

/// Death in the middle of traffic: every operation completes exactly once, nothing hangs.
TEST(Sim, DeathsLeaveNoOperationOpen) {
  for (std::uint64_t i = 0; i < 30; ++i) {
    SimConfig config = sim_hostile(test_seed() + i);
    Cluster cluster(config, 4);
    std::vector<std::unique_ptr<Buffer>> buffers;
    for (std::size_t k = 0; k < 4; ++k) {
      buffers.push_back(std::make_unique<Buffer>(cluster.device(k), 4096));
    }
    std::array<std::size_t, 4> started{};
    for (std::size_t n = 0; n < 400; ++n) {
      const std::size_t from = n % 4;
      const std::size_t to = cluster.network.random()() % 4;
      Node& node = cluster.node(from);
      const Piece piece = buffers[from]->piece();
      node.start(node.connect(cluster.node(to)), put_of({&piece, 1}, buffers[to]->remote()));
      ++started[from];
    }
    for (int n = 0; n < 60; ++n) {
      cluster.network.step();
      for (std::size_t k = 0; k < 4; ++k) cluster.node(k).progress();
    }
    cluster.network.kill(3);
    cluster.drain();
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(cluster.node(k).completed.size(), started[k]) << "seed " << config.seed;
      EXPECT_EQ(cluster.node(k).failures.size(), 1U) << "seed " << config.seed;
      EXPECT_TRUE(cluster.device(k).flushed());
    }
    EXPECT_FALSE(cluster.network.alive(3));
  }
}

TEST(Sim, APartitionIsLatenessOrAnError) {
  for (const bool limited : {false, true}) {
    SimConfig config = seeded(test_seed());
    config.link_timeout_ns = limited ? 1'000'000 : 0;
    Cluster cluster(config);
    Node& a = cluster.node(0);
    Node& b = cluster.node(1);
    Buffer memory(a.device, 64);
    Buffer target(b.device, 64);
    const Piece piece = memory.piece();
    const EndpointId endpoint = a.connect(b);
    cluster.network.set_link(1, 0, false);
    a.send(endpoint, Bytes(3));
    const std::uint64_t cookie = a.start(endpoint, put_of({&piece, 1}, target.remote()));
    cluster.drain();
    EXPECT_TRUE(b.receives.empty());
    EXPECT_EQ(a.done(cookie), limited);
    EXPECT_EQ(a.failures.size(), limited ? 1U : 0U);
    EXPECT_EQ(b.failures.size(), limited ? 1U : 0U);
    cluster.network.set_link(0, 1, true);
    cluster.drain();
    EXPECT_EQ(b.receives.size(), limited ? 0U : 1U);
    ASSERT_TRUE(a.done(cookie));
    EXPECT_EQ(a.completed[cookie] == MPI_SUCCESS, !limited);
  }
}

TEST(Sim, BrokenConnectionsAreSeenByBothAndByNobodyElse) {
  Cluster cluster(seeded(test_seed()), 3);
  Node& a = cluster.node(0);
  const EndpointId endpoint = a.connect(cluster.node(1));
  const EndpointId other = a.connect(cluster.node(2));
  cluster.network.break_connection(0, 1);
  a.send(other, Bytes(1));
  cluster.drain();
  EXPECT_EQ(a.failures, std::vector<EndpointId>{endpoint});
  EXPECT_EQ(cluster.node(1).failures.size(), 1U);
  EXPECT_TRUE(cluster.node(2).failures.empty());
  EXPECT_EQ(cluster.node(2).receives.size(), 1U);
}

TEST(Sim, LeavingBeforeFlushedLosesOperations) {
  Cluster cluster(seeded(1));
  Node& a = cluster.node(0);
  a.send(a.connect(cluster.node(1)), Bytes(1));
  EXPECT_FALSE(a.device.flushed());
  cluster.devices[0].reset();
  while (cluster.network.step()) {
  }
  EXPECT_EQ(cluster.network.lost_at_exit(), 1U);
  cluster.node(1).progress();
  EXPECT_TRUE(cluster.node(1).receives.empty());
}

TEST(Sim, UnreadReceivesAboveTheLimitAreCounted) {
  SimConfig config = seeded(1);
  config.receive_depth = 10;
  Cluster cluster(config);
  Node& a = cluster.node(0);
  for (int i = 0; i < 15; ++i) a.send(a.connect(cluster.node(1)), Bytes(1));
  while (cluster.network.step()) {
  }
  EXPECT_EQ(cluster.network.stats(1).receiver_not_ready, 5U);
  EXPECT_EQ(cluster.network.stats(1).max_unread, 15U);
}

TEST(Sim, TimersWakeTheirProcess) {
  Cluster cluster(seeded(1));
  cluster.network.wake_at(1, 5000);
  EXPECT_EQ(cluster.network.pop_ready(), std::nullopt);
  EXPECT_TRUE(cluster.network.step());
  EXPECT_EQ(cluster.network.now_ns(), 5000U);
  EXPECT_EQ(cluster.network.pop_ready(), PeerName{1});
  EXPECT_FALSE(cluster.network.step());
}

TEST(Sim, NamesNeedNotBeDense) {
  SimNetwork network(seeded(1));
  const PeerName odd = (PeerName{7} << 32) | 3;
  const auto a = network.add_process(odd);
  const auto b = network.add_process(0x100000000);
  EXPECT_THROW((void)network.add_process(odd), std::invalid_argument);
  const Expected<EndpointId> endpoint = a->connect(b->name(), b->local_address());
  ASSERT_TRUE(endpoint.has_value());
  EXPECT_EQ(a->peer(*endpoint), PeerName{0x100000000});
  EXPECT_FALSE(a->connect(odd, b->local_address()).has_value()) << "not its address";
}

/// A token through 100,000 processes: the cost is per event, and a process is small.
TEST(Sim, ManyProcesses) {
  constexpr std::size_t kCount = 100'000;
  SimNetwork network(seeded(1));
  std::vector<std::unique_ptr<SimDevice>> devices;
  for (std::size_t i = 0; i < kCount; ++i) devices.push_back(network.add_process(i));
  const Operation token;
  const auto pass_on = [&](PeerName name) {
    const PeerName next = (name + 1) % kCount;
    const Expected<EndpointId> endpoint =
        devices[name]->connect(next, devices[next]->local_address());
    ASSERT_EQ(devices[name]->post(*endpoint, {&token, 1}), 1U);
  };
  std::size_t passed = 0;
  pass_on(0);
  ASSERT_TRUE(network.run(
      [&](PeerName name) {
        std::array<Completion, 1> out;
        if (devices[name]->poll(out) == 0) return;
        ++passed;
        pass_on(name);
      },
      [&] { return passed == kCount; }));
  std::size_t bytes = network.memory_in_use();
  for (const auto& device : devices) bytes += device->memory_in_use();
  ::testing::Test::RecordProperty("bytes_per_process", static_cast<int>(bytes / kCount));
  EXPECT_LT(bytes / kCount, 512U);
  EXPECT_GE(network.events(), kCount);
}

TEST(PendingQueue, KeepsOrderAndCopiesSends) {
  SimConfig config = seeded(test_seed());
  config.queue_depth = 2;
  config.partial_accept = 0.3;
  Cluster cluster(config, 3);
  Node& a = cluster.node(0);
  std::array<EndpointId, 2> endpoints{a.connect(cluster.node(1)), a.connect(cluster.node(2))};
  EXPECT_TRUE(a.pending.empty(endpoints[0]));
  constexpr std::uint32_t kCount = 500;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    for (const EndpointId endpoint : endpoints) {
      std::array<std::uint32_t, 2> data{i, endpoint};
      const std::array<Piece, 3> pieces{Piece{&data[0], 4, 0}, Piece{nullptr, 0, 0},
                                        Piece{&data[1], 4, 0}};
      Operation operation;
      operation.local = pieces;
      a.pending.post(a.device, endpoint, {&operation, 1});
      data.fill(~0U);
    }
  }
  EXPECT_FALSE(a.pending.empty(endpoints[0]));
  EXPECT_FALSE(a.pending.empty(endpoints[1]));
  EXPECT_TRUE(a.pending.empty(99));
  EXPECT_EQ(a.pending.bytes(), a.pending.size() * 8);
  ASSERT_TRUE(cluster.run([&] {
    return cluster.node(1).receives.size() + cluster.node(2).receives.size() == 2 * kCount;
  }));
  EXPECT_TRUE(a.pending.empty());
  EXPECT_TRUE(a.pending.empty(endpoints[0]));
  EXPECT_EQ(a.pending.bytes(), 0U);
  for (std::size_t n = 1; n < 3; ++n) {
    for (std::uint32_t i = 0; i < kCount; ++i) {
      std::array<std::uint32_t, 2> data{};
      std::memcpy(data.data(), cluster.node(n).receives.at(i).data.data(), sizeof data);
      ASSERT_EQ(data[0], i);
      ASSERT_EQ(data[1], endpoints[n - 1]);
    }
  }
}

TEST(PendingQueue, AFullEndpointDoesNotHoldUpAnother) {
  SimConfig config = seeded(1);
  config.queue_depth = 1;
  Cluster cluster(config, 3);
  Node& a = cluster.node(0);
  const EndpointId blocked = a.connect(cluster.node(1));
  const EndpointId open = a.connect(cluster.node(2));
  cluster.network.set_link(0, 1, false);
  for (int i = 0; i < 10; ++i) a.send(blocked, Bytes(1));
  for (int i = 0; i < 10; ++i) a.send(open, Bytes(1));
  EXPECT_TRUE(cluster.run([&] { return cluster.node(2).receives.size() == 10; }));
  EXPECT_TRUE(a.pending.empty(open));
  EXPECT_FALSE(a.pending.empty(blocked));
  EXPECT_EQ(a.pending.size(), 9U);
  cluster.network.set_link(0, 1, true);
  EXPECT_TRUE(cluster.run([&] { return cluster.node(1).receives.size() == 10; }));
  EXPECT_TRUE(a.pending.empty());
}

/// Pieces of puts are copied, their memory is not.
TEST(PendingQueue, KeepsPiecesOfPuts) {
  SimConfig config = seeded(1);
  config.queue_depth = 1;
  Cluster cluster(config);
  Node& a = cluster.node(0);
  Buffer source(a.device, 64);
  Buffer target(cluster.node(1).device, 64);
  fill_pattern(source.bytes(), 3);
  const EndpointId endpoint = a.connect(cluster.node(1));
  a.send(endpoint, Bytes(1));
  std::uint64_t cookie = 0;
  {
    std::array<Piece, 2> pieces{source.piece(0, 20), source.piece(20, 44)};
    cookie = a.start(endpoint, put_of(pieces, target.remote()));
    pieces = {};
  }
  EXPECT_EQ(a.pending.size(), 1U);
  EXPECT_EQ(a.pending.bytes(), 0U);
  EXPECT_TRUE(cluster.run([&] { return a.done(cookie); }));
  EXPECT_EQ(find_mismatch(target.bytes(), 3), -1);
}

}  // namespace
}  // namespace remit::testing
