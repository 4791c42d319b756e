// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The sending end: messages and cells to peers, and their waking.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>

#include "rdma_btl/device.hpp"
#include "rdma_btl/shm/agenda.hpp"
#include "rdma_btl/shm/peers/endpoint.hpp"
#include "rdma_btl/shm/peers/peer_table.hpp"
#include "rdma_btl/shm/shm_config.hpp"
#include "runtime/copy_small.hpp"

namespace remit::shm {

class ContactSocket;
class PeerHealth;

/// Writes into the rings of this process: into the mailbox of a pair while it is ours, else into
/// the next cell; longer messages into the memory that goes with either. Cells of the device's own
/// wait here when a ring is full; messages are refused. One thread.
class Sender {
 public:
  Sender(std::size_t max_send, const PeerTable& peers, Agenda& agenda, PeerHealth& health,
         const ContactSocket& socket, ShmCounters& counters)
      : max_send_(max_send),
        peers_(peers),
        agenda_(agenda),
        health_(health),
        socket_(socket),
        counters_(counters) {}

  /// A message that fits a cell, and wakes the peer. False: something else has to be done about it,
  /// Device::post().
  [[nodiscard, gnu::always_inline]] bool send(Endpoint& endpoint, SendHead head, const void* data,
                                              std::size_t length);
  /// A message of any length; the caller wakes the peer. False: there is no room now.
  [[nodiscard, gnu::always_inline]] bool push(Endpoint& endpoint, const Operation& operation);
  /// EagerPath::takes_now().
  [[nodiscard]] static bool takes_now(Endpoint& endpoint, std::size_t bytes);

  /// A cell of the device's own, now or when the ring has room.
  void send_cell(Endpoint& endpoint, CellKind kind, const void* payload, std::size_t length);
  /// Offers the cells again that found no room.
  void retry_cells();
  [[nodiscard]] bool cells_wait() const { return !waiting_.empty(); }
  /// The peer has ended: nothing is sent to it any more.
  void forget(const Endpoint& endpoint);

  /// Call after the last cell of a batch. The sleeper stores its word, then has a barrier run on
  /// every processor (or asks its senders to fence), then looks at the ring once more: either it
  /// sees the cell, or we see the word.
  [[gnu::always_inline]] void wake(Endpoint& endpoint) {
    if (endpoint.fence) [[unlikely]]
      full_fence();
    // Keeps the compiler from moving the load up; the processor is the sleeper's business.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (endpoint.sleep_word->load(std::memory_order_relaxed) == kAsleep) [[unlikely]] {
      end_sleep(endpoint);
    }
  }

 private:
  /// A cell that found its ring full.
  struct Waiting {
    EndpointId endpoint;
    CellKind kind;
    std::uint8_t length;
    std::array<std::byte, kInline> payload;
  };

  [[nodiscard]] bool push_large(Endpoint& endpoint, const Operation& operation, std::size_t total);
  void end_sleep(Endpoint& endpoint);

  std::size_t max_send_;
  std::deque<Waiting> waiting_;
  const PeerTable& peers_;
  Agenda& agenda_;
  PeerHealth& health_;
  const ContactSocket& socket_;
  ShmCounters& counters_;
};

inline bool Sender::send(Endpoint& endpoint, SendHead head, const void* data, std::size_t length) {
  if (length > kInline - sizeof head || endpoint.shut || !endpoint.tx.has_room()) [[unlikely]]
    return false;
  Cell& cell = endpoint.mail ? *endpoint.mailbox : endpoint.tx.next();
  std::memcpy(cell.payload, &head, sizeof head);
  copy_small(cell.payload + sizeof head, data, length);
  endpoint.tx.publish_in(cell, CellKind::send_inline, sizeof head + length, endpoint.writer);
  endpoint.mail = false;
  wake(endpoint);
  return true;
}

inline bool Sender::push(Endpoint& endpoint, const Operation& operation) {
  const Piece* piece = operation.local.data();
  const Piece* const end = piece + operation.local.size();
  std::size_t total = 0;
  for (; piece != end; ++piece) total += piece->length;
  if (total > kInline) [[unlikely]]
    return push_large(endpoint, operation, total);
  if (!endpoint.tx.has_room()) [[unlikely]]
    return false;
  Cell& cell = endpoint.mail ? *endpoint.mailbox : endpoint.tx.next();
  std::byte* to = cell.payload;
  for (piece = operation.local.data(); piece != end; ++piece) {
    copy_small(to, piece->address, piece->length);
    to += piece->length;
  }
  endpoint.tx.publish_in(cell, CellKind::send_inline, total, endpoint.writer);
  endpoint.mail = false;
  return true;
}

}  // namespace remit::shm
