// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The memory in which members of a host's communicator read each other: a segment each.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "links/process_id.hpp"
#include "rdma_btl/host_memory.hpp"

namespace remit {

/// What a member writes and the others read. Between two, the reader claims the lines of pages, and
/// after an exchange each writes next in the page that it has read (BoardPages::swap()).
/// Operation n of a board uses line n % kDepth, so a member may be up to kDepth operations ahead of
/// a slow one; what does not fit there takes the next of as many pages. Numbers of a segment never
/// come again: when it serves another board, counting goes on.
struct BoardSegment {
  static constexpr std::size_t kDepth = 4;
  static constexpr std::size_t kInline = 112;
  static constexpr std::size_t kPageBytes = 32768;

  /// `number` is stored last. Up to kInline bytes are here, more in the page: two cache lines, of
  /// which 48 bytes and fewer need the first.
  struct alignas(128) Line {
    std::atomic<std::uint64_t> number;
    std::uint32_t length;
    std::uint16_t page;                    ///< among those that the owner writes
    std::atomic<std::uint16_t> processor;  ///< where the owner ran, if members share processors
    std::byte bytes[kInline];
  };
  Line lines[kDepth];
  /// The owner has left all boards with lower numbers: it reads nothing of theirs any more.
  alignas(64) std::atomic<std::uint64_t> closed;
  /// A number: the owner has given up the board that it belongs to.
  std::atomic<std::uint64_t> broken;
  alignas(4096) std::byte pages[kDepth][kPageBytes];
};
static_assert(sizeof(BoardSegment) <= kNoticeBytes);

/// A member of a board, and where its segment is.
struct BoardMember {
  BoardSegment* segment = nullptr;
  std::uint64_t base = 0;  ///< operation n has the number base + n in its segment
  HostMemory* memory = nullptr;
  EndpointId endpoint = 0;
  ProcId proc{};

  /// Its line for operation `number`.
  [[nodiscard]] BoardSegment::Line& line(std::uint64_t number) const {
    return segment->lines[number % BoardSegment::kDepth];
  }
  /// Whether it has entered operation `number`: then what it published there can be read.
  [[nodiscard]] bool entered(std::uint64_t number) const {
    return line(number).number.load(std::memory_order_acquire) >= base + number;
  }
};

}  // namespace remit
