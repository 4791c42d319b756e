// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which adapter, port and address a process uses.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>
#include <vector>

#include "rdma_btl/verbs/api.hpp"

namespace remit::verbs {

/// An address of this host through which an RDMA adapter can be reached.
struct Adapter {
  std::string device;  ///< "mlx5_0"
  std::uint8_t port = 0;
  std::string netdev;        ///< "eth0"
  std::string text;          ///< the address, printed
  sockaddr_storage address;  ///< port 0
  socklen_t address_bytes = 0;
  bool active = false;      ///< the port is up
  bool iwarp = false;       ///< else InfiniBand or RoCE
  bool link_local = false;  ///< reaches only hosts on the same link
  double bandwidth = 0;     ///< bytes per second
  std::string gid;          ///< "GID 1 ::ffff:10.0.0.1, RoCE v2"; empty with iWARP
  int gid_index = -1;       ///< of that GID; -1 with iWARP
};

/// What VerbsConfig::device asks for.
struct Wanted {
  std::string address;  ///< "10.0.0.1"; or, if it is empty, of the adapter ...
  std::string device;   ///< its name; empty: any
  int port = -1;        ///< -1: any
  int gid_index = -1;   ///< -1: any
};

/// "", an IP address, NAME, NAME:PORT or NAME:PORT:GID. Errors say what is wrong with the words.
[[nodiscard]] Expected<Wanted> parse_wanted(const std::string& words);

/// How often the port has turned messages away because no receive was posted, since it came up and
/// for all processes of the host; from the kernel's counters of the port. Nothing where the adapter
/// does not count it. It reads a file.
[[nodiscard]] std::optional<std::uint64_t> port_refusals(const Adapter& adapter);

/// The address of a peer, printed.
[[nodiscard]] std::string to_text(const sockaddr_storage& address);

/// Where the kernel shows its adapters.
inline constexpr const char* kDevices = "/sys/class/infiniband";

/// What such a file says: its first line, empty if it is not there.
[[nodiscard]] std::string first_line(const std::string& path);

/// Names in a folder, sorted; empty if it is not there.
[[nodiscard]] std::vector<std::string> names_in(const std::string& folder);

/// The names of the adapters that the kernel shows, sorted.
[[nodiscard]] std::vector<std::string> kernel_adapters();

/// The file through which programs reach an adapter of the kernel. The error says what keeps them
/// from it: no file, no permission, no driver in libibverbs.
[[nodiscard]] Expected<std::string> user_file(const Api& api, const std::string& device);

/// Every adapter of this host, best first: up, routable, fast, IPv4. Each address of the host is
/// offered to rdma_cm, which knows whose it is: the same for InfiniBand, RoCE and iWARP. There is
/// at least one; the error says why none can be used.
[[nodiscard]] Expected<std::vector<Adapter>> find_adapters(const Api& api);

/// The one to use. `wanted` as VerbsConfig::device. Errors name what there is.
[[nodiscard]] Expected<Adapter> choose_adapter(const Api& api, const std::vector<Adapter>& adapters,
                                               const std::string& wanted);

/// What an adapter can do for memory that is not pinned, on reliable connections.
struct Paging {
  bool all_memory = false;  ///< one registration of it serves sends, receives, puts and gets
  bool atomics = false;     ///< and atomics
};
[[nodiscard]] Paging paging_of(const ibv_odp_caps& reported);
/// Nothing where the adapter's driver does not answer the question.
[[nodiscard]] Paging query_paging(ibv_context* context);

/// One line: which, and why.
[[nodiscard]] std::string describe(const Adapter& chosen, const std::vector<Adapter>& adapters,
                                   const std::string& wanted);

}  // namespace remit::verbs
