// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a simulated network is like, and what it counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "rdma_btl/device.hpp"

namespace remit {

/// The cost of a link in the LogGP model. Times in virtual nanoseconds.
struct SimLink {
  std::uint64_t latency_ns = 1000;  ///< L: from one adapter to the other, one way
  std::uint64_t overhead_ns = 100;  ///< o: a processor's time for an operation, or for a receive
  std::uint64_t gap_ns = 20;        ///< g: between two operations at an adapter
  double bytes_per_ns = 12.5;       ///< 1/G
  std::uint64_t jitter_ns = 0;      ///< each operation is late by a random time up to this
};

/// What a network is like. Everything random is drawn from `seed`. The defaults are a network
/// without faults; sim_hostile() is one with many.
struct SimConfig {
  std::uint64_t seed = 1;
  SimLink link;
  /// Another link for some pairs (same host, same rack ...); null, or a null result: `link`.
  std::function<const SimLink*(PeerName from, PeerName to)> link_between;

  /// Whether `from` reads and writes the memory of `to` by itself (Device::reaches_memory()), which
  /// takes no virtual time; null: nobody does.
  std::function<bool(PeerName from, PeerName to)> reaches_memory;

  /// What devices say of themselves, and what is enforced: an operation outside these limits
  /// completes with an error and counts as a violation. latency, bandwidth and overhead are filled
  /// in from `link` when they are 0.
  Caps caps = default_caps();

  std::uint32_t queue_depth = 64;  ///< operations accepted and not yet done, per endpoint
  double partial_accept = 0;       ///< probability that post() takes only a random prefix
  double error_rate = 0;         ///< probability that an operation fails, and its endpoint with it
  std::uint32_t max_chunks = 1;  ///< puts and gets become visible in up to this many parts, in
                                 ///< random order
  std::uint64_t connect_ns = 0;  ///< before the first operation on an endpoint can travel
  std::uint64_t detect_ns = 10000;    ///< from a death to the survivors' endpoint_failed
  std::uint64_t link_timeout_ns = 0;  ///< a link down for longer than this fails; 0: only lateness
  std::uint32_t receive_depth = 0;    ///< unread receives and notifications above this count as
                                      ///< SimStats::receiver_not_ready; 0: no limit
  std::size_t max_registered = 0;     ///< bytes that a process can register at once; 0: no limit
  bool shuffle_ready = false;  ///< pop_ready() picks at random instead of first come, first served
  bool real_wake = false;      ///< arm() and wait_fd() work with a real eventfd

  [[nodiscard]] static Caps default_caps();
};

/// A configuration with every tolerable fault switched on (jitter, partial acceptance, small
/// queues, parts in random order, slow connections, shuffled scheduling), drawn from `seed`.
[[nodiscard]] SimConfig sim_hostile(std::uint64_t seed);

/// Fills in what is 0 in `config` and follows from the rest.
[[nodiscard]] SimConfig sim_complete(SimConfig config);

/// Counters of one process.
struct SimStats {
  std::uint64_t sends = 0, puts = 0, gets = 0, atomics = 0, confirms = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t receives = 0;            ///< receives and notifications that arrived here
  std::uint32_t refused = 0;             ///< posts not accepted in full
  std::uint32_t max_in_flight = 0;       ///< of one endpoint
  std::uint32_t max_unread = 0;          ///< completions waiting for poll()
  std::uint32_t receiver_not_ready = 0;  ///< see SimConfig::receive_depth
};

}  // namespace remit
