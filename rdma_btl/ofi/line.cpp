// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Lines: plain TCP connections.
#include "rdma_btl/ofi/line.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "rdma_btl/ofi/interfaces.hpp"

namespace remit::ofi {

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

}  // namespace

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

Expected<Line> Line::connect(const sockaddr_storage& from, const sockaddr_storage& to) {
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
  return Line(std::move(*socket));
}

int Line::error() const {
  int value = 0;
  socklen_t length = sizeof value;
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &value, &length) != 0) return errno;
  return value;
}

int Line::send(std::span<const std::byte> bytes) {
  out_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return flush();
}

int Line::flush() {
  while (!out_.empty()) {
    const ssize_t sent = ::send(socket_.get(), out_.data(), out_.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      out_.erase(0, static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      return 0;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int Line::receive() {
  std::array<char, 4096> bytes;
  for (;;) {
    const ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (count > 0) {
      in_.append(bytes.data(), static_cast<std::size_t>(count));
      if (static_cast<std::size_t>(count) < bytes.size()) return 0;
    } else if (count == 0) {
      return kEnded;
    } else if (errno == EAGAIN) {
      return 0;
    } else if (errno != EINTR) {
      return errno;
    }
  }
}

bool Line::take(std::span<std::byte> bytes) {
  if (in_.size() < bytes.size()) return false;
  std::memcpy(bytes.data(), in_.data(), bytes.size());
  in_.erase(0, bytes.size());
  return true;
}

}  // namespace remit::ofi
