// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the simulated network keeps of an operation or a completion under way. Internal to sim/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "rdma_btl/common/confirm_queue.hpp"
#include "rdma_btl/sim/sim_network.hpp"

namespace remit {

/// First an operation under way, then (the same record, or one made for it) a completion that
/// waits in a device's list for poll().
struct SimFlight {
  OpKind kind = OpKind::send;
  AtomicKind atomic = AtomicKind::fetch_add;
  CompletionKind completion = CompletionKind::local;
  bool notify = false;
  bool admitted = false;  ///< has paid for its time at the receiving adapter
  bool doomed = false;    ///< will fail when its last part arrives
  bool breaks = false;    ///< the error fails the endpoint too
  bool counted = false;   ///< a put or atomic that confirms behind it wait for
  bool arrived = false;   ///< a confirm that is at its target
  bool due = false;       ///< a confirm before which nothing is under way any more
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  EndpointId endpoint = 0;  ///< of the process which posted, or (completion) which polls
  std::uint32_t notification = 0;
  std::uint32_t next = 0;  ///< in the list of completions
  std::uint32_t chunks = 1;
  ConfirmQueue::Group group = 0;  ///< of its endpoint's
  std::uint32_t chunks_left = 1;
  int status = 0;
  const char* error = nullptr;  ///< why it fails, once it does
  std::size_t bytes = 0;
  RemoteAddress remote;
  std::uint64_t operand = 0;  ///< of an atomic: after its arrival the old value
  std::uint64_t compare = 0;
  std::uint64_t cookie = kNoCompletion;
  std::vector<Piece> pieces;             ///< put, get, atomic: used in place, at delivery
  std::unique_ptr<std::byte[]> payload;  ///< send: copied by post()
};

enum class SimNetwork::What : std::uint8_t {
  arrive,        ///< subject: flight, detail: chunk
  notify,        ///< subject: flight
  finish,        ///< subject: flight; its acknowledgement arrives
  wake,          ///< subject: process
  fail,          ///< subject: process, detail: endpoint
  link_timeout,  ///< subject, detail: the processes
};

struct SimNetwork::Event {
  std::uint64_t time_ns = 0;
  std::uint64_t sequence = 0;
  std::uint32_t subject = 0;
  std::uint32_t detail = 0;
  What what = What::arrive;

  /// Later events sink in the heap; equal times keep the order of scheduling.
  friend bool operator<(const Event& a, const Event& b) {
    return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.sequence > b.sequence;
  }
};

/// A link that is down.
struct SimNetwork::LinkState {
  /// What arrived meanwhile.
  struct Parked {
    What what = What::arrive;
    std::uint32_t flight = 0;
    std::uint32_t chunk = 0;
  };
  std::uint64_t since_ns = 0;
  bool expired = false;
  std::vector<Parked> parked;
};

}  // namespace remit
