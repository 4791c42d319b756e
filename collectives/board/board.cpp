// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The shared board: its parts, and its end.
#include "collectives/board/board.hpp"

#include <algorithm>
#include <utility>

#include "collectives/algorithms.hpp"
#include "collectives/board/board_operations.hpp"
#include "collectives/collective_watch.hpp"

namespace remit {

namespace {

/// For which operations a board is chosen.
BoardLimits find_limits(const CommCore& comm, const CollectiveState& known,
                        const Board::Agreement& agreed, const Params& params) {
  CollectiveShape shape;
  shape.size = comm.size();
  shape.cost_class = known.cost_class;
  shape.processors = known.processors;
  shape.table = known.table;
  shape.board = true;
  shape.one_host = agreed.reaches_memory;
  shape.long_board = agreed.takes_long;
  shape.quick_copies = agreed.copies_quickly;
  shape.hierarchy = known.hierarchy.get();  // found out before, if at all
  return {shape, params};
}

LineClaims claims_of(const OwnNotices& own, const Board::Agreement& agreed) {
  return {agreed.claims_lines, agreed.claims_lines ? own.memory->claim_lines_to() : 0};
}

}  // namespace

Board::Board(Engine& engine, const CommCore& comm, const CollectiveState& known, OwnNotices own,
             Agreement agreement)
    : events_(engine.process().events()),
      limits_(find_limits(comm, known, agreement, engine.process().params())),
      lines_(engine, comm.rank, std::move(agreement.members), claims_of(own, agreement)),
      reduction_(lines_, known.cost_class == CostClass::host),
      own_(own),
      reaches_memory_(agreement.reaches_memory),
      copies_quickly_(agreement.copies_quickly) {
  if (agreement.paces) pace_.emplace(agreement.own_ns);
  events_.add(this);
  wanted_events_changed();
}

void Board::wanted_events_changed() {
  const bool closed = events_.any_of(kOfCollectives);
  limits_.close_short(closed);
  lines_.waiting().watch(closed);
}

/// The segment may serve another board when nobody reads it for this one any more: when all members
/// have closed it. They all close it after the same operation; but after an error among pieces a
/// member may be ahead, and its segment serves nobody again.
Board::~Board() {
  events_.remove(this);
  const auto members = lines_.members();
  const BoardMember& self = members[static_cast<std::size_t>(lines_.rank())];
  const std::uint64_t end = lines_.number() + 1;
  self.segment->closed.store(self.base + end, std::memory_order_release);
  own_.memory->return_notices(
      own_.notices.index, [all = std::vector<BoardMember>(members.begin(), members.end()), end] {
        return std::any_of(all.begin(), all.end(), [=](const BoardMember& member) {
          return member.segment->closed.load(std::memory_order_acquire) < member.base + end;
        });
      });
}

int Board::run(const CollectiveArgs& a, const WaitSubject* subject) {
  lines_.waiting().set_subject(subject);
  if (const int error = lines_.begin()) return error;
  lines_.pages().begin(a.kind == CollectiveKind::allgather || a.kind == CollectiveKind::alltoall ||
                       a.kind == CollectiveKind::allreduce);
  const int error = run_on_board(lines_, reduction_, a);
  lines_.prefetch_next();
  return error;
}

BoardState::BoardState(Engine& engine, const CommCore& comm, const CollectiveState& known,
                       OwnNotices own, Board::Agreement agreement)
    : CollectiveState(known), here(engine, comm, known, own, std::move(agreement)) {
  board = &here;
  quick_copies = here.copies_quickly();
}

}  // namespace remit
