// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Puts, gets and atomics under way at their initiator.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rdma_btl/common/confirm_queue.hpp"
#include "rdma_btl/device.hpp"
#include "rdma_btl/shm/copies/copy_table.hpp"
#include "rdma_btl/shm/rings/layout.hpp"

namespace remit::shm {

/// How far an operation has come.
enum class Phase : std::uint8_t {
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

/// What a step did.
enum class Step : std::uint8_t {
  finished,  ///< the job is over and freed
  gathered,  ///< some bytes are in the batch; call again when they are copied
  blocked,   ///< no room in the ring or in the batch, or not its turn; call again
  waiting,   ///< a cell of the peer continues it
};

/// A put, get or atomic under way.
struct Job {
  OpKind kind = OpKind::put;
  Phase phase = Phase::unused;
  AtomicKind atomic = AtomicKind::fetch_add;
  bool notify = false;
  std::uint32_t notification = 0;
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  ConfirmQueue::Group group = 0;  ///< of a put or atomic: what confirms it
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

  CopyMethod method = CopyMethod::alone;
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

/// The jobs of a device, at stable addresses. Peers name them by {index, generation}: an answer
/// that comes late names nothing. One thread.
class JobTable {
 public:
  /// A job in phase connecting.
  [[nodiscard]] Job& add(EndpointId endpoint, const Operation& operation);
  void remove(Job& job);
  [[nodiscard]] Job& operator[](std::uint32_t index) const { return *jobs_[index]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(jobs_.size()); }

  [[nodiscard]] static JobName name_of(const Job& job) {
    return std::uint64_t{job.generation} << 32 | job.index;
  }
  /// Null for what is over already, or was never told this peer.
  [[nodiscard]] Job* find(JobName name, EndpointId endpoint) const;

 private:
  std::vector<std::unique_ptr<Job>> jobs_;
  std::vector<std::uint32_t> free_;
};

}  // namespace remit::shm
