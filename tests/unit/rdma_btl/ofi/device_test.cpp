// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The ofi device over TCP on the loopback: the suites with every provider for it and every
// ability. REMIT_TEST_OFI_PROVIDER names another provider for the tests of one device.
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "rdma_btl/ofi/ofi_device.hpp"
#include "rdma_btl/ofi/ofi_params.hpp"
#include "tests/unit/rdma_btl/device_ip_suite.hpp"

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

  [[nodiscard]] std::unique_ptr<Device> make(PeerName name) override {
    const OfiConfig config = config_of(name, kProvider, kMask);
    return known(name, open(kSmall ? small(config) : config));
  }
  void check() override {
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

INSTANTIATE_TEST_SUITE_P(Full, DeviceSuite, ::testing::Values(make_world<Full>));
INSTANTIATE_TEST_SUITE_P(Rxm, DeviceSuite, ::testing::Values(make_world<Rxm>));
INSTANTIATE_TEST_SUITE_P(NoCqData, DeviceSuite, ::testing::Values(make_world<NoCqData>));
INSTANTIATE_TEST_SUITE_P(NoRma, DeviceSuite, ::testing::Values(make_world<NoRma>));
INSTANTIATE_TEST_SUITE_P(Small, DeviceSuite, ::testing::Values(make_world<Small>));

template <const char* kProvider>
struct Kind {
  using Real = OfiDevice;
  static OfiConfig config(PeerName name) { return config_of(name, kProvider); }
};
INSTANTIATE_TYPED_TEST_SUITE_P(Best, IpDeviceSuite, Kind<kBest>);
INSTANTIATE_TYPED_TEST_SUITE_P(Rxm, IpDeviceSuite, Kind<kRxm>);

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

// --- parameters --------------------------------------------------------------------------------

TEST(OfiParams, MaskWords) {
  EXPECT_TRUE(ofi_mask_from("rma,cq_data")->cq_data);
  EXPECT_FALSE(ofi_mask_from("rma")->cq_data);
  EXPECT_FALSE(ofi_mask_from("")->rma);
  EXPECT_FALSE(ofi_mask_from("rma,unknown").has_value());
}

}  // namespace
}  // namespace remit::testing
