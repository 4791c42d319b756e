// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which of a host's network interfaces to use.
#pragma once

#include <sys/socket.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/error.hpp"

namespace remit::net {

/// An IP address of this host.
struct Interface {
  std::string name;  ///< "eth0"
  sockaddr_storage address = {};
  std::string text;  ///< "10.0.0.1"
  bool up = false;   ///< and with a carrier
  bool loopback = false;
  bool link_local = false;
  bool local_bridge = false;  ///< of containers or virtual machines of this host: docker0, virbr0
  double bandwidth = 0;       ///< bytes per second; 0: unknown
};

/// Taken for the bandwidth of an interface that does not say: the loopback, bridges, virtual
/// adapters.
inline constexpr double kUnknownBandwidth = 3e9;

/// All of this host.
[[nodiscard]] Expected<std::vector<Interface>> list_interfaces();

struct Choice {
  Interface interface;
  std::string why;  ///< and what was not chosen, and why not
};

/// The best one for peers on other hosts: up, no bridge of containers, not link-local, not the
/// loopback, as long as there is another; then IPv4, then the fastest. `wanted` decides instead,
/// if it is not empty: the name of an interface, an address, or a network ("10.1.0.0/16"). Pure.
[[nodiscard]] Expected<Choice> choose_interface(std::span<const Interface> interfaces,
                                                std::string_view wanted);

/// Whether only processes of the same host can reach it.
[[nodiscard]] bool is_loopback(const sockaddr_storage& address);

/// "10.0.0.1", "fe80::1".
[[nodiscard]] std::string to_text(const sockaddr_storage& address);

[[nodiscard]] socklen_t length_of(const sockaddr_storage& address);

/// In network byte order.
void set_port(sockaddr_storage& address, std::uint16_t port);
[[nodiscard]] std::uint16_t port_of(const sockaddr_storage& address);

/// The 4 or 16 bytes of an address.
[[nodiscard]] std::span<const std::byte> bytes_of(const sockaddr_storage& address);

/// The address of this family with these bytes (4 or 16 of them).
[[nodiscard]] sockaddr_storage address_of(int family, const void* bytes);

}  // namespace remit::net
