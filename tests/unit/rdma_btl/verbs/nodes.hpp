// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What tests of the verbs device share: its processes; the main program.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "rdma_btl/verbs/verbs_device.hpp"
#include "tests/unit/rdma_btl/device_nodes.hpp"

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
  return open_device<VerbsDevice>(config);
}

/// Some processes of a job, and what their devices say.
class VerbsTest : public NodesTest<VerbsDevice> {
 protected:
  VerbsTest() {
    log_.set_sink([this](LogLevel, const std::string& line) { lines_ += line + "\n"; });
  }

  VerbsDevice& add(VerbsConfig config) {
    config.log = &log_;
    return NodesTest::add(config);
  }

  Log log_{"", LogLevel::warning};
  std::string lines_;
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
