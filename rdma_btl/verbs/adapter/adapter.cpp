// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Finding the adapters of a host and choosing one.
#include "rdma_btl/verbs/adapter/adapter.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <filesystem>
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

constexpr const char* kUserDevices = "/sys/class/infiniband_verbs";

std::string port_folder(const std::string& device, int port) {
  return fmt::format("{}/{}/ports/{}", kDevices, device, port);
}

/// Index and type of the adapter's GID, as the kernel lists it.
void find_gid(const ibv_gid& gid, Adapter& out) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  ::inet_ntop(AF_INET6, gid.raw, text.data(), text.size());
  const std::string folder = port_folder(out.device, out.port);
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
    out.gid = fmt::format("GID {} {}{}{}", index, text.data(), type.empty() ? "" : ", ", type);
    out.gid_index = index;
    return;
  }
  out.gid = fmt::format("GID {}", text.data());
}

struct IdDeleter {
  const Api* api;
  void operator()(rdma_cm_id* id) const { api->cm.destroy_id(id); }
};
struct ChannelDeleter {
  const Api* api;
  void operator()(rdma_event_channel* channel) const { api->cm.destroy_event_channel(channel); }
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
  if (api.cm.create_id(channel, &raw, nullptr, RDMA_PS_TCP) != 0) return false;
  const std::unique_ptr<rdma_cm_id, IdDeleter> id(raw, {&api});
  out.address = {};
  std::memcpy(&out.address, address, out.address_bytes);
  if (api.cm.bind_addr(raw, reinterpret_cast<sockaddr*>(&out.address)) != 0 ||
      raw->verbs == nullptr) {
    return false;
  }
  out.device = api.ibv.get_device_name(raw->verbs->device);
  out.port = raw->port_num;
  out.netdev = entry.ifa_name;
  out.text = to_text(out.address);
  out.link_local = is_link_local(*address);
  out.iwarp = raw->verbs->device->transport_type == IBV_TRANSPORT_IWARP;
  ibv_port_attr port = {};
  if (api.ibv.query_port(raw->verbs, out.port, reinterpret_cast<_compat_ibv_port_attr*>(&port)) ==
      0) {
    out.active = port.state == IBV_PORT_ACTIVE;
    out.bandwidth = lane_bits(port.active_speed) * lanes(port.active_width) / 8;
  }
  if (!out.iwarp) find_gid(raw->route.addr.addr.ibaddr.sgid, out);
  return true;
}

bool better(const Adapter& a, const Adapter& b) {
  if (a.active != b.active) return a.active;
  if (a.link_local != b.link_local) return b.link_local;
  if (a.bandwidth != b.bandwidth) return a.bandwidth > b.bandwidth;
  if (a.address.ss_family != b.address.ss_family) return a.address.ss_family == AF_INET;
  return a.device < b.device;
}

/// As REMIT_VERBS_DEVICE can name them.
std::string list(const std::vector<Adapter>& adapters) {
  std::string out;
  for (const Adapter& a : adapters) {
    const std::string gid = a.gid_index < 0 ? "" : fmt::format(":{}", a.gid_index);
    out += fmt::format("{}{}:{}{} {} ({}{})", out.empty() ? "" : ", ", a.device, a.port, gid,
                       a.text, a.netdev, a.active ? "" : ", down");
  }
  return out;
}

bool matches(const Adapter& adapter, const Wanted& wanted) {
  if (!wanted.address.empty()) return wanted.address == adapter.text;
  return (wanted.device.empty() || wanted.device == adapter.device) &&
         (wanted.port < 0 || wanted.port == adapter.port) &&
         (wanted.gid_index < 0 || wanted.gid_index == adapter.gid_index);
}

/// Whether libibverbs has a driver for it.
bool has_driver(const Api& api, const std::string& device) {
  int count = 0;
  ibv_device** const list = api.ibv.get_device_list(&count);
  if (list == nullptr) return false;
  bool found = false;
  for (int i = 0; i < count; ++i) found |= device == api.ibv.get_device_name(list[i]);
  api.ibv.free_device_list(list);
  return found;
}

