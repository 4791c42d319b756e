// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// From what communicators/ makes to the objects behind handles, and the arguments that it takes.
#pragma once

#include <memory>
#include <optional>

#include "bindings/entry.hpp"
#include "communicators/creation.hpp"

namespace remit {

/// The MPI call of an entry, and a communicator, as the functions of communicators/ take them.
[[nodiscard]] inline CommCall call_of(const Entry& entry) {
  return {*entry.instance().comms, entry.function()};
}
[[nodiscard]] inline ParentComm parent_of(CommObject& comm) {
  return {comm.core, comm.name};
}

/// What a communicator inherits from its parent (MPI-5.0, section 9.3.1), or has from whoever makes
/// it without one.
struct Inherited {
  MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
  Ref<SessionObject> session;
};
[[nodiscard]] Inherited inherited_from(const CommObject& parent);

/// The object of a communicator, with one reference, which is the handle's.
[[nodiscard]] CommObject* make_comm(const Inherited& inherited, CommCore core);

/// Ends a function that makes a communicator of `parent`: sets `out`, to MPI_COMM_NULL where none
/// was made, or raises the error. Returns what the MPI function is to return.
[[nodiscard]] int finish_comm(Entry& entry, const CommObject& parent, Expected<MaybeComm> made,
                              MPI_Comm* out, std::shared_ptr<const Topology> topology = nullptr);

/// The communicator of `group`, which all members of `parent` make together (create_comm() of
/// communicators/). Returns what the MPI function is to return.
[[nodiscard]] int create_comm_object(Entry& entry, CommObject& parent, GroupPtr group,
                                     std::shared_ptr<const Topology> topology, MPI_Comm* out);

/// This process's rank in a group, or MPI_UNDEFINED.
[[nodiscard]] int my_rank_in(const Instance& instance, const Group& group);

/// Hints: reads those that Remit knows, and leaves the others as they are. MPI_INFO_NULL is fine.
[[nodiscard]] int read_hints(Entry& entry, MPI_Info info, CommHints& hints);

}  // namespace remit
