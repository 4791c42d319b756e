// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Those who have connected and not said yet who they are.
#pragma once

#include <optional>
#include <unordered_map>

#include "rdma_btl/net/sockets.hpp"
#include "rdma_btl/tcp/epoll_set.hpp"
#include "rdma_btl/tcp/hello_reader.hpp"

namespace remit::tcp {

/// Connections at a listener until their hello is here. At most net::kMostGuests wait; then the
/// oldest known is closed.
class Handshakes {
 public:
  struct Handshake {
    shm::Fd socket;
    HelloReader hello;
  };
  /// What events of the set carry: the listener's, or that of such a connection.
  static constexpr std::uint64_t kListenerToken = EpollSet::kNoToken - 1;
  static constexpr std::uint64_t kHandshakeBit = std::uint64_t{1} << 62;  ///< and a descriptor

  explicit Handshakes(EpollSet& set) : set_(set) {}

  /// From now on connections come in by it.
  void listen(shm::Fd listener);
  void close();
  [[nodiscard]] bool empty() const { return handshakes_.empty(); }

  /// The next that connects, by its descriptor; -1: nobody does. `shortage` gets words for the log
  /// if somebody who connects must wait for want of something of this host, once.
  [[nodiscard]] int accept(std::string& shortage);
  /// Reads of a hello. A connection of which it is whole leaves; one that has ended is forgotten.
  [[nodiscard]] std::optional<Handshake> read(int fd);

 private:
  EpollSet& set_;
  shm::Fd listener_;
  std::unordered_map<int, Handshake> handshakes_;  ///< by descriptor
  net::Shortage shortage_;                         ///< of descriptors, told once
};

}  // namespace remit::tcp
