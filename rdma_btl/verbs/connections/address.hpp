// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Addresses of verbs devices: what one tells the others.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rdma_btl/verbs/wire.hpp"

namespace remit::verbs {

/// Where a device listens.
struct Listening {
  sockaddr_storage address = {};  ///< of its adapter
  std::uint16_t port = 0;         ///< network byte order
  std::string host;               ///< the name of its host
};

/// The bytes of an address; `address` has the rest of what they say.
[[nodiscard]] std::vector<std::byte> pack(Address address, const Listening& where);

/// What packed bytes say; nothing if they are not of this version of the device.
struct Unpacked {
  Address address;
  Listening where;  ///< Listening::address has the port, too
};
[[nodiscard]] std::optional<Unpacked> unpack(std::span<const std::byte> bytes);

/// The same address with another port, in network byte order.
void set_port(sockaddr_storage& address, std::uint16_t port);

}  // namespace remit::verbs
