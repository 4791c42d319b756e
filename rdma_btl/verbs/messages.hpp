// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages: what is sent to a peer's receives.
#pragma once

#include <cstdint>
#include <span>

#include "rdma_btl/verbs/endpoint.hpp"
#include "rdma_btl/verbs/work_queue.hpp"

namespace remit::verbs {

/// Sends of the layer above, notifications, and messages of the device's own: each uses a credit,
/// and takes along the credits that are owed to the peer. One thread.
class Messages {
 public:
  Messages(VerbsCounters& counters, WorkQueue& work) : counters_(counters), work_(work) {}

  /// The header of the next message: uses up a credit and takes along those that are owed.
  [[nodiscard]] static Header take_header(Endpoint& endpoint, MessageKind kind,
                                          std::uint32_t value) {
    Header header;
    header.kind = kind;
    header.flags = endpoint.credit.starving ? kStarved : std::uint8_t{0};
    header.credits = static_cast<std::uint16_t>(endpoint.lease.owed);
    header.value = value;
    endpoint.lease.owed = 0;
    endpoint.credit.starving = false;
    --endpoint.credit.count;
    return header;
  }

  /// A send that does not fit the descriptor: brief if the peer knows its head. The endpoint is
  /// open and has a credit. False: no room now.
  [[nodiscard]] bool send_headed(Endpoint& endpoint, SendHead head, const void* data,
                                 std::size_t length);
  /// `total` bytes in `pieces`. Room, a credit and, where the message is not inline, a send slot
  /// are there.
  void post_message(Endpoint& endpoint, MessageKind kind, std::uint32_t value,
                    std::span<const Piece> pieces, std::size_t total, bool signal);
  /// A message of the device's own. False: no credit or no room.
  [[nodiscard]] bool post_control(Endpoint& endpoint, MessageKind kind, std::uint32_t value = 0,
                                  bool signal = false);
  /// A notification behind everything that was posted so far. Room and a credit are there.
  void post_signal(Endpoint& endpoint, std::uint32_t notification);

 private:
  [[nodiscard]] std::byte* take_slot(Record& record, bool& signal);

  VerbsCounters& counters_;
  WorkQueue& work_;
};

}  // namespace remit::verbs
