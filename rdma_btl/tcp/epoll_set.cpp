// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/tcp/epoll_set.hpp"

#include <sys/eventfd.h>

#include <cerrno>

namespace remit::tcp {

Expected<> EpollSet::open() {
  kick_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  set_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!kick_ || !set_) return fail_errno(MPI_ERR_OTHER, errno, "making an epoll set");
  watch(kick_.get(), kNoToken, false);
  return {};
}

void EpollSet::watch(int fd, std::uint64_t token, bool writable) {
  epoll_event wanted = {};
  wanted.events = EPOLLIN | (writable ? static_cast<std::uint32_t>(EPOLLOUT) : 0U);
  wanted.data.u64 = token;
  if (::epoll_ctl(set_.get(), EPOLL_CTL_MOD, fd, &wanted) == 0) return;
  (void)::epoll_ctl(set_.get(), EPOLL_CTL_ADD, fd, &wanted);
}

void EpollSet::watch_room(int fd) {
  epoll_event wanted = {};
  wanted.events = EPOLLOUT;
  wanted.data.u64 = kNoToken;
  (void)::epoll_ctl(set_.get(), EPOLL_CTL_ADD, fd, &wanted);
}

void EpollSet::unwatch(int fd) {
  (void)::epoll_ctl(set_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

std::size_t EpollSet::wait(std::span<epoll_event> events, int timeout_ms) const {
  const int found =
      ::epoll_wait(set_.get(), events.data(), static_cast<int>(events.size()), timeout_ms);
  return found > 0 ? static_cast<std::size_t>(found) : 0;
}

void EpollSet::wake() {
  (void)::eventfd_write(kick_.get(), 1);
}

void EpollSet::calm() {
  eventfd_t value = 0;
  (void)::eventfd_read(kick_.get(), &value);
}

}  // namespace remit::tcp
