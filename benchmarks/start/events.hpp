// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What happens at a virtual time outside of the simulated network, on the network's own clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "rdma_btl/sim/sim_device.hpp"
#include "rdma_btl/sim/sim_network.hpp"

namespace remit::start {

using Time = std::uint64_t;  ///< nanoseconds

/// Actions by virtual time; those of one time in the order in which they were asked for. They run
/// as the work of a process of the network that has no messages.
class Events {
 public:
  using Action = std::function<void()>;

  /// `name`: of that process.
  Events(SimNetwork& network, PeerName name)
      : network_(network), name_(name), device_(network.add_process(name)) {}

  [[nodiscard]] Time now() const { return network_.now_ns(); }
  [[nodiscard]] PeerName name() const { return name_; }

  /// Not before now.
  void at(Time time, Action action) {
    time = std::max(time, now());
    heap_.push_back({time, sequence_++, std::move(action)});
    std::push_heap(heap_.begin(), heap_.end());
    network_.wake_at(name_, time);
  }

  /// Does what is due; the process's turn.
  void run() {
    while (!heap_.empty() && heap_.front().time <= now()) {
      std::pop_heap(heap_.begin(), heap_.end());
      const Action action = std::move(heap_.back().action);
      heap_.pop_back();
      action();
    }
  }

 private:
  struct Item {
    Time time;
    std::uint64_t sequence;
    Action action;
    friend bool operator<(const Item& a, const Item& b) {
      return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
    }
  };

  SimNetwork& network_;
  PeerName name_;
  std::unique_ptr<SimDevice> device_;
  std::vector<Item> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace remit::start
