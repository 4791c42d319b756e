// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Names, addresses and limits of this host.
#include "launcher/host/host_names.hpp"

#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "runtime/nagle.hpp"

namespace remit::launcher {

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// Of all interfaces, as text: names that a user may give this host.
std::vector<std::string> own_addresses() {
  std::vector<std::string> texts;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return texts;
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    std::array<char, NI_MAXHOST> text{};
    const int family = each->ifa_addr == nullptr ? AF_UNSPEC : each->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if (::getnameinfo(each->ifa_addr, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) ==
        0) {
      texts.emplace_back(text.data());
    }
  }
  ::freeifaddrs(list);
  return texts;
}

std::string temporary_parent() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != 0 ? chosen : "/tmp";
}

Expected<> raise_descriptor_limit(std::size_t pipes) {
  constexpr rlim_t kOwn = 17;  // mpirun's, PMIx's, and those of one rank being started
  constexpr rlim_t kGuardian = 16;
  const auto used = static_cast<rlim_t>(open_descriptors().size());
  const rlim_t need = std::max<rlim_t>(used + kOwn + pipes, kGuardian);
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  if (limit.rlim_max < need) {
    return fail(MPI_ERR_OTHER,
                "the job needs {} open files on this host, and the limit is {}: raise it with "
                "'ulimit -n {}' "
                "(as root beyond the hard limit), or start fewer ranks",
                need, limit.rlim_max, need);
  }
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return {};
}

}  // namespace remit::launcher
