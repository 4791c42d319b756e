// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Keys as bytes: the address, then for each device the length of its name, the name and its key.
#include "links/offered_memory.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "links/bytes.hpp"

namespace remit {

Expected<OfferedMemory> OfferedMemory::offer(const DeviceSet& devices, void* address,
                                             std::size_t length, Access access) {
  OfferedMemory offered;
  put(offered.keys_, reinterpret_cast<std::uintptr_t>(address));
  for (const auto& slot : devices) {
    Expected<MemoryLease> lease = slot->memory.acquire(address, length, access);
    if (!lease) return tl::unexpected(std::move(lease.error()));
    const std::string_view name = slot->device->caps().name;
    put(offered.keys_, static_cast<std::uint8_t>(name.size()));
    put_text(offered.keys_, name);
    put(offered.keys_, lease->region().remote_key);
    offered.leases_.push_back(std::move(*lease));
  }
  return offered;
}

std::optional<RemoteAddress> remote_address(const Link& link, std::span<const std::byte> keys,
                                            std::uint64_t offset) {
  if (link.device == nullptr) return std::nullopt;
  return remote_address(*link.device, keys, offset);
}

std::optional<RemoteAddress> remote_address(const LinkDevice& device,
                                            std::span<const std::byte> keys, std::uint64_t offset) {
  ByteReader reader{keys};
  const auto address = reader.number<std::uint64_t>();
  while (reader.good && !reader.rest.empty()) {
    const std::string name = reader.text(reader.number<std::uint8_t>());
    const auto key = reader.number<std::uint64_t>();
    if (reader.good && name == device.device->caps().name) {
      return RemoteAddress{address + offset, key};
    }
  }
  return std::nullopt;
}

}  // namespace remit
