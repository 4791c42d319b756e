// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// From what communicators/ makes to the objects behind handles.
#include "bindings/comm/comm_objects.hpp"

#include <utility>

namespace remit {

Inherited inherited_from(const CommObject& parent) {
  return {parent.errhandler, parent.session};
}

CommObject* make_comm(const Inherited& inherited, CommCore core) {
  auto* comm = new CommObject;
  comm->handle = reinterpret_cast<MPI_Comm>(comm);
  comm->core = std::move(core);
  comm->session = inherited.session;
  comm->errhandler = inherited.errhandler;
  retain_errhandler(comm->errhandler);
  library().instance.load()->process->events().raise(
      EventKind::communicator_created, comm->core.context, comm->core.rank, comm->core.size());
  return comm;
}

int finish_comm(Entry& entry, const CommObject& parent, Expected<MaybeComm> made, MPI_Comm* out,
                std::shared_ptr<const Topology> topology) {
  if (!made) return entry.fail(made.error());
  *out = MPI_COMM_NULL;
  if (!*made) return MPI_SUCCESS;
  CommObject* comm = make_comm(inherited_from(parent), std::move(**made));
  comm->topology = std::move(topology);
  *out = comm->handle;
  return MPI_SUCCESS;
}

int create_comm_object(Entry& entry, CommObject& parent, GroupPtr group,
                       std::shared_ptr<const Topology> topology, MPI_Comm* out) {
  return finish_comm(entry, parent,
                     create_comm(call_of(entry), parent_of(parent), std::move(group)), out,
                     std::move(topology));
}

int my_rank_in(const Instance& instance, const Group& group) {
  return own_rank_in(*instance.process, group);
}

}  // namespace remit
