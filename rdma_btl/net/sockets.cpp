// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// TCP sockets. The kernels of both sides watch over a connection: it ends when the peer's process
// does, and half a minute after the peer's host went silent, whatever the processes do.
#include "rdma_btl/net/sockets.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "rdma_btl/net/interfaces.hpp"

namespace remit::net {

namespace {

/// A host that does not answer is asked after 10 s, and then every 5 s: 30 s in all.
constexpr int kIdleS = 10;
constexpr int kIntervalS = 5;
constexpr int kProbes = 4;
constexpr int kSilentMs = 30000;

/// Lets this process have as many descriptors as it may. False: it has them already. Only when they
/// are needed, because with more than 1,024 a program's select() cannot take all.
bool more_descriptors() {
  rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return false;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/// The descriptor that `make` makes, or none, with its errno.
template <class Make>
shm::Fd descriptor(const Make& make) {
  int fd = make();
  if (fd < 0 && errno == EMFILE && more_descriptors()) fd = make();
  return shm::Fd(fd);
}

Expected<shm::Fd> stream_socket(int family) {
  shm::Fd socket =
      descriptor([&] { return ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); });
  if (!socket) return fail_errno(MPI_ERR_OTHER, errno, "making a TCP socket");
  return socket;
}

const sockaddr* plain(const sockaddr_storage& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

/// No delay, and the watch over the peer's host.
void watch_over(int socket) {
  const auto set = [socket](int level, int option, int value) {
    (void)::setsockopt(socket, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, kIdleS);
  set(IPPROTO_TCP, TCP_KEEPINTVL, kIntervalS);
  set(IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, kSilentMs);
}

}  // namespace

Expected<shm::Fd> listen_at(sockaddr_storage& address) {
  Expected<shm::Fd> socket = stream_socket(address.ss_family);
  if (!socket) return socket;
  set_port(address, 0);
  socklen_t length = length_of(address);
  if (::bind(socket->get(), plain(address), length) != 0 ||
      ::listen(socket->get(), SOMAXCONN) != 0 ||
      ::getsockname(socket->get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno, fmt::format("listening at {}", to_text(address)));
  }
  return socket;
}

Expected<shm::Fd> connect_from(const sockaddr_storage& from, const sockaddr_storage& to,
                               const std::string& congestion) {
  Expected<shm::Fd> socket = stream_socket(to.ss_family);
  if (!socket) return tl::unexpected(socket.error());
  watch_over(socket->get());
  if (!congestion.empty()) (void)set_congestion(socket->get(), congestion);
  sockaddr_storage own = from;
  set_port(own, 0);
  const int yes = 1;  // the port is found when the other end is known: one may serve many
  (void)::setsockopt(socket->get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
  if (::bind(socket->get(), plain(own), length_of(own)) != 0) {
    return fail_errno(MPI_ERR_OTHER, errno, fmt::format("using the address {}", to_text(own)));
  }
  if (::connect(socket->get(), plain(to), length_of(to)) != 0 && errno != EINPROGRESS) {
    return fail_errno(MPI_ERR_OTHER, errno, "connecting");
  }
  return socket;
}

shm::Fd accept_one(int listener) {
  shm::Fd socket = descriptor(
      [&] { return ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); });
  if (socket) watch_over(socket.get());
  return socket;
}

std::string Shortage::words(int error) {
  const bool is_shortage =
      error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
  if (!is_shortage || std::exchange(told_, true)) return {};
  return fmt::format(
      "a peer's connection has to wait: {}; 'ulimit -n' sets how many files may be open",
      std::strerror(error));
}

int error_of(int socket) {
  int value = 0;
  socklen_t length = sizeof value;
  if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &value, &length) != 0) return errno;
  return value;
}

std::string congestion_of(int socket) {
  std::array<char, 64> name = {};
  socklen_t length = name.size() - 1;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), &length) != 0) return {};
  return name.data();
}

bool set_congestion(int socket, const std::string& name) {
  const auto length = static_cast<socklen_t>(name.size());
  return ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), length) == 0;
}

unsigned round_trip_us(int socket) {
  tcp_info info = {};
  socklen_t length = sizeof info;
  const bool known = ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) == 0;
  return known && info.tcpi_min_rtt != std::numeric_limits<std::uint32_t>::max() ? info.tcpi_min_rtt
                                                                                 : 0;
}

void bound_buffer(int socket, double bandwidth) {
  constexpr int kLeast = 131072;
  constexpr double kSecondsPerUs = 1e-6;
  const double most = 2 * bandwidth * round_trip_us(socket) * kSecondsPerUs;
  if (most > std::numeric_limits<int>::max()) return;
  const int bytes = std::max(kLeast, static_cast<int>(most));
  (void)::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

}  // namespace remit::net
