// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// TCP_NODELAY for the sockets that PMIx opens and does not show.
#include "runtime/nagle.hpp"

#include <dirent.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <memory>

namespace remit {

std::vector<int> open_descriptors() {
  std::vector<int> fds;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), ::closedir);
  if (folder == nullptr) return fds;
  while (const dirent* entry = ::readdir(folder.get())) {
    int fd = -1;
    const char* name = entry->d_name;
    const auto parsed = std::from_chars(name, name + std::strlen(name), fd);
    if (parsed.ec == std::errc{} && fd != ::dirfd(folder.get())) fds.push_back(fd);
  }
  std::sort(fds.begin(), fds.end());
  return fds;
}

std::vector<int> low_descriptors() {
  std::array<pollfd, 256> asked = {};
  for (std::size_t i = 0; i < asked.size(); ++i) asked[i].fd = static_cast<int>(i);
  rlimit limit = {};
  const bool limited = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < asked.size();
  const nfds_t count = limited ? limit.rlim_cur : asked.size();
  std::vector<int> fds;
  if (::poll(asked.data(), count, 0) < 0) return fds;
  for (std::size_t i = 0; i < count; ++i) {
    if ((asked[i].revents & POLLNVAL) == 0) fds.push_back(asked[i].fd);
  }
  return fds;
}

void disable_nagle_on_new_sockets(const std::vector<int>& before) {
  for (const int fd : low_descriptors()) {
    if (std::binary_search(before.begin(), before.end(), fd)) continue;
    const int yes = 1;
    // Fails on everything that is no TCP socket, which is as wanted.
    (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }
}

}  // namespace remit
