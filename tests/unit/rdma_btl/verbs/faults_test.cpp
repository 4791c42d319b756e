// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The verbs device when something is wrong, as far as one process can make it so: peers that are
// silent, hosts that are not there, events of the adapter, queues at their limits, words of
// REMIT_VERBS_DEVICE. Skipped (77) where there is no RDMA device.
#include <arpa/inet.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "rdma_btl/verbs/verbs_device.hpp"
#include "tests/unit/rdma_btl/verbs/nodes.hpp"

namespace remit::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class VerbsFaults : public VerbsTest {
 protected:
  [[nodiscard]] bool iwarp() { return device(0).description().find("iWARP") != std::string::npos; }
  /// Meanwhile all but process 0 compute.
  void pause(Clock::duration time) {
    for (std::size_t i = 1; i < nodes_.size(); ++i) compute(i, true);
    EXPECT_FALSE(wait_until([] { return false; }, time));
    for (std::size_t i = 1; i < nodes_.size(); ++i) compute(i, false);
  }
  void expect_words(const std::string& text, std::initializer_list<std::string> wanted) {
    for (const std::string& word : wanted) {
      EXPECT_NE(text.find(word), std::string::npos) << word << " is not in: " << text;
    }
  }
};

// --- silence -----------------------------------------------------------------------------------

/// Who computes does not answer, for longer than a host that is gone would be waited for.
TEST_F(VerbsFaults, AProcessThatComputesIsWaitedFor) {
  VerbsConfig config = config_of(0);
  config.quiet_ms = 200;
  config.host_timeout_ms = 1500;
  add(config);
  add(config_of(1));
  if (iwarp()) GTEST_SKIP() << "an iWARP host cannot be asked";
  const EndpointId endpoint = device(0).connect(1, device(1).local_address()).value();
  node(0).send(endpoint, std::as_bytes(std::span("at last")));
  pause(seconds(4));
  EXPECT_GE(device(0).counters().asked, 1U);
  EXPECT_TRUE(node(0).failures.empty()) << device(0).explain(endpoint);
  ASSERT_TRUE(wait_until([&] { return !node(1).receives.empty(); }));
  EXPECT_TRUE(node(0).failures.empty());
}

/// Nobody has the address: the host does not answer either.
TEST_F(VerbsFaults, AHostThatIsNotThereIsGivenUp) {
  VerbsConfig config = config_of(0);
  config.quiet_ms = 200;
  config.host_timeout_ms = 2000;
  add(config);
  add(config_of(1));
  if (iwarp()) GTEST_SKIP() << "an iWARP host cannot be asked";
  Bytes address = device(1).local_address();
  verbs::Address fields;
  std::memcpy(&fields, address.data(), sizeof fields);
  fields.ip[fields.family == AF_INET ? 3 : 15] ^= 0x55;
  std::memcpy(address.data(), &fields, sizeof fields);
  const auto start = Clock::now();
  const EndpointId endpoint = device(0).connect(1, address).value();
  ASSERT_TRUE(wait_until([&] { return !node(0).failures.empty(); }));
  EXPECT_LT(Clock::now() - start, seconds(30)) << "connect_timeout_ms are five minutes";
  expect_words(device(0).explain(endpoint),
               {"process 1 on host ", device(0).adapter().chosen().device});
}

/// An empty write now and then, which no process has to answer and nobody sees.
TEST_F(VerbsFaults, IdleConnectionsAreLookedAfter) {
  VerbsConfig config = config_of(0);
  config.keepalive_ms = 100;
  add(config);
  add(config_of(1));
  talk(0, 1);
  pause(milliseconds(1500));
  EXPECT_GE(device(0).counters().keepalives, 3U);
  EXPECT_LE(device(0).max_sleep_ms(), 100) << "a sleeper wakes for it";
  EXPECT_TRUE(wait_until([&] { return device(0).flushed(); })) << "one was not acknowledged";
  EXPECT_TRUE(node(0).failures.empty());
  EXPECT_EQ(device(1).counters().receives, 1U);
}

// --- events of the adapter ---------------------------------------------------------------------

TEST_F(VerbsFaults, AFatalEventFailsItsPeerAlone) {
  add(config_of(0));
  add(config_of(1));
  add(config_of(2));
  talk(0, 1);
  const EndpointId other = node(0).connect(node(2));
  node(0).send(other, std::as_bytes(std::span("before")));
  ASSERT_TRUE(wait_until([&] { return !node(2).receives.empty(); }));
  device(0).pretend(0, IBV_EVENT_QP_FATAL);
  ASSERT_TRUE(wait_until([&] { return !node(0).failures.empty() && !node(1).failures.empty(); }));
  EXPECT_EQ(node(0).failures.size(), 1U);
  expect_words(device(0).explain(0),
               {"process 1 on host ", device(0).adapter().chosen().device, "catastrophic"});
  node(2).receives.clear();
  node(0).send(other, std::as_bytes(std::span("after")));
  EXPECT_TRUE(wait_until([&] { return !node(2).receives.empty(); }));
}

