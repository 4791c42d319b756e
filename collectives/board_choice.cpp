// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Members that are about to work in each other's memory choose the board instead.
#include "collectives/board.hpp"
#include "collectives/direct.hpp"

namespace remit {

/// Two copies never lose much to a slow one up to some 128 KB; of an allgather and a reduce, whose
/// members all read the same at once, up to more.
CopyPace* Board::pace(const CollectiveArgs& a, const CollectiveShape& shape) {
  constexpr std::size_t kShort = std::size_t{256} << 10;
  const bool is_long = a.kind == CollectiveKind::allgather ||
                       a.kind == CollectiveKind::allgatherv || a.kind == CollectiveKind::reduce;
  if (!pace_ || shape.bytes < CopyPace::kShortest) return nullptr;
  if (shape.bytes >= (is_long ? CopyPace::kEnd : kShort)) return nullptr;
  // Among more than two members the order of combining must not follow from what was measured.
  const bool reduces = a.op != nullptr;
  const auto page = static_cast<MPI_Count>(BoardPlace::kPageBytes);
  if (reduces && (size_ != 2 || a.recv_type->size() > page)) return nullptr;
  return &*pace_;
}

void Direct::meet_at_board(CollCtx& c, const CollectiveArgs* a) {
  Board& board = *c.board();
  if (a != nullptr) {
    const CollectiveShape shape = shape_of(c.comm(), *a);
    pace_ = board.pace(*a, shape);
    if (pace_ != nullptr) mine_.words = pace_->begin(shape.bytes, hub_ == c.rank());
  }
  c.fail(board.tell(&mine_, sizeof mine_, facts_, hub_));
  facts_[c.rank()].reaches = 0;
  if (pace_ == nullptr || c.error() != MPI_SUCCESS) return;
  CopyPace::Words others;
  for (int i = 0; i < c.size(); ++i) {
    if (i == c.rank() || !meets(c.rank(), i)) continue;
    others.slow = others.slow || facts_[i].words.slow;
    others.wants_board = others.wants_board || facts_[i].words.wants_board;
  }
  pace_->hear(others.slow);
  const bool mine_counts = hub_ == kNoHub || hub_ == c.rank();
  const bool others_count = hub_ != c.rank();
  on_board_ = (mine_counts && mine_.words.wants_board) || (others_count && others.wants_board);
  if (on_board_) c.fail(board.run(*a, board.subject()));
}

}  // namespace remit