/// Why `device`, which the kernel shows, has no address; or the address that was asked for.
tl::unexpected<Error> no_address(const Api& api, const std::string& device) {
  if (const Expected<std::string> file = user_file(api, device); !file) {
    return tl::unexpected(file.error());
  }
  const std::string netdev =
      first_line(port_folder(device, 1) + "/gid_attrs/ndevs/0");  // none on InfiniBand
  const std::string interface = netdev.empty() ? "its network interface" : netdev;
  return fail(MPI_ERR_OTHER,
              "RDMA adapter {} has no address in use: bring {} up and give it an IP address ('ip "
              "link', 'ip addr')",
              device, interface);
}

bool parse_number(std::string_view text, int least, int most, int& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && out >= least && out <= most;
}

/// An address as to_text() prints it; empty if it is none.
std::string canonical(const std::string& words) {
  std::array<unsigned char, sizeof(in6_addr)> raw = {};
  std::array<char, INET6_ADDRSTRLEN> text = {};
  for (const int family : {AF_INET, AF_INET6}) {
    if (::inet_pton(family, words.c_str(), raw.data()) == 1) {
      return ::inet_ntop(family, raw.data(), text.data(), text.size());
    }
  }
  return {};
}

/// Nothing is as `wanted`: the first part of it that there is not.
tl::unexpected<Error> no_match(const Api& api, const std::vector<Adapter>& adapters,
                               const Wanted& wanted, const std::string& words) {
  const std::vector<std::string> names = kernel_adapters();
  const bool exists = std::find(names.begin(), names.end(), wanted.device) != names.end();
  std::vector<Adapter> near;
  for (const Adapter& adapter : adapters) {
    if (adapter.device == wanted.device) near.push_back(adapter);
  }
  if (!exists) {
    return fail(MPI_ERR_ARG, "REMIT_VERBS_DEVICE is '{}', but this host has {}", words,
                list(adapters));
  }
  if (near.empty()) return no_address(api, wanted.device);
  std::error_code ignored;
  if (!std::filesystem::exists(port_folder(wanted.device, wanted.port), ignored)) {
    return fail(MPI_ERR_ARG, "REMIT_VERBS_DEVICE is '{}', but {} has no port {}: it has {}", words,
                wanted.device, wanted.port, list(near));
  }
  const std::string gid = wanted.gid_index < 0 ? "" : fmt::format("GID {} of ", wanted.gid_index);
  return fail(MPI_ERR_ARG,
              "REMIT_VERBS_DEVICE is '{}', but no address of this host belongs to {}port {} of {}: "
              "there is {}",
              words, gid, wanted.port, wanted.device, list(near));
}

}  // namespace

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    names.push_back(at->path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::uint64_t> port_refusals(const Adapter& adapter) {
  const std::string folder = port_folder(adapter.device, adapter.port) + "/hw_counters/";
  // Soft-RoCE's name, and that of ConnectX.
  for (const char* const name : {"send_rnr_err", "out_of_buffer"}) {
    std::ifstream file(folder + name);
    std::uint64_t count = 0;
    if (file >> count) return count;
  }
  return std::nullopt;
}

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

Expected<Wanted> parse_wanted(const std::string& words) {
  Wanted wanted;
  wanted.address = canonical(words);
  if (words.empty() || !wanted.address.empty()) return wanted;
  const auto bad = [&](std::string_view what) {
    return fail(MPI_ERR_ARG,
                "REMIT_VERBS_DEVICE is '{}': {}; write NAME, NAME:PORT, NAME:PORT:GID (as in "
                "mlx5_0:1:3), or an IP address of the adapter",
                words, what);
  };
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t colon = std::min(words.find(':', at), words.size());
    parts.push_back(words.substr(at, colon - at));
    at = colon + 1;
  }
  if (parts.size() > 3) return bad("it has too many parts");
  wanted.device = parts[0];
  if (wanted.device.empty()) return bad("the name of the adapter is missing");
  if (parts.size() > 1 && !parse_number(parts[1], 1, 255, wanted.port)) {
    return bad(fmt::format("'{}' is no port, which is a number from 1", parts[1]));
  }
  if (parts.size() > 2 && !parse_number(parts[2], 0, 65535, wanted.gid_index)) {
    return bad(fmt::format("'{}' is no index of a GID, which is a number from 0", parts[2]));
  }
  return wanted;
}

std::vector<std::string> kernel_adapters() {
  return names_in(kDevices);
}

