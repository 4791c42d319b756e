// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/tcp/handshakes.hpp"

#include <cerrno>
#include <utility>

namespace remit::tcp {

void Handshakes::listen(shm::Fd listener) {
  listener_ = std::move(listener);
  set_.watch(listener_.get(), kListenerToken, false);
}

void Handshakes::close() {
  handshakes_.clear();
  listener_.reset();
}

int Handshakes::accept(std::string& shortage) {
  shm::Fd socket = net::accept_one(listener_.get());
  if (!socket) {
    shortage = shortage_.words(errno);
    return -1;
  }
  if (handshakes_.size() >= net::kMostGuests) handshakes_.erase(handshakes_.begin());
  const int fd = socket.get();
  set_.watch(fd, kHandshakeBit | static_cast<std::uint32_t>(fd), false);
  handshakes_[fd] = {std::move(socket), {}};
  return fd;
}

std::optional<Handshakes::Handshake> Handshakes::read(int fd) {
  const auto found = handshakes_.find(fd);
  if (found == handshakes_.end()) return std::nullopt;
  const int error = found->second.hello.read(fd);
  if (error == 0 && !found->second.hello.whole()) return std::nullopt;
  Handshake handshake = std::move(found->second);
  handshakes_.erase(found);
  if (error != 0) return std::nullopt;
  return handshake;
}

}  // namespace remit::tcp
