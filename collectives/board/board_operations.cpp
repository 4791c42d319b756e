// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Each operation on a board, in its general form: any layout, any length, in pieces.
#include "collectives/board/board_operations.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "collectives/algorithms/buffers.hpp"
#include "collectives/board/board_copies.hpp"
#include "collectives/board/board_meeting.hpp"

namespace remit {

namespace {

int barrier_on(BoardLines& lines) {
  if (const int error = enter(lines)) return error;
  return lines.await_all();
}

int bcast_on(BoardLines& lines, const CollectiveArgs& a) {
  const View buffer = view_of(a.recv, a.recv_count, *a.recv_type);
  const std::size_t bytes = buffer.size();
  return in_pieces(lines, bytes, BoardSegment::kPageBytes, [&](std::size_t at, std::size_t length) {
    if (lines.rank() == a.root) return publish(lines, buffer, at);
    if (const int error = enter(lines)) return error;
    if (const int error = lines.await(lines.one(a.root))) return error;
    return take(lines, a.root, 0, bytes - at, buffer, {at, length});
  });
}

/// The root copies its own block while it waits for the others and at the end, so that who has more
/// to publish does not wait for that.
int gather_on(BoardLines& lines, const CollectiveArgs& a) {
  if (lines.rank() != a.root) {
    const View mine = view_of(a.send, a.send_count, *a.send_type);
    return in_pieces(
        lines, mine.size(), BoardSegment::kPageBytes,
        [&](std::size_t at, std::size_t /*length*/) { return publish(lines, mine, at); });
  }
  const View own = receive_slot(a, lines.rank());
  const View mine = a.send == MPI_IN_PLACE ? own : view_of(a.send, a.send_count, *a.send_type);
  OwnBlock block(mine, own);
  return in_pieces(lines, own.size(), BoardSegment::kPageBytes,
                   [&](std::size_t at, std::size_t /*length*/) {
                     if (const int error = enter(lines)) return error;
                     if (const int error = await_all(lines, block)) return error;
                     return take_all(lines, a, at);
                   });
}

int scatter_on(BoardLines& lines, const CollectiveArgs& a) {
  if (lines.rank() != a.root) {
    const View block = view_of(a.recv, a.recv_count, *a.recv_type);
    return in_pieces(lines, block.size(), blocks_piece(lines),
                     [&](std::size_t at, std::size_t length) {
                       if (const int error = enter(lines)) return error;
                       if (const int error = lines.await(lines.one(a.root))) return error;
                       return take_block(lines, a.root, block, {at, length});
                     });
  }
  const View blocks = view_of(a.send, a.send_count * lines.size(), *a.send_type);
  const int error = in_pieces(
      lines, blocks.size() / static_cast<std::size_t>(lines.size()), blocks_piece(lines),
      [&](std::size_t at, std::size_t /*length*/) { return publish_blocks(lines, blocks, at); });
  if (error != MPI_SUCCESS || a.recv == MPI_IN_PLACE) return error;
  copy_local(slice(a.send, a.send_count * lines.rank(), a.send_count, *a.send_type),
             view_of(a.recv, a.recv_count, *a.recv_type));
  return MPI_SUCCESS;
}

/// Also allgatherv. The own block is copied piece by piece as well, out of the cache.
int allgather_on(BoardLines& lines, const CollectiveArgs& a) {
  const View own = receive_slot(a, lines.rank());
  const bool in_place = a.send == MPI_IN_PLACE;
  const View mine = in_place ? own : view_of(a.send, a.send_count, *a.send_type);
  std::size_t longest = own.size();
  for (int i = 0; i < lines.size() && a.kind == CollectiveKind::allgatherv; ++i) {
    longest = std::max(longest, receive_slot(a, i).size());
  }
  OwnBlock block(mine, own);
  return in_pieces(lines, longest, BoardSegment::kPageBytes,
                   [&](std::size_t at, std::size_t /*length*/) {
                     if (const int error = publish(lines, mine, at)) return error;
                     block.copy_to(at + BoardSegment::kPageBytes);
                     if (const int error = lines.await_all()) return error;
                     const int error = take_all(lines, a, at);
                     lines.swap_pages();
                     return error;
                   });
}

int alltoall_on(BoardLines& lines, const CollectiveArgs& a) {
  const bool in_place = a.send == MPI_IN_PLACE;
  const View blocks = in_place ? view_of(a.recv, a.recv_count * lines.size(), *a.recv_type)
                               : view_of(a.send, a.send_count * lines.size(), *a.send_type);
  const std::size_t bytes = blocks.size() / static_cast<std::size_t>(lines.size());
  const View own = receive_slot(a, lines.rank());
  OwnBlock block(in_place ? own : send_slot(a, lines.rank()), own);
  return in_pieces(lines, bytes, blocks_piece(lines), [&](std::size_t at, std::size_t length) {
    if (const int error = publish_blocks(lines, blocks, at)) return error;
    if (const int error = await_all(lines, block)) return error;
    int error = MPI_SUCCESS;
    for (int i = 0; i < lines.size(); ++i) {
      if (i == lines.rank()) continue;
      const int taken = take_block(lines, i, receive_slot(a, i), {at, length});
      if (error == MPI_SUCCESS) error = taken;
    }
    lines.swap_pages();
    return error;
  });
}

/// What a member's page begins with, for each member: where the block for that one is, in the page
/// or in the writer's memory.
struct Placed {
  std::uint64_t at;
  std::uint64_t bytes;
};
/// Instead of the bytes in the page: the blocks lie in memory.
constexpr std::uint32_t kElsewhere = std::numeric_limits<std::uint32_t>::max();

/// The blocks for all others, packed one behind the other, behind `placed`, which says where.
class Parcel {
 public:
  Parcel(const CollectiveArgs& a, int rank, int size) : a_(a), rank_(rank), size_(size) {
    for (int i = 0; i < size_; ++i) bytes_ += i == rank_ ? 0 : block(i).size();
  }
  [[nodiscard]] std::size_t table_bytes() const {
    return sizeof(Placed) * static_cast<std::size_t>(size_);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] View block(int i) const {
    return a_.send == MPI_IN_PLACE ? receive_slot(a_, i) : send_slot(a_, i);
  }
  /// Packs all to `memory`, whose first byte is known as `at`.
  void pack(Placed* placed, std::byte* memory, std::uint64_t at) const {
    std::size_t done = 0;
    for (int i = 0; i < size_; ++i) {
      if (i == rank_) continue;
      const View from = block(i);
      const std::size_t length = from.size();
      from.pack(0, {memory + done, length});
      placed[i] = {at + done, length};
      done += length;
    }
  }
  /// Nothing has to be copied: each block can be read where it is.
  [[nodiscard]] bool straight() const {
    if (a_.send == MPI_IN_PLACE) return false;
    for (int i = 0; i < size_; ++i) {
      if (i != rank_ && block(i).size() != 0 && !block(i).is_contiguous()) return false;
    }
    return true;
  }
  void point(Placed* placed) const {
    for (int i = 0; i < size_; ++i) {
      if (i == rank_) continue;
      const View from = block(i);
      const std::size_t length = from.size();
      placed[i] = {length == 0 ? 0 : reinterpret_cast<std::uint64_t>(from.data()), length};
    }
  }

