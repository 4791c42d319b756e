// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What an ofi device keeps of a peer.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "rdma_btl/common/confirm_queue.hpp"
#include "rdma_btl/common/credits.hpp"
#include "rdma_btl/common/endpoint_table.hpp"
#include "rdma_btl/ofi/api.hpp"
#include "rdma_btl/ofi/line.hpp"
#include "runtime/os/os.hpp"

namespace remit::ofi {

enum class State : std::uint8_t {
  idle,        ///< the peer is known, nothing was begun
  connecting,  ///< the line is being made, and a request waits for its answer
  yielding,    ///< ours was dropped: the peer's request is on its way
  opening,     ///< both know each other: the first message is on its way
  open,
  gone,  ///< the peer has left in order
  failed,
};

/// One peer. What a message touches comes first; each further group belongs to one class, which
/// alone changes it.
struct Endpoint {
  State state = State::idle;
  bool hungry = false;  ///< something waits, or has waited, for a credit
  EndpointId id = 0;
  std::uint32_t theirs = 0;     ///< what the peer calls us
  std::uint32_t password = 0;   ///< what our messages carry
  std::uint32_t secret = 0;     ///< what the peer's carry
  AskedCredits credits;         ///< messages that we may send
  CreditLease lease;            ///< receives of ours that the peer may use
  std::uint32_t under_way = 0;  ///< requests
  fi_addr_t to = FI_ADDR_UNSPEC;
  std::uint64_t sent = 0;      ///< messages and notifications
  std::uint64_t received = 0;  ///< ... of the peer
  ConfirmQueue confirms;       ///< of puts (confirms.hpp)
  RemoteAddress proof;         ///< what is read behind puts that are to be confirmed
  bool unproven = false;       ///< there are such, and nothing was read behind them

  // Lifecycle
  bool settling = false;       ///< between the first step and open
  bool leaving = false;        ///< the peer has said goodbye
  bool timed = false;          ///< may have a deadline
  std::uint64_t expected = 0;  ///< `received` when the peer has left
  std::uint64_t deadline_ns = 0;
  std::string words;  ///< behind the last failure

  // Contacts
  bool has_address = false;
  bool active = false;   ///< our request was accepted: we send first
  bool greeted = false;  ///< the request is on the line
  bool opened = false;   ///< the peer's first message is here
  PeerName peer = 0;
  Line line;
  sockaddr_storage address = {};
  std::string where;  ///< "10.0.0.2:4711"
  std::string host;   ///< its name
};

using Endpoints = EndpointTable<Endpoint>;

using shm::ms;

}  // namespace remit::ofi
