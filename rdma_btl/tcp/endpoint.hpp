// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// One peer of the tcp device.
#pragma once

#include <sys/socket.h>

#include <string>

#include "rdma_btl/device.hpp"
#include "rdma_btl/tcp/hello_reader.hpp"
#include "rdma_btl/tcp/incoming.hpp"
#include "rdma_btl/tcp/outgoing.hpp"
#include "rdma_btl/tcp/placement.hpp"
#include "rdma_btl/tcp/requests.hpp"
#include "runtime/intrusive_list.hpp"
#include "runtime/os/os.hpp"

namespace remit::tcp {

enum class State : std::uint8_t {
  idle,        ///< the peer is known, nothing was begun
  connecting,  ///< and the answer to our request is awaited
  yielding,    ///< ours was dropped: the peer's request is on its way
  open,
  gone,  ///< the peer has left in order
  failed,
};

/// A peer and the connection to it. Its address stays the same while the device is open, so the
/// parts of the device keep lists of pointers; a flag says that it is in one. The list of Sender is
/// of those that have something that their socket did not take: no memory is asked for then.
struct Endpoint : ListNode<> {
  Endpoint(const LocalProcess& local, OwnCompletions& own, BufferPool& pool, EndpointId number,
           PeerName name)
      : id(number), peer(name), outgoing(local, own, number), incoming(pool) {}

  State state = State::idle;
  bool hot = false;         ///< ReadScheduler reads it at every poll
  bool unfinished = false;  ///< Reader has something of it for which poll() had no room
  EndpointId id;
  unsigned misses = 0;  ///< reads in vain since the last bytes
  shm::Fd socket;       ///< what is read, and written
  shm::Fd other;        ///< of a process's connection to itself: what is written
  PeerName peer;
  Outgoing outgoing;
  Incoming incoming;
  Placement placement;
  bool tells = false;              ///< a notification follows what is being placed
  bool fetching = false;           ///< what is being placed answers a get
  std::uint32_t notification = 0;  ///< that one
  Requests requests;

  // First contact.
  bool has_address = false;
  bool greeted = false;                ///< our request is on its way
  bool counted_as_connecting = false;  ///< between its first step and open
  bool timed = false;                  ///< Connections waits for its deadline
  std::uint64_t deadline_ns = 0;
  HelloReader answer;
  sockaddr_storage address = {};

  std::string where;  ///< "10.0.0.2:4711"
  std::string host;   ///< its name
  std::string words;  ///< behind the last failure

  /// Its socket has not taken all.
  [[nodiscard]] bool blocked() const { return linked(); }
  [[nodiscard]] int out() const { return other ? other.get() : socket.get(); }
};

}  // namespace remit::tcp
