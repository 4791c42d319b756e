// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a tcp device is made with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "rdma_btl/device.hpp"
#include "runtime/log.hpp"

namespace remit {

/// Plain values, so that a test needs no parameters.
struct TcpConfig {
  PeerName name = 0;       ///< of this process
  std::uint64_t job = 0;   ///< token of the network: whoever has another one is a stranger
  std::string interface;   ///< its name, an address or a network; empty: chosen
  std::string congestion;  ///< congestion control of all connections; empty: chosen
  unsigned far_us = 1000;  ///< to a host and back from which on it is far
  std::size_t message_bytes = 65536 + 192;  ///< of one send
  std::size_t segment_bytes = 262144;       ///< of a put or get, behind which sends may overtake it
  std::size_t most_waiting = 262144;    ///< bytes of sends for a peer that its socket did not take
  std::size_t most_transfers = 64;      ///< puts and gets under way to a peer, of each
  int socket_bytes = 0;                 ///< that the kernel takes ahead, for tests; 0: as it likes
  unsigned connect_timeout_ms = 60000;  ///< until the peer's host has answered
  Log* log = nullptr;                   ///< must outlive the device; null: silent
};

/// What happened so far; for tests and statistics.
struct TcpCounters {
  std::uint64_t sends = 0;
  std::uint64_t receives = 0;
  std::uint64_t puts = 0;
  std::uint64_t gets = 0;
  std::uint64_t confirms = 0;  ///< for which a peer was asked
  std::uint64_t sent_bytes = 0;
  std::uint64_t put_bytes = 0;
  std::uint64_t got_bytes = 0;
  std::uint64_t notifications = 0;  ///< that arrived here
  std::uint64_t notified = 0;       ///< that were sent
  std::uint64_t blocked = 0;        ///< times that a socket did not take everything
  std::uint64_t refused = 0;        ///< operations that had to wait
  std::uint64_t connections = 0;
  std::uint64_t settled = 0;   ///< simultaneous connections of which one was dropped
  std::uint64_t rejected = 0;  ///< connections of strangers
};

}  // namespace remit
