// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which page each member of a board writes next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/board/board_segment.hpp"

namespace remit {

/// How a member treats the cache lines of what it has read on a board.
struct LineClaims {
  bool agreed = false;    ///< the members are two, and both claim lines that they have read
  std::size_t bytes = 0;  ///< at once, up to which this one takes them
};

/// The pages of a board as one member sees them: kDepth for each member, those that it writes, one
/// after the other. Of two members that claim lines, each writes after an exchange in the page that
/// it has just read, so whose page is whose changes; both know. One thread, the member's.
class BoardPages {
 public:
  /// Bytes in each of both pages from which on an exchange swaps them.
  static constexpr std::size_t kSwappedFrom = 2048;

  BoardPages(std::span<const BoardMember> members, int rank, LineClaims taking);

  /// An operation begins. `exchange`: in it each of two members reads what the other one writes.
  void begin(bool exchange) { swaps_ = taking_.agreed && exchange; }
  /// Whether members swap pages after the operation under way, if both use theirs.
  [[nodiscard]] bool swaps() const { return swaps_; }
  /// Whether this member claims the lines of so many bytes that nobody is to read again.
  [[nodiscard]] bool claims_lines(std::size_t bytes) const {
    return taking_.agreed && bytes <= taking_.bytes;
  }

  /// The page for this member's next data, `bytes` of them; the one after it is the next then.
  [[nodiscard]] std::uint16_t next(std::size_t bytes);
  /// In the page there are so many bytes, which next() did not know yet.
  void set_bytes(std::size_t bytes) { paged_ = bytes; }
  [[nodiscard]] std::byte* page(int member, std::uint32_t page) const {
    return pages_[index(member, page)];
  }
  /// Both have read: the page that this member has written is the other one's, which that one
  /// writes next, and the other way round.
  void swap(std::uint32_t mine, std::uint32_t theirs);

  /// Takes back from their readers a few cache lines of the page that is written next, if the next
  /// data may need so many: for a member that waits, and for whom nobody does. False: there is
  /// nothing to do.
  bool prepare();

 private:
  [[nodiscard]] static std::size_t index(int member, std::uint32_t page) {
    return static_cast<std::size_t>(member) * BoardSegment::kDepth + page;
  }

  const int rank_;
  bool swaps_ = false;  ///< the operation under way is an exchange between two
  const LineClaims taking_;
  std::vector<std::byte*> pages_;  ///< by index()
  std::uint32_t page_ = 0;         ///< for the next data that do not fit a line
  std::size_t paged_ = 0;          ///< bytes in the page before it
  std::size_t prepared_ = 0;       ///< bytes of the next page, taken back already
};

}  // namespace remit
