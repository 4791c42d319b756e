// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the engine keeps of each process that it talks to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "links/link.hpp"
#include "pt2pt/protocol.hpp"
#include "pt2pt/request.hpp"
#include "rdma_btl/common/credits.hpp"
#include "runtime/intrusive_list.hpp"

namespace remit {

/// How messages go by one device.
struct DeviceProtocols {
  ProtocolTable table;
  std::size_t long_send = 0;  ///< the device's EagerPath::long_send()
  std::size_t fragment = 0;   ///< data bytes of one pipelined fragment
};

/// One process that this one talks to. What the fast path needs, with the members of Link, is in
/// one cache line.
struct alignas(64) Peer final : Link {
  explicit Peer(ProcId p) : Link(p) {}

  /// Contiguous messages of less bytes than this may go eagerly by the fast path; 0: none (not
  /// connected, not greeted yet, failed, or on a device that does not keep order).
  std::size_t fast_below = 0;
  Credits credits;    ///< units of the peer's memory that we may use now
  CreditLease lease;  ///< the other direction: units of our memory that the peer may use

  bool base_known = false;         ///< `their_window` is known and was added to `credits`
  bool greeted = false;            ///< our first message has told the peer its first window
  std::uint32_t their_window = 0;  ///< the part of our credits that is never recalled

  const DeviceProtocols* protocols = nullptr;  ///< of `device`
  IntrusiveList<Request> waiting;              ///< sends until connected
};

}  // namespace remit
