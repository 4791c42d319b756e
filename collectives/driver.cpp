// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The drivers that make one coroutine blocking, nonblocking or persistent.
#include "collectives/algorithms.hpp"
#include "collectives/buffers.hpp"

namespace remit {

namespace {

/// Polls of an await before it suspends. A blocking call has nothing else to do; the others look
/// once, for what is there already.
constexpr int kBlockingPolls = 100;
constexpr int kNonblockingPolls = 1;

/// A communicator of one process needs no messages: what it sends is what it receives.
void run_alone(CollCtx& c, const CollectiveArgs& a) {
  using enum CollectiveKind;
  if (a.send == MPI_IN_PLACE || a.recv == MPI_IN_PLACE) return;
  const bool send_vector = a.kind == scatterv || a.kind == alltoallv;
  const bool recv_vector = a.kind == gatherv || a.kind == allgatherv || a.kind == alltoallv;
  if (a.send_type == nullptr || a.recv_type == nullptr) return;  // barrier, bcast
  const View from = send_vector ? slice(a.send, a.send_displs[0], a.send_counts[0], *a.send_type)
                                : view_of(a.send, a.send_count, *a.send_type);
  const View to = recv_vector ? slice(a.recv, a.recv_displs[0], a.recv_counts[0], *a.recv_type)
                              : view_of(a.recv, a.recv_count, *a.recv_type);
  copy_local(c, from, to);
}

Task<int> select_and_call(CollCtx& c, const CommCore& comm, const CollectiveArgs& a) {
  const CollectiveShape shape = shape_of(comm, a);
  return choose_algorithm(a.kind, shape, c.engine().process().params()).run(c, a);
}

/// Reductions of no elements, and the like, send nothing: every member sees that by itself.
bool is_empty(const CollectiveArgs& a) {
  using enum CollectiveKind;
  return (a.kind == reduce || a.kind == allreduce) && a.recv_count == 0;
}

}  // namespace

Task<int> Collective::body(Collective& self) {
  Task<int> algorithm = select_and_call(*self.context_, self.comm_, self.args_);
  const int error = co_await algorithm;
  self.request.status.error = error;
  complete_request(self.request, self.engine_.process().progress());
  co_return error;
}

void Collective::start() {
  task_ = Task<int>();
  arena_.reset();
  request.complete = false;
  request.waiter = nullptr;
  request.status = OpStatus{};
  context_.emplace(engine_, comm_, comm_.collective_sequence++, arena_, kNonblockingPolls);
  if (comm_.size() == 1 || is_empty(args_)) {
    if (comm_.size() == 1) run_alone(*context_, args_);
    complete_request(request, engine_.process().progress());
    return;
  }
  task_ = body(*this);
  task_.start();
}

int run_collective(Engine& engine, CommCore& comm, const CollectiveArgs& args) {
  Process& process = engine.process();
  const ArenaLease arena(process.arenas());
  CollCtx c(engine, comm, comm.collective_sequence++, *arena, kBlockingPolls);
  if (comm.size() == 1) {
    run_alone(c, args);
    return MPI_SUCCESS;
  }
  if (is_empty(args)) return MPI_SUCCESS;
  Task<int> task = select_and_call(c, comm, args);
  task.start();
  if (!task.done()) process.progress().wait([&] { return task.done(); });
  return task.result();
}

}  // namespace remit
