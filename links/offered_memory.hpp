// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory that peers may reach: who offers it, and how an operation names it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "links/device_set.hpp"
#include "links/link.hpp"
#include "rdma_btl/device.hpp"
#include "runtime/error.hpp"

namespace remit {

/// Memory of this process that was offered to peers: registered with each device while this lives.
/// It ends by the thread that drives the devices, before they do.
class OfferedMemory {
 public:
  OfferedMemory() = default;
  /// Registers memory with every device, so that peers may use it as `access` says. The words of
  /// the device that refuses.
  [[nodiscard]] static Expected<OfferedMemory> offer(const DeviceSet& devices, void* address,
                                                     std::size_t length, Access access);

  /// What peers need to reach it (remote_address()), as bytes to be sent to them.
  [[nodiscard]] const std::vector<std::byte>& keys() const { return keys_; }

 private:
  std::vector<MemoryLease> leases_;
  std::vector<std::byte> keys_;
};

/// The address by which operations on a link reach memory that its process has offered, `offset`
/// bytes behind its beginning. Nothing: `keys` has no key for the link's device, or the link has
/// none.
[[nodiscard]] std::optional<RemoteAddress> remote_address(const Link& link,
                                                          std::span<const std::byte> keys,
                                                          std::uint64_t offset = 0);
/// The same by a device, whatever the link has.
[[nodiscard]] std::optional<RemoteAddress> remote_address(const LinkDevice& device,
                                                          std::span<const std::byte> keys,
                                                          std::uint64_t offset = 0);

}  // namespace remit