// --- limits ------------------------------------------------------------------------------------

/// Receivers that do not look: what was sent is never more than what has a receive, so no message
/// ever finds none and the adapter has nothing to repeat.
TEST_F(VerbsFaults, NoMessageEverFindsNoReceive) {
  constexpr std::uint32_t kMessages = 2000;
  VerbsConfig config = config_of(0);
  config.receive_slots = 8;
  config.first_window = config.strict_window = 4;
  config.max_window = 8;
  for (const bool strict : {false, true}) {
    SCOPED_TRACE(strict ? "without SRQ" : "with SRQ");
    nodes_.clear();
    devices_.clear();
    config.mask.srq = strict;
    config.name = 0;
    add(config);
    config.name = 1;
    add(config);
    talk(0, 1);
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      node(0).send(0, std::as_bytes(std::span(&i, 1)));
      // The receiver sleeps through most of it.
      node(0).progress();
      if (i % 64 == 0) node(1).progress();
    }
    ASSERT_TRUE(wait_until([&] { return node(1).receives.size() == kMessages; }));
    EXPECT_GT(device(0).counters().starved, 0U) << "credits limited nothing";
    EXPECT_EQ(device(0).counters().rnr, 0U);
    const std::vector<Statistic> all = device(0).statistics();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const Statistic& statistic) {
      return statistic.name == "receiver_not_ready" && statistic.value == 0;
    })) << "it is counted where users see it";
  }
}

/// Should the lending of receives be wrong, adapters repeat what found no receive; and it is
/// counted.
TEST_F(VerbsFaults, AReceiverThatIsNotReadyIsCountedAndAskedAgain) {
  constexpr std::uint32_t kMessages = 24;
  VerbsConfig config = config_of(0);
  config.receive_slots = 8;
  config.first_window = config.max_window = 4;
  add(config);
  config.name = 1;
  add(config);
  const auto refusals = [this](std::size_t index) {
    const std::vector<Statistic> all = device(index).statistics();
    const auto found = std::find_if(all.begin(), all.end(), [](const Statistic& statistic) {
      return statistic.name == "port_receiver_not_ready";
    });
    return found == all.end() ? -1 : static_cast<int>(found->value);
  };
  if (iwarp()) GTEST_SKIP() << "iWARP ends a connection that finds no receive";
  talk(0, 1);
  if (refusals(1) < 0) GTEST_SKIP() << "this adapter does not count it";
  const int before = refusals(1);
  device(0).pretend_credits(0, kMessages);
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    node(0).send(0, std::as_bytes(std::span(&i, 1)));
  }
  pause(seconds(1));
  EXPECT_GT(refusals(1), before) << "there are but 8 receives";
  ASSERT_TRUE(wait_until([&] { return node(1).receives.size() == kMessages; }));
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    std::uint32_t got = 0;
    std::memcpy(&got, node(1).receives[i].data.data(), sizeof got);
    ASSERT_EQ(got, i) << "order";
  }
  EXPECT_TRUE(node(0).failures.empty()) << device(0).explain(0);
  EXPECT_EQ(device(0).counters().rnr, 0U);

  // Not for ever.
  device(0).pretend_credits(0, kMessages);
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    node(0).send(0, std::as_bytes(std::span(&i, 1)));
  }
  compute(1, true);
  ASSERT_TRUE(wait_until([&] { return !node(0).failures.empty(); }));
  EXPECT_EQ(device(0).counters().rnr, 1U);
  expect_words(device(0).explain(0), {"process 1 on host ", "has posted no receive"});
}

