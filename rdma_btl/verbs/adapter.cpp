// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Finding the adapters of a host and choosing one.
#include "rdma_btl/verbs/adapter.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

namespace remit::verbs {

namespace {

/// Bits per second of a lane are not linear in the code of the speed (InfiniBand, PortInfo).
double lane_bits(std::uint32_t speed) {
  switch (speed) {
    case 1:
      return 2.5e9;
    case 2:
      return 5e9;
    case 4:
    case 8:
      return 10e9;
    case 16:
      return 14e9;
    case 32:
      return 25e9;
    case 64:
      return 50e9;
    case 128:
      return 100e9;
    default:
      return 10e9;
  }
}

double lanes(std::uint8_t width) {
  switch (width) {
    case 2:
      return 4;
    case 4:
      return 8;
    case 8:
      return 12;
    case 16:
      return 2;
    default:
      return 1;
  }
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Index and type of a GID, as the kernel lists it.
std::string gid_text(const std::string& device, int port, const ibv_gid& gid) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  ::inet_ntop(AF_INET6, gid.raw, text.data(), text.size());
  const std::string folder = fmt::format("/sys/class/infiniband/{}/ports/{}", device, port);
  constexpr int kMost = 256;
  for (int index = 0; index < kMost; ++index) {
    const std::string listed = first_line(fmt::format("{}/gids/{}", folder, index));
    if (listed.empty()) break;
    in6_addr address = {};
    if (::inet_pton(AF_INET6, listed.c_str(), &address) != 1 ||
        std::memcmp(&address, gid.raw, sizeof gid.raw) != 0) {
      continue;
    }
    // The same GID stands there once for each version of RoCE; rdma_cm prefers version 2.
    const std::string type = first_line(fmt::format("{}/gid_attrs/types/{}", folder, index));
    if (type == "IB/RoCE v1" &&
        first_line(fmt::format("{}/gids/{}", folder, index + 1)) == listed) {
      continue;
    }
    return fmt::format("GID {} {}{}{}", index, text.data(), type.empty() ? "" : ", ", type);
  }
  return fmt::format("GID {}", text.data());
}

struct IdDeleter {
  const Api* api;
  void operator()(rdma_cm_id* id) const { api->destroy_id(id); }
};
struct ChannelDeleter {
  const Api* api;
  void operator()(rdma_event_channel* channel) const { api->destroy_event_channel(channel); }
};

bool is_link_local(const sockaddr& address) {
  if (address.sa_family == AF_INET6) {
    return IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
  }
  const auto ip = ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr);
  return ip >> 16 == 0xa9fe;  // 169.254/16
}

/// The adapter behind an address, or false if there is none.
bool probe(const Api& api, rdma_event_channel* channel, const ifaddrs& entry, Adapter& out) {
  const sockaddr* const address = entry.ifa_addr;
  if (address == nullptr || (entry.ifa_flags & IFF_UP) == 0) return false;
  if ((entry.ifa_flags & IFF_LOOPBACK) != 0) return false;
  if (address->sa_family == AF_INET) {
    out.address_bytes = sizeof(sockaddr_in);
  } else if (address->sa_family == AF_INET6) {
    out.address_bytes = sizeof(sockaddr_in6);
  } else {
    return false;
  }
  rdma_cm_id* raw = nullptr;
  if (api.create_id(channel, &raw, nullptr, RDMA_PS_TCP) != 0) return false;
  const std::unique_ptr<rdma_cm_id, IdDeleter> id(raw, {&api});
  out.address = {};
  std::memcpy(&out.address, address, out.address_bytes);
  if (api.bind_addr(raw, reinterpret_cast<sockaddr*>(&out.address)) != 0 || raw->verbs == nullptr) {
    return false;
  }
  out.device = api.get_device_name(raw->verbs->device);
  out.port = raw->port_num;
  out.netdev = entry.ifa_name;
  out.text = to_text(out.address);
  out.link_local = is_link_local(*address);
  out.iwarp = raw->verbs->device->transport_type == IBV_TRANSPORT_IWARP;
  ibv_port_attr port = {};
  if (api.query_port(raw->verbs, out.port, reinterpret_cast<_compat_ibv_port_attr*>(&port)) == 0) {
    out.active = port.state == IBV_PORT_ACTIVE;
    out.bandwidth = lane_bits(port.active_speed) * lanes(port.active_width) / 8;
  }
  if (!out.iwarp) out.gid = gid_text(out.device, out.port, raw->route.addr.addr.ibaddr.sgid);
  return true;
}

bool better(const Adapter& a, const Adapter& b) {
  if (a.active != b.active) return a.active;
  if (a.link_local != b.link_local) return b.link_local;
  if (a.bandwidth != b.bandwidth) return a.bandwidth > b.bandwidth;
  if (a.address.ss_family != b.address.ss_family) return a.address.ss_family == AF_INET;
  return a.device < b.device;
}

std::string list(const std::vector<Adapter>& adapters) {
  std::string out;
  for (const Adapter& a : adapters) {
    out += fmt::format("{}{}:{} {} ({}{})", out.empty() ? "" : ", ", a.device, a.port, a.text,
                       a.netdev, a.active ? "" : ", down");
  }
  return out;
}

bool matches(const Adapter& adapter, const std::string& wanted) {
  return wanted.empty() || wanted == adapter.device || wanted == adapter.text ||
         wanted == fmt::format("{}:{}", adapter.device, adapter.port);
}

}  // namespace

