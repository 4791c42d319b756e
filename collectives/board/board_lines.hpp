// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The numbered operations of a board: entering them, and reading what others have published.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/board/board_pages.hpp"
#include "collectives/board/board_segment.hpp"
#include "collectives/board/board_wait.hpp"
#include "mpi.h"
#include "runtime/prefetch.hpp"

namespace remit {

/// One member's view of a board's lines. Every member begins the same operations in the same order,
/// so they agree on the number of each without telling each other.
///
/// A member enters an operation by storing its line, with its contribution if it has one, and then
/// waits for the lines of those from whom it needs something. That a member has entered n says that
/// it is done with n - 1. Before a line is written again, all must have entered the operation after
/// the one that it served.
///
/// If a member dies, who waits for it breaks the board: everybody's operations fail from then on.
/// Functions that return an int return MPI_SUCCESS or an error class. One thread, the member's.
class BoardLines {
 public:
  using Others = BoardWait::Others;

  /// `members` are all by rank, this one included.
  BoardLines(Engine& engine, int rank, std::vector<BoardMember> members, LineClaims taking);
  BoardLines(const BoardLines&) = delete;
  BoardLines& operator=(const BoardLines&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] std::span<const BoardMember> members() const { return members_; }
  /// Members to wait for: all but this one, or one of them.
  [[nodiscard]] Others others() const { return others_; }
  [[nodiscard]] Others one(int member) const {
    return {&members_[static_cast<std::size_t>(member)], 1};
  }
  [[nodiscard]] BoardPages& pages() { return pages_; }
  [[nodiscard]] BoardWait& waiting() { return waiting_; }
  /// Of the operation under way, or the last one.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] bool broken() const { return broken_; }

  /// The next operation begins; fails if the board is broken.
  [[nodiscard]] int begin() {
    ++number_;
    if (broken_) [[unlikely]]
      return MPI_ERR_PROC_ABORTED;
    return MPI_SUCCESS;
  }
  /// The next piece of longer data, which is an operation of its own.
  void next_piece() { ++number_; }
  /// This member's line for the next operation is fetched already.
  void prefetch_next() {
    prefetch_for_write(&segment_->lines[(number_ + 1) % BoardSegment::kDepth]);
  }

  // Entering: make_room(), memory_for() data if there are any, store_line().

  /// Waits until nobody reads any more what this operation's line served before.
  [[nodiscard]] int make_room() { return number_ <= safe_ ? MPI_SUCCESS : await_room(); }
  [[nodiscard]] BoardSegment::Line& own_line() const {
    return segment_->lines[number_ % BoardSegment::kDepth];
  }
  /// Where this member's `bytes` for the operation go: in its line, or in its next page.
  [[nodiscard]] std::byte* memory_for(std::size_t bytes);
  /// Enters the operation. `length` is what the others are told of the data.
  void store_line(std::size_t length);

  // Waiting.

  /// For all members. After that their lines may be read.
  [[nodiscard]] int await_all() { return await_all(number_); }
  [[nodiscard]] int await(Others awaited) {
    if (BoardWait::all_entered(awaited, number_)) return MPI_SUCCESS;
    return waiting_.wait(awaited, number_) ? MPI_SUCCESS : give_up();
  }

  // Reading what a member has published.

  [[nodiscard]] BoardSegment::Line& line(int member) const {
    return members_[static_cast<std::size_t>(member)].line(number_);
  }
  /// Its data, in its line or in a page.
  [[nodiscard]] std::byte* data(int member) const {
    BoardSegment::Line& from = line(member);
    return from.length <= BoardSegment::kInline ? from.bytes : pages_.page(member, from.page);
  }
  /// Nobody reads this part of a member's data again, if there is only one to read it.
  void done_with(int member, std::byte* data, std::size_t bytes) const;
  /// Both have read: ends an exchange between two, in which pages change hands.
  void swap_pages();

  /// The members do not mean the same operation, or one of them is lost: whoever waits for this
  /// member hears of it. Returns MPI_ERR_PROC_ABORTED.
  int give_up();

 private:
  [[nodiscard]] int await_room();
  [[nodiscard]] int await_all(std::uint64_t number) {
    Others awaited = others_;
    if (!BoardWait::all_entered(awaited, number) && !waiting_.wait(awaited, number)) [[unlikely]]
      return give_up();
    safe_ = number + BoardSegment::kDepth - 1;
    return MPI_SUCCESS;
  }
  [[nodiscard]] bool ends_with_swap() const;

  std::uint64_t number_ = 0;                   ///< of the operation under way or the last one
  std::uint64_t safe_ = BoardSegment::kDepth;  ///< lines may be written up to this operation
  const std::uint64_t base_;                   ///< of this member
  BoardSegment* const segment_;
  const std::vector<BoardMember> members_;
  const std::vector<BoardMember> others_;  ///< members_ without this one
  const int rank_;
  const int size_;
  bool broken_ = false;
  BoardPages pages_;
  BoardWait waiting_;
};

}  // namespace remit
