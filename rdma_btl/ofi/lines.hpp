// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The lines of an ofi device, and what makes its descriptor readable.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rdma_btl/net/address_book.hpp"
#include "rdma_btl/ofi/endpoint.hpp"
#include "rdma_btl/ofi/wire.hpp"

namespace remit::ofi {

/// A connection that has said who it is.
struct Guest {
  Line line;
  Hello hello;
};

/// Sends and receives over the lines: the plain TCP connections beside libfabric. A set of
/// descriptors (epoll) watches over them, over the listener at which peers connect, and over the
/// completion queue, so that a process can sleep until any of them has something. What is said to
/// this process itself needs no connection. One thread.
class Lines {
 public:
  /// Listens at an address and watches over a descriptor of the completion queue. `about` says what
  /// is told of this process beside that address.
  [[nodiscard]] Expected<> open(const net::Address& about, sockaddr_storage address, int queue_fd);
  /// Nobody can connect any more. Lines of endpoints are theirs to close.
  void close();
  [[nodiscard]] const net::AddressBook& addresses() const { return addresses_; }

  /// Starts a line to the peer; it is writable when that is done.
  [[nodiscard]] Expected<> connect(Endpoint& endpoint);
  /// Takes over the line of a guest.
  void adopt(Endpoint& endpoint, Line line);
  /// Says something, or as much of it as the line takes now: the rest follows. Without a line it
  /// goes nowhere. The end of a line is seen when it is read.
  void say(Endpoint& endpoint, LineKind kind, std::uint64_t count);
  void say(Endpoint& endpoint, const Hello& hello);
  /// Says what has waited.
  void flush(Endpoint& endpoint) { send(endpoint, {}, true); }

  /// Whether it is time to poll(), which costs a system call: soon if something is `expected` of
  /// the lines and nothing else happens, else now and then.
  [[nodiscard]] bool due(bool idle, bool expected);
  /// The next due() is true.
  void hurry() { until_poll_ = 0; }
  /// Tells the user what has happened: on_guest(Guest), on_line(EndpointId, events of epoll),
  /// on_message(EndpointId, LineMessage) for what this process has said to itself. Returns words
  /// for the user if peers could not be accepted; empty: none.
  template <class User>
  std::string poll(User& user) {
    for (; !to_itself_.empty(); to_itself_.pop_front()) {
      user.on_message(to_itself_.front().first, to_itself_.front().second);
    }
    std::string trouble;
    std::array<epoll_event, kEvents> events;
    for (const epoll_event& event : wait(events)) {
      const std::uint64_t token = event.data.u64;
      if (token == kNoToken) continue;
      if (token == kListenerToken) {
        // One by one: whose hello is here already needs no place among the guests.
        while (const std::optional<int> fd = accept(trouble)) {
          if (std::optional<Guest> guest = read_guest(*fd)) user.on_guest(std::move(*guest));
        }
      } else if ((token & kGuestBit) != 0) {
        std::optional<Guest> guest = read_guest(static_cast<int>(token & 0xffffffffU));
        if (guest) user.on_guest(std::move(*guest));
      } else {
        user.on_line(static_cast<EndpointId>(token), event.events);
      }
    }
    return trouble;
  }

  /// From now on fd() becomes readable when something happens, and at once if `already`.
  void arm(bool already);
  void disarm();
  [[nodiscard]] int fd() const { return events_.get(); }

 private:
  static constexpr std::size_t kEvents = 32;
  // What an event is about: an endpoint's line, by its number, or one of these.
  static constexpr std::uint64_t kNoToken = ~std::uint64_t{0};
  static constexpr std::uint64_t kListenerToken = kNoToken - 1;
  static constexpr std::uint64_t kGuestBit = std::uint64_t{1} << 62;  ///< and a descriptor

  [[nodiscard]] bool watch(int fd, std::uint64_t token, bool writable);
  [[nodiscard]] std::span<const epoll_event> wait(std::array<epoll_event, kEvents>& events);
  [[nodiscard]] std::optional<int> accept(std::string& trouble);
  [[nodiscard]] std::optional<Guest> read_guest(int fd);
  void send(Endpoint& endpoint, std::span<const std::byte> bytes, bool rewatch);

  net::AddressBook addresses_;  ///< at the interface
  shm::Fd listener_;
  shm::Fd kick_;    ///< an eventfd: readable when armed and something is there already
  shm::Fd events_;  ///< an epoll set: lines, the listener, kick_, the completion queue
  bool armed_ = false;
  unsigned until_poll_ = 0;
  net::Shortage shortage_;                ///< of descriptors, told once
  std::unordered_map<int, Line> guests_;  ///< accepted, and not known yet, by descriptor
  std::deque<std::pair<EndpointId, LineMessage>> to_itself_;
  PeerName self_ = 0;
};

}  // namespace remit::ofi
