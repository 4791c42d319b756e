// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the device suite needs around devices: nodes that collect completions, buffers that
// are registered where the device wants it, bounded waiting.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "rdma_btl/device.hpp"
#include "rdma_btl/host_memory.hpp"
#include "rdma_btl/pending.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {

using Bytes = std::vector<std::byte>;

/// The byte at `offset` of the pattern `tag`; neighbours and tags differ.
[[nodiscard]] inline std::byte pattern(std::uint64_t tag, std::size_t offset) {
  return static_cast<std::byte>((tag * 131 + offset * 7 + (offset >> 8) * 13) & 0xff);
}

inline void fill_pattern(std::span<std::byte> bytes, std::uint64_t tag) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = pattern(tag, i);
}

/// The first offset that differs from the pattern, or -1.
[[nodiscard]] inline std::ptrdiff_t find_mismatch(std::span<const std::byte> bytes,
                                                  std::uint64_t tag) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != pattern(tag, i)) return static_cast<std::ptrdiff_t>(i);
  }
  return -1;
}

[[nodiscard]] inline Operation put_of(std::span<const Piece> local, RemoteAddress remote) {
  Operation operation;
  operation.kind = OpKind::put;
  operation.local = local;
  operation.remote = remote;
  return operation;
}

[[nodiscard]] inline Operation get_of(std::span<const Piece> local, RemoteAddress remote) {
  Operation operation = put_of(local, remote);
  operation.kind = OpKind::get;
  return operation;
}

[[nodiscard]] inline Operation atomic_of(AtomicKind kind, std::span<const Piece> result,
                                         RemoteAddress remote, std::uint64_t operand,
                                         std::uint64_t compare = 0) {
  Operation operation = put_of(result, remote);
  operation.kind = OpKind::atomic;
  operation.atomic = kind;
  operation.operand = operand;
  operation.compare = compare;
  return operation;
}

[[nodiscard]] inline Operation confirm_of_all() {
  Operation operation;
  operation.kind = OpKind::confirm;
  return operation;
}

[[nodiscard]] inline Operation notifying(Operation operation, std::uint32_t notification) {
  operation.notify = true;
  operation.notification = notification;
  return operation;
}

/// Zeros that a device can use, local and remote: its own memory, if it has such.
class Buffer {
 public:
  Buffer(Device& device, std::size_t length, std::size_t misalignment = 0)
      : device_(device), length_(length) {
    const std::size_t bytes = length + misalignment + 64;
    HostMemory* host = device.host_memory();
    if (host != nullptr) whole_ = static_cast<std::byte*>(host->allocate(bytes));
    if (whole_ == nullptr) memory_.resize(bytes);
    std::byte* memory = whole_ != nullptr ? whole_ : memory_.data();
    std::fill_n(memory, bytes, std::byte{0});
    const auto start = reinterpret_cast<std::uintptr_t>(memory);
    data_ = memory + (64 - start % 64) % 64 + misalignment % 64;
    Expected<Region> region = device.register_memory(data_, length, Access::all);
    EXPECT_TRUE(region.has_value()) << (region ? "" : region.error().message);
    if (region) region_ = *region;
  }
  ~Buffer() {
    device_.deregister(region_);
    if (whole_ == nullptr) return;
    EXPECT_EQ(device_.host_memory()->release(whole_), Released::done);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() { return {data_, length_}; }
  [[nodiscard]] Piece piece(std::size_t offset, std::size_t length) {
    return {data_ + offset, length, region_.local_key};
  }
  [[nodiscard]] Piece piece() { return piece(0, length_); }
  [[nodiscard]] RemoteAddress remote(std::size_t offset = 0) const {
    return {reinterpret_cast<std::uintptr_t>(data_ + offset), region_.remote_key};
  }
  [[nodiscard]] std::uint64_t& word(std::size_t index = 0) {
    return reinterpret_cast<std::uint64_t*>(data_)[index];
  }

 private:
  Device& device_;
  std::byte* whole_ = nullptr;  ///< of the device
  Bytes memory_;
  std::byte* data_ = nullptr;
  std::size_t length_ = 0;
  Region region_;
};

/// A process in a test: a device, its queue, and what its poll() has brought.
class Node {
 public:
  struct Receive {
    EndpointId endpoint = 0;
    Bytes data;
    bool aligned = false;           ///< the device's span was 8-byte aligned
    std::size_t notifications = 0;  ///< that had come before
  };

  Node(Device& device, PeerName name) : device(device), name(name) {}

  /// One poll and one offer of what waits. True if anything happened.
  bool progress(std::size_t batch = 16) {
    std::vector<Completion> out(batch);
    const std::size_t count = device.poll(out);
    for (const Completion& completion : std::span(out).first(count)) take(completion);
    const std::size_t accepted = pending.flush(device);
    return count + accepted != 0;
  }

  [[nodiscard]] EndpointId connect(const Node& peer) {
    Expected<EndpointId> endpoint = device.connect(peer.name, peer.device.local_address());
    EXPECT_TRUE(endpoint.has_value()) << (endpoint ? "" : endpoint.error().message);
    return endpoint.value_or(0);
  }