 private:
  const CollectiveArgs& a_;
  int rank_;
  int size_;
  std::size_t bytes_ = 0;
};

/// This member's block of a member's parcel.
int fetch_parcel(BoardLines& lines, int member, const View& to) {
  const BoardMember& from = lines.members()[static_cast<std::size_t>(member)];
  const std::byte* page = lines.data(member);
  Placed placed;
  std::memcpy(&placed, page + sizeof placed * static_cast<std::size_t>(lines.rank()),
              sizeof placed);
  const std::size_t bytes = to.size();
  if (placed.bytes != bytes) return placed.bytes > bytes ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
  if (bytes == 0) return MPI_SUCCESS;
  if (lines.line(member).length != kElsewhere) {
    to.unpack(0, {page + placed.at, bytes});
    return MPI_SUCCESS;
  }
  const auto failure = [&] {
    const bool lost = lines.waiting().lost(from) || !from.memory->reaches_memory(from.endpoint);
    return lost ? MPI_ERR_PROC_ABORTED : MPI_ERR_OTHER;
  };
  if (to.is_contiguous()) {
    const bool done = from.memory->read_memory(from.endpoint, placed.at, to.data(), bytes);
    return done ? MPI_SUCCESS : failure();
  }
  std::vector<std::byte> staging(std::min(bytes, kStaging));
  for (std::size_t at = 0; at < bytes; at += staging.size()) {
    const std::size_t length = std::min(staging.size(), bytes - at);
    if (!from.memory->read_memory(from.endpoint, placed.at + at, staging.data(), length)) {
      return failure();
    }
    to.unpack(at, {staging.data(), length});
  }
  return MPI_SUCCESS;
}

/// alltoallv and alltoallw. Blocks that fit the page together travel in it, longer ones are read
/// where they lie; if anybody has such, all part when everything has been read.
int exchange_on(BoardLines& lines, const CollectiveArgs& a) {
  if (const int error = lines.make_room()) return error;
  const Parcel parcel(a, lines.rank(), lines.size());
  const std::size_t table = parcel.table_bytes();
  const bool fits = table + parcel.bytes() <= BoardSegment::kPageBytes;
  std::byte* page = lines.memory_for(BoardSegment::kInline + 1);
  auto* placed = reinterpret_cast<Placed*>(page);
  std::unique_ptr<std::byte[]> copy;
  if (fits) {
    parcel.pack(placed, page + table, table);
  } else if (parcel.straight()) {
    parcel.point(placed);
  } else {
    copy = std::make_unique_for_overwrite<std::byte[]>(parcel.bytes());
    parcel.pack(placed, copy.get(), reinterpret_cast<std::uint64_t>(copy.get()));
  }
  const std::size_t paged = table + (fits ? parcel.bytes() : 0);
  lines.pages().set_bytes(paged);
  lines.store_line(fits ? std::max(paged, BoardSegment::kInline + 1) : kElsewhere);
  if (a.send != MPI_IN_PLACE) copy_local(send_slot(a, lines.rank()), receive_slot(a, lines.rank()));
  int error = lines.await_all();
  bool all_fit = true;
  for (int step = 1; step < lines.size() && error == MPI_SUCCESS; ++step) {
    const int peer = (lines.rank() + step) % lines.size();
    all_fit = all_fit && lines.line(peer).length != kElsewhere;
  }
  for (int step = 1; step < lines.size() && !lines.broken(); ++step) {
    const int peer = (lines.rank() + step) % lines.size();
    const int fetched = fetch_parcel(lines, peer, receive_slot(a, peer));
    if (error == MPI_SUCCESS) error = fetched;
  }
  if (all_fit && fits) return error;
  BoardMeeting meeting(lines, BoardMeeting::kNoHub);
  const int left = meeting.leave(error);
  return meeting.part(error != MPI_SUCCESS ? error : left, true);
}

}  // namespace

int run_on_board(BoardLines& lines, BoardReduction& reduction, const CollectiveArgs& a) {
  switch (a.kind) {
    case CollectiveKind::barrier:
      return barrier_on(lines);
    case CollectiveKind::bcast:
      return bcast_on(lines, a);
    case CollectiveKind::gather:
      return gather_on(lines, a);
    case CollectiveKind::scatter:
      return scatter_on(lines, a);
    case CollectiveKind::allgather:
    case CollectiveKind::allgatherv:
      return allgather_on(lines, a);
    case CollectiveKind::alltoall:
      return alltoall_on(lines, a);
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw:
      return exchange_on(lines, a);
    case CollectiveKind::reduce:
      return reduction.reduce(a);
    case CollectiveKind::allreduce:
      return reduction.allreduce(a);
    default:
      return MPI_ERR_INTERN;
  }
}

}  // namespace remit
