// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The ofi device over TCP on the loopback: the typed suite with every provider for it and every
// ability, the choice of an interface, first contact, strangers, ends. REMIT_TEST_OFI_PROVIDER
// names another provider for the tests of one device.
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "rdma_btl/ofi/ofi_device.hpp"
#include "rdma_btl/ofi/ofi_params.hpp"
#include "tests/unit/device_nodes.hpp"
#include "tests/unit/device_suite.hpp"

namespace remit::testing {
namespace {

OfiConfig config_of(PeerName name, std::string_view provider = "", std::string_view mask = "") {
  OfiConfig config;
  config.name = name;
  config.job = 4711;
  config.provider = provider;
  config.interface = "lo";
  config.mask = ofi_mask_from(mask).value();
  return config;
}

std::unique_ptr<OfiDevice> open(const OfiConfig& config) {
  return open_device<OfiDevice>(config);
}

/// Few receives and buffers, so that all run out.
OfiConfig small(OfiConfig config) {
  config.receive_slots = 8;
  config.most_receive_slots = 64;
  config.first_window = 2;
  config.max_window = 4;
  config.send_slots = 4;
  config.transfers = 4;
  config.patience_ms = 10;
  return config;
}

template <const char* kProvider, const char* kMask, bool kSmall>
class OfiWorld : public NetworkWorld<OfiDevice> {
 public:
  using NetworkWorld::NetworkWorld;

  [[nodiscard]] std::unique_ptr<Device> make(PeerName name) {
    const OfiConfig config = config_of(name, kProvider, kMask);
    return known(name, open(kSmall ? small(config) : config));
  }
  void check() {
    for (const auto& [name, device] : devices_) {
      EXPECT_EQ(device->counters().rejected, 0U) << "a message that nobody knows";
    }
  }
};

constexpr char kBest[] = "";
constexpr char kRxm[] = "tcp;ofi_rxm";
constexpr char kAll[] = "";
constexpr char kNoCqData[] = "cq_data";
constexpr char kNoRma[] = "rma";

using Full = OfiWorld<kBest, kAll, false>;
using Rxm = OfiWorld<kRxm, kAll, false>;
using NoCqData = OfiWorld<kBest, kNoCqData, false>;
using NoRma = OfiWorld<kBest, kNoRma, false>;
using Small = OfiWorld<kBest, kAll, true>;

INSTANTIATE_TYPED_TEST_SUITE_P(Full, DeviceSuite, Full);
INSTANTIATE_TYPED_TEST_SUITE_P(Rxm, DeviceSuite, Rxm);
INSTANTIATE_TYPED_TEST_SUITE_P(NoCqData, DeviceSuite, NoCqData);
INSTANTIATE_TYPED_TEST_SUITE_P(NoRma, DeviceSuite, NoRma);
INSTANTIATE_TYPED_TEST_SUITE_P(Small, DeviceSuite, Small);

// --- devices of one test -----------------------------------------------------------------------

class OfiTest : public NodesTest<OfiDevice> {
 protected:
  static std::string provider() {
    const char* given = std::getenv("REMIT_TEST_OFI_PROVIDER");
    return given != nullptr ? given : "";
  }
  OfiDevice& add(const OfiConfig& config) { return NodesTest::add(config); }
  OfiDevice& add(PeerName name) { return add(config_of(name, provider())); }
};

TEST_F(OfiTest, ItSaysWhatItUses) {
  const OfiDevice& device = add(0);
  EXPECT_NE(device.description().find("lo 127.0.0.1"), std::string::npos) << device.description();
  const Expected<std::string> survey = OfiDevice::survey(config_of(0, provider()));
  ASSERT_TRUE(survey.has_value()) << survey.error().message;
  EXPECT_EQ(*survey, device.description());
  const Caps& caps = device.caps();
  EXPECT_TRUE(caps.has_put && caps.has_get);
  EXPECT_FALSE(caps.needs_registration);
  EXPECT_EQ(caps.notify, NotifyMode::immediate);
}

using Handlers = std::array<sighandler_t, NSIG>;

Handlers handlers_of_signals() {
  Handlers handlers{};
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0) handlers.at(signal) = action.sa_handler;
  }
  return handlers;
}

