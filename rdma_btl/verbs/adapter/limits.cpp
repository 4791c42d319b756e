// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What an adapter allows.
#include "rdma_btl/verbs/adapter/limits.hpp"

#include <algorithm>
#include <bit>

namespace remit::verbs {

namespace {

/// Time of a byte by read in that by write, measured on soft-iWARP
/// (docs/measurements/2026-11-22-epyc-emulated.md).
constexpr double kIwarpGetSlowdown = 1.3;
/// Soft-iWARP maps its queues one behind the other; its library takes a queue that begins at
/// 0x90000 for one that does not exist. The first, the completion queue, is made to reach beyond.
constexpr std::uint32_t kSoftIwarpVendor = 0x626d74;
constexpr std::uint32_t kSoftIwarpEntries = 0x90000 / 32 + 1;

/// What an adapter reports, at most `most`.
std::uint32_t limited(int value, std::size_t most) {
  return std::clamp<std::uint32_t>(static_cast<std::uint32_t>(std::max(value, 1)), 1,
                                   static_cast<std::uint32_t>(most));
}

}  // namespace

Limits limits_of(const ibv_device_attr& device, bool iwarp, VerbsConfig& config) {
  if (iwarp) config.mask.iwarp = true;
  if (config.mask.iwarp) config.mask.imm = config.mask.atomics = true;
  if (device.atomic_cap == IBV_ATOMIC_NONE) config.mask.atomics = true;
  if (device.max_srq == 0 || device.max_srq_wr < static_cast<int>(config.receive_slots)) {
    config.mask.srq = true;
  }
  Limits limits;
  limits.immediate = !config.mask.imm;
  limits.max_sge = config.mask.multi_sge ? 1 : limited(device.max_sge, kMostPieces);
  limits.max_sge_read = config.mask.iwarp ? 1 : limits.max_sge;
  limits.max_reads = static_cast<std::uint8_t>(limited(device.max_qp_init_rd_atom, 16));
  limits.max_served_reads = static_cast<std::uint8_t>(limited(device.max_qp_rd_atom, 16));
  config.send_depth = std::bit_floor(limited(device.max_qp_wr, config.send_depth));
  config.completion_entries = limited(device.max_cqe, config.completion_entries);
  limits.budget = std::min(config.send_budget, config.completion_entries / 2);
  limits.max_slots = config.completion_entries - limits.budget;
  if (!config.mask.srq) {
    limits.max_slots = std::min(limits.max_slots, static_cast<std::size_t>(device.max_srq_wr));
  }
  config.receive_slots = std::min(config.receive_slots, limits.max_slots);
  if (device.vendor_id == kSoftIwarpVendor && config.mask.srq) {  // else the shared queue does
    config.completion_entries = std::max(config.completion_entries, kSoftIwarpEntries);
  }
  return limits;
}

Caps caps_under(const Limits& limits, const VerbsConfig& config, const ibv_device_attr& device,
                const ibv_port_attr& port, double bandwidth) {
  const bool atomics = !config.mask.atomics && device.atomic_cap != IBV_ATOMIC_NONE;
  Caps caps;
  caps.name = "verbs";
  caps.max_send = config.message_bytes - kHeadRoom - sizeof(Header);
  caps.max_message = std::min<std::uint64_t>(port.max_msg_sz == 0 ? caps.max_send : port.max_msg_sz,
                                             kLongestMessage);
  // All requests of one operation must have room at once; with iWARP a piece may become two.
  const std::uint32_t requests = (config.send_depth - kSpare - 1) / (config.mask.iwarp ? 2 : 1);
  caps.max_pieces =
      std::min<std::size_t>(kMostPieces, requests * std::min(limits.max_sge, limits.max_sge_read));
  caps.latency_ns = 1500;
  caps.bandwidth = std::max(bandwidth, 1e8);
  caps.overhead_ns = 1000;
  if (config.mask.iwarp) caps.get_slowdown = kIwarpGetSlowdown;
  caps.ordered = true;
  caps.has_put = caps.has_get = true;
  caps.has_atomic = atomics;
  caps.atomic_with_cpu = atomics && device.atomic_cap == IBV_ATOMIC_GLOB;
  caps.passive = true;
  caps.in_order = !config.mask.iwarp;
  caps.needs_registration = true;
  caps.pages_on_demand = limits.paging.all_memory;
  caps.notify = limits.immediate ? NotifyMode::immediate : NotifyMode::write_then_send;
  return caps;
}

}  // namespace remit::verbs
