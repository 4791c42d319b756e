// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The tcp device on the loopback: the suites, with roomy and with tiny sockets, and what only
// it does.
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "rdma_btl/net/sockets.hpp"
#include "rdma_btl/tcp/tcp_device.hpp"
#include "tests/unit/rdma_btl/device_ip_suite.hpp"

namespace remit::testing {
namespace {

TcpConfig config_of(PeerName name) {
  TcpConfig config;
  config.name = name;
  config.job = 4711;
  config.interface = "lo";
  return config;
}

/// Everything is cut everywhere, and waits.
TcpConfig small(PeerName name) {
  TcpConfig config = config_of(name);
  config.socket_bytes = 20000;
  config.segment_bytes = 3000;
  config.most_waiting = 70000;
  config.most_transfers = 2;
  return config;
}

template <TcpConfig (*kConfig)(PeerName)>
class TcpWorld : public NetworkWorld<TcpDevice> {
 public:
  using NetworkWorld::NetworkWorld;

  [[nodiscard]] std::unique_ptr<Device> make(PeerName name) override {
    return known(name, open_device<TcpDevice>(kConfig(name)));
  }
  void check() override {
    for (const auto& [name, device] : devices_) EXPECT_EQ(device->counters().rejected, 0U);
  }
};

template <TcpConfig (*kConfig)(PeerName)>
struct Kind {
  using Real = TcpDevice;
  static TcpConfig config(PeerName name) { return kConfig(name); }
};

INSTANTIATE_TEST_SUITE_P(Tcp, DeviceSuite, ::testing::Values(make_world<TcpWorld<config_of>>));
INSTANTIATE_TEST_SUITE_P(Small, DeviceSuite, ::testing::Values(make_world<TcpWorld<small>>));
INSTANTIATE_TYPED_TEST_SUITE_P(Tcp, IpDeviceSuite, Kind<config_of>);
INSTANTIATE_TYPED_TEST_SUITE_P(Small, IpDeviceSuite, Kind<small>);

using TcpTest = NodesTest<TcpDevice>;

TEST_F(TcpTest, ItSaysWhatItUses) {
  const TcpDevice& device = add(config_of(0));
  EXPECT_NE(device.description().find("lo 127.0.0.1"), std::string::npos) << device.description();
  const Expected<std::string> survey = TcpDevice::survey(config_of(0));
  ASSERT_TRUE(survey.has_value()) << survey.error().message;
  EXPECT_EQ(*survey, device.description());
  TcpConfig wrong = config_of(1);
  wrong.interface = "none0";
  const auto none = TcpDevice::create(wrong);
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().message.find("REMIT_INTERFACE"), std::string::npos)
      << none.error().message;
}

TEST_F(TcpTest, CongestionControlIsAsAsked) {
  TcpConfig config = config_of(0);
  config.congestion = "reno";  // every kernel has it, for everybody
  add(config);
  config.name = 1;
  add(config);
  talk(0, 1);
  EXPECT_EQ(device(0).congestion(0), "reno");
  EXPECT_EQ(device(1).congestion(0), "reno");
  config.name = 2;
  config.congestion = "none";
  const auto none = TcpDevice::create(config);
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().message.find("REMIT_TCP_CONGESTION is 'none'"), std::string::npos)
      << none.error().message;
}

/// The system's to hosts that are far, and everywhere if it does not pace.
TEST_F(TcpTest, CongestionControlDoesNotPaceToHostsThatAreNear) {
  const shm::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const std::string system = net::congestion_of(socket.get());
  ASSERT_FALSE(system.empty());
  add(config_of(0));
  add(config_of(1));
  TcpConfig far = config_of(2);
  far.far_us = 0;
  add(far);
  talk(0, 1);
  talk(0, 2);
  EXPECT_EQ(device(2).congestion(0), system);
  for (const EndpointId endpoint : {0, 1}) {
    const std::string near = device(0).congestion(endpoint);
    if (system.starts_with("bbr")) {
      EXPECT_TRUE(near == "cubic" || near == "reno") << near;
    } else {
      EXPECT_EQ(near, system);
    }
  }
}

/// As many connections as the process may have, not as few as it begins with.
TEST_F(TcpTest, DescriptorsAreMadeWhenTheyRunOut) {
  rlimit limit;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  for (PeerName name = 0; name < 4; ++name) add(config_of(name));
  const shm::Fd next(::dup(0));
  const rlimit few{static_cast<rlim_t>(next.get()), limit.rlim_max};
  if (few.rlim_cur >= limit.rlim_max) GTEST_SKIP() << "no more than " << limit.rlim_max;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  for (const int name : {1, 2, 3}) talk(0, name);
  rlimit now;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &now), 0);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(now.rlim_cur, limit.rlim_max);
  EXPECT_EQ(device(0).counters().connections, 3U);
}

/// A get by a key that is not the target's fails alone; a put by one ends the connection.
TEST_F(TcpTest, WrongKeys) {
  add(config_of(0));
  add(config_of(1));
  talk(0, 1);
  Buffer from(node(0).device, 1000);
  Buffer to(node(1).device, 1000);
  const Piece piece = from.piece();
  RemoteAddress wrong = to.remote();
  ++wrong.key;
  const EndpointId endpoint = node(0).connect(node(1));
  const std::uint64_t refused = node(0).start(endpoint, get_of({&piece, 1}, wrong));
  const std::uint64_t right = node(0).start(endpoint, get_of({&piece, 1}, to.remote()));
  ASSERT_TRUE(wait_until([&] { return node(0).done(refused) && node(0).done(right); }));
  EXPECT_EQ(node(0).completed[refused], MPI_ERR_RMA_RANGE);
  EXPECT_EQ(node(0).completed[right], MPI_SUCCESS);
  (void)node(0).start(endpoint, put_of({&piece, 1}, wrong));
  ASSERT_TRUE(wait_until([&] { return !node(0).failures.empty() && !node(1).failures.empty(); }));
  EXPECT_EQ(device(1).counters().rejected, 1U);
}

