// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which operations fail, and which links are down.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rdma_btl/sim/event_queue.hpp"
#include "rdma_btl/sim/flight.hpp"
#include "rdma_btl/sim/random_source.hpp"

namespace remit::sim {

/// Faults of a network, by the numbers of its processes. Deaths are not here: Processes.
class FaultPlan {
 public:
  /// An event of a flight that waits at a link which is down.
  struct Parked {
    What what = What::arrive;
    FlightId flight = 0;
    std::uint32_t chunk = 0;
  };

  /// `error_rate`: the probability that an operation fails.
  FaultPlan(RandomSource& random, double error_rate) : random_(random), error_rate_(error_rate) {}

  /// The next operation from one to the other fails.
  void inject(std::uint32_t from, std::uint32_t to) { injected_.emplace_back(from, to); }
  /// Whether one that is posted now will.
  [[nodiscard]] bool dooms(std::uint32_t from, std::uint32_t to);

  [[nodiscard]] bool is_down(std::uint32_t a, std::uint32_t b) const;
  /// From now on events wait. The link is up.
  void take_down(std::uint32_t a, std::uint32_t b, std::uint64_t now_ns);
  /// Gives what has waited, in its order. The link is down.
  [[nodiscard]] std::vector<Parked> bring_up(std::uint32_t a, std::uint32_t b);
  /// From now on flights over the link fail, if it has been down since `since_ns` or longer; gives
  /// what has waited.
  [[nodiscard]] std::vector<Parked> expire(std::uint32_t a, std::uint32_t b,
                                           std::uint64_t since_ns);

  enum class Passage : std::uint8_t { open, parked, failed };
  /// What becomes of an event on its way between two.
  [[nodiscard]] Passage pass(std::uint32_t a, std::uint32_t b, const Parked& event);

 private:
  struct DownLink {
    std::uint64_t since_ns = 0;
    bool expired = false;
    std::vector<Parked> parked;
  };
  [[nodiscard]] DownLink* find(std::uint32_t a, std::uint32_t b) const;

  RandomSource& random_;
  double error_rate_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> injected_;
  std::unordered_map<std::uint64_t, std::unique_ptr<DownLink>> down_;
};

}  // namespace remit::sim
