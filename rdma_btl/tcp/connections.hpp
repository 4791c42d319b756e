// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// First contacts and ends.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rdma_btl/common/endpoint_table.hpp"
#include "rdma_btl/common/own_completions.hpp"
#include "rdma_btl/tcp/congestion.hpp"
#include "rdma_btl/tcp/endpoint.hpp"
#include "rdma_btl/tcp/epoll_set.hpp"
#include "rdma_btl/tcp/handshakes.hpp"
#include "rdma_btl/tcp/read_scheduler.hpp"

namespace remit::tcp {

/// The peers of a device, and how connections to them are made and end.
///
/// Two that ask each other at once keep one connection: rdma_btl/common/first_contact.hpp.
class Connections {
 public:
  Connections(const LocalProcess& local, TcpCounters& counters, OwnCompletions& own, EpollSet& set,
              ReadScheduler& scheduler)
      : local_(local),
        counters_(counters),
        own_(own),
        set_(set),
        scheduler_(scheduler),
        handshakes_(set) {}

  /// Peers may connect from now on.
  [[nodiscard]] Expected<> listen(shm::Fd listener);
  /// As if the process had died, if nobody has said goodbye.
  void close();

  [[nodiscard]] Endpoint& operator[](EndpointId id) { return table_[id]; }
  [[nodiscard]] const EndpointTable<Endpoint>& all() const { return table_; }

  /// Device::connect().
  [[nodiscard]] Expected<EndpointId> connect(PeerName peer, std::span<const std::byte> address);
  /// What happened at the listener, or at a handshake.
  void on_event(std::uint64_t token);
  /// What happened at one that is connecting.
  void on_connecting(Endpoint& endpoint);
  /// Somebody is on the way from a first step to an open connection.
  [[nodiscard]] bool expects() const { return connecting_ != 0 || !handshakes_.empty(); }
  /// Some connection fails if it is not made in time: check_timers() is to be called.
  [[nodiscard]] bool has_timers() const { return !timed_.empty(); }
  void check_timers();

  /// The connection has ended: an errno, or kEnded.
  void on_end(Endpoint& endpoint, int error);
  /// All that the peer has sent is here: it has left in order.
  void on_goodbye(Endpoint& endpoint);
  /// What came makes no sense.
  void fail_nonsense(Endpoint& endpoint);
  /// Operations on an endpoint that is not open: a failed one takes everything, one that is not
  /// connected yet takes nothing.
  [[nodiscard]] std::size_t post_closed(Endpoint& endpoint, std::span<const Operation> operations);

 private:
  [[nodiscard]] std::string way_to(const Endpoint& endpoint) const;
  [[nodiscard]] Endpoint& endpoint_to(PeerName peer);
  void begin(Endpoint& endpoint);
  void begin_with_itself(Endpoint& endpoint);
  void open_endpoint(Endpoint& endpoint, const Hello& hello);
  void accept_all();
  void read_hello_of(int fd);
  void on_request(shm::Fd socket, const Hello& hello);
  void on_answer(Endpoint& endpoint, const HelloReader& answer);
  void fail(Endpoint& endpoint, std::string words);
  void give_up(Endpoint& endpoint);
  void settled(Endpoint& endpoint);

  const LocalProcess& local_;
  TcpCounters& counters_;
  OwnCompletions& own_;
  EpollSet& set_;
  ReadScheduler& scheduler_;
  Congestion congestion_;
  BufferPool pool_;
  EndpointTable<Endpoint> table_;
  Handshakes handshakes_;
  std::size_t connecting_ = 0;  ///< endpoints between their first step and open
  std::vector<Endpoint*> timed_;
};

}  // namespace remit::tcp
