// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which page each member of a board writes next.
#include "collectives/board/board_pages.hpp"

#include <algorithm>
#include <utility>

#include "runtime/prefetch.hpp"

namespace remit {

BoardPages::BoardPages(std::span<const BoardMember> members, int rank, LineClaims taking)
    : rank_(rank), taking_(taking) {
  for (const BoardMember& member : members) {
    for (auto& page : member.segment->pages) pages_.push_back(page);
  }
}

/// A page was used kDepth operations ago or earlier, as the line was, so there is room for both; or
/// swap() has brought it, and only this member uses it.
std::uint16_t BoardPages::next(std::size_t bytes) {
  const auto page = static_cast<std::uint16_t>(page_);
  page_ = (page_ + 1) % BoardSegment::kDepth;
  paged_ = swaps_ && bytes >= kSwappedFrom ? 0 : bytes;  // where to write next is not known yet
  prepared_ = 0;
  return page;
}

/// The lines go from core to core once for each operation, not there and back.
void BoardPages::swap(std::uint32_t mine, std::uint32_t theirs) {
  std::swap(pages_[index(rank_, mine)], pages_[index(1 - rank_, theirs)]);
  page_ = mine;
}

bool BoardPages::prepare() {
  constexpr std::size_t kAtOnce = 8;  // lines; what arrives meanwhile waits for them
  if (prepared_ >= paged_) return false;
  const std::size_t end = std::min(prepared_ + kAtOnce * kCacheLine, paged_);
  for (; prepared_ < end; prepared_ += kCacheLine) {
    prefetch_for_write(page(rank_, page_) + prepared_);
  }
  return true;
}

}  // namespace remit