const Handlers kFirstHandlers = handlers_of_signals();  // before libfabric is loaded

TEST_F(OfiTest, SignalsAreThoseOfTheProgram) {
  const auto device = open(config_of(1));
  EXPECT_EQ(handlers_of_signals(), kFirstHandlers);
}

TEST_F(OfiTest, MessagesToItself) {
  Node& self = (add(0), node(0));
  const EndpointId endpoint = self.connect(self);
  for (std::uint32_t i = 0; i < 1000; ++i) self.send(endpoint, std::as_bytes(std::span(&i, 1)));
  Buffer from(self.device, 100000);
  Buffer to(self.device, 100000);
  fill_pattern(from.bytes(), 3);
  const Piece piece = from.piece();
  (void)self.start(endpoint, notifying(put_of({&piece, 1}, to.remote()), 17));
  ASSERT_TRUE(
      wait_until([&] { return self.receives.size() == 1000 && self.notifications.size() == 1; }));
  EXPECT_EQ(find_mismatch(to.bytes(), 3), -1);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(std::memcmp(self.receives[i].data.data(), &i, sizeof i), 0);
  }
}

TEST_F(OfiTest, WhoOnlyWaitsHearsOfADeath) {
  add(0);
  add(1);
  talk(0, 1);
  device(1).abort();
  nodes_[1].reset();
  ASSERT_TRUE(wait_until([&] { return !node(0).failures.empty(); }, std::chrono::seconds(20)));
  const std::string words = device(0).explain(0);
  EXPECT_NE(words.find("process 1 on host "), std::string::npos) << words;
  EXPECT_NE(words.find("its process has ended"), std::string::npos) << words;
  EXPECT_TRUE(node(0).departures.empty());
}

/// Else who waits for a message would never sleep.
TEST_F(OfiTest, TheDescriptorOfAnIdleDeviceIsQuiet) {
  for (const char* provider : {kBest, kRxm}) {
    SCOPED_TRACE(provider);
    const std::size_t first = nodes_.size();
    add(config_of(0, provider));
    add(config_of(1, provider));
    for (int i = 0; i < 100; ++i) talk(first, first + 1);
    for (const std::size_t index : {first, first + 1}) {
      OfiDevice& idle = device(index);
      bool quiet = false;
      for (int tries = 0; !quiet && tries < 1000; ++tries) {
        idle.arm();
        (void)node(index).progress();
        pollfd waiting{idle.wait_fd(), POLLIN, 0};
        quiet = ::poll(&waiting, 1, 0) == 0;
        idle.disarm();
        (void)node(index).progress();
      }
      EXPECT_TRUE(quiet) << index;
    }
  }
}

TEST_F(OfiTest, WhoLeavesInOrderIsNoFailure) {
  add(0);
  add(1);
  talk(0, 1);
  const Bytes data(3000, std::byte{5});
  for (int i = 0; i < 6; ++i) node(1).send(0, data);
  close(1);
  ASSERT_TRUE(wait_until([&] { return !node(0).departures.empty(); }));
  EXPECT_EQ(node(0).receives.size(), 6U) << "all that was sent before comes first";
  EXPECT_TRUE(node(0).failures.empty());
}

TEST_F(OfiTest, NobodyListensThere) {
  add(0);
  add(1);
  const Bytes address = device(1).local_address();
  close(1);
  const Expected<EndpointId> endpoint = device(0).connect(1, address);
  ASSERT_TRUE(endpoint.has_value()) << endpoint.error().message;
  ASSERT_TRUE(wait_until([&] { return !node(0).failures.empty(); }));
  const std::string words = device(0).explain(*endpoint);
  EXPECT_NE(words.find("Connection refused"), std::string::npos) << words;
  EXPECT_NE(words.find("process 1 on host "), std::string::npos) << words;
  EXPECT_NE(words.find("127.0.0.1:"), std::string::npos) << words;
}

