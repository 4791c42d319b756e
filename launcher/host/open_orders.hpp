// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Requests of a host's ranks for more processes, until mpirun has answered them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "launcher/plan/spawn_job.hpp"

namespace remit::launcher {

/// Numbers the orders of one daemon and keeps who waits for each. The number goes to mpirun with
/// the order and comes back with the answer, in any order. One thread.
class OpenOrders {
 public:
  /// Told once: why there is no job, in words for people, or else the namespace of the new one.
  using Answer = std::function<void(const std::string& error, const std::string& job)>;

  /// Returns what mpirun is sent: MessageKind::order.
  [[nodiscard]] std::string open(const SpawnOrder& order, Answer answer);
  /// Passes on what mpirun has sent, the payload of MessageKind::ordered. Nothing happens if that
  /// is no answer, or one to no open order.
  void close(const std::string& payload);

 private:
  std::map<std::int64_t, Answer> open_;
  std::int64_t next_ = 1;
};

}  // namespace remit::launcher
