// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where a process is met over an IP network: what it publishes, and what it makes of others'.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rdma_btl/device.hpp"

namespace remit::net {

/// Device::local_address(), followed by the name of the host. Both sides are of one byte order.
struct Address {
  std::uint32_t magic = 0;  ///< of the kind of device
  std::uint16_t version = 0;
  std::uint16_t family = 0;  ///< AF_INET, AF_INET6
  std::uint64_t job = 0;
  std::uint64_t name = 0;
  std::uint64_t host = 0;      ///< of one network namespace of one host
  std::uint32_t protocol = 0;  ///< those of another one do not talk
  std::uint16_t port = 0;      ///< of the listener; network byte order
  std::uint16_t host_bytes = 0;
  std::array<std::uint8_t, 16> ip = {};
};
static_assert(sizeof(Address) == 56);

/// A peer, as its address tells.
struct Contact {
  sockaddr_storage address = {};  ///< of its listener
  std::string where;              ///< "10.0.0.2:4711"
  std::string host;               ///< its name
};

/// The address at which peers meet this process, and the judge of theirs: what one device publishes
/// another of its kind turns into a Contact, if the two can talk. A value, which does not change.
class AddressBook {
 public:
  AddressBook() = default;
  /// `about` says what no socket tells: magic, version, job, name, protocol. `listener` is the
  /// address, with its port, at which peers connect.
  AddressBook(const Address& about, const sockaddr_storage& listener);

  /// What peers need.
  [[nodiscard]] std::vector<std::byte> published() const;
  /// Whether those of that address may be met. Whether a packet would find its way is known only
  /// when a connection is made.
  [[nodiscard]] bool reaches(std::span<const std::byte> published) const;
  /// How to meet `peer`. `way` names the device in the words of the error.
  [[nodiscard]] Expected<Contact> contact(PeerName peer, std::span<const std::byte> published,
                                          std::string_view way) const;

  [[nodiscard]] const sockaddr_storage& listener() const { return listener_; }
  /// The name of this host.
  [[nodiscard]] const std::string& host() const { return host_; }

 private:
  Address own_;
  sockaddr_storage listener_ = {};
  std::string host_;
};

}  // namespace remit::net
