// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Data in and out of the lines and pages of a board.
#include "collectives/board/board_copies.hpp"

#include "collectives/algorithms/buffers.hpp"

namespace remit {

int enter(BoardLines& lines) {
  if (const int error = lines.make_room()) return error;
  lines.store_line(0);
  return MPI_SUCCESS;
}

int publish(BoardLines& lines, const View& data, std::size_t at) {
  if (const int error = lines.make_room()) return error;
  at = std::min(at, data.size());
  const std::size_t rest = data.size() - at;
  const std::size_t bytes = std::min(rest, BoardSegment::kPageBytes);
  data.pack(at, {lines.memory_for(bytes), bytes});
  lines.store_line(rest);
  return MPI_SUCCESS;
}

int publish_blocks(BoardLines& lines, const View& blocks, std::size_t at) {
  if (const int error = lines.make_room()) return error;
  const auto members = static_cast<std::size_t>(lines.size());
  const auto rank = static_cast<std::size_t>(lines.rank());
  const std::size_t block = blocks.size() / members;
  const std::size_t rest = block - at;
  const std::size_t piece = std::min(rest, blocks_piece(lines));
  std::byte* to = lines.memory_for(piece * (members - 1));
  if (piece == block) {
    const std::size_t own = block * rank;
    blocks.pack(0, {to, own});
    blocks.pack(own + block, {to + own, blocks.size() - own - block});
  } else {
    for (std::size_t i = 0; i < members; ++i) {
      if (i == rank) continue;
      blocks.pack(block * i + at, {to, piece});
      to += piece;
    }
  }
  lines.store_line(rest * (members - 1));
  return MPI_SUCCESS;
}

std::size_t blocks_piece(const BoardLines& lines) {
  const auto others = static_cast<std::size_t>(lines.size() - 1);
  return BoardSegment::kPageBytes / others / kCacheLine * kCacheLine;
}

int await_all(BoardLines& lines, OwnBlock& block) {
  BoardLines::Others awaited = lines.others();
  while (!block.done() && !BoardWait::all_entered(awaited, lines.number())) block.copy_some();
  return lines.await_all();
}

int take(BoardLines& lines, int member, std::size_t at, std::size_t whole, const View& to) {
  return take(lines, member, at, whole, to, {0, to.size()});
}

int take(BoardLines& lines, int member, std::size_t at, std::size_t whole, const View& to,
         const PackedPart& part) {
  if (const int error = check_length(lines, member, whole)) return error;
  std::byte* data = lines.data(member) + at;
  to.unpack(part.at, {data, part.bytes});
  lines.done_with(member, data, part.bytes);
  return MPI_SUCCESS;
}

int take_all(BoardLines& lines, const CollectiveArgs& a, std::size_t at) {
  int error = MPI_SUCCESS;
  for (int i = 0; i < lines.size(); ++i) {
    if (i == lines.rank()) continue;
    const View block = receive_slot(a, i);
    const std::size_t from = std::min(at, block.size());
    const std::size_t rest = block.size() - from;
    const PackedPart part = {from, std::min(rest, BoardSegment::kPageBytes)};
    const int taken = take(lines, i, 0, rest, block, part);
    if (error == MPI_SUCCESS) error = taken;
  }
  return error;
}

int take_block(BoardLines& lines, int member, const View& block, const PackedPart& part) {
  const auto others = static_cast<std::size_t>(lines.size() - 1);
  const std::size_t rest = (block.size() - part.at) * others;
  const int index = lines.rank() > member ? lines.rank() - 1 : lines.rank();
  return take(lines, member, static_cast<std::size_t>(index) * part.bytes, rest, block, part);
}

bool others_go_on(const BoardLines& lines) {
  const std::size_t page = blocks_piece(lines) * static_cast<std::size_t>(lines.size() - 1);
  const std::uint64_t number = lines.number();
  return std::ranges::any_of(lines.members(), [=](const BoardMember& member) {
    return member.entered(number) && member.line(number).length > page;
  });
}

}  // namespace remit
