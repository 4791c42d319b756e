// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Network interfaces: the list, and the choice.
#include "rdma_btl/net/interfaces.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <memory>
#include <tuple>

namespace remit::net {

namespace {

/// Names that container engines and hypervisors give to bridges of their own.
constexpr std::array<std::string_view, 9> kLocalBridges = {
    "docker", "br-", "virbr", "lxcbr", "lxdbr", "cni", "podman", "veth", "vnet"};

const sockaddr_in& v4(const sockaddr_storage& address) {
  return reinterpret_cast<const sockaddr_in&>(address);
}
const sockaddr_in6& v6(const sockaddr_storage& address) {
  return reinterpret_cast<const sockaddr_in6&>(address);
}

bool is_link_local(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET6) return IN6_IS_ADDR_LINKLOCAL(&v6(address).sin6_addr);
  return (ntohl(v4(address).sin_addr.s_addr) >> 16) == 0xa9fe;
}

double bandwidth_of(const std::string& name) {
  double megabits = 0;
  std::ifstream file("/sys/class/net/" + name + "/speed");
  if (!(file >> megabits) || megabits <= 0) return 0;
  return megabits * 1e6 / 8;
}

Interface interface_of(const ifaddrs& entry) {
  Interface made;
  made.name = entry.ifa_name;
  std::memcpy(&made.address, entry.ifa_addr,
              entry.ifa_addr->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
  made.text = to_text(made.address);
  made.up = (entry.ifa_flags & IFF_UP) != 0 && (entry.ifa_flags & IFF_RUNNING) != 0;
  made.loopback = (entry.ifa_flags & IFF_LOOPBACK) != 0;
  made.link_local = is_link_local(made.address);
  made.local_bridge = std::ranges::any_of(
      kLocalBridges, [&](std::string_view prefix) { return made.name.starts_with(prefix); });
  made.bandwidth = bandwidth_of(made.name);
  return made;
}

/// What speaks against an interface; empty: nothing.
std::string_view blemish(const Interface& interface) {
  if (!interface.up) return "down";
  if (interface.loopback) return "loopback";
  if (interface.link_local) return "link-local";
  if (interface.local_bridge) return "a bridge of this host";
  return {};
}

/// The lower, the better.
auto rank_of(const Interface& interface) {
  return std::tuple(interface.loopback, interface.link_local, interface.local_bridge,
                    interface.address.ss_family != AF_INET, -interface.bandwidth);
}

std::string named(const Interface& interface) {
  return interface.name + " " + interface.text;
}

/// All others, each with what speaks against it.
std::string others_than(const Interface& chosen, std::span<const Interface> interfaces) {
  std::string words;
  for (const Interface& other : interfaces) {
    if (other.name == chosen.name && other.text == chosen.text) continue;
    const std::string_view against = blemish(other);
    words += fmt::format("{}{} ({})", words.empty() ? "" : ", ", named(other),
                         against.empty() ? "not preferred" : against);
  }
  return words;
}

bool in_network(const Interface& interface, std::string_view network) {
  const std::size_t slash = network.find('/');
  if (slash == std::string_view::npos) return interface.text == network;
  std::array<std::byte, 16> wanted{};
  const int family = interface.address.ss_family;
  if (::inet_pton(family, std::string(network.substr(0, slash)).c_str(), wanted.data()) != 1) {
    return false;
  }
  std::size_t bits = 0;
  const std::string_view digits = network.substr(slash + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  const std::span<const std::byte> own = bytes_of(interface.address);
  if (error != std::errc() || end != digits.data() + digits.size() || bits > own.size() * 8) {
    return false;
  }
  for (std::size_t bit = 0; bit < bits; ++bit) {
    const auto mask = static_cast<std::byte>(0x80U >> (bit % 8));
    if (((own[bit / 8] ^ wanted[bit / 8]) & mask) != std::byte{0}) return false;
  }
  return true;
}

}  // namespace

bool is_loopback(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET6) return IN6_IS_ADDR_LOOPBACK(&v6(address).sin6_addr);
  return (ntohl(v4(address).sin_addr.s_addr) >> 24) == 127;
}

std::string to_text(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  (void)::inet_ntop(address.ss_family, bytes_of(address).data(), text.data(), text.size());
  return text.data();
}

socklen_t length_of(const sockaddr_storage& address) {
  return address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

void set_port(sockaddr_storage& address, std::uint16_t port) {
  if (address.ss_family == AF_INET) {
    reinterpret_cast<sockaddr_in&>(address).sin_port = port;
  } else {
    reinterpret_cast<sockaddr_in6&>(address).sin6_port = port;
  }
}

std::uint16_t port_of(const sockaddr_storage& address) {
  return address.ss_family == AF_INET ? v4(address).sin_port : v6(address).sin6_port;
}

std::span<const std::byte> bytes_of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) return std::as_bytes(std::span(&v4(address).sin_addr, 1));
  return std::as_bytes(std::span(&v6(address).sin6_addr, 1));
}

sockaddr_storage address_of(int family, const void* bytes) {
  sockaddr_storage made = {};
  made.ss_family = static_cast<sa_family_t>(family);
  if (family == AF_INET) {
    std::memcpy(&reinterpret_cast<sockaddr_in&>(made).sin_addr, bytes, sizeof(in_addr));
  } else {
    std::memcpy(&reinterpret_cast<sockaddr_in6&>(made).sin6_addr, bytes, sizeof(in6_addr));
  }
  return made;
}

Expected<std::vector<Interface>> list_interfaces() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno, "listing the network interfaces");
  }
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  std::vector<Interface> interfaces;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr) continue;
    const int family = entry->ifa_addr->sa_family;
    if (family == AF_INET || family == AF_INET6) interfaces.push_back(interface_of(*entry));
  }
  return interfaces;
}

Expected<Choice> choose_interface(std::span<const Interface> interfaces, std::string_view wanted) {
  const Interface* best = nullptr;
  for (const Interface& candidate : interfaces) {
    if (!wanted.empty() && candidate.name != wanted && !in_network(candidate, wanted)) continue;
    if (!candidate.up) continue;
    if (best == nullptr || rank_of(candidate) < rank_of(*best)) best = &candidate;
  }
  if (best == nullptr) {
    std::string there;
    for (const Interface& interface : interfaces) {
      there += fmt::format("{}{}{}", there.empty() ? "" : ", ", named(interface),
                           interface.up ? "" : " (down)");
    }
    return fail(MPI_ERR_OTHER, "{}{}; there are: {}",
                wanted.empty() ? "no network interface of this host is up"
                               : "REMIT_INTERFACE names no interface, address or network of "
                                 "this host that is up: ",
                wanted, there.empty() ? "none" : there);
  }
  const std::string_view against = blemish(*best);
  std::string why;
  if (!wanted.empty()) {
    why = fmt::format("REMIT_INTERFACE is {}", wanted);
  } else if (!against.empty()) {
    why = fmt::format("{}, but nothing better is up", against);
  } else {
    why = "the best that is up";
  }
  const std::string others = others_than(*best, interfaces);
  if (!others.empty()) why += "; not used: " + others;
  return Choice{*best, std::move(why)};
}

}  // namespace remit::net
