// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a verbs device is made with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "rdma_btl/device.hpp"
#include "runtime/log.hpp"

namespace remit {

/// Abilities of an adapter that a test can take away, to see that nothing depends on them.
struct VerbsMask {
  bool srq = false;        ///< no shared receive queue: a small window of receives a connection
  bool imm = false;        ///< no immediate data: a notification is a send behind its write
  bool atomics = false;    ///< no atomics
  bool multi_sge = false;  ///< one piece of local memory a work request
  bool inline_data = false;
  bool iwarp = false;  ///< all limits of an iWARP adapter (without srq and inline_data)
};

/// Plain values, so that a test needs no parameters. verbs_config() in verbs_params.hpp reads them
/// from a process's parameters.
struct VerbsConfig {
  PeerName name = 0;      ///< of this process
  std::uint64_t job = 0;  ///< token of the network: whoever has another one is a stranger
  /// The adapter, "rxe0", its port, "mlx5_0:1", or an IP address of this host; empty: chosen.
  std::string device;
  VerbsMask mask;
  std::size_t receive_slots = 256;         ///< receives of the process, however many peers it has
  std::size_t send_slots = 128;            ///< registered buffers of sends that are not inline
  std::size_t message_bytes = 8192 + 192;  ///< of one slot, with what the device puts before
  std::uint32_t send_depth = 128;          ///< work requests of a connection; power of two
  std::uint32_t first_window = 8;  ///< receives leased to a peer at first; fewer when few are left
  std::uint32_t max_window = 64;   ///< ... to one that sends a lot
  std::uint32_t strict_window = 16;  ///< receives of a connection without an SRQ
  /// Peers that hold receives and compute do not give them back: after so long others get new ones.
  unsigned patience_ms = 100;
  std::uint32_t send_budget = 2048;         ///< work requests under way of all connections
  std::uint32_t completion_entries = 8192;  ///< of the completion queue, at most
  unsigned resolve_timeout_ms = 2000;       ///< of one look-up of a peer's address
  /// A peer that computes does not answer meanwhile; its host does. So this is for what the host
  /// cannot be asked for: iWARP, and attempts that fail at once.
  unsigned connect_timeout_ms = 5 * 60000;
  unsigned quiet_ms = 3000;          ///< after so long without an answer its host is asked
  unsigned host_timeout_ms = 30000;  ///< which has to answer in so long; also to keepalives
  unsigned keepalive_ms =
      10000;  ///< between two questions whether connected peers' hosts are there
  /// Of a packet, as the exponent of 4.096 us: 17 is 0.54 s. Adapters try 8 times, and may wait up
  /// to 4 times as long: a link that stays down is an error after 4 to 17 s. Soft-RoCE never gives
  /// up; there it is one after host_timeout_ms and up to twice keepalive_ms.
  std::uint8_t ack_timeout = 17;
  Log* log = nullptr;  ///< must outlive the device; null: silent
};

namespace verbs {

/// What is counted for every message that comes; it stands with what such a message touches.
struct ReceiveCounters {
  std::uint64_t receives = 0;       ///< messages received, without those of the device itself
  std::uint64_t notifications = 0;  ///< that arrived here
};

}  // namespace verbs

/// What happened so far; for tests and remit_info.
struct VerbsCounters : verbs::ReceiveCounters {
  std::uint64_t sends = 0;      ///< messages sent, without those of the device itself
  std::uint64_t puts = 0;       ///< writes of data
  std::uint64_t gets = 0;       ///< reads
  std::uint64_t atomics = 0;    ///< of every kind; a swap may take several
  std::uint64_t notified = 0;   ///< that were sent
  std::uint64_t inlined = 0;    ///< of the sends, those in the descriptor
  std::uint64_t brief = 0;      ///< of the sends, those whose head the peer knew
  std::uint64_t signalled = 0;  ///< work requests that gave a completion
  std::uint64_t credit_messages = 0;
  std::uint64_t sent_bytes = 0;  ///< of the sends, without the device's headers
  std::uint64_t put_bytes = 0;
  std::uint64_t got_bytes = 0;
  std::uint64_t starved = 0;  ///< operations that found no credit at first
  std::uint64_t rnr = 0;      ///< connections that died for want of a receive: a bug
  std::uint64_t grown = 0;    ///< receive slots added: without SRQ for each peer; see patience_ms
  std::uint64_t recalls = 0;  ///< times that a peer was asked for its credits
  std::uint64_t loans = 0;    ///< times that a peer without credits got new ones
  std::uint64_t registered = 0;  ///< bytes registered now, the device's own included
  std::uint64_t connections = 0;
  std::uint64_t settled = 0;   ///< simultaneous connections of which one was dropped
  std::uint64_t rejected = 0;  ///< connections of strangers
  std::uint64_t retried = 0;   ///< attempts to connect after the first
  std::uint64_t asked = 0;     ///< hosts of peers that did not answer, asked whether they are there
  /// Empty writes, with iWARP reads, to see whether connected peers' hosts are there.
  std::uint64_t keepalives = 0;
};

}  // namespace remit
