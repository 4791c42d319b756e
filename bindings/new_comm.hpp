// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How communicators come to be.
#pragma once

#include <memory>

#include "bindings/entry.hpp"

namespace remit {

/// Agrees with all members of `parent` on a context id that is free at each of them. Returns what
/// the MPI function is to return.
[[nodiscard]] int agree_on_context(Entry& entry, CommObject& parent, ContextId& out);

/// A communicator of `group` with the error handler of `parent`; this process has `rank` in it.
[[nodiscard]] CommObject* make_comm(const CommObject& parent, ContextId context, int rank,
                                    std::shared_ptr<const Group> group);

/// What all members of `parent` call together, each with the group that it will be in: makes the
/// communicator of `group`. `out` is MPI_COMM_NULL if this process is not in it, or it is null.
/// Returns what the MPI function is to return.
[[nodiscard]] int create_comm(Entry& entry, CommObject& parent, std::shared_ptr<const Group> group,
                              std::shared_ptr<const Topology> topology, MPI_Comm* out);

}  // namespace remit
