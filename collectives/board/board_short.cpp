// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Blocking operations on a board whose data fit a line and lie in one piece.
#include "collectives/board/board_short.hpp"

#include "collectives/board/board_copies.hpp"
#include "collectives/board/board_lines.hpp"
#include "runtime/copy_small.hpp"

namespace remit {

namespace {

/// Enters the next operation with these bytes.
int begin_short(BoardLines& lines, const void* data, std::size_t bytes,
                const WaitSubject* subject) {
  lines.waiting().set_subject(subject);
  if (const int error = lines.begin()) return error;
  if (const int error = lines.make_room()) return error;
  copy_small(lines.own_line().bytes, data, bytes);
  lines.store_line(bytes);
  return MPI_SUCCESS;
}

/// Who has published longer data goes on to their next piece, and so does not come to the end
/// together with this member: the board is given up then, as in in_pieces().
int end_short(BoardLines& lines, int error) {
  if (error != MPI_SUCCESS && others_go_on(lines)) [[unlikely]]
    lines.give_up();
  lines.prefetch_next();
  return error;
}

/// Of another member, which has entered.
int take_short(BoardLines& lines, int member, void* to, std::size_t bytes) {
  const BoardSegment::Line& line = lines.line(member);
  if (line.length != bytes) [[unlikely]]
    return check_length(lines, member, bytes);
  copy_small(static_cast<std::byte*>(to), line.bytes, bytes);
  return MPI_SUCCESS;
}

/// The blocks of all members into an array of them, with this member's own.
int take_short_blocks(BoardLines& lines, const void* mine, void* all, std::size_t bytes) {
  auto* to = static_cast<std::byte*>(all);
  int error = MPI_SUCCESS;
  for (int i = 0; i < lines.size(); ++i, to += bytes) {
    if (i == lines.rank()) {
      if (mine != to) copy_small(to, mine, bytes);
      continue;
    }
    const int taken = take_short(lines, i, to, bytes);
    if (error == MPI_SUCCESS) error = taken;
  }
  return error;
}

/// Enters the next operation with a block for each other member, out of an array with one for each.
int begin_short_blocks(BoardLines& lines, const void* blocks, std::size_t bytes,
                       const WaitSubject* subject) {
  const auto* from = static_cast<const std::byte*>(blocks);
  const std::size_t own = bytes * static_cast<std::size_t>(lines.rank());
  const std::size_t all = bytes * static_cast<std::size_t>(lines.size() - 1);
  std::byte packed[BoardSegment::kInline];
  copy_small(packed, from, own);
  copy_small(packed + own, from + own + bytes, all - own);
  return begin_short(lines, packed, all, subject);
}

/// Of another member's blocks, which has entered, the one for this member.
int take_short_block(BoardLines& lines, int member, void* to, std::size_t bytes) {
  const std::size_t all = bytes * static_cast<std::size_t>(lines.size() - 1);
  if (const int error = check_length(lines, member, all)) return error;
  const int rank = lines.rank();
  const auto at = static_cast<std::size_t>(rank > member ? rank - 1 : rank);
  copy_small(static_cast<std::byte*>(to), lines.data(member) + at * bytes, bytes);
  return MPI_SUCCESS;
}

/// From the last member to the first, as BoardReduction::combine() does, in one pass: where lengths
/// do not agree, what is in `result` by then means nothing.
int combine_short(BoardLines& lines, const ShortVector& v) {
  if (const int error = lines.await_all()) return error;
  auto* const result = static_cast<std::byte*>(v.result);
  const std::uint64_t number = lines.number();
  const auto members = lines.members();
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    const BoardSegment::Line& theirs = member->line(number);
    if (theirs.length != v.bytes) [[unlikely]]
      return MPI_ERR_OTHER;
    if (member == members.rbegin()) {
      copy_small(result, theirs.bytes, v.bytes);
    } else {
      v.kernel(theirs.bytes, result, v.elements);
    }
  }
  return MPI_SUCCESS;
}

}  // namespace

int short_barrier(BoardLines& lines, const WaitSubject* subject) {
  const int error = begin_short(lines, nullptr, 0, subject);
  return end_short(lines, error != MPI_SUCCESS ? error : lines.await_all());
}

int short_bcast(BoardLines& lines, void* data, std::size_t bytes, int root,
                const WaitSubject* subject) {
  if (lines.rank() == root) return end_short(lines, begin_short(lines, data, bytes, subject));
  int error = begin_short(lines, nullptr, 0, subject);
  if (error == MPI_SUCCESS) error = lines.await(lines.one(root));
  return end_short(lines, error != MPI_SUCCESS ? error : take_short(lines, root, data, bytes));
}

int short_allgather(BoardLines& lines, const void* mine, void* all, std::size_t bytes,
                    const WaitSubject* subject) {
  int error = begin_short(lines, mine, bytes, subject);
  if (error == MPI_SUCCESS) error = lines.await_all();
  return end_short(lines,
                   error != MPI_SUCCESS ? error : take_short_blocks(lines, mine, all, bytes));
}

int short_gather(BoardLines& lines, const void* mine, void* all, std::size_t bytes, int root,
                 const WaitSubject* subject) {
  if (lines.rank() != root) return end_short(lines, begin_short(lines, mine, bytes, subject));
  int error = begin_short(lines, nullptr, 0, subject);
  if (error == MPI_SUCCESS) error = lines.await_all();
  if (error != MPI_SUCCESS) return end_short(lines, error);
  return end_short(lines, take_short_blocks(lines, mine, all, bytes));
}

int short_scatter(BoardLines& lines, const void* all, void* mine, std::size_t bytes, int root,
                  const WaitSubject* subject) {
  if (lines.rank() == root) {
    const int error = begin_short_blocks(lines, all, bytes, subject);
    const auto* own = static_cast<const std::byte*>(all) + bytes * static_cast<std::size_t>(root);
    copy_small(static_cast<std::byte*>(mine), own, bytes);
    return end_short(lines, error);
  }
  int error = begin_short(lines, nullptr, 0, subject);
  if (error == MPI_SUCCESS) error = lines.await(lines.one(root));
  return end_short(lines,
                   error != MPI_SUCCESS ? error : take_short_block(lines, root, mine, bytes));
}

int short_alltoall(BoardLines& lines, const void* send, void* recv, std::size_t bytes,
                   const WaitSubject* subject) {
  int error = begin_short_blocks(lines, send, bytes, subject);
  auto* to = static_cast<std::byte*>(recv);
  const std::size_t own = bytes * static_cast<std::size_t>(lines.rank());
  copy_small(to + own, static_cast<const std::byte*>(send) + own, bytes);
  if (error == MPI_SUCCESS) error = lines.await_all();
  if (error != MPI_SUCCESS) return end_short(lines, error);
  for (int i = 0; i < lines.size(); ++i, to += bytes) {
    const int taken = i == lines.rank() ? MPI_SUCCESS : take_short_block(lines, i, to, bytes);
    if (error == MPI_SUCCESS) error = taken;
  }
  return end_short(lines, error);
}

int short_reduce(BoardLines& lines, const ShortVector& v, int root, const WaitSubject* subject) {
  const int error = begin_short(lines, v.mine, v.bytes, subject);
  if (error != MPI_SUCCESS || lines.rank() != root) return end_short(lines, error);
  return end_short(lines, combine_short(lines, v));
}

int short_allreduce(BoardLines& lines, const ShortVector& v, const WaitSubject* subject) {
  const int error = begin_short(lines, v.mine, v.bytes, subject);
  return end_short(lines, error != MPI_SUCCESS ? error : combine_short(lines, v));
}

}  // namespace remit
