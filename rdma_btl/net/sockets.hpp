// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// TCP sockets as the devices over IP networks use them: none ever blocks.
#pragma once

#include <sys/socket.h>

#include "rdma_btl/shm/os.hpp"
#include "runtime/error.hpp"

namespace remit::net {

/// Starts to connect from an address of this host; writable when that is done, see error_of().
[[nodiscard]] Expected<shm::Fd> connect_from(const sockaddr_storage& from,
                                             const sockaddr_storage& to);

/// A socket that listens at `address`, whose port is set.
[[nodiscard]] Expected<shm::Fd> listen_at(sockaddr_storage& address);

/// The next that connects; none: nobody does.
[[nodiscard]] shm::Fd accept_one(int listener);

/// What became of connecting, or what ended the connection: an errno, or 0.
[[nodiscard]] int error_of(int socket);

/// Bounds what the kernel takes ahead of the network for a connection over which `bandwidth` bytes
/// a second travel: to twice what is under way then, and at least 128 KiB. More would not be faster
/// and leave the caches of hosts that are near.
void bound_buffer(int socket, double bandwidth);

}  // namespace remit::net
