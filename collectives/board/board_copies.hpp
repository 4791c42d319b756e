// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Data in and out of the lines and pages of a board, a piece at a time.
#pragma once

#include <algorithm>
#include <cstddef>

#include "collectives/board/board_lines.hpp"
#include "collectives/collectives.hpp"

namespace remit {

class OwnBlock;

/// Packed bytes of a view.
struct PackedPart {
  std::size_t at;
  std::size_t bytes;
};

// What enters an operation, begun before. Each returns MPI_SUCCESS or an error class.

/// With nothing to say but that this member is here.
[[nodiscard]] int enter(BoardLines& lines);
/// With the bytes from `at` on, as many as fit a page.
[[nodiscard]] int publish(BoardLines& lines, const View& data, std::size_t at = 0);
/// Of a block for each other member, one behind the other, with the piece from `at` on.
[[nodiscard]] int publish_blocks(BoardLines& lines, const View& blocks, std::size_t at);
/// Bytes of each member's block in one piece.
[[nodiscard]] std::size_t blocks_piece(const BoardLines& lines);

/// Waits for all, and copies this member's own block as long as one is missing.
[[nodiscard]] int await_all(BoardLines& lines, OwnBlock& block);

// What reads the data of members who have come.

/// Whether a member has published `whole` bytes, this piece and those to come: any other length
/// says that the members' counts do not agree.
[[nodiscard]] inline int check_length(const BoardLines& lines, int member, std::size_t whole) {
  const std::size_t length = lines.line(member).length;
  if (length == whole) return MPI_SUCCESS;
  return length > whole ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
}
/// Copies bytes from `at` on of what a member published, which must be `whole` bytes in all.
[[nodiscard]] int take(BoardLines& lines, int member, std::size_t at, std::size_t whole,
                       const View& to);
/// The same to a part of `to`.
[[nodiscard]] int take(BoardLines& lines, int member, std::size_t at, std::size_t whole,
                       const View& to, const PackedPart& part);
/// What the others have published of their blocks from `at` on, to their slots.
[[nodiscard]] int take_all(BoardLines& lines, const CollectiveArgs& a, std::size_t at);
/// A part of this member's block, of those that a member has published.
[[nodiscard]] int take_block(BoardLines& lines, int member, const View& block,
                             const PackedPart& part);

/// Whether a member has published more than what fits a page, and so will publish another piece.
[[nodiscard]] bool others_go_on(const BoardLines& lines);

/// Longer data are operations that follow each other, a piece of at most `most` bytes each, the
/// first of which has begun. Where the members do not mean the same length, they would not come to
/// the end together: the board is given up then. `step(at, length)` does a piece.
template <class Step>
int in_pieces(BoardLines& lines, std::size_t bytes, std::size_t most, Step step) {
  for (std::size_t at = 0;;) {
    const int error = step(at, std::min(most, bytes - at));
    const bool last = bytes - at <= most;
    if (error != MPI_SUCCESS && (!last || others_go_on(lines))) lines.give_up();
    if (error != MPI_SUCCESS || last) return error;
    at += most;
    lines.next_piece();
  }
}

}  // namespace remit
