// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/sleep.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace remit::shm {

Expected<> Sleep::open(int socket, bool barriers, bool registered) {
  event_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  wait_set_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!event_ || !wait_set_) return fail_errno(MPI_ERR_OTHER, errno, "creating an eventfd");
  for (const int fd : {event_.get(), socket}) {
    epoll_event event = {};
    event.events = EPOLLIN;
    if (::epoll_ctl(wait_set_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
      return fail_errno(MPI_ERR_OTHER, errno, "adding to an epoll set");
    }
  }
  barriers_.open(barriers, registered);
  if (!barriers_.usable()) home_.home().senders_fence = 1;
  return {};
}

void Sleep::arm() {
  home_.home().sleep.word.store(kAsleep, std::memory_order_seq_cst);
  for (const auto& endpoint : peers_) {
    if (endpoint->attached && !endpoint->shut &&
        endpoint->rx.control->producer.knows_home.load() == 0) {
      endpoint->rx.control->consumer.wake_request.store(kAsleep, std::memory_order_seq_cst);
    }
  }
  full_fence();
  barriers_.run();
  for (const Agenda::Item item : {Agenda::kArmed, Agenda::kWork, Agenda::kScanAll}) {
    agenda_.add(item);
  }
  settle_blocked();
}

void Sleep::settle_blocked() {
  const auto blocked = [](const auto& endpoint) {
    return !endpoint->shut && endpoint->tx.blocked();
  };
  if (std::none_of(peers_.begin(), peers_.end(), blocked)) return;
  full_fence();
  barriers_.run();
  for (const auto& endpoint : peers_) {
    if (blocked(endpoint) && endpoint->tx.unblocked()) return wake_self();
  }
}

void Sleep::wake_self() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(event_.get(), &one, sizeof one);
}

void Sleep::disarm() {
  home_.home().sleep.word.store(kAwake, std::memory_order_relaxed);
  for (const auto& endpoint : peers_) {
    if (endpoint->attached && !endpoint->shut)
      endpoint->rx.control->consumer.wake_request.store(kAwake);
  }
  // Always: a waker may have written after an earlier disarm, and would keep the epoll readable.
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(event_.get(), &count, sizeof count);
  agenda_.remove(Agenda::kArmed);
  agenda_.add(Agenda::kScanAll);
}

void Sleep::update_fence(Endpoint& endpoint) const {
  if (endpoint.shut) return;
  endpoint.fence =
      !barriers_.registered() || !endpoint.attached || endpoint.home->senders_fence != 0;
}

void Sleep::check_barriers() {
  if (!barriers_.has_become_registered()) return;
  for (const auto& endpoint : peers_) update_fence(*endpoint);
}

}  // namespace remit::shm