/// Sends overtake a long put at its segments, and it arrives whole.
TEST_F(TcpTest, SendsSlipIntoALongPut) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  add(config_of(0));
  add(config_of(1));
  talk(0, 1);
  Buffer from(node(0).device, kBytes);
  Buffer to(node(1).device, kBytes);
  fill_pattern(from.bytes(), 9);
  const Piece piece = from.piece();
  const EndpointId endpoint = node(0).connect(node(1));
  (void)node(0).start(endpoint, notifying(put_of({&piece, 1}, to.remote()), 5));
  node(0).send(endpoint, std::as_bytes(std::span("overtakes")));
  ASSERT_TRUE(wait_until([&] { return !node(1).receives.empty(); }));
  EXPECT_TRUE(node(1).notifications.empty());
  ASSERT_TRUE(wait_until([&] { return !node(1).notifications.empty(); }));
  EXPECT_EQ(find_mismatch(to.bytes(), 9), -1);
}

/// Who does not read holds his peer back, whose memory does not grow; then all arrives.
TEST_F(TcpTest, WhoComputesHoldsItsPeersBack) {
  add(small(0));
  add(small(1));
  talk(0, 1);
  compute(1, true);
  const Bytes data(60000, std::byte{3});
  const Piece piece{const_cast<std::byte*>(data.data()), data.size(), 0};
  Operation operation;
  operation.local = {&piece, 1};
  std::size_t accepted = 0;
  for (int i = 0; i < 1000; ++i) {
    accepted += device(0).post(0, {&operation, 1});
    (void)node(0).progress();
  }
  EXPECT_LT(accepted, 20U);
  compute(1, false);
  ASSERT_TRUE(wait_until([&] { return node(1).receives.size() == accepted; }));
}

/// What one look at a socket brought, and poll() had no room for, comes without another look: also
/// where more peers talk than are read one by one.
TEST_F(TcpTest, ManyTalkAndPollHasLittleRoom) {
  constexpr std::size_t kPeers = 24;
  constexpr std::size_t kEach = 50;
  for (std::size_t i = 0; i <= kPeers; ++i) add(config_of(i));
  for (std::size_t i = 1; i <= kPeers; ++i) talk(i, 0);
  compute(0, true);
  const Bytes data(100, std::byte{1});
  for (std::size_t i = 1; i <= kPeers; ++i) {
    for (std::size_t k = 0; k < kEach; ++k) node(i).send(0, data);
  }
  ASSERT_TRUE(wait_until([&] {
    return std::ranges::all_of(nodes_, [](const auto& one) { return one->pending.empty(); });
  }));
  settle();
  const auto end = Clock::now() + std::chrono::seconds(20);
  while (node(0).receives.size() < kPeers * kEach && Clock::now() < end) (void)node(0).progress(3);
  EXPECT_EQ(node(0).receives.size(), kPeers * kEach);
}

/// A peer that says nonsense is given up; others are not concerned.
TEST_F(TcpTest, NonsenseEndsItsConnectionOnly) {
  add(config_of(0));
  add(config_of(2));
  talk(0, 1);
  net::Address address;
  const Bytes bytes = device(0).local_address();
  std::memcpy(&address, bytes.data(), sizeof address);
  sockaddr_storage to = net::address_of(address.family, address.ip.data());
  net::set_port(to, address.port);
  tcp::Hello hello;
  hello.job = 4711;
  hello.to = 0;
  std::uint64_t rejected = 0;
  std::size_t failures = 0;
  const auto say = [&](const tcp::Frame& frame, std::size_t rest) {
    const shm::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), net::length_of(to)), 0);
    hello.from = 100 + rejected;
    Bytes all(sizeof hello + sizeof frame + rest, std::byte{1});
    std::memcpy(all.data(), &hello, sizeof hello);
    std::memcpy(all.data() + sizeof hello, &frame, sizeof frame);
    ASSERT_EQ(::send(socket.get(), all.data(), all.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(all.size()));
    ++rejected;
    ++failures;
    ASSERT_TRUE(wait_until([&] { return node(0).failures.size() == failures; }));
    EXPECT_EQ(device(0).counters().rejected, rejected);
  };
  tcp::Frame frame;
  frame.magic = 1;
  say(frame, 0);
  frame = {};
  frame.length = 100'000'000;  // longer than any message
  say(frame, 0);
  frame = {};
  frame.kind = static_cast<tcp::FrameKind>(77);
  say(frame, 64);
  frame.kind = tcp::FrameKind::answer;  // to no question
  frame.length = 8;
  say(frame, 8);
  frame.kind = tcp::FrameKind::refusal;
  frame.length = 0;
  say(frame, 0);
  frame.kind = tcp::FrameKind::confirmed;  // what nobody asked
  say(frame, 0);
  frame.kind = tcp::FrameKind::put;  // by a wrong key
  frame.length = 8;
  say(frame, 64);
  talk(0, 1);
}

}  // namespace
}  // namespace remit::testing
