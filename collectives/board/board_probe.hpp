// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared board: what its members measure of their processors before they agree on one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "collectives/board/board_segment.hpp"
#include "runtime/host_facts.hpp"

namespace remit {

/// Writes and reads of pages, timed. Each member writes its own page, then reads its neighbour's,
/// then writes its own again; between these steps all members must have done the one before. What
/// they take depends on how far from each other the cores are.
class PageTimer {
 public:
  /// `own` is the segment of this member.
  explicit PageTimer(BoardSegment& own) : own_(own) {}

  /// How a round of steps copies.
  struct Way {
    bool taken = false;   ///< the reader claims the lines
    bool pieces = false;  ///< long data are copied in pieces, not by the string instruction
  };

  // The steps.
  void write_first(Way way);
  void read(BoardSegment& theirs, Way way);
  void write_again(Way way);

  /// Nanoseconds that reading and writing a page takes, the quickest so far; 0: nobody has.
  [[nodiscard]] std::uint32_t page_ns(bool taken) const;
  /// What follows from the rounds so far, of which there was one for each way at least.
  [[nodiscard]] std::size_t claim_lines_to() const;
  [[nodiscard]] std::size_t pieces_to() const;

 private:
  /// A page is a brief piece of data, a short one and a long one.
  static constexpr std::size_t kBrief = 4096;
  static constexpr std::size_t kShort = 8192;
  static constexpr std::size_t kLong = BoardSegment::kPageBytes - kShort - kBrief;
  struct Cost {
    std::uint64_t of_brief = ~std::uint64_t{0};
    std::uint64_t of_short = ~std::uint64_t{0};
    std::uint64_t of_long = ~std::uint64_t{0};
    [[nodiscard]] bool known() const { return of_short != ~std::uint64_t{0}; }
  };
  [[nodiscard]] static std::size_t index_of(Way way) {
    return (way.taken ? 2U : 0U) + (way.pieces ? 1U : 0U);
  }
  [[nodiscard]] static Cost lower_of(const Cost& a, const Cost& b);
  [[nodiscard]] Cost lowest(bool taken) const;
  [[nodiscard]] Cost lowest_in(bool pieces) const;

  BoardSegment& own_;
  Cost read_;                        ///< of the round under way
  std::array<Cost, 4> lowest_ = {};  ///< by index_of()
};

}  // namespace remit
