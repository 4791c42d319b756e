// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A device without any peer: what tests of registration need is added by their own.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rdma_btl/device.hpp"

namespace remit::testing {

class LonelyDevice : public Device {
 public:
  const Caps& caps() const override { return caps_; }
  std::vector<std::byte> local_address() const override { return {}; }
  bool reachable(std::span<const std::byte>) const override { return false; }
  Expected<EndpointId> connect(PeerName, std::span<const std::byte>) override {
    return fail(MPI_ERR_OTHER, "there is no peer");
  }
  PeerName peer(EndpointId) const override { return 0; }
  std::size_t post(EndpointId, std::span<const Operation>) override { return 0; }
  std::size_t poll(std::span<Completion>) override { return 0; }
  void arm() override {}
  void disarm() override {}
  int wait_fd() const override { return -1; }
  bool flushed() const override { return true; }
  std::string explain(EndpointId) const override { return ""; }

 protected:
  explicit LonelyDevice(std::string_view name) {
    caps_.name = name;
    caps_.needs_registration = true;
  }

 private:
  Caps caps_;
};

}  // namespace remit::testing
