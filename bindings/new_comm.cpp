// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How communicators come to be: agreeing on a context id.
#include "bindings/new_comm.hpp"

#include "bindings/handles.hpp"
#include "bindings/wait_subjects.hpp"

namespace remit {

namespace {

/// Both values over all members of `comm`, reduced by `op`.
int reduce_pair(Entry& entry, CommObject& comm, MPI_Op op, const std::uint32_t (&mine)[2],
                std::uint32_t (&all)[2]) {
  CollectiveArgs args;
  args.kind = CollectiveKind::allreduce;
  args.send = mine;
  args.send_count = args.recv_count = 2;
  args.send_type = args.recv_type = &predefined(MPI_UINT32_T);
  args.recv = all;
  args.op = predefined_op(reinterpret_cast<std::uintptr_t>(op));
  const CollectiveWait subject(entry, comm, args.kind);
  if (int err = run_collective(entry.engine(), comm.core, args, &subject)) {
    return entry.fail(err, "the members could not agree on a context id");
  }
  return MPI_SUCCESS;
}

}  // namespace

/// Ids only grow; 2^31 of them outlive any job. With threads, a process may be in two agreements at
/// once, whose results may meet; so where any member has threads, all ask whether each could
/// reserve the id, and else try again.
int agree_on_context(Entry& entry, CommObject& parent, ContextId& out) {
  Instance& instance = entry.instance();
  while (true) {
    const std::uint32_t mine[2] = {instance.next_context, instance.locking ? 1U : 0U};
    std::uint32_t highest[2] = {};
    if (int err = reduce_pair(entry, parent, MPI_MAX, mine, highest)) return err;
    const bool is_free = highest[0] >= instance.next_context;
    if (is_free) instance.next_context = highest[0] + 2;
    out = highest[0];
    if (highest[1] == 0) return MPI_SUCCESS;
    const std::uint32_t vote[2] = {is_free ? 1U : 0U, 0};
    std::uint32_t agreed[2] = {};
    if (int err = reduce_pair(entry, parent, MPI_MIN, vote, agreed)) return err;
    if (agreed[0] != 0) return MPI_SUCCESS;
  }
}

CommObject* make_comm(const CommObject& parent, ContextId context, int rank,
                      std::shared_ptr<const Group> group) {
  auto* comm = new CommObject;
  comm->handle = reinterpret_cast<MPI_Comm>(comm);
  comm->core.context = context;
  comm->core.rank = rank;
  comm->core.local = std::move(group);
  comm->session = parent.session;
  comm->errhandler = parent.errhandler;
  retain_errhandler(comm->errhandler);
  return comm;
}

int create_comm(Entry& entry, CommObject& parent, std::shared_ptr<const Group> group,
                std::shared_ptr<const Topology> topology, MPI_Comm* out) {
  ContextId context = 0;
  if (int err = agree_on_context(entry, parent, context)) return err;
  *out = MPI_COMM_NULL;
  const auto self = static_cast<ProcId>(entry.instance().process->rank());
  const int rank = group == nullptr ? MPI_UNDEFINED : group->rank_of(self);
  if (rank == MPI_UNDEFINED) return MPI_SUCCESS;
  CommObject* made = make_comm(parent, context, rank, std::move(group));
  made->topology = std::move(topology);
  *out = made->handle;
  return MPI_SUCCESS;
}

}  // namespace remit
