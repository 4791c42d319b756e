// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What no algorithm can beat on a LogGP machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "benchmarks/logp/optimal.hpp"
#include "collectives/collectives.hpp"
#include "pt2pt/engine.hpp"

namespace remit::logp {

/// optimal_broadcast() by messages of `bytes`. Run backwards it is the time of an optimal
/// summation. It bounds each collective in which what one member gets depends on all others, or
/// what all get on one.
inline VirtualTime optimal_broadcast(const MachineCosts& costs, std::int64_t processes,
                                     std::size_t bytes) {
  const VirtualTime body =
      bytes == 0 ? 0 : static_cast<VirtualTime>(static_cast<double>(bytes - 1) * costs.per_byte);
  const VirtualTime arrival = 2 * costs.overhead + costs.latency + body;
  const VirtualTime between = std::max(costs.gap + body, costs.overhead);
  return optimal_broadcast(arrival, between, processes);
}

/// Bytes that at least one process must send, or receive, in sequence; n is one contribution.
inline double least_bytes(CollectiveKind kind, double p, double n) {
  using enum CollectiveKind;
  switch (kind) {
    case barrier:
      return 0;
    case gather:
    case scatter:
    case allgather:
    case alltoall:
      return (p - 1) * n;
    case allreduce:
      return 2 * n * (p - 1) / p;
    case reduce_scatter_block:
      return n * (p - 1) / p;
    default:
      return p > 1 ? n : 0;
  }
}

/// The larger of both bounds: of latency, for the smallest messages that can do it, and bandwidth.
inline VirtualTime lower_bound(CollectiveKind kind, const MachineCosts& costs, int processes,
                               std::size_t bytes) {
  if (processes < 2) return 0;
  const std::size_t short_message = std::min<std::size_t>(bytes, 8);
  const VirtualTime latency = optimal_broadcast(costs, processes, short_message);
  const double body = least_bytes(kind, processes, static_cast<double>(bytes));
  const VirtualTime bandwidth = 2 * costs.overhead + costs.latency +
                                static_cast<VirtualTime>(std::max(0.0, body - 1) * costs.per_byte);
  return std::max(latency, bandwidth);
}

}  // namespace remit::logp
