// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The drivers that make one coroutine blocking, nonblocking or persistent.
#include <fmt/format.h>

#include <cassert>

#include "collectives/algorithms.hpp"
#include "collectives/board/board.hpp"
#include "collectives/board/board_meeting.hpp"
#include "collectives/choice/decision.hpp"
#include "collectives/hierarchy.hpp"
#include "collectives/state.hpp"

namespace remit {

namespace {

/// Polls of an await before it suspends. A blocking call has nothing else to do; the others look
/// once, for what is there already.
constexpr int kBlockingPolls = 100;
constexpr int kNonblockingPolls = 1;

}  // namespace

void CollCtx::broken_off(int error) {
  fail(error);
  if (size() == 1 && comm_.remote == nullptr) return;
  engine_.process().bootstrap().abort(
      error, fmt::format("a collective operation cannot be finished here, and the other members of "
                         "its communicator wait for that: {}",
                         error_of_exception().message));
}

Task<int> Collective::body(Collective& self) {
  Task<int> algorithm = self.algorithm_->run(*self.context_, self.args_);
  const int error = co_await algorithm;
  self.request.status.error = error;
  complete_request(self.request, self.engine_.process().progress());
  co_return error;
}

Collective::Collective(Engine& engine, CommCore& comm, const CollectiveArgs& args)
    : engine_(engine), comm_(comm), args_(args), sequence_(comm.collective_sequence++) {
  learn_costs(engine, comm);
  const CollectiveShape shape = shape_of(comm, args);
  if (is_for_one(shape, args)) return;
  algorithm_ = &choose_algorithm(args.kind, shape, engine.process().params());
}

Collective::~Collective() {
  assert(!task_.valid() || task_.done());
}

void Collective::start() {
  assert(!task_.valid() || task_.done());
  if (broken()) return;  // and complete
  task_ = Task<int>();
  arena_.reset();
  request.complete = false;
  request.waiter = nullptr;
  request.status = OpStatus{};
  if (algorithm_ == nullptr) {
    do_alone(comm_.size(), args_);
    complete_request(request, engine_.process().progress());
    return;
  }
  context_.emplace(engine_, comm_, sequence_, arena_, kNonblockingPolls);
  task_ = body(*this);
  task_.start();
}

namespace {

/// Runs the coroutine of a row to its end. `on_board`: where a direct one meets; null: by messages.
int run_algorithm(Engine& engine, const CommCore& comm, const CollectiveArgs& args,
                  const Algorithm& row, std::uint32_t sequence, const DirectOnBoard* on_board,
                  const WaitSubject* subject) {
  Process& process = engine.process();
  FrameArenaLease arena(process.arenas());
  CollCtx c(engine, comm, sequence, *arena, kBlockingPolls, on_board);
  Task<int> task = row.run(c, args);
  task.start();
  if (!task.done()) process.progress().wait([&] { return task.done(); }, subject);
  engine.links().settle(subject);
  if (ended_by_exception(task.result())) [[unlikely]]
    arena.abandon();
  return task.result();
}

}  // namespace

int run_collective(Engine& engine, CommCore& comm, const CollectiveArgs& args,
                   const WaitSubject* subject) {
  const std::uint32_t sequence = comm.collective_sequence++;
  learn_costs(engine, comm);
  const CollectiveShape shape = shape_of(comm, args);
  if (is_for_one(shape, args)) {
    do_alone(shape.size, args);
    return MPI_SUCCESS;
  }
  if (known_state(comm).hierarchy_uses < Hierarchy::kPatience) [[unlikely]]
    Hierarchy::count_use(engine, comm, subject);
  if (board_of(comm) == nullptr) count_board_use(engine, comm, args, shape, subject);
  Board* const board = board_of(comm);
  const Decision decision = decide(board, args, shape, engine.process().params());
  if (decision.algorithm == nullptr) return board->run(args, subject);
  if (!decision.meets_on_board) {
    return run_algorithm(engine, comm, args, *decision.algorithm, sequence, nullptr, subject);
  }
  const DirectOnBoard meeting{*board, decision.pace, shape.bytes, subject};
  return run_algorithm(engine, comm, args, *decision.algorithm, sequence, &meeting, subject);
}

}  // namespace remit
