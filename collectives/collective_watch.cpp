// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "collectives/collective_watch.hpp"

#include "collectives/algorithms.hpp"
#include "collectives/board/board.hpp"
#include "runtime/clock.hpp"

namespace remit {

CollectiveWatch::CollectiveWatch(Engine& engine, const CommCore& comm, CollectiveKind kind,
                                 std::uint32_t sequence)
    : engine_(engine), context_(comm.context), kind_(kind), sequence_(sequence) {}

void CollectiveWatch::started(const Algorithm* row, Board* board) {
  if (row != nullptr) {
    algorithm_ = kFirstAlgorithmItem + 1 + static_cast<int>(row - all_algorithms().data());
  }
  board_ = board;
  if (board_ != nullptr) (void)board_->lines().waiting().take_waited();
  began_ns_ = monotonic_ns();
  engine_.process().events().raise(EventKind::collective_started, context_, sequence_, kind_,
                                   algorithm_);
}

void CollectiveWatch::blocks() {
  engine_.message_events().await_collective(context_, tag());
}

void CollectiveWatch::ended() {
  ProcId last = kAnyProc;
  if (board_ != nullptr) {
    const BoardWait::Waited waited = board_->lines().waiting().take_waited();
    waited_ns_ += waited.ns;
    last = waited.last;
  } else if (waited_ns_ != 0) {
    last = engine_.message_events().peer_of_collective(context_, tag());
  }
  engine_.process().events().raise(EventKind::collective_ended, context_, sequence_, kind_,
                                   algorithm_, MessageEvents::peer_number(last), waited_ns_);
}

}  // namespace remit
