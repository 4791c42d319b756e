// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/elements/runs.hpp"

#include <algorithm>

namespace remit {

/// What a message has place for.
struct RunCutter::Budget {
  std::size_t room;  ///< bytes left, for runs and, if `carries`, for data
  std::size_t most;  ///< packed bytes left
  bool carries;
  std::size_t grain;  ///< packed bytes that stay together

  /// Packed bytes that have place behind another run, whole grains.
  [[nodiscard]] std::size_t fit(std::size_t bytes) const {
    if (room < sizeof(MemoryRun)) return 0;
    std::size_t fits = std::min(bytes, most);
    if (carries) fits = std::min(fits, room - sizeof(MemoryRun));
    return fits - fits % grain;
  }
  void take(std::size_t bytes, bool new_run) {
    most -= bytes;
    if (carries) room -= bytes;
    if (new_run) room -= sizeof(MemoryRun);
  }
};

RunCutter::Part RunCutter::next(std::size_t room, std::size_t most, bool carries) {
  const std::size_t begin = offset_;
  count_ = 0;
  const bool with_holes = element_ != nullptr && element_->layout().size() != element_->extent();
  const std::size_t grain =
      element_ != nullptr ? static_cast<std::size_t>(element_->layout().size()) : 1;
  Budget budget{room, most, carries, grain};
  if (with_holes) {
    take_elements(budget);
  } else {
    take_pieces(budget);
  }
  return {begin, offset_ - begin, std::span(runs_).first(count_)};
}

void RunCutter::take_pieces(Budget& budget) {
  std::array<Layout::Piece, kMostMemoryRuns> pieces;
  const std::size_t limit = budget.fit(total_ - offset_);
  const Layout::Gathered found = target_.pieces(offset_, limit, pieces);
  for (const Layout::Piece& piece : std::span(pieces).first(found.pieces)) {
    const std::size_t bytes = budget.fit(piece.length);
    if (bytes == 0) return;
    runs_[count_++] = {reinterpret_cast<std::uintptr_t>(piece.address), bytes / budget.grain};
    budget.take(bytes, true);
    offset_ += bytes;
    if (bytes != piece.length) return;
  }
}

/// Elements with holes in them, or between them: each is looked for by itself. Its first byte in
/// the order of the type map is its first one in memory.
void RunCutter::take_elements(Budget& budget) {
  const auto extent = static_cast<std::uint64_t>(element_->extent());
  while (offset_ != total_) {
    Layout::Piece first;
    static_cast<void>(target_.pieces(offset_, budget.grain, {&first, 1}));
    const std::uint64_t address = reinterpret_cast<std::uintptr_t>(first.address);
    MemoryRun* const last = count_ != 0 ? &runs_[count_ - 1] : nullptr;
    const bool follows = last != nullptr && last->address + last->length * extent == address;
    // What fits behind a new run fits behind the old one, too.
    if (budget.fit(budget.grain) == 0 || (!follows && count_ == kMostMemoryRuns)) return;
    if (follows) {
      ++last->length;
    } else {
      runs_[count_++] = {address, 1};
    }
    budget.take(budget.grain, !follows);
    offset_ += budget.grain;
  }
}

}  // namespace remit
