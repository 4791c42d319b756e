// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How communicators come to be: agreeing on a context, and making the object.
#include "bindings/comm/new_comm.hpp"

#include "bindings/env/wait_subjects.hpp"
#include "bindings/handles.hpp"

namespace remit {

CollectiveArgs plain_args(CollectiveKind kind, const void* send, void* recv, MPI_Count count,
                          MPI_Datatype type) {
  CollectiveArgs args;
  args.kind = kind;
  args.send = send;
  args.recv = recv;
  args.send_count = args.recv_count = count;
  args.send_type = args.recv_type = &predefined(type);
  return args;
}

namespace {

int run_on(Entry& entry, CommObject& comm, CommCore& core, const CollectiveArgs& args) {
  const CollectiveWait subject(entry, comm, args.kind);
  if (int err = run_collective(entry.engine(), core, args, &subject)) {
    return entry.fail(err, "the members could not agree on the new communicator");
  }
  return MPI_SUCCESS;
}

}  // namespace

int run_inner(Entry& entry, CommObject& comm, const CollectiveArgs& args) {
  return run_on(entry, comm, comm.core, args);
}

int run_within(Entry& entry, CommObject& comm, const CollectiveArgs& args) {
  CommCore& within = *comm.core.within;
  within.collective_sequence = comm.core.collective_sequence;
  const int code = run_on(entry, comm, within, args);
  ++comm.core.collective_sequence;
  return code;
}

std::vector<ProcId> members_of(const Group& group) {
  std::vector<ProcId> members(static_cast<std::size_t>(group.size()));
  for (int i = 0; i < group.size(); ++i) members[static_cast<std::size_t>(i)] = group.proc(i);
  return members;
}

int my_rank_in(const Instance& instance, const Group& group) {
  return group.rank_of(static_cast<ProcId>(instance.process->rank()));
}

int agree_once(Entry& entry, CommObject& comm, ContextAgreement& agreement,
               ContextAgreement::Words& maxima) {
  const ContextAgreement::Words mine = agreement.mine();
  CollectiveArgs args = plain_args(CollectiveKind::allreduce, mine.data(), maxima.data(),
                                   static_cast<MPI_Count>(mine.size()), MPI_UINT64_T);
  args.op = predefined_op(reinterpret_cast<std::uintptr_t>(MPI_MAX));
  return run_inner(entry, comm, args);
}

int agree_on_context(Entry& entry, CommObject& parent, ContextId& out) {
  Instance& instance = entry.instance();
  ContextAgreement agreement(instance.contexts, !instance.locking());
  if (parent.core.is_inter()) {
    CollectiveArgs args;
    args.kind = CollectiveKind::agree;
    args.recv = &agreement;
    if (int err = run_inner(entry, parent, args)) return err;
  } else {
    // The same rounds as an operation of their own would make, but they may use the shared board.
    ContextAgreement::Words maxima{};
    do {
      if (int err = agree_once(entry, parent, agreement, maxima)) return err;
    } while (!agreement.settle(maxima));
  }
  out = agreement.context();
  return MPI_SUCCESS;
}

Heritage heritage_of(const CommObject& parent) {
  return {parent.errhandler, parent.session};
}

CommObject* make_comm(const Heritage& heritage, ContextId context, int rank, GroupPtr local,
                      GroupPtr remote) {
  auto* comm = new CommObject;
  comm->handle = reinterpret_cast<MPI_Comm>(comm);
  comm->core.rank = rank;
  comm->core.local = std::move(local);
  comm->core.remote = std::move(remote);
  if (comm->core.is_inter()) {
    comm->core.within = std::make_shared<CommCore>();
    comm->core.within->rank = rank;
    comm->core.within->local = comm->core.local;
    // One number for all members, however often one of them uses the group by itself: no board.
    comm->core.within->board_wishes = ~std::uint32_t{0};
    comm->core.within->hierarchy_wishes = ~std::uint32_t{0};
  }
  comm->core.set_context(context);
  comm->session = heritage.session;
  comm->errhandler = heritage.errhandler;
  retain_errhandler(comm->errhandler);
  return comm;
}

namespace {

/// Agrees on a context, and makes the communicator at those that are in its local group.
int create_comm(Entry& entry, CommObject& parent, GroupPtr local, GroupPtr remote,
                CommObject*& made) {
  ContextId context = 0;
  if (int err = agree_on_context(entry, parent, context)) return err;
  Instance& instance = entry.instance();
  const int rank = local == nullptr ? MPI_UNDEFINED : my_rank_in(instance, *local);
  if (rank == MPI_UNDEFINED) {
    instance.contexts.release(context);
    return MPI_SUCCESS;
  }
  made = make_comm(heritage_of(parent), context, rank, std::move(local), std::move(remote));
  return MPI_SUCCESS;
}

}  // namespace

int create_comm(Entry& entry, CommObject& parent, GroupPtr group,
                std::shared_ptr<const Topology> topology, MPI_Comm* out) {
  CommObject* made = nullptr;
  if (int err = create_comm(entry, parent, std::move(group), nullptr, made)) return err;
  if (made != nullptr) made->topology = std::move(topology);
  *out = made == nullptr ? MPI_COMM_NULL : made->handle;
  return MPI_SUCCESS;
}

int create_intercomm(Entry& entry, CommObject& parent, GroupPtr local, GroupPtr remote,
                     MPI_Comm* out) {
  if (remote == nullptr || remote->size() == 0) local = nullptr;
  CommObject* made = nullptr;
  if (int err = create_comm(entry, parent, std::move(local), std::move(remote), made)) return err;
  *out = made == nullptr ? MPI_COMM_NULL : made->handle;
  return MPI_SUCCESS;
}

}  // namespace remit
