// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Who carries out a collective operation.
#include "collectives/choice/decision.hpp"

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/board/board.hpp"

namespace remit {

namespace {

/// Up to 256 KB two copies lose nothing, or little, to a slow one by the kernel; those of an
/// allgather and a reduce gain up to CopyPace::kEnd. Of more than two members that goes for an
/// allgather alone: blocks of one for each other take the root, or everybody, much longer on the
/// board (docs/measurements).
bool may_change_to_board(const CollectiveArgs& a, const CollectiveShape& shape) {
  using enum CollectiveKind;
  constexpr std::size_t kShort = std::size_t{256} << 10;
  const bool gathers = a.kind == allgather || a.kind == allgatherv;
  const bool is_long = gathers || a.kind == reduce;
  if (shape.bytes < CopyPace::kShortest) return false;
  if (shape.bytes >= (is_long ? CopyPace::kEnd : kShort)) return false;
  if (shape.size > 2 && !gathers) return false;
  const auto page = static_cast<MPI_Count>(BoardSegment::kPageBytes);
  return a.op == nullptr || a.recv_type->size() <= page;
}

}  // namespace

bool is_for_one(const CollectiveShape& shape, const CollectiveArgs& a) {
  if (a.neighbors != nullptr) return false;  // a process may be its own neighbour, or have none
  if (shape.inter || a.kind == CollectiveKind::agree) return false;
  const bool empty = a.kind != CollectiveKind::barrier && shape.uniform && shape.bytes == 0;
  return shape.size == 1 || empty;
}

void do_alone(int members, const CollectiveArgs& a) {
  using enum CollectiveKind;
  if (members != 1) return;
  if (a.send == MPI_IN_PLACE || a.recv == MPI_IN_PLACE) return;
  if (a.kind == exscan) return;  // the first member's result is undefined
  if (a.kind == barrier || a.kind == bcast) return;
  copy_local(send_slot(a, 0), receive_slot(a, 0));
}

Decision decide(Board* board, const CollectiveArgs& a, const CollectiveShape& shape,
                const Params& params) {
  if (board != nullptr && board->limits().takes(a, shape)) return {};
  const ChosenAlgorithm chosen = choose_row(a.kind, shape, params);
  Decision decision;
  decision.algorithm = chosen.row;
  decision.meets_on_board = chosen.row->direct && board != nullptr && board->reaches_memory();
  if (decision.meets_on_board && chosen.by_cost && may_change_to_board(a, shape)) {
    decision.pace = board->pace();
  }
  return decision;
}

bool would_use_board(CollectiveKind kind, const CollectiveShape& shape, const Params& params) {
  if (shape.size < 2 || shape.size > BoardLimits::kMembers || !shape.one_host) return false;
  CollectiveShape there = shape;
  there.board = shape.bytes <= BoardSegment::kPageBytes || shape.size > 2;
  there.quick_copies = true;  // if they are not, the board will know
  const Algorithm& row = choose_algorithm(kind, there, params);
  return row.run == nullptr || row.direct;
}

}  // namespace remit
