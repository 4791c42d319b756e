// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The sending half of the engine: how a message leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "links/links.hpp"
#include "pt2pt/communicator.hpp"
#include "pt2pt/counters.hpp"
#include "pt2pt/message_events.hpp"
#include "pt2pt/messenger.hpp"
#include "pt2pt/peer.hpp"
#include "pt2pt/receiver.hpp"
#include "pt2pt/rendezvous.hpp"
#include "pt2pt/request.hpp"
#include "runtime/process.hpp"

namespace remit {

/// Chooses how each message leaves: eagerly while there are credits, else announced; or not yet,
/// for its peer is not connected. One thread; nothing blocks.
class Sender {
 public:
  /// What it works with; all of it outlives it. Messages to this process go to `receiver`.
  struct Parts {
    Process& process;
    Links& links;
    Messenger& messenger;
    Rendezvous& rendezvous;
    Receiver& receiver;
    MessageCounters& counters;
    MessageEvents& events;
  };
  explicit Sender(const Parts& parts);

  /// See Engine.
  void isend(Request& request, const View& buffer, int dest, int tag, const CommCore& comm,
             SendMode mode, bool collective);
  /// A send that waits for a connection.
  void cancel_waiting(Request& request);

  /// Messages can leave from now on: sends what has waited, or fails it with MPI_ERR_NO_MEM.
  void connected(Peer& peer);
  /// What waits for a connection fails.
  void lost(Peer& peer);

  /// Sends that wait for a connection.
  [[nodiscard]] std::uint32_t waiting() const { return waiting_; }
  /// How messages go by each device, by LinkDevice::index.
  [[nodiscard]] const std::vector<DeviceProtocols>& protocols() const { return protocols_; }

 private:
  void wait_for_connection(Peer& peer, Request& request);
  void start(Peer& peer, Request& request);
  void send_eager(Peer& peer, Request& request, std::size_t bytes, std::uint32_t units);

  const Parts parts_;
  const ProcId self_;
  std::uint32_t waiting_ = 0;
  std::vector<DeviceProtocols> protocols_;
};

}  // namespace remit
