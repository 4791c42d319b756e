// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How communicators come to be.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "bindings/entry.hpp"
#include "pt2pt/context_ids.hpp"

namespace remit {

using GroupPtr = std::shared_ptr<const Group>;

/// One round of an agreement among the members of an intra-communicator: what settle() needs.
/// Returns what the MPI function is to return.
[[nodiscard]] int agree_once(Entry& entry, CommObject& comm, ContextAgreement& agreement,
                             ContextAgreement::Words& maxima);

/// Agrees with all members of `parent`, both groups of an inter-communicator, on a context that is
/// free at each of them, and takes it. Returns what the MPI function is to return.
[[nodiscard]] int agree_on_context(Entry& entry, CommObject& parent, ContextId& out);

/// What a communicator has from its parent, or from whoever makes it without one.
struct Heritage {
  MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
  Ref<SessionObject> session;
};
[[nodiscard]] Heritage heritage_of(const CommObject& parent);

/// A communicator of `local`, in which this process has `rank`, or with a remote group an
/// inter-communicator. The context is its own from then on.
[[nodiscard]] CommObject* make_comm(const Heritage& heritage, ContextId context, int rank,
                                    GroupPtr local, GroupPtr remote = nullptr);

/// What all members of `parent` call together, each with the group that it will be in: makes the
/// communicator of `group`. `out` is MPI_COMM_NULL if this process is not in it, or it is null.
/// Returns what the MPI function is to return.
[[nodiscard]] int create_comm(Entry& entry, CommObject& parent, GroupPtr group,
                              std::shared_ptr<const Topology> topology, MPI_Comm* out);

/// As create_comm, for an inter-communicator: null groups, or an empty one, are MPI_COMM_NULL.
[[nodiscard]] int create_intercomm(Entry& entry, CommObject& parent, GroupPtr local,
                                   GroupPtr remote, MPI_Comm* out);

/// A color that is found out only when some member has asked for it: see Recolor.
inline constexpr std::int64_t kColorLater = -2;

/// What all members call if one of them, of either group, has kColorLater as its color: finds out,
/// together with the others, the color of this one. Returns what the MPI function is to return.
using Recolor = std::function<int(std::int64_t& color)>;

/// MPI_Comm_split, also of inter-communicators: any `color`, MPI_UNDEFINED, or kColorLater.
[[nodiscard]] int split(Entry& entry, CommObject& comm, std::int64_t color, int key,
                        MPI_Comm* newcomm, const Recolor& recolor = {});

/// A collective operation on a communicator, or on the local group of an inter-communicator, that
/// is part of another MPI function. Returns what the MPI function is to return.
[[nodiscard]] int run_inner(Entry& entry, CommObject& comm, const CollectiveArgs& args);
[[nodiscard]] int run_within(Entry& entry, CommObject& comm, const CollectiveArgs& args);

/// Arguments of `run_inner`: `count` elements of a predefined type each way.
[[nodiscard]] CollectiveArgs plain_args(CollectiveKind kind, const void* send, void* recv,
                                        MPI_Count count, MPI_Datatype type);

/// The processes of a group.
[[nodiscard]] std::vector<ProcId> members_of(const Group& group);

/// This process's rank in a group, or MPI_UNDEFINED.
[[nodiscard]] int my_rank_in(const Instance& instance, const Group& group);

/// Hints: reads those that Remit knows, and leaves the others as they are. MPI_INFO_NULL is fine.
[[nodiscard]] int read_hints(Entry& entry, MPI_Info info, CommHints& hints);

}  // namespace remit
