// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// TCP sockets as the devices over IP networks use them: none ever blocks.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <string>

#include "runtime/error.hpp"
#include "runtime/os/os.hpp"

namespace remit::net {

/// Starts to connect from an address of this host; writable when that is done, see error_of().
/// `congestion`: as set_congestion() takes it; empty: the system's.
[[nodiscard]] Expected<shm::Fd> connect_from(const sockaddr_storage& from,
                                             const sockaddr_storage& to,
                                             const std::string& congestion = {});

/// A socket that listens at `address`, whose port is set.
[[nodiscard]] Expected<shm::Fd> listen_at(sockaddr_storage& address);

/// The next that connects; none: nobody does, or, with such an errno, it cannot be accepted.
[[nodiscard]] shm::Fd accept_one(int listener);

/// Tells once that somebody who connects must wait for want of something of this host.
class Shortage {
 public:
  /// Words for the log, if accept_one() has left such an errno for the first time; else empty.
  [[nodiscard]] std::string words(int error);

 private:
  bool told_ = false;
};

/// Connections that may wait until they have said whose they are; then the oldest is closed.
inline constexpr std::size_t kMostGuests = 4096;

/// What became of connecting, or what ended the connection: an errno, or 0.
[[nodiscard]] int error_of(int socket);

/// The congestion control of a connection, such as "cubic"; of a new socket it is the system's.
[[nodiscard]] std::string congestion_of(int socket);

/// Another congestion control, also for what a listener accepts from now on. False: there is none
/// of that name, or this user may not choose it. (The kernel goes on pacing a connection that had
/// one that paces when it was established.)
bool set_congestion(int socket, const std::string& name);

/// The shortest time that anything took to the connection's peer and back; 0: not known.
[[nodiscard]] unsigned round_trip_us(int socket);

/// Bounds what the kernel takes ahead of the network for a connection over which `bandwidth` bytes
/// a second travel: to twice what is under way then, and at least 128 KiB. More would not be faster
/// and leave the caches of hosts that are near.
void bound_buffer(int socket, double bandwidth);

}  // namespace remit::net