std::string to_text(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  if (address.ss_family == AF_INET) {
    const auto& ip = reinterpret_cast<const sockaddr_in&>(address);
    ::inet_ntop(AF_INET, &ip.sin_addr, text.data(), text.size());
  } else {
    const auto& ip = reinterpret_cast<const sockaddr_in6&>(address);
    ::inet_ntop(AF_INET6, &ip.sin6_addr, text.data(), text.size());
  }
  return text.data();
}

Expected<std::vector<Adapter>> find_adapters(const Api& api) {
  const std::unique_ptr<rdma_event_channel, ChannelDeleter> channel(api.create_event_channel(),
                                                                    {&api});
  if (!channel) {
    const int error = errno;
    return fail_errno(MPI_ERR_OTHER, error,
                      "RDMA connections cannot be made: is the kernel module rdma_ucm loaded "
                      "('modprobe rdma_ucm'), and may this user open /dev/infiniband/rdma_cm? "
                      "rdma_create_event_channel");
  }
  ifaddrs* interfaces = nullptr;
  if (::getifaddrs(&interfaces) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno, "reading this host's addresses");
  }
  std::vector<Adapter> found;
  for (const ifaddrs* entry = interfaces; entry != nullptr; entry = entry->ifa_next) {
    Adapter adapter;
    if (probe(api, channel.get(), *entry, adapter)) found.push_back(std::move(adapter));
  }
  ::freeifaddrs(interfaces);
  std::stable_sort(found.begin(), found.end(), better);
  return found;
}

Expected<Adapter> choose_adapter(const std::vector<Adapter>& adapters, const std::string& wanted) {
  if (adapters.empty()) {
    return fail(
        MPI_ERR_OTHER,
        "{}: give the network interface of an RDMA adapter an IP address and bring it up "
        "('ip addr', 'rdma link')",
        any_rdma_device() ? "no RDMA adapter has an IP address" : "this host has no RDMA adapter");
  }
  for (const Adapter& adapter : adapters) {
    if (!matches(adapter, wanted)) continue;
    if (adapter.active) return adapter;
    return fail(MPI_ERR_OTHER,
                "port {} of RDMA adapter {} ({}) is down: connect its cable or bring {} up",
                adapter.port, adapter.device, adapter.text, adapter.netdev);
  }
  return fail(MPI_ERR_OTHER, "REMIT_VERBS_DEVICE is '{}', but this host has {}", wanted,
              list(adapters));
}

std::string describe(const Adapter& chosen, const std::vector<Adapter>& adapters,
                     const std::string& wanted) {
  const auto usable = static_cast<std::size_t>(
      std::count_if(adapters.begin(), adapters.end(), [](const Adapter& a) { return a.active; }));
  std::string why = "the only active one";
  if (!wanted.empty()) {
    why = "REMIT_VERBS_DEVICE asks for it";
  } else if (usable > 1) {
    why = fmt::format("{} and the fastest of {} active addresses",
                      chosen.link_local ? "link-local" : "routable", usable);
  }
  return fmt::format("{} port {}, {} ({}), {}: {}", chosen.device, chosen.port, chosen.text,
                     chosen.netdev, chosen.iwarp ? "iWARP" : chosen.gid, why);
}

}  // namespace remit::verbs
