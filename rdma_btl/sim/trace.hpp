// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What happened on a simulated network: for comparing runs, and for people.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "rdma_btl/device.hpp"
#include "rdma_btl/sim/event_queue.hpp"
#include "rdma_btl/sim/flight.hpp"

namespace remit::sim {

/// A hash over all events, a line for each if somebody wants them, and the misuses that a real
/// device would punish.
class Trace {
 public:
  void set_sink(std::function<void(std::string_view)> sink) { sink_ = std::move(sink); }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  /// An event of a flight from one process to another.
  void record(const Event& event, const Flight& flight, PeerName from, PeerName to);
  /// Another event.
  void record(const Event& event);

  void violation(std::string message);
  [[nodiscard]] std::uint64_t violations() const { return violations_; }
  [[nodiscard]] const std::string& last_violation() const { return last_violation_; }

 private:
  void mix(std::uint64_t value);
  void mix_event(const Event& event);

  std::function<void(std::string_view)> sink_;  ///< empty: nobody
  std::uint64_t hash_ = 0x9e3779b97f4a7c15;
  std::uint64_t violations_ = 0;
  std::string last_violation_;
};

}  // namespace remit::sim
