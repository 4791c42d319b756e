// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared board: operations whose data fit a line and lie in one piece, without what the general
// form costs. What members see of each other is the same, so some may call these, some run().
#include "collectives/board/board.hpp"
#include "runtime/copy_small.hpp"
#include "runtime/prefetch.hpp"

namespace remit {

/// Enters the next operation with these bytes.
int Board::begin_short(const void* data, std::size_t bytes, const WaitSubject* subject) {
  ++number_;
  subject_ = subject;
  if (broken_) [[unlikely]]
    return MPI_ERR_PROC_ABORTED;
  if (const int error = make_room()) return error;
  copy_small(place_->lines[number_ % BoardPlace::kDepth].bytes, data, bytes);
  store_line(bytes);
  return MPI_SUCCESS;
}

/// Who has published longer data goes on to their next piece, and so does not come to the end
/// together with this member: the board is given up then, as in in_pieces().
int Board::end_short(int error) {
  if (error != MPI_SUCCESS && others_go_on()) [[unlikely]]
    (void)give_up();
  prefetch_for_write(&place_->lines[(number_ + 1) % BoardPlace::kDepth]);
  return error;
}

/// Of another member, which has entered.
int Board::take_short(int member, void* to, std::size_t bytes) const {
  const BoardPlace& place = *members_[static_cast<std::size_t>(member)].place;
  const BoardPlace::Line& line = place.lines[number_ % BoardPlace::kDepth];
  if (line.length != bytes) [[unlikely]]
    return check_length(member, bytes);
  copy_small(static_cast<std::byte*>(to), line.bytes, bytes);
  return MPI_SUCCESS;
}

int Board::short_barrier(const WaitSubject* subject) {
  const int error = begin_short(nullptr, 0, subject);
  return end_short(error != MPI_SUCCESS ? error : await_all(number_));
}

int Board::short_bcast(void* data, std::size_t bytes, int root, const WaitSubject* subject) {
  if (rank_ == root) return end_short(begin_short(data, bytes, subject));
  int error = begin_short(nullptr, 0, subject);
  if (error == MPI_SUCCESS) error = await(one(root), number_);
  return end_short(error != MPI_SUCCESS ? error : take_short(root, data, bytes));
}

int Board::short_allgather(const void* mine, void* all, std::size_t bytes,
                           const WaitSubject* subject) {
  int error = begin_short(mine, bytes, subject);
  if (error == MPI_SUCCESS) error = await_all(number_);
  return end_short(error != MPI_SUCCESS ? error : take_short_blocks(mine, all, bytes));
}

int Board::short_gather(const void* mine, void* all, std::size_t bytes, int root,
                        const WaitSubject* subject) {
  if (rank_ != root) return end_short(begin_short(mine, bytes, subject));
  int error = begin_short(nullptr, 0, subject);
  if (error == MPI_SUCCESS) error = await_all(number_);
  if (error != MPI_SUCCESS) return end_short(error);
  return end_short(take_short_blocks(mine, all, bytes));
}

/// The blocks of all members into an array of them, with this member's own.
int Board::take_short_blocks(const void* mine, void* all, std::size_t bytes) const {
  auto* to = static_cast<std::byte*>(all);
  int error = MPI_SUCCESS;
  for (int i = 0; i < size_; ++i, to += bytes) {
    if (i == rank_) {
      if (mine != to) copy_small(to, mine, bytes);
      continue;
    }
    const int taken = take_short(i, to, bytes);
    if (error == MPI_SUCCESS) error = taken;
  }
  return error;
}

/// Enters the next operation with a block for each other member, out of an array with one for each.
int Board::begin_short_blocks(const void* blocks, std::size_t bytes, const WaitSubject* subject) {
  const auto* from = static_cast<const std::byte*>(blocks);
  const std::size_t own = bytes * static_cast<std::size_t>(rank_);
  const std::size_t all = bytes * static_cast<std::size_t>(size_ - 1);
  std::byte packed[BoardPlace::kInline];
  copy_small(packed, from, own);
  copy_small(packed + own, from + own + bytes, all - own);
  return begin_short(packed, all, subject);
}

/// Of another member's blocks, which has entered, the one for this member.
int Board::take_short_block(int member, void* to, std::size_t bytes) const {
  if (const int error = check_length(member, bytes * static_cast<std::size_t>(size_ - 1))) {
    return error;
  }
  const auto at = static_cast<std::size_t>(rank_ > member ? rank_ - 1 : rank_);
  copy_small(static_cast<std::byte*>(to), data_of(member) + at * bytes, bytes);
  return MPI_SUCCESS;
}

int Board::short_scatter(const void* all, void* mine, std::size_t bytes, int root,
                         const WaitSubject* subject) {
  if (rank_ == root) {
    const int error = begin_short_blocks(all, bytes, subject);
    const auto* own = static_cast<const std::byte*>(all) + bytes * static_cast<std::size_t>(rank_);
    copy_small(static_cast<std::byte*>(mine), own, bytes);
    return end_short(error);
  }
  int error = begin_short(nullptr, 0, subject);
  if (error == MPI_SUCCESS) error = await(one(root), number_);
  return end_short(error != MPI_SUCCESS ? error : take_short_block(root, mine, bytes));
}

int Board::short_alltoall(const void* send, void* recv, std::size_t bytes,
                          const WaitSubject* subject) {
  int error = begin_short_blocks(send, bytes, subject);
  auto* to = static_cast<std::byte*>(recv);
  const std::size_t own = bytes * static_cast<std::size_t>(rank_);
  copy_small(to + own, static_cast<const std::byte*>(send) + own, bytes);
  if (error == MPI_SUCCESS) error = await_all(number_);
  if (error != MPI_SUCCESS) return end_short(error);
  for (int i = 0; i < size_; ++i, to += bytes) {
    const int taken = i == rank_ ? MPI_SUCCESS : take_short_block(i, to, bytes);
    if (error == MPI_SUCCESS) error = taken;
  }
  return end_short(error);
}

int Board::short_reduce(const ShortVector& v, int root, const WaitSubject* subject) {
  const int error = begin_short(v.mine, v.bytes, subject);
  if (error != MPI_SUCCESS || rank_ != root) return end_short(error);
  return end_short(combine_short(v));
}

int Board::short_allreduce(const ShortVector& v, const WaitSubject* subject) {
  const int error = begin_short(v.mine, v.bytes, subject);
  return end_short(error != MPI_SUCCESS ? error : combine_short(v));
}

/// In the order of combine(), in one pass: where lengths do not agree, what is in `result` by then
/// means nothing.
int Board::combine_short(const ShortVector& v) {
  if (const int error = await_all(number_)) return error;
  auto* const result = static_cast<std::byte*>(v.result);
  const std::uint64_t line = number_ % BoardPlace::kDepth;
  for (auto member = members_.rbegin(); member != members_.rend(); ++member) {
    const BoardPlace::Line& theirs = member->place->lines[line];
    if (theirs.length != v.bytes) [[unlikely]]
      return MPI_ERR_OTHER;
    if (member == members_.rbegin()) {
      copy_small(result, theirs.bytes, v.bytes);
    } else {
      v.kernel(theirs.bytes, result, v.elements);
    }
  }
  return MPI_SUCCESS;
}

}  // namespace remit
