// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Barriers that a sleeper has run on the processors of its peers, so that these need no fence.
#pragma once

#include <atomic>
#include <thread>

namespace remit::shm {

/// Whether this process can order its peers' accesses before its sleep (it is usable), and whether
/// peers can order this one's (it is registered). Where one of these is not so, senders pay a fence
/// for each message. The thread that drives the device.
class Barriers {
 public:
  Barriers() = default;
  Barriers(const Barriers&) = delete;
  Barriers& operator=(const Barriers&) = delete;
  ~Barriers() {
    if (registrar_.joinable()) registrar_.join();
  }

  /// `registered`: register_for_barriers() has succeeded in this process. With other threads about,
  /// the kernel takes milliseconds for it: a thread of its own waits for that.
  void open(bool wanted, bool registered);

  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] bool registered() const { return registered_; }
  /// True once: this process has become registered.
  [[nodiscard]] bool has_become_registered();
  /// Runs one on every processor of a registered process, if it is usable.
  void run() const;

 private:
  bool usable_ = false;
  bool registered_ = false;
  std::atomic<int> registering_ = 0;  ///< result of the thread below: 1 registered, -1 refused
  std::thread registrar_;
};

}  // namespace remit::shm