/// The completion queue has few entries, each operation wants a completion and nobody polls
/// between: what does not fit is not accepted.
TEST_F(VerbsFaults, TheCompletionQueueCannotOverflow) {
  constexpr std::uint64_t kPuts = 3000;
  VerbsConfig config = config_of(0);
  config.completion_entries = 64;
  config.receive_slots = 16;
  config.first_window = 4;
  config.max_window = 8;
  add(config);
  for (PeerName name = 1; name <= 3; ++name) add(config_of(name));
  std::vector<EndpointId> endpoints;
  for (std::size_t i = 1; i <= 3; ++i) {
    endpoints.push_back(node(0).connect(node(i)));
    node(0).send(endpoints.back(), std::as_bytes(std::span("hello")));
    ASSERT_TRUE(wait_until([&] { return node(i).receives.size() == 1; }));
  }
  Buffer source(device(0), 8);
  std::vector<std::unique_ptr<Buffer>> targets;
  for (std::size_t i = 1; i <= 3; ++i) targets.push_back(std::make_unique<Buffer>(device(i), 8));
  const Piece piece = source.piece();
  std::uint64_t posted = 0;
  std::size_t most = 0;
  while (posted < kPuts) {
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (bool room = true; room && posted < kPuts;) {
        Operation put = put_of({&piece, 1}, targets[i]->remote());
        put.cookie = posted;
        room = device(0).post(endpoints[i], {&put, 1}) == 1;
        posted += room;
        accepted += room;
      }
    }
    most = std::max(most, accepted);
    // All of them are complete before the first is looked at: the worst case.
    std::this_thread::sleep_for(milliseconds(5));
    (void)node(0).progress();
  }
  ASSERT_TRUE(wait_until([&] { return node(0).completed.size() == kPuts; }));
  EXPECT_LE(most, 32U) << "half of the entries are for sends";
  EXPECT_TRUE(node(0).failures.empty()) << device(0).explain(0);
  for (const auto& [cookie, status] : node(0).completed) ASSERT_EQ(status, MPI_SUCCESS) << cookie;
}

// --- words -------------------------------------------------------------------------------------

TEST(VerbsWanted, WordsOfTheParameter) {
  EXPECT_TRUE(verbs::parse_wanted("")->device.empty());
  EXPECT_EQ(verbs::parse_wanted("10.9.0.1")->address, "10.9.0.1");
  EXPECT_EQ(verbs::parse_wanted("FE80:0::1")->address, "fe80::1");
  const Expected<verbs::Wanted> all = verbs::parse_wanted("mlx5_0:1:3");
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->device, "mlx5_0");
  EXPECT_EQ(all->port, 1);
  EXPECT_EQ(all->gid_index, 3);
  EXPECT_EQ(verbs::parse_wanted("mlx5_0")->port, -1);
  for (const char* wrong : {"a:", "a:0", "a:256", "a:x", "a:1:", "a:1:-1", "a:1:70000", "a:1:2:3",
                            ":1", "a:1x", "a: 1"}) {
    const Expected<verbs::Wanted> refused = verbs::parse_wanted(wrong);
    ASSERT_FALSE(refused.has_value()) << wrong;
    const std::string& words = refused.error().message;
    EXPECT_NE(words.find(fmt::format("'{}'", wrong)), std::string::npos) << words;
    EXPECT_NE(words.find("NAME:PORT:GID"), std::string::npos) << words;
  }
}

// --- paging on demand --------------------------------------------------------------------------

TEST(VerbsPaging, NeedsAllOfIt) {
  ibv_odp_caps reported = {};
  EXPECT_FALSE(verbs::paging_of(reported).all_memory);
  reported.general_caps = IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT;
  reported.per_transport_caps.rc_odp_caps =
      IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_READ;
  EXPECT_TRUE(verbs::paging_of(reported).all_memory);
  EXPECT_FALSE(verbs::paging_of(reported).atomics);
  for (std::uint32_t bit = IBV_ODP_SUPPORT_SEND; bit <= IBV_ODP_SUPPORT_READ; bit <<= 1) {
    ibv_odp_caps less = reported;
    less.per_transport_caps.rc_odp_caps &= ~bit;
    EXPECT_FALSE(verbs::paging_of(less).all_memory) << bit;
  }
  ibv_odp_caps explicit_only = reported;
  explicit_only.general_caps = IBV_ODP_SUPPORT;
  EXPECT_FALSE(verbs::paging_of(explicit_only).all_memory);
  reported.per_transport_caps.rc_odp_caps |= IBV_ODP_SUPPORT_ATOMIC;
  EXPECT_TRUE(verbs::paging_of(reported).atomics);
}

/// What an adapter says of itself is true: all memory can be had at once, or is an error.
TEST_F(VerbsFaults, AllMemoryIsHadAsTheAdapterSays) {
  VerbsDevice& adapter = add(config_of(0));
  const std::uint64_t before = adapter.counters().registered;
  const Expected<Region> all = adapter.register_memory(nullptr, SIZE_MAX, Access::all);
  EXPECT_EQ(all.has_value(), adapter.caps().pages_on_demand)
      << (all ? "registered" : all.error().message);
  EXPECT_EQ(adapter.counters().registered, before) << "nothing is pinned";
  if (all) adapter.deregister(*all);
}

}  // namespace
}  // namespace remit::testing

int main(int argc, char** argv) {
  return remit::testing::run_verbs_tests(argc, argv);
}
