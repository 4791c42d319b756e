// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The drivers that make one coroutine blocking, nonblocking or persistent.
#include <fmt/format.h>

#include <cassert>

#include "collectives/algorithms.hpp"
#include "collectives/board/board.hpp"
#include "collectives/board/board_meeting.hpp"
#include "collectives/choice/decision.hpp"
#include "collectives/collective_watch.hpp"
#include "collectives/hierarchy.hpp"
#include "collectives/state.hpp"
#include "runtime/clock.hpp"
#include "runtime/copy_time.hpp"

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
  self.tell_end();
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

void Collective::tell_end() {
  if (!watch_) return;
  if (algorithm_ != nullptr) watch_->waited(monotonic_ns() - watch_->began_ns());
  watch_->ended();
  watch_.reset();
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
  if (engine_.process().events().any_of(kOfCollectives)) {
    watch_.emplace(engine_, comm_, args_.kind, sequence_);
    watch_->started(algorithm_, nullptr);
  }
  if (algorithm_ == nullptr) {
    do_alone(comm_.size(), args_);
    tell_end();
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
                  const WaitSubject* subject, CollectiveWatch* watch) {
  Process& process = engine.process();
  FrameArenaLease arena(process.arenas());
  const int polls = watch == nullptr ? kBlockingPolls : kNonblockingPolls;
  CollCtx c(engine, comm, sequence, *arena, polls, on_board);
  Task<int> task = row.run(c, args);
  if (watch != nullptr) watch->blocks();
  task.start();
  if (!task.done()) {
    const std::int64_t began_ns = watch == nullptr ? 0 : monotonic_ns();
    const std::uint64_t copied_ns = watch == nullptr ? 0 : CopyTime::of_this_thread();
    process.progress().wait([&] { return task.done(); }, subject);
    if (watch != nullptr) {
      const auto copied = static_cast<std::int64_t>(CopyTime::of_this_thread() - copied_ns);
      watch->waited(monotonic_ns() - began_ns - copied);
    }
  }
  engine.links().settle(subject);
  if (ended_by_exception(task.result())) [[unlikely]]
    arena.abandon();
  return task.result();
}

}  // namespace

namespace {

/// `watch`: null, or who is told that it starts.
int run_whole(Engine& engine, CommCore& comm, const CollectiveArgs& args, std::uint32_t sequence,
              const WaitSubject* subject, CollectiveWatch* watch) {
  learn_costs(engine, comm);
  const CollectiveShape shape = shape_of(comm, args);
  if (is_for_one(shape, args)) {
    if (watch != nullptr) watch->started(nullptr, nullptr);
    do_alone(shape.size, args);
    return MPI_SUCCESS;
  }
  if (board_of(comm) == nullptr) {
    if (const int error = count_board_use(engine, comm, args, shape, subject)) return error;
  }
  Board* const board = board_of(comm);
  const Decision decision = decide(board, args, shape, engine.process().params());
  if (decision.algorithm == nullptr) {
    if (watch != nullptr) watch->started(nullptr, board);
    return board->run(args, subject);
  }
  // Not of operations on a board, which other members may do in a form that counts nothing.
  if (known_state(comm).hierarchy_uses < Hierarchy::kPatience) [[unlikely]] {
    if (const int error = Hierarchy::count_use(engine, comm, subject)) return error;
  }
  Board* const meets_on = decision.meets_on_board ? board : nullptr;
  if (watch != nullptr) watch->started(decision.algorithm, meets_on);
  if (meets_on == nullptr) {
    return run_algorithm(engine, comm, args, *decision.algorithm, sequence, nullptr, subject,
                         watch);
  }
  const DirectOnBoard meeting{*board, decision.pace, shape.bytes, subject};
  return run_algorithm(engine, comm, args, *decision.algorithm, sequence, &meeting, subject, watch);
}

}  // namespace

int run_collective(Engine& engine, CommCore& comm, const CollectiveArgs& args,
                   const WaitSubject* subject) {
  const std::uint32_t sequence = comm.collective_sequence++;
  if (!engine.process().events().any_of(kOfCollectives)) [[likely]]
    return run_whole(engine, comm, args, sequence, subject, nullptr);
  CollectiveWatch watch(engine, comm, args.kind, sequence);
  const int code = run_whole(engine, comm, args, sequence, subject, &watch);
  watch.ended();
  return code;
}

}  // namespace remit
