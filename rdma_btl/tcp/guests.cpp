// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/tcp/guests.hpp"

#include <cerrno>
#include <utility>

namespace remit::tcp {

void Guests::listen(shm::Fd listener) {
  listener_ = std::move(listener);
  set_.watch(listener_.get(), kListenerToken, false);
}

void Guests::close() {
  guests_.clear();
  listener_.reset();
}

int Guests::accept(std::string& shortage) {
  shm::Fd socket = net::accept_one(listener_.get());
  if (!socket) {
    shortage = shortage_.words(errno);
    return -1;
  }
  if (guests_.size() >= net::kMostGuests) guests_.erase(guests_.begin());
  const int fd = socket.get();
  set_.watch(fd, kGuestBit | static_cast<std::uint32_t>(fd), false);
  guests_[fd] = {std::move(socket), {}};
  return fd;
}

std::optional<Guests::Guest> Guests::read(int fd) {
  const auto found = guests_.find(fd);
  if (found == guests_.end()) return std::nullopt;
  const int error = found->second.greeting.read(fd);
  if (error == 0 && !found->second.greeting.whole()) return std::nullopt;
  Guest guest = std::move(found->second);
  guests_.erase(found);
  if (error != 0) return std::nullopt;
  return guest;
}

}  // namespace remit::tcp
