// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The device suite on the simulated device: kind, hostile, unordered, with registration.
#include "rdma_btl/sim/sim_device.hpp"
#include "tests/unit/rdma_btl/device_world.hpp"

namespace remit::testing {
namespace {

class SimWorld : public DeviceWorld {
 public:
  explicit SimWorld(SimConfig config) : network_(std::move(config)) {}
  [[nodiscard]] bool has_threads() const override { return false; }
  [[nodiscard]] bool is_passive() const override { return true; }
  [[nodiscard]] std::unique_ptr<Device> make(PeerName name) override {
    return network_.add_process(name);
  }
  void idle() override { network_.step(); }
  [[nodiscard]] bool kill(PeerName name) override {
    network_.kill(name);
    return true;
  }
  void check() override { EXPECT_EQ(network_.violations(), 0U) << network_.last_violation(); }

 private:
  SimNetwork network_;
};

SimConfig kind(std::uint64_t seed) {
  SimConfig config;
  config.seed = seed;
  config.real_wake = true;
  return config;
}

SimConfig with_registration(std::uint64_t seed) {
  SimConfig config = sim_hostile(seed);
  config.real_wake = true;
  config.caps.needs_registration = true;
  return config;
}

SimConfig unordered(std::uint64_t seed) {
  SimConfig config = sim_hostile(seed);
  config.caps.ordered = false;
  config.caps.max_pieces = 1;
  config.caps.max_send = 256;
  config.caps.max_inline = 0;
  return config;
}

SimConfig in_order(std::uint64_t seed) {
  SimConfig config = with_registration(seed);
  config.caps.in_order = true;
  return config;
}

SimConfig on_one_host(std::uint64_t seed) {
  SimConfig config = sim_hostile(seed);
  config.real_wake = true;
  config.reaches_memory = [](PeerName, PeerName) { return true; };
  return config;
}

struct KindWorld : SimWorld {
  explicit KindWorld(std::uint64_t seed) : SimWorld(kind(seed)) {}
};
struct HostileWorld : SimWorld {
  explicit HostileWorld(std::uint64_t seed) : SimWorld(sim_hostile(seed)) {}
};
struct HostWorld : SimWorld {
  explicit HostWorld(std::uint64_t seed) : SimWorld(on_one_host(seed)) {}
};
struct RegisteredWorld : SimWorld {
  explicit RegisteredWorld(std::uint64_t seed) : SimWorld(with_registration(seed)) {}
};
struct InOrderWorld : SimWorld {
  explicit InOrderWorld(std::uint64_t seed) : SimWorld(in_order(seed)) {}
};
struct UnorderedWorld : SimWorld {
  explicit UnorderedWorld(std::uint64_t seed) : SimWorld(unordered(seed)) {}
};

INSTANTIATE_TEST_SUITE_P(Kind, DeviceSuite, ::testing::Values(make_world<KindWorld>));
INSTANTIATE_TEST_SUITE_P(Hostile, DeviceSuite, ::testing::Values(make_world<HostileWorld>));
INSTANTIATE_TEST_SUITE_P(Host, DeviceSuite, ::testing::Values(make_world<HostWorld>));
INSTANTIATE_TEST_SUITE_P(Registered, DeviceSuite, ::testing::Values(make_world<RegisteredWorld>));
INSTANTIATE_TEST_SUITE_P(InOrder, DeviceSuite, ::testing::Values(make_world<InOrderWorld>));
INSTANTIATE_TEST_SUITE_P(Unordered, DeviceSuite, ::testing::Values(make_world<UnorderedWorld>));

}  // namespace
}  // namespace remit::testing
