// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The drivers that make one coroutine blocking, nonblocking or persistent.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <vector>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/buffers.hpp"
#include "collectives/board/board.hpp"
#include "collectives/hierarchy.hpp"

namespace remit {

namespace {

/// Polls of an await before it suspends. A blocking call has nothing else to do; the others look
/// once, for what is there already.
constexpr int kBlockingPolls = 100;
constexpr int kNonblockingPolls = 1;

/// A communicator of one process needs no messages: what it sends is what it receives.
void copy_to_self(const CollectiveArgs& a) {
  using enum CollectiveKind;
  if (a.send == MPI_IN_PLACE || a.recv == MPI_IN_PLACE) return;
  if (a.kind == exscan) return;  // the first member's result is undefined
  if (a.kind == barrier || a.kind == bcast) return;
  copy_local(send_slot(a, 0), receive_slot(a, 0));
}

/// What needs no messages: a communicator of one process, and operations on no bytes, which every
/// member sees by itself.
bool is_for_one(const CollectiveShape& shape, const CollectiveArgs& a) {
  if (a.neighbors != nullptr) return false;  // a process may be its own neighbour, or have none
  if (shape.inter || a.kind == CollectiveKind::agree) return false;
  const bool empty = a.kind != CollectiveKind::barrier && shape.uniform && shape.bytes == 0;
  return shape.size == 1 || empty;
}

bool done_alone(const CollectiveShape& shape, const CollectiveArgs& a) {
  if (!is_for_one(shape, a)) return false;
  if (shape.size == 1) copy_to_self(a);
  return true;
}

}  // namespace

void CollCtx::broken_off(int error) {
  fail(error);
  if (size() == 1 && comm_.remote == nullptr) return;
  engine_.process().bootstrap().abort(
      error, fmt::format("a collective operation cannot be finished here, and the other members of "
                         "its communicator wait for that: {}",
                         error_of_exception().message));
}

Task<int> run_part(CollCtx& c, CollectiveArgs a) {
  learn_place(c.engine(), c.comm());
  const CollectiveShape shape = shape_of(c.comm(), a);
  if (done_alone(shape, a)) co_return c.error();
  Task<int> algorithm = choose_algorithm(a.kind, shape, c.engine().process().params()).run(c, a);
  co_await algorithm;
  co_return c.error();
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
  learn_place(engine, comm);
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
    if (comm_.size() == 1) copy_to_self(args_);
    complete_request(request, engine_.process().progress());
    return;
  }
  context_.emplace(engine_, comm_, sequence_, arena_, kNonblockingPolls);
  task_ = body(*this);
  task_.start();
}

int run_collective(Engine& engine, CommCore& comm, const CollectiveArgs& args,
                   const WaitSubject* subject) {
  const std::uint32_t sequence = comm.collective_sequence++;
  learn_place(engine, comm);
  const CollectiveShape shape = shape_of(comm, args);
  if (done_alone(shape, args)) return MPI_SUCCESS;
  if (comm.hierarchy_wishes < Hierarchy::kPatience) [[unlikely]]
    Hierarchy::wish(engine, comm, subject);
  if (comm.board == nullptr) Board::wish(engine, comm, args, shape, subject);
  if (comm.board != nullptr && comm.board->takes(args, shape)) {
    return comm.board->run(args, subject);
  }
  Process& process = engine.process();
  const Algorithm& row = choose_algorithm(args.kind, shape, process.params());
  Board* board = row.direct ? comm.board.get() : nullptr;
  if (board != nullptr && !board->reaches_memory()) board = nullptr;
  if (board != nullptr) board->begin_direct(shape, subject);
  FrameArenaLease arena(process.arenas());
  CollCtx c(engine, comm, sequence, *arena, kBlockingPolls, board);
  Task<int> task = row.run(c, args);
  task.start();
  if (!task.done()) process.progress().wait([&] { return task.done(); }, subject);
  engine.links().settle(subject);
  if (ended_by_exception(task.result())) [[unlikely]]
    arena.abandon();
  return task.result();
}

}  // namespace remit
