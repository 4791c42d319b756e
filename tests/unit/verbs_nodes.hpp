// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What tests of the verbs device share: some processes of a job, all in this one; the main program.
#pragma once

#include <sched.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "rdma_btl/verbs/verbs_device.hpp"
#include "tests/unit/device_world.hpp"

namespace remit::testing {

[[nodiscard]] inline VerbsConfig config_of(PeerName name, const VerbsMask& mask = {}) {
  VerbsConfig config;
  config.name = name;
  config.job = 4711;
  config.mask = mask;
  config.ack_timeout = 14;  // 67 ms: the death of a peer is noticed soon
  return config;
}

[[nodiscard]] inline std::unique_ptr<VerbsDevice> open(const VerbsConfig& config) {
  Expected<std::unique_ptr<VerbsDevice>> device = VerbsDevice::create(config);
  EXPECT_TRUE(device.has_value()) << (device ? "" : device.error().message);
  return device ? std::move(*device) : nullptr;
}

/// Some processes of a job.
class VerbsTest : public ::testing::Test {
 protected:
  using Clock = std::chrono::steady_clock;

  VerbsTest() {
    log_.set_sink([this](LogLevel, const std::string& line) { lines_ += line + "\n"; });
  }

  VerbsDevice& add(VerbsConfig config) {
    config.log = &log_;
    devices_.push_back(open(config));
    nodes_.push_back(std::make_unique<Node>(*devices_.back(), config.name));
    computes_.push_back(false);
    return *devices_.back();
  }
  [[nodiscard]] Node& node(std::size_t index) { return *nodes_[index]; }
  [[nodiscard]] VerbsDevice& device(std::size_t index) { return *devices_[index]; }
  /// Whether this one makes no progress from now on.
  void compute(std::size_t index, bool computes) { computes_[index] = computes; }
  void close(std::size_t index) {
    nodes_[index].reset();
    devices_[index].reset();
  }
  template <class Done>
  [[nodiscard]] bool wait_until(Done done, Clock::duration limit = std::chrono::seconds(60)) {
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

  Log log_{"", LogLevel::warning};
  std::string lines_;
  std::vector<std::unique_ptr<VerbsDevice>> devices_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<bool> computes_;
};

/// 77, for skipped, where there is no RDMA device.
inline int run_verbs_tests(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (!verbs::any_rdma_device()) {
    std::printf("SKIP: no RDMA device in /sys/class/infiniband; tests/vm/run_vm has one\n");
    return 77;
  }
  const auto survey = VerbsDevice::survey(VerbsConfig{});
  std::printf("%s\n", survey ? survey->c_str() : survey.error().message.c_str());
  return RUN_ALL_TESTS();
}

}  // namespace remit::testing
