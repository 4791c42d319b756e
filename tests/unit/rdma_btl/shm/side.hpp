// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Two processes, each with a shared-memory device that is connected with the other's.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <thread>

#include "rdma_btl/shm/shm_device.hpp"
#include "tests/unit/rdma_btl/device_world.hpp"

namespace remit::testing {

inline ShmConfig config_of(PeerName name) {
  ShmConfig config;
  config.name = name;
  config.job = 42;
  config.liveness_ms = 60000;
  config.share_allocations = false;
  return config;
}

/// One of two processes: a device and its endpoint to the other.
class Side {
 public:
  Side(ShmConfig config, int channel) : channel_(channel) {
    Expected<std::unique_ptr<ShmDevice>> made = ShmDevice::create(config);
    if (!made) return;
    device = std::move(*made);
    node = std::make_unique<Node>(*device, config.name);
    const Bytes own = device->local_address();
    Bytes other(own.size());
    if (::write(channel_, own.data(), own.size()) < 0 || !read_all(other)) return;
    endpoint = device->connect(1 - config.name, other).value_or(0);
  }

  [[nodiscard]] bool read_all(std::span<std::byte> bytes) const {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t got = ::read(channel_, bytes.data() + at, bytes.size() - at);
      if (got <= 0) return false;
      at += static_cast<std::size_t>(got);
    }
    return true;
  }

  /// False after half a minute.
  [[nodiscard]] bool wait(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!done()) {
      if (!node->progress()) std::this_thread::yield();
      if (std::chrono::steady_clock::now() > end) return false;
    }
    return true;
  }

  /// As an MPI wait does it without a core of its own: arm, poll, sleep. False: nothing woke it
  /// although something had come (a lost wake-up), or nothing came in half a minute.
  [[nodiscard]] bool sleep_until(const std::function<bool()>& done) {
    while (!done()) {
      if (node->progress()) continue;
      device->arm();
      if (node->progress() || device->max_sleep_ms() == 0) {
        device->disarm();
        continue;
      }
      const int bound = device->max_sleep_ms();
      pollfd waiting{device->wait_fd(), POLLIN, 0};
      const int woken = ::poll(&waiting, 1, bound < 0 || bound > 30000 ? 30000 : bound);
      device->disarm();
      ++sleeps;
      if (woken == 0 && bound > 1000) return false;
    }
    return true;
  }

  /// Tells the other side where our buffer is, and learns where its is.
  [[nodiscard]] bool exchange(RemoteAddress own, RemoteAddress& other) {
    node->send(endpoint, std::as_bytes(std::span(&own, 1)));
    if (!wait([&] { return !node->receives.empty(); })) return false;
    std::memcpy(&other, node->receives[0].data.data(), sizeof other);
    node->receives.erase(node->receives.begin());
    return true;
  }

  /// Both sides are done with what came before.
  [[nodiscard]] bool meet() {
    const std::byte token{1};
    node->send(endpoint, {&token, 1});
    if (!wait([&] { return !node->receives.empty(); })) return false;
    node->receives.erase(node->receives.begin());
    return true;
  }

  std::unique_ptr<ShmDevice> device;
  std::unique_ptr<Node> node;
  EndpointId endpoint = 0;
  std::size_t sleeps = 0;

 private:
  int channel_;
};

/// Runs `child` in a new process and `parent` in this one; each gets its end of a channel. Returns
/// the child's wait status. The child says what it found by its result: 0 is good.
inline int run_pair(const std::function<int(int channel)>& child,
                    const std::function<void(int channel, pid_t child)>& parent) {
  int channels[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channels), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(channels[0]);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::alarm(120);
    ::_exit(child(channels[1]));
  }
  ::close(channels[1]);
  parent(channels[0], pid);
  ::close(channels[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return status;
}

}  // namespace remit::testing