TEST_F(OfiTest, StrangersAreTurnedAway) {
  add(0);
  OfiConfig other = config_of(1, provider());
  other.job = 4712;
  add(other);
  EXPECT_FALSE(device(0).reachable(device(1).local_address()));
  ofi::Address address;
  const Bytes bytes = device(0).local_address();
  std::memcpy(&address, bytes.data(), sizeof address);

  // Garbage, and nothing at all.
  sockaddr_storage to = ofi::address_of(address.family, address.ip.data());
  ofi::set_port(to, address.port);
  for (const std::size_t length : {std::size_t{0}, std::size_t{5}, std::size_t{5000}}) {
    const shm::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), ofi::length_of(to)), 0);
    const std::string garbage(length, 'G');
    ASSERT_EQ(::send(socket.get(), garbage.data(), length, MSG_NOSIGNAL),
              static_cast<ssize_t>(length));
    (void)wait_until([] { return false; }, std::chrono::milliseconds(50));
  }
  EXPECT_EQ(device(0).counters().rejected, 1U) << "the one that was long enough";

  // A process of another job that has got hold of the address.
  Bytes forged = bytes;
  address.job = 4712;
  std::memcpy(forged.data(), &address, sizeof address);
  ASSERT_TRUE(device(1).connect(0, forged).has_value());
  ASSERT_TRUE(wait_until([&] { return !node(1).failures.empty(); }));
  EXPECT_EQ(device(0).counters().rejected, 2U);
  EXPECT_TRUE(node(0).failures.empty());
  add(2);
  talk(0, 2);
}

TEST_F(OfiTest, AllConnectAtOnce) {
  constexpr std::size_t kNodes = 12;
  for (std::size_t i = 0; i < kNodes; ++i) add(i);
  for (std::size_t i = 0; i < kNodes; ++i) {
    for (std::size_t j = 0; j < kNodes; ++j) {
      if (i != j) node(i).send(node(i).connect(node(j)), std::as_bytes(std::span("all")));
    }
  }
  ASSERT_TRUE(wait_until([&] {
    return std::ranges::all_of(nodes_,
                               [](const auto& n) { return n->receives.size() == kNodes - 1; });
  }));
  for (const auto& device : devices_) {
    EXPECT_EQ(device->counters().connections, kNodes - 1);
    EXPECT_EQ(device->counters().rejected, 0U);
  }
}

/// More peers than receives: the receives go from those who are silent to those who speak, and all
/// messages arrive; for those that hold them and do not answer, there are new ones.
TEST_F(OfiTest, MorePeersThanReceives) {
  constexpr std::size_t kPeers = 20;
  constexpr std::size_t kRounds = 20;
  constexpr std::size_t kAlone = 100;  // after which one peer has all receives, and is silent
  OfiConfig config = config_of(0, provider());
  config.receive_slots = 8;
  config.most_receive_slots = 16;
  config.patience_ms = 10;
  add(config);
  for (std::size_t i = 1; i <= kPeers; ++i) add(i);
  const Bytes data(1000, std::byte{1});
  for (std::size_t i = 0; i < kAlone; ++i) node(1).send(node(1).connect(node(0)), data);
  ASSERT_TRUE(wait_until([&] { return node(0).receives.size() == kAlone; }));
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t i = 1; i <= kPeers; ++i) node(i).send(node(i).connect(node(0)), data);
    ASSERT_TRUE(wait_until([&] {
      return node(0).receives.size() == kAlone + (round + 1) * kPeers;
    })) << node(0).receives.size()
        << " in round " << round;
  }
  EXPECT_GT(device(0).counters().recalls, 0U);
  EXPECT_LE(device(0).counters().grown, 8U);
}