  void post(EndpointId endpoint, const Operation& operation) {
    pending.post(device, endpoint, {&operation, 1});
  }

  void send(EndpointId endpoint, std::span<const std::byte> data) {
    const Piece piece{const_cast<std::byte*>(data.data()), data.size(), 0};
    Operation operation;
    operation.local = {&piece, 1};
    post(endpoint, operation);
  }

  /// Posts an operation with a fresh cookie and returns it; done(cookie) when it is complete.
  std::uint64_t start(EndpointId endpoint, Operation operation) {
    operation.cookie = next_cookie_++;
    post(endpoint, operation);
    return operation.cookie;
  }
  [[nodiscard]] bool done(std::uint64_t cookie) const { return completed.contains(cookie); }

  Device& device;
  PeerName name;
  PendingQueue pending;
  std::vector<Receive> receives;
  std::vector<std::pair<EndpointId, std::uint32_t>> notifications;
  std::map<std::uint64_t, int> completed;  ///< cookie -> status
  std::vector<EndpointId> failures;
  std::vector<EndpointId> departures;  ///< peers that left in order
  std::size_t repeated_cookies = 0;
  std::uint32_t visible = 0;  ///< puts of which the target is told; for start_visibly()

 private:
  void take(const Completion& completion) {
    switch (completion.kind) {
      case CompletionKind::local:
        if (!completed.emplace(completion.cookie, completion.status).second) ++repeated_cookies;
        break;
      case CompletionKind::receive:
        receives.push_back({completion.endpoint,
                            Bytes(completion.data.begin(), completion.data.end()),
                            reinterpret_cast<std::uintptr_t>(completion.data.data()) % 8 == 0,
                            notifications.size()});
        break;
      case CompletionKind::notification:
        notifications.emplace_back(completion.endpoint, completion.notification);
        break;
      case CompletionKind::endpoint_closed:
        departures.push_back(completion.endpoint);
        break;
      case CompletionKind::endpoint_failed:
        failures.push_back(completion.endpoint);
        break;
    }
  }

  std::uint64_t next_cookie_ = 1;
};

/// What a device's own test gives the suite.
class DeviceWorld {
 public:
  DeviceWorld() = default;
  virtual ~DeviceWorld() = default;
  DeviceWorld(const DeviceWorld&) = delete;
  DeviceWorld& operator=(const DeviceWorld&) = delete;

  /// Whether each device may be driven by a thread of its own.
  [[nodiscard]] virtual bool has_threads() const = 0;
  /// Whether puts, atomics and confirms need no progress of their target.
  [[nodiscard]] virtual bool is_passive() const { return false; }
  /// One more process; called before traffic.
  [[nodiscard]] virtual std::unique_ptr<Device> make(PeerName name) = 0;
  /// Time passes; called when no device did anything.
  virtual void idle() = 0;
  /// The process dies; false where that cannot be done.
  [[nodiscard]] virtual bool kill(PeerName name) = 0;
  /// Expects what must be so after each test.
  virtual void check() {}
};

using MakeWorld = std::unique_ptr<DeviceWorld> (*)(std::uint64_t seed);
template <class World>
[[nodiscard]] std::unique_ptr<DeviceWorld> make_world(std::uint64_t seed) {
  return std::make_unique<World>(seed);
}

/// The fixture of the suite that every device passes (device_suite.cpp).
class DeviceSuite : public ::testing::TestWithParam<MakeWorld> {
 protected:
  DeviceSuite() : seed_(test_seed()), random_(seed_), world_(GetParam()(seed_)) {}
  ~DeviceSuite() override {
    nodes_.clear();
    devices_.clear();
  }

  void TearDown() override {
    for (const auto& node : nodes_) EXPECT_EQ(node->repeated_cookies, 0U);
    world_->check();
  }

  void make_nodes(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const PeerName name = nodes_.size();
      devices_.push_back(world_->make(name));
      ASSERT_NE(devices_.back(), nullptr);
      nodes_.push_back(std::make_unique<Node>(*devices_.back(), name));
    }
  }

  [[nodiscard]] Node& node(std::size_t index) { return *nodes_[index]; }
  [[nodiscard]] std::size_t below(std::size_t bound) { return bound ? random_() % bound : 0; }

  /// Progresses every node (but `except`) until `done()`; false after some minutes without it.
  template <class Done>
  [[nodiscard]] bool wait_until(Done done, const Node* except = nullptr) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(200);
    for (std::uint64_t round = 0; !done(); ++round) {
      bool active = false;
      for (const auto& node : nodes_) {
        if (node.get() == except || dead_ == node.get()) continue;
        active |= node->progress(1 + below(16));
      }
      if (!active) world_->idle();
      if (round % 1024 == 1023 && std::chrono::steady_clock::now() > end) return false;
    }
    return true;
  }

  /// Progress for a while, for what must not happen.
  void settle() {
    for (int round = 0; round < 200; ++round) {
      for (const auto& node : nodes_) node->progress();
      world_->idle();
    }
  }

  std::uint64_t seed_;
  std::mt19937_64 random_;
  std::unique_ptr<DeviceWorld> world_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<std::unique_ptr<Node>> nodes_;
  const Node* dead_ = nullptr;
};

}  // namespace remit::testing
