// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// TCP sockets. The kernels of both sides watch over a connection: it ends when the peer's process
// does, and half a minute after the peer's host went silent, whatever the processes do.
#include "rdma_btl/net/sockets.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "rdma_btl/net/interfaces.hpp"

namespace remit::net {

namespace {

/// A host that does not answer is asked after 10 s, and then every 5 s: 30 s in all.
constexpr int kIdleS = 10;
constexpr int kIntervalS = 5;
constexpr int kProbes = 4;
constexpr int kSilentMs = 30000;

Expected<shm::Fd> stream_socket(int family) {
  shm::Fd socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
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

Expected<shm::Fd> connect_from(const sockaddr_storage& from, const sockaddr_storage& to) {
  Expected<shm::Fd> socket = stream_socket(to.ss_family);
  if (!socket) return tl::unexpected(socket.error());
  watch_over(socket->get());
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
  shm::Fd socket(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket) watch_over(socket.get());
  return socket;
}

int error_of(int socket) {
  int value = 0;
  socklen_t length = sizeof value;
  if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &value, &length) != 0) return errno;
  return value;
}

void bound_buffer(int socket, double bandwidth) {
  constexpr int kLeast = 131072;
  constexpr double kSecondsPerUs = 1e-6;
  tcp_info info = {};
  socklen_t length = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return;
  const double most = 2 * bandwidth * info.tcpi_min_rtt * kSecondsPerUs;
  if (most > std::numeric_limits<int>::max()) return;
  const int bytes = std::max(kLeast, static_cast<int>(most));
  (void)::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

}  // namespace remit::net
