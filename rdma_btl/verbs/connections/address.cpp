// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Addresses of verbs devices.
#include "rdma_btl/verbs/connections/address.hpp"

#include <netinet/in.h>

#include <cstring>

namespace remit::verbs {

std::vector<std::byte> pack(Address address, const Listening& where) {
  address.family = where.address.ss_family;
  address.port = where.port;
  if (address.family == AF_INET) {
    const auto& ip = reinterpret_cast<const sockaddr_in&>(where.address);
    std::memcpy(address.ip, &ip.sin_addr, sizeof ip.sin_addr);
  } else {
    const auto& ip = reinterpret_cast<const sockaddr_in6&>(where.address);
    std::memcpy(address.ip, &ip.sin6_addr, sizeof ip.sin6_addr);
  }
  address.host_bytes = static_cast<std::uint32_t>(where.host.size());
  std::vector<std::byte> bytes(sizeof address + where.host.size());
  std::memcpy(bytes.data(), &address, sizeof address);
  std::memcpy(bytes.data() + sizeof address, where.host.data(), where.host.size());
  return bytes;
}

std::optional<Unpacked> unpack(std::span<const std::byte> bytes) {
  Unpacked all;
  Address& address = all.address;
  if (bytes.size() < sizeof address) return std::nullopt;
  std::memcpy(&address, bytes.data(), sizeof address);
  const std::span<const std::byte> host = bytes.subspan(sizeof address);
  if (address.magic != kMagic || address.version != kVersion || host.size() != address.host_bytes) {
    return std::nullopt;
  }
  all.where.address.ss_family = address.family;
  if (address.family == AF_INET) {
    auto& ip = reinterpret_cast<sockaddr_in&>(all.where.address);
    std::memcpy(&ip.sin_addr, address.ip, sizeof ip.sin_addr);
  } else {
    auto& ip = reinterpret_cast<sockaddr_in6&>(all.where.address);
    std::memcpy(&ip.sin6_addr, address.ip, sizeof ip.sin6_addr);
  }
  all.where.port = address.port;
  set_port(all.where.address, address.port);
  all.where.host.assign(reinterpret_cast<const char*>(host.data()), host.size());
  return all;
}

void set_port(sockaddr_storage& address, std::uint16_t port) {
  if (address.ss_family == AF_INET) {
    reinterpret_cast<sockaddr_in&>(address).sin_port = port;
  } else {
    reinterpret_cast<sockaddr_in6&>(address).sin6_port = port;
  }
}

}  // namespace remit::verbs
