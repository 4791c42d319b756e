// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The sockets of a device of which a sleeper wants to hear.
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <span>

#include "runtime/error.hpp"
#include "runtime/os/os.hpp"

namespace remit::tcp {

/// An epoll set with an event of its own: its descriptor is readable when something watched is
/// ready, or after wake().
class EpollSet {
 public:
  /// What an event that means nothing but "look" carries.
  static constexpr std::uint64_t kNoToken = ~std::uint64_t{0};

  [[nodiscard]] Expected<> open();
  void close() { set_.reset(); }
  [[nodiscard]] bool is_open() const { return static_cast<bool>(set_); }
  [[nodiscard]] int fd() const { return set_.get(); }

  /// Tells with `token` when something can be read, and with `writable` also when there is room; a
  /// socket that is watched already is watched like this from now on. One that is closed is
  /// watched no more.
  void watch(int fd, std::uint64_t token, bool writable);
  /// Tells, with kNoToken, when there is room in a socket from which nobody reads.
  void watch_room(int fd);
  void unwatch(int fd);

  /// Fills `events` with what is ready, after at most so many milliseconds; returns how many.
  [[nodiscard]] std::size_t wait(std::span<epoll_event> events, int timeout_ms) const;

  /// Makes the descriptor readable until calm().
  void wake();
  void calm();

 private:
  shm::Fd set_;
  shm::Fd kick_;  ///< an eventfd
};

}  // namespace remit::tcp