Expected<std::string> user_file(const Api& api, const std::string& device) {
  std::string file;
  for (const std::string& name : names_in(kUserDevices)) {
    if (first_line(fmt::format("{}/{}/ibdev", kUserDevices, name)) == device) file = name;
  }
  if (file.empty()) {
    return fail(MPI_ERR_OTHER,
                "RDMA adapter {} cannot be reached by programs: load the kernel module ib_uverbs "
                "('modprobe ib_uverbs')",
                device);
  }
  file.insert(0, "/dev/infiniband/");
  if (::access(file.c_str(), R_OK | W_OK) != 0) {
    return fail(MPI_ERR_OTHER,
                "RDMA adapter {}: {}: {}. Let every user read and write it (the package rdma-core "
                "has the udev rule; a container needs it as a device)",
                device, file, std::strerror(errno));
  }
  if (!has_driver(api, device)) {
    return fail(MPI_ERR_OTHER,
                "libibverbs has no driver for RDMA adapter {}: install the package "
                "ibverbs-providers (or what came with the adapter)",
                device);
  }
  return file;
}

Expected<std::vector<Adapter>> find_adapters(const Api& api) {
  const std::vector<std::string> names = kernel_adapters();
  if (names.empty()) {
    return fail(MPI_ERR_OTHER,
                "this host has no RDMA adapter, or its kernel driver is not loaded ('rdma link'): "
                "use REMIT_DEVICES=shm on one host, or see 'remit_info --rdma'");
  }
  const std::unique_ptr<rdma_event_channel, ChannelDeleter> channel(api.cm.create_event_channel(),
                                                                    {&api});
  if (!channel) {
    // Why the library cannot open it is not always what it says.
    int error = errno;
    if (::access("/dev/infiniband/rdma_cm", R_OK | W_OK) != 0) error = errno;
    for (const std::string& name : names) {
      if (const Expected<std::string> file = user_file(api, name); !file) {
        return tl::unexpected(file.error());
      }
    }
    return fail_errno(MPI_ERR_OTHER, error,
                      "RDMA connections cannot be made: is the kernel module rdma_ucm loaded "
                      "('modprobe rdma_ucm'), and may this user read and write "
                      "/dev/infiniband/rdma_cm? rdma_create_event_channel");
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
  if (found.empty()) return no_address(api, names.front());
  std::stable_sort(found.begin(), found.end(), better);
  return found;
}

Expected<Adapter> choose_adapter(const Api& api, const std::vector<Adapter>& adapters,
                                 const std::string& words) {
  const Expected<Wanted> wanted = parse_wanted(words);
  if (!wanted) return tl::unexpected(wanted.error());
  for (const Adapter& adapter : adapters) {
    if (!matches(adapter, *wanted)) continue;
    if (adapter.active) return adapter;
    return fail(MPI_ERR_OTHER,
                "port {} of RDMA adapter {} ({}) is down: connect its cable or bring {} up",
                adapter.port, adapter.device, adapter.text, adapter.netdev);
  }
  return no_match(api, adapters, *wanted, words);
}

Paging paging_of(const ibv_odp_caps& reported) {
  constexpr std::uint64_t kGeneral = IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT;
  constexpr std::uint32_t kMessages =
      IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_READ;
  const std::uint32_t connected = reported.per_transport_caps.rc_odp_caps;
  Paging paging;
  paging.all_memory =
      (reported.general_caps & kGeneral) == kGeneral && (connected & kMessages) == kMessages;
  paging.atomics = paging.all_memory && (connected & IBV_ODP_SUPPORT_ATOMIC) != 0;
  return paging;
}

/// Goes through the context, as ibv_query_device_ex() does where the driver has the function.
Paging query_paging(ibv_context* context) {
  // As verbs_get_ctx_op(), which is an extension of GNU's: an older library has a shorter table.
  verbs_context* const extended = verbs_get_ctx(context);
  const bool known = extended != nullptr &&
                     extended->sz >= sizeof *extended - offsetof(verbs_context, query_device_ex) &&
                     extended->query_device_ex != nullptr;
  ibv_device_attr_ex attributes = {};
  if (!known || extended->query_device_ex(context, nullptr, &attributes, sizeof attributes) != 0) {
    return {};
  }
  return paging_of(attributes.odp_caps);
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
