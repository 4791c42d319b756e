// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Those who have connected and not said yet who they are.
#pragma once

#include <optional>
#include <unordered_map>

#include "rdma_btl/net/sockets.hpp"
#include "rdma_btl/tcp/epoll_set.hpp"
#include "rdma_btl/tcp/greeting.hpp"

namespace remit::tcp {

/// Connections at a listener until their hello is here. At most net::kMostGuests wait; then the
/// oldest known is closed.
class Guests {
 public:
  struct Guest {
    shm::Fd socket;
    Greeting greeting;
  };
  /// What events of the set carry: the listener's, or a guest's.
  static constexpr std::uint64_t kListenerToken = EpollSet::kNoToken - 1;
  static constexpr std::uint64_t kGuestBit = std::uint64_t{1} << 62;  ///< and a descriptor

  explicit Guests(EpollSet& set) : set_(set) {}

  /// From now on guests come in by it.
  void listen(shm::Fd listener);
  void close();
  [[nodiscard]] bool empty() const { return guests_.empty(); }

  /// The next that connects, by its descriptor; -1: nobody does. `shortage` gets words for the log
  /// if somebody who connects must wait for want of something of this host, once.
  [[nodiscard]] int accept(std::string& shortage);
  /// Reads of a guest's hello. One of whom it is whole leaves; who has gone is forgotten.
  [[nodiscard]] std::optional<Guest> read(int fd);

 private:
  EpollSet& set_;
  shm::Fd listener_;
  std::unordered_map<int, Guest> guests_;  ///< by descriptor
  net::Shortage shortage_;                 ///< of descriptors, told once
};

}  // namespace remit::tcp
