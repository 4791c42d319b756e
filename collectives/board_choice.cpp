// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Members that are about to work in each other's memory choose the board instead.
#include "collectives/board.hpp"
#include "collectives/direct.hpp"

namespace remit {

/// Two copies lose little to a slow one as long as the data stay in caches: up to 256 KB in all; of
/// an allgather and a reduce, in which a member reads what others do at the same time, up to more.
CopyPace* Board::pace(const CollectiveArgs& a, const CollectiveShape& shape) {
  using enum CollectiveKind;
  constexpr std::size_t kShort = std::size_t{256} << 10;
  const bool is_long = a.kind == allgather || a.kind == allgatherv || a.kind == reduce;
  const std::size_t blocks = a.kind == alltoall ? static_cast<std::size_t>(size_ - 1) : 1;
  if (!pace_ || shape.bytes < CopyPace::kShortest) return nullptr;
  if (shape.bytes * blocks >= (is_long ? CopyPace::kEnd : kShort)) return nullptr;
  // Among more than two members the order of combining must not follow from what was measured.
  const bool reduces = a.op != nullptr;
  const auto page = static_cast<MPI_Count>(BoardPlace::kPageBytes);
  if (reduces && (size_ != 2 || a.recv_type->size() > page)) return nullptr;
  return chosen_by_cost(a.kind, shape, engine_.process().params()) ? &*pace_ : nullptr;
}

void Direct::meet_at_board(CollCtx& c, const CollectiveArgs* a) {
  Board& board = *c.board();
  const bool is_hub = hub_ == c.rank();
  if (a != nullptr) {
    const CollectiveShape shape = shape_of(c.comm(), *a);
    pace_ = board.pace(*a, shape);
    const CopyPace::Role role = hub_ == kNoHub ? CopyPace::Role::equal
                                : is_hub       ? CopyPace::Role::hub
                                               : CopyPace::Role::other;
    if (pace_ != nullptr) mine_.words = pace_->begin(shape.bytes, role);
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
  if (hub_ == kNoHub || is_hub) pace_->hear(others.slow);
  const bool i_want = (hub_ == kNoHub || is_hub) && mine_.words.wants_board;
  on_board_ = i_want || (!is_hub && others.wants_board);
  if (on_board_) c.fail(board.run(*a, board.subject()));
}

}  // namespace remit
