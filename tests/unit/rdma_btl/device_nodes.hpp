// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What tests of devices over a network share: some processes of a job, all in this one.
#pragma once

#include <sched.h>

#include <chrono>
#include <map>
#include <memory>
#include <vector>

#include "tests/unit/rdma_btl/device_world.hpp"

namespace remit::testing {

template <class Real, class Config>
[[nodiscard]] std::unique_ptr<Real> open_device(const Config& config) {
  Expected<std::unique_ptr<Real>> device = Real::create(config);
  EXPECT_TRUE(device.has_value()) << (device ? "" : device.error().message);
  return device ? std::move(*device) : nullptr;
}

/// A world of the suite, but for make().
template <class Real>
class NetworkWorld : public DeviceWorld {
 public:
  explicit NetworkWorld(std::uint64_t /*seed*/) {}

  [[nodiscard]] bool has_threads() const override { return true; }
  void idle() override { ::sched_yield(); }
  [[nodiscard]] bool kill(PeerName name) override {
    devices_.at(name)->abort();
    return true;
  }

 protected:
  /// Remembers a device that make() has made.
  [[nodiscard]] std::unique_ptr<Device> known(PeerName name, std::unique_ptr<Real> device) {
    devices_.emplace(name, device.get());
    return device;
  }

  std::map<PeerName, Real*> devices_;
};

/// Some processes of a job, in the order in which they were added.
template <class Real>
class NodesTest : public ::testing::Test {
 protected:
  using Clock = std::chrono::steady_clock;

  template <class Config>
  Real& add(const Config& config) {
    devices_.push_back(open_device<Real>(config));
    nodes_.push_back(std::make_unique<Node>(*devices_.back(), config.name));
    computes_.push_back(false);
    return *devices_.back();
  }
  [[nodiscard]] Node& node(std::size_t index) { return *nodes_[index]; }
  [[nodiscard]] Real& device(std::size_t index) { return *devices_[index]; }
  /// Whether this one makes no progress from now on.
  void compute(std::size_t index, bool computes) { computes_[index] = computes; }
  void close(std::size_t index) {
    nodes_[index].reset();
    devices_[index].reset();
  }
  template <class Done>
  [[nodiscard]] bool wait_until(Done done, Clock::duration limit = std::chrono::seconds(200)) {
    const auto end = Clock::now() + limit;
    while (!done()) {
      bool active = false;
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i] != nullptr && !computes_[i]) active |= nodes_[i]->progress();
      }
      if (!active) ::sched_yield();
      if (Clock::now() > end) return false;
    }
    return true;
  }
  /// Progress for a while, for what must not happen.
  void settle() {
    EXPECT_FALSE(wait_until([] { return false; }, std::chrono::milliseconds(300)));
  }
  /// One message each way.
  void talk(std::size_t from, std::size_t to) {
    Node& a = node(from);
    Node& b = node(to);
    a.send(a.connect(b), std::as_bytes(std::span("ping")));
    ASSERT_TRUE(wait_until([&] { return !b.receives.empty(); }));
    b.send(b.receives[0].endpoint, std::as_bytes(std::span("pong")));
    ASSERT_TRUE(wait_until([&] { return !a.receives.empty(); }));
    a.receives.clear();
    b.receives.clear();
  }

  std::vector<std::unique_ptr<Real>> devices_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<bool> computes_;
};

}  // namespace remit::testing
