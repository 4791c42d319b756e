// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared-memory device's private state: endpoints and transfers under way.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "rdma_btl/shm/shm_device.hpp"

namespace remit {

/// One peer. What a send touches comes first.
struct ShmDevice::Endpoint {
  shm::TxRing tx;
  /// What tells that the peer sleeps: in its home, or before that is known in our own ring.
  std::atomic<std::uint32_t>* sleep_word = nullptr;
  shm::Cell* mailbox = nullptr;
  std::uint64_t writer = 0;  ///< what marks our messages there
  bool fence = true;         ///< order our stores before reading sleep_word ourselves
  bool mail = false;         ///< the mailbox is ours to write, and the caller reads nothing there
  bool shut = false;         ///< failed, or the peer left: post_to_failed(), and no memory is ours

  bool failed = false;
  std::byte* mail_bytes = nullptr;  ///< kMailBytes, ours as the mailbox is
  std::atomic<std::uint64_t>* mail_filled = nullptr;
  /// The last message of the mailbox: the caller reads it here while the mailbox is written again.
  alignas(16) std::array<std::byte, shm::kInline> letter;

  bool attached = false;              ///< the peer's HELLO came: its ring and home are mapped
  bool cma = false;                   ///< direct copies work
  bool gone = false;                  ///< the peer's process is gone, its last cells may be unread
  mutable bool stays_mapped = false;  ///< somebody has pointers into the peer's memory
  bool hello_sent = false;
  bool arena_asked = false;    ///< for its arena, ever
  bool arena_awaited = false;  ///< the answer has not come
  EndpointId id = 0;
  std::uint32_t scan = 0;
  std::uint32_t jobs = 0;
  pid_t pid = 0;
  PeerName peer = 0;
  std::uint16_t assists_used = 0;  ///< bit set: slot of our ring's control in use

  shm::RingControl* rx = nullptr;  ///< of the peer's ring
  std::byte* rx_area = nullptr;
  std::size_t rx_area_size = 0;
  std::uint64_t rx_area_end = 0;  ///< stream position behind the last piece consumed
  std::uint64_t rx_area_published = 0;
  shm::Home* home = nullptr;  ///< the peer's

  shm::SocketName socket;
  shm::Fd event;  ///< the peer's: wakes it
  shm::Fd tx_memory;
  shm::Mapping tx_mapping;
  shm::Mapping rx_mapping;
  shm::Mapping home_mapping;
  shm::Mapping arena_mapping;  ///< of the peer's arena
  std::string words;           ///< behind the last failure
};

/// The endpoint of whom a datagram comes from; null: it is not for this process, or from a
/// stranger.
template <class Datagram>
ShmDevice::Endpoint* ShmDevice::sender_of(const Datagram& datagram, const ucred& from) const {
  const auto known = by_name_.find(datagram.from);
  const bool ours = from.uid == ::geteuid() && datagram.job == config_.job &&
                    datagram.to == config_.name && known != by_name_.end();
  return ours ? endpoints_[known->second].get() : nullptr;
}

/// An event made by software.
inline Completion event_of(CompletionKind kind, EndpointId endpoint, int status,
                           std::uint64_t cookie = 0, std::uint32_t notification = 0) {
  return {kind, status, endpoint, notification, cookie, {}};
}

enum class ShmDevice::Phase : std::uint8_t {
  unused,
  connecting,  ///< waits for the peer's HELLO, which decides how
  queued,      ///< for a direct copy: others are under way
  copying,     ///< direct copy, alone
  sharing,     ///< direct copy, the target takes chunks from the back
  joining,     ///< all chunks are taken, the target still copies some
  streaming,   ///< put through the data area
  requesting,  ///< get or atomic: the request has not been written yet
  waiting,     ///< for the peer's answer
  notifying,   ///< the bytes are there, the notification has found no room yet
};

/// Bytes of one step through a data area: what one side copies while the other copies what came
/// before.
inline constexpr std::size_t kStreamChunk = 32 * 1024;

/// What a step did.
enum class ShmDevice::Step : std::uint8_t {
  finished,  ///< the job is over and freed
  gathered,  ///< some bytes are in the batch; call again when they are copied
  blocked,   ///< no room in the ring or in the batch, or not its turn; call again
  waiting,   ///< a cell of the peer continues it
};

/// A put, get or atomic under way.
struct ShmDevice::Job {
  OpKind kind = OpKind::put;
  Phase phase = Phase::unused;
  AtomicKind atomic = AtomicKind::fetch_add;
  bool notify = false;
  std::uint32_t notification = 0;
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  EndpointId endpoint = 0;
  std::uint64_t cookie = kNoCompletion;
  RemoteAddress remote;
  std::uint64_t operand = 0;
  std::uint64_t compare = 0;
  std::size_t total = 0;
  std::size_t done = 0;
  std::size_t piece = 0;  ///< cursor into pieces
  std::size_t piece_offset = 0;
  std::vector<Piece> pieces;  ///< keeps its capacity when the job is used again

  shm::CopyMethod method = shm::CopyMethod::alone;
  std::uint64_t begun_ns = 0;  ///< when the copy began, if it is measured; else 0

  // Phases sharing and joining.
  std::uint16_t slot = 0;
  std::uint16_t claim_generation = 0;
  std::uint32_t chunk = 0;
  std::uint32_t chunks = 0;

  /// Next bytes of local memory, at most `most`; empty at the end.
  [[nodiscard]] std::span<std::byte> next_piece(std::size_t most) {
    while (piece != pieces.size() && piece_offset == pieces[piece].length) {
      ++piece;
      piece_offset = 0;
    }
    if (piece == pieces.size()) return {};
    const Piece& p = pieces[piece];
    return {static_cast<std::byte*>(p.address) + piece_offset,
            std::min(most, p.length - piece_offset)};
  }
  void move(std::size_t bytes) {
    done += bytes;
    while (bytes != 0) {
      const std::span<std::byte> part = next_piece(bytes);
      if (part.empty()) return;
      piece_offset += part.size();
      bytes -= part.size();
    }
  }
};

/// Call after the last cell of a batch. The sleeper stores its word, then has a barrier run on
/// every processor (or asks its senders to fence), then looks at the ring once more: either it sees
/// the cell, or we see the word.
inline void ShmDevice::wake(Endpoint& endpoint) {
  if (endpoint.fence) [[unlikely]]
    shm::full_fence();
  // Keeps the compiler from moving the load up; the processor is the sleeper's business.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (endpoint.sleep_word->load(std::memory_order_relaxed) == shm::kAsleep) [[unlikely]] {
    ring_bell(endpoint);
  }
}

}  // namespace remit
