// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A line: the plain TCP connection that an ofi device keeps to each peer it talks to.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <span>
#include <string>

#include "rdma_btl/net/sockets.hpp"
#include "runtime/os/os.hpp"

namespace remit::ofi {

/// A socket that never blocks. The kernels of both sides watch over it: it ends when the peer's
/// process does, and half a minute after the peer's host went silent, whatever the processes do.
class Line {
 public:
  Line() = default;
  explicit Line(shm::Fd socket) : socket_(std::move(socket)) {}

  /// Starts to connect; writable when that is done, see error().
  [[nodiscard]] static Expected<Line> connect(const sockaddr_storage& from,
                                              const sockaddr_storage& to);

  [[nodiscard]] int fd() const { return socket_.get(); }
  explicit operator bool() const { return static_cast<bool>(socket_); }

  /// What became of connecting, or what ended the line: an errno, or 0.
  [[nodiscard]] int error() const { return net::error_of(socket_.get()); }

  /// Sends what the socket takes and keeps the rest; 0 or an errno.
  [[nodiscard]] int send(std::span<const std::byte> bytes);
  [[nodiscard]] int flush();
  /// Nothing waits to be sent.
  [[nodiscard]] bool flushed() const { return out_.empty(); }

  /// Takes what has arrived; 0, an errno, or kEnded if the peer has closed it.
  static constexpr int kEnded = -1;
  [[nodiscard]] int receive();
  /// Copies the next bytes.size() bytes; false if so many are not there yet.
  [[nodiscard]] bool take(std::span<std::byte> bytes);

 private:
  shm::Fd socket_;
  std::string in_;
  std::string out_;
};

}  // namespace remit::ofi