// --- interfaces --------------------------------------------------------------------------------

ofi::Interface interface(const char* name, const char* text, std::array<std::uint8_t, 4> ip) {
  ofi::Interface made;
  made.name = name;
  made.text = text;
  made.address = ofi::address_of(AF_INET, ip.data());
  made.up = true;
  return made;
}

class Interfaces : public ::testing::Test {
 protected:
  Interfaces() {
    all_[0].loopback = true;
    all_[1].local_bridge = true;
    all_[2].link_local = true;
    all_[4].bandwidth = 2.5e9;
    all_[5].up = false;
    all_[5].bandwidth = 1e10;
  }
  std::string chosen(std::string_view wanted = "") {
    const Expected<ofi::Choice> choice = ofi::choose_interface(all_, wanted);
    if (!choice) return "error: " + choice.error().message;
    why_ = choice->why;
    return choice->interface.name;
  }
  std::vector<ofi::Interface> all_ = {
      interface("lo", "127.0.0.1", {127, 0, 0, 1}),
      interface("docker0", "172.17.0.1", {172, 17, 0, 1}),
      interface("eth2", "169.254.3.4", {169, 254, 3, 4}),
      interface("eth0", "10.0.0.1", {10, 0, 0, 1}),
      interface("eth1", "10.1.0.1", {10, 1, 0, 1}),
      interface("eth3", "10.2.0.1", {10, 2, 0, 1}),
  };
  std::string why_;
};

TEST_F(Interfaces, TheFastestThatIsUp) {
  EXPECT_EQ(chosen(), "eth1");
  EXPECT_NE(why_.find("docker0 172.17.0.1 (a bridge of this host)"), std::string::npos) << why_;
  EXPECT_NE(why_.find("eth3 10.2.0.1 (down)"), std::string::npos) << why_;
  EXPECT_NE(why_.find("lo 127.0.0.1 (loopback)"), std::string::npos) << why_;
}

TEST_F(Interfaces, TheLessGoodOnlyWhenNothingElseIsLeft) {
  for (const char* next : {"eth0", "docker0", "eth2", "lo"}) {
    const std::string best = chosen();
    for (ofi::Interface& interface : all_) {
      if (interface.name == best) interface.up = false;
    }
    EXPECT_EQ(chosen(), next);
  }
  for (ofi::Interface& interface : all_) interface.up = false;
  EXPECT_EQ(chosen().substr(0, 6), "error:");
}

TEST_F(Interfaces, WhatIsWanted) {
  EXPECT_EQ(chosen("docker0"), "docker0");
  EXPECT_EQ(chosen("10.0.0.1"), "eth0");
  EXPECT_EQ(chosen("10.0.0.0/16"), "eth0");
  EXPECT_EQ(chosen("10.0.0.0/8"), "eth1");
  EXPECT_EQ(chosen("127.0.0.0/8"), "lo");
  EXPECT_EQ(chosen("0.0.0.0/0"), "eth1");
  for (const char* wrong :
       {"eth9", "10.0.0.2", "10.0.0.0/33", "10.0.0.0/x", "11.0.0.0/8", "eth3"}) {
    EXPECT_EQ(chosen(wrong).substr(0, 6), "error:") << wrong;
    EXPECT_NE(chosen(wrong).find("eth0 10.0.0.1"), std::string::npos) << "says what there is";
  }
}

TEST(OfiParams, MaskWords) {
  EXPECT_TRUE(ofi_mask_from("rma,cq_data")->cq_data);
  EXPECT_FALSE(ofi_mask_from("rma")->cq_data);
  EXPECT_FALSE(ofi_mask_from("")->rma);
  EXPECT_FALSE(ofi_mask_from("rma,unknown").has_value());
}

}  // namespace
}  // namespace remit::testing
