// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The numbered operations of a board.
#include "collectives/board/board_lines.hpp"

#include <sched.h>

#include <utility>

#include "runtime/claim_lines.hpp"

namespace remit {

namespace {

std::vector<BoardMember> without(std::vector<BoardMember> members, int rank) {
  members.erase(members.begin() + rank);
  return members;
}

}  // namespace

BoardLines::BoardLines(Engine& engine, int rank, std::vector<BoardMember> members,
                       LineClaims taking)
    : base_(members[static_cast<std::size_t>(rank)].base),
      segment_(members[static_cast<std::size_t>(rank)].segment),
      members_(std::move(members)),
      others_(without(members_, rank)),
      rank_(rank),
      size_(static_cast<int>(members_.size())),
      pages_(members_, rank, taking),
      waiting_(engine, pages_) {}

std::byte* BoardLines::memory_for(std::size_t bytes) {
  BoardSegment::Line& line = own_line();
  if (bytes <= BoardSegment::kInline) return line.bytes;
  line.page = pages_.next(bytes);
  return pages_.page(rank_, line.page);
}

void BoardLines::store_line(std::size_t length) {
  BoardSegment::Line& line = own_line();
  line.length = static_cast<std::uint32_t>(length);
  if (!waiting_.spins()) {
    line.processor.store(static_cast<std::uint16_t>(::sched_getcpu()), std::memory_order_relaxed);
  }
  line.number.store(base_ + number_, std::memory_order_release);
  for (const BoardMember& other : others_) other.memory->nudge(other.endpoint);
}

/// The next line served the operation kDepth ago, and the others may still be reading it.
int BoardLines::await_room() {
  constexpr std::uint64_t kDepth = BoardSegment::kDepth;
  // The others have often come further than they must have.
  for (std::uint64_t number = number_ - 1; number > number_ - kDepth; --number) {
    Others awaited = others_;
    if (!BoardWait::all_entered(awaited, number)) continue;
    safe_ = number + kDepth - 1;
    return MPI_SUCCESS;
  }
  return await_all(number_ - kDepth + 1);
}

int BoardLines::give_up() {
  broken_ = true;
  segment_->broken.store(base_ + number_, std::memory_order_release);
  for (const BoardMember& other : others_) other.memory->nudge(other.endpoint);
  return MPI_ERR_PROC_ABORTED;
}

void BoardLines::done_with(int member, std::byte* data, std::size_t bytes) const {
  if (!pages_.claims_lines(bytes) || member == rank_) return;
  if (bytes <= BoardSegment::kInline || ends_with_swap()) return;
  claim_lines(data, bytes);
}

/// Two members come to the same answer, also where their counts do not agree.
bool BoardLines::ends_with_swap() const {
  constexpr std::size_t kFrom = BoardPages::kSwappedFrom;
  return pages_.swaps() && line(0).length >= kFrom && line(1).length >= kFrom;
}

void BoardLines::swap_pages() {
  if (ends_with_swap()) pages_.swap(line(rank_).page, line(1 - rank_).page);
}

}  // namespace remit
