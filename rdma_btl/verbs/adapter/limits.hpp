// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What an adapter allows, and what of the configuration is left under it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma_btl/verbs/adapter/adapter.hpp"
#include "rdma_btl/verbs/verbs_config.hpp"
#include "rdma_btl/verbs/wire.hpp"

namespace remit::verbs {

/// Kept of a connection's work requests and of the completion queue for the device's own messages.
inline constexpr std::uint32_t kSpare = 2;
/// More than this is not asked for: descriptors take room for it whether it is used or not.
inline constexpr std::uint32_t kMostInline = 256;

/// Constant once the adapter is open.
struct Limits {
  std::uint32_t max_sge = 1;       ///< pieces of local memory of a work request
  std::uint32_t max_sge_read = 1;  ///< and of a read
  std::uint32_t max_inline = 0;    ///< bytes in a descriptor, the device's header included
  std::uint32_t budget = 0;        ///< work requests under way of all connections
  std::size_t max_slots = 0;       ///< receives
  std::uint8_t max_reads = 1;      ///< under way of a connection
  std::uint8_t max_served_reads = 1;
  bool immediate = true;  ///< writes may carry immediate data
  Paging paging;
};

/// The limits of an adapter that reports these abilities; max_inline and paging are found out
/// elsewhere. What goes beyond them in `config` is cut, and abilities that the adapter does not
/// have are masked. A send may always find its completion room: receives and requests under way
/// together never exceed the completion queue.
[[nodiscard]] Limits limits_of(const ibv_device_attr& device, bool iwarp, VerbsConfig& config);

/// What the device can do under these limits; Caps::max_inline is left to who knows it.
[[nodiscard]] Caps caps_under(const Limits& limits, const VerbsConfig& config,
                              const ibv_device_attr& device, const ibv_port_attr& port,
                              double bandwidth);

}  // namespace remit::verbs
