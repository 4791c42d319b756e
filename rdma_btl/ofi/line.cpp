// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Lines: plain TCP connections.
#include "rdma_btl/ofi/line.hpp"

#include <array>
#include <cerrno>
#include <cstring>

namespace remit::ofi {

Expected<Line> Line::connect(const sockaddr_storage& from, const sockaddr_storage& to) {
  return net::connect_from(from, to).map([](shm::Fd&& socket) { return Line(std::move(socket)); });
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
