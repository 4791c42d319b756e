// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Members that are about to work in each other's memory choose the board instead.
#include "collectives/algorithms/direct.hpp"
#include "collectives/board/board.hpp"

namespace remit {

/// Up to 256 KB two copies lose nothing, or little, to a slow one by the kernel; those of an
/// allgather and a reduce gain up to CopyPace::kEnd. Of more than two members that goes for an
/// allgather alone: blocks of one for each other take the root, or everybody, much longer on the
/// board (docs/measurements).
CopyPace* Board::pace(const CollectiveArgs& a, const CollectiveShape& shape) {
  using enum CollectiveKind;
  constexpr std::size_t kShort = std::size_t{256} << 10;
  const bool gathers = a.kind == allgather || a.kind == allgatherv;
  const bool is_long = gathers || a.kind == reduce;
  if (!pace_ || shape.bytes < CopyPace::kShortest) return nullptr;
  if (shape.bytes >= (is_long ? CopyPace::kEnd : kShort)) return nullptr;
  if (size_ > 2 && !gathers) return nullptr;
  const auto page = static_cast<MPI_Count>(BoardPlace::kPageBytes);
  if (a.op != nullptr && a.recv_type->size() > page) return nullptr;
  const bool by_cost = cost_chooses_[static_cast<std::size_t>(a.kind)] ||
                       chosen_by_cost(a.kind, shape, engine_.process().params());
  return by_cost ? &*pace_ : nullptr;
}

void Direct::meet_at_board(CollCtx& c, const CollectiveArgs* a) {
  using enum CopyPace::Role;
  Board& board = *c.board();
  const CopyPace::Role role = hub_ == kNoHub ? equal : hub_ == c.rank() ? hub : other;
  if (a != nullptr) {
    const CollectiveShape& shape = board.direct_shape();
    pace_ = board.pace(*a, shape);
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
  if (role != other) pace_->hear(others.slow);
  // A hub decides alone; who is another meets nobody but the hub.
  on_board_ = (role != other && mine_.words.wants_board) || (role != hub && others.wants_board);
  if (on_board_) c.fail(board.run(*a, board.subject()));
}

}  // namespace remit
