// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Messages: what is sent to a peer's receives.
#pragma once

#include <cstdint>
#include <span>

#include "rdma_btl/common/credit_pool.hpp"
#include "rdma_btl/verbs/endpoint.hpp"
#include "rdma_btl/verbs/messages/work_queue.hpp"

namespace remit::verbs {

/// Sends of the layer above, notifications, and messages of the device's own: each uses a credit,
/// and takes along the credits that are owed to the peer. One thread.
class Messages {
 public:
  Messages(VerbsCounters& counters, const CreditPool& pool, WorkQueue& work)
      : counters_(counters), pool_(pool), work_(work) {}

  /// The header of the next message: uses up a credit and takes along those that are owed.
  [[nodiscard]] Header take_header(Endpoint& endpoint, MessageKind kind,
                                   std::uint32_t value) const {
    Header header;
    header.kind = kind;
    header.flags = endpoint.borrowed.starving ? kStarved : std::uint8_t{0};
    header.credits = static_cast<std::uint16_t>(pool_.take_owed(endpoint.lease));
    header.value = value;
    endpoint.borrowed.starving = false;
    endpoint.borrowed.credits.spend(1);
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
  /// Whether there is a credit and room for a message of the device's own. If there is no room,
  /// does what brings it.
  [[nodiscard]] bool can_control(const Endpoint& endpoint);
  /// Posts one. False: it cannot.
  [[nodiscard]] bool post_control(Endpoint& endpoint, MessageKind kind, std::uint32_t value = 0,
                                  bool signal = false);
  /// A notification behind everything that was posted so far. Room and a credit are there.
  void post_signal(Endpoint& endpoint, std::uint32_t notification);

 private:
  [[nodiscard]] std::byte* take_slot(Record& record, bool& signal);

  VerbsCounters& counters_;
  const CreditPool& pool_;
  WorkQueue& work_;
};

}  // namespace remit::verbs
