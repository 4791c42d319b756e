// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Transfers over a socket of the program's.
#include "communicators/socket_exchange.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>

#include "runtime/bootstrap/bootstrap.hpp"

namespace remit {

Expected<> check_stream_socket(int socket) {
  int type = 0;
  socklen_t size = sizeof type;
  if (::getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0) {
    return fail_errno(MPI_ERR_ARG, errno, fmt::format("fd {}", socket));
  }
  if (type != SOCK_STREAM) return fail(MPI_ERR_ARG, "fd {} is not a stream socket", socket);
  return {};
}

Expected<> SocketExchange::send(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (auto waited = wait(POLLOUT); !waited) {
      return waited;
    }
  }
  return {};
}

Expected<> SocketExchange::receive(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got == 0) return fail(MPI_ERR_OTHER, "the other end of the socket was closed");
    if (got > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    } else if (auto waited = wait(POLLIN); !waited) {
      return waited;
    }
  }
  return {};
}

/// After a transfer that could not go on: because of errno.
Expected<> SocketExchange::wait(short events) {
  if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
    return fail_errno(MPI_ERR_OTHER, errno, "the socket");
  }
  constexpr int kTurnMs = 5;
  Progress::YieldHook* hook = progress_.yield_hook();
  pollfd ready{socket_, events, 0};
  if (hook != nullptr) hook->before();
  (void)::poll(&ready, 1, kTurnMs);
  if (hook != nullptr) hook->after();
  progress_.poll();
  return {};
}

namespace {

/// Over the socket: this, then as many bytes.
struct JoinHead {
  std::uint32_t magic = 0x4a4d4552;
  std::uint32_t tag = 0;
  std::uint32_t bytes = 0;
};

}  // namespace

Expected<SocketExchange::OtherEnd> SocketExchange::passports(int tag, const Passport& own) {
  const Bytes mine = encode(own);
  const JoinHead head{.tag = static_cast<std::uint32_t>(tag),
                      .bytes = static_cast<std::uint32_t>(mine.size())};
  JoinHead other;
  auto done = send(std::as_bytes(std::span(&head, 1)));
  if (done) done = send(mine);
  if (done) done = receive(std::as_writable_bytes(std::span(&other, 1)));
  if (!done) return tl::unexpected(done.error());
  constexpr std::uint32_t kMost = 4096;
  if (other.magic != head.magic || other.bytes > kMost || static_cast<int>(other.tag) <= 0) {
    return fail(MPI_ERR_OTHER, "at the other end of the socket is no MPI_Comm_join of this Remit");
  }
  Bytes theirs(other.bytes);
  if (done = receive(theirs); !done) return tl::unexpected(done.error());
  auto passports = decode_passports(theirs);
  if (!passports) return tl::unexpected(passports.error());
  if (passports->size() != 1) return fail(MPI_ERR_OTHER, "the other end has sent no passport");
  return OtherEnd{static_cast<int>(other.tag), std::move(passports->front())};
}

}  // namespace remit
