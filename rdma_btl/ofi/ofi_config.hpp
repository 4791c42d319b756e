// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What an ofi device is made with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "rdma_btl/device.hpp"
#include "runtime/log.hpp"

namespace remit {

/// Abilities of a provider that a test can take away, to see that nothing depends on them.
struct OfiMask {
  bool rma = false;      ///< no puts and gets
  bool cq_data = false;  ///< no remote data: a notification is a send behind its write
};

/// Plain values, so that a test needs no parameters. ofi_config() in ofi_params.hpp reads them from
/// a process's parameters.
struct OfiConfig {
  PeerName name = 0;      ///< of this process
  std::uint64_t job = 0;  ///< token of the network: whoever has another one is a stranger
  std::string provider;   ///< "tcp", "net", "tcp;ofi_rxm"; empty: chosen
  std::string interface;  ///< its name, an address or a network; empty: chosen
  OfiMask mask;
  std::size_t receive_slots = 128;          ///< of the process, however many peers it has
  std::size_t most_receive_slots = 1024;    ///< to which they may grow, see patience_ms
  std::size_t send_slots = 128;             ///< buffers of messages under way
  std::size_t transfers = 512;              ///< puts and gets under way
  std::size_t message_bytes = 32768 + 192;  ///< of one slot, with what the device puts before
  std::uint32_t first_window = 8;           ///< receives leased to a peer at first
  std::uint32_t max_window = 64;            ///< ... to one that sends a lot
  /// Peers that hold receives and compute do not give them back: after so long there are new ones.
  unsigned patience_ms = 100;
  unsigned connect_timeout_ms = 60000;  ///< until the peer's host has answered
  Log* log = nullptr;                   ///< must outlive the device; null: silent
};

/// What happened so far; for tests and statistics.
struct OfiCounters {
  std::uint64_t sends = 0;     ///< messages sent, without those of the device itself
  std::uint64_t receives = 0;  ///< messages received, without those of the device itself
  std::uint64_t puts = 0;
  std::uint64_t gets = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t put_bytes = 0;
  std::uint64_t got_bytes = 0;
  std::uint64_t notifications = 0;  ///< that arrived here
  std::uint64_t notified = 0;       ///< that were sent
  std::uint64_t busy = 0;           ///< times that the provider took nothing
  std::uint64_t starved = 0;        ///< operations that found no credit at first
  std::uint64_t credit_messages = 0;
  std::uint64_t credit_requests = 0;  ///< times that a peer was asked for credits
  std::uint64_t recalls = 0;          ///< times that a peer was asked for its credits
  std::uint64_t grown = 0;            ///< receives added
  std::uint64_t connections = 0;
  std::uint64_t settled = 0;   ///< simultaneous connections of which one was dropped
  std::uint64_t rejected = 0;  ///< connections and messages of strangers
};

}  // namespace remit
