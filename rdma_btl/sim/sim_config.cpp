// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/sim/sim_config.hpp"

#include <algorithm>
#include <random>

namespace remit {

Caps SimConfig::default_caps() {
  Caps caps;
  caps.name = "sim";
  caps.max_inline = 32;
  caps.max_send = 8192;
  caps.max_message = std::size_t{1} << 30;
  caps.max_pieces = 8;
  caps.has_put = caps.has_get = caps.has_atomic = caps.atomic_with_cpu = true;
  caps.notify = NotifyMode::native;
  return caps;
}

SimConfig sim_hostile(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  SimConfig config;
  config.seed = seed;
  config.link.jitter_ns = 1 + random() % 20000;
  config.queue_depth = static_cast<std::uint32_t>(1 + random() % 16);
  config.partial_accept = static_cast<double>(random() % 60) / 100;
  config.max_chunks = static_cast<std::uint32_t>(2 + random() % 7);
  config.connect_ns = random() % 100000;
  config.shuffle_ready = true;
  return config;
}

SimConfig sim_complete(SimConfig config) {
  Caps& caps = config.caps;
  const SimLink& link = config.link;
  const double latency = static_cast<double>(link.latency_ns + 2 * link.overhead_ns);
  if (caps.latency_ns == 0) caps.latency_ns = latency;
  if (caps.bandwidth == 0) caps.bandwidth = link.bytes_per_ns * 1e9;
  if (caps.overhead_ns == 0) caps.overhead_ns = latency + static_cast<double>(link.latency_ns);
  config.queue_depth = std::max(config.queue_depth, 1U);
  config.max_chunks = std::max(config.max_chunks, 1U);
  return config;
}

}  // namespace remit
