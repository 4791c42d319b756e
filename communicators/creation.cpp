// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// New communicators of some of the members of another one.
#include "communicators/creation.hpp"

#include "collectives/state.hpp"
#include "communicators/agreement.hpp"

namespace remit {

std::vector<ProcId> members_of(const Group& group) {
  std::vector<ProcId> members(static_cast<std::size_t>(group.size()));
  for (int i = 0; i < group.size(); ++i) members[static_cast<std::size_t>(i)] = group.proc(i);
  return members;
}

int own_rank_in(const Process& process, const Group& group) {
  return group.rank_of(static_cast<ProcId>(process.rank()));
}

CommCore make_core(ContextId context, int rank, GroupPtr local, GroupPtr remote) {
  CommCore core;
  core.rank = rank;
  core.local = std::move(local);
  core.remote = std::move(remote);
  if (core.is_inter()) {
    core.within = std::make_shared<CommCore>();
    core.within->rank = rank;
    core.within->local = core.local;
    // One number for all members, however often one of them uses the group by itself: no board.
    refuse_set_up(*core.within);
  }
  core.set_context(context);
  return core;
}

namespace {

/// Agrees on a context, which is given back by those that are in no local group.
Expected<MaybeComm> agree_and_make(const CommCall& call, const ParentComm& parent, GroupPtr local,
                                   GroupPtr remote) {
  const auto context = agree_on_context(call, parent);
  if (!context) return tl::unexpected(context.error());
  const int rank = local == nullptr ? MPI_UNDEFINED : own_rank_in(call.process(), *local);
  if (rank == MPI_UNDEFINED) {
    call.comms.contexts().release(*context);
    return MaybeComm();
  }
  return make_core(*context, rank, std::move(local), std::move(remote));
}

}  // namespace

Expected<MaybeComm> create_comm(const CommCall& call, const ParentComm& parent, GroupPtr group) {
  return agree_and_make(call, parent, std::move(group), nullptr);
}

Expected<MaybeComm> create_intercomm(const CommCall& call, const ParentComm& parent, GroupPtr local,
                                     GroupPtr remote) {
  if (remote == nullptr || remote->size() == 0) local = nullptr;
  return agree_and_make(call, parent, std::move(local), std::move(remote));
}

Expected<> check_subset(const CommCore& comm, const Group& group) {
  for (int i = 0; i < group.size(); ++i) {
    if (comm.local->rank_of(group.proc(i)) != MPI_UNDEFINED) continue;
    return fail(MPI_ERR_GROUP, "rank {} of the group is not in the communicator{}", i,
                comm.is_inter() ? "'s local group" : "");
  }
  return {};
}

int compare(const CommCore& a, const CommCore& b) {
  if (a.is_inter() != b.is_inter()) return MPI_UNEQUAL;
  const int local = compare(*a.local, *b.local);
  const int remote = a.is_inter() ? compare(*a.remote, *b.remote) : MPI_IDENT;
  if (local == MPI_UNEQUAL || remote == MPI_UNEQUAL) return MPI_UNEQUAL;
  return local == MPI_IDENT && remote == MPI_IDENT ? MPI_CONGRUENT : MPI_SIMILAR;
}

}  // namespace remit
