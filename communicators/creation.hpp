// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// New communicators of some of the members of another one (MPI-5.0, section 7.4.2).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "communicators/comm_process.hpp"
#include "runtime/error.hpp"

namespace remit {

using GroupPtr = std::shared_ptr<const Group>;

/// The core of a communicator, or nothing where the MPI function returns MPI_COMM_NULL.
using MaybeComm = std::optional<CommCore>;

/// The processes of a group, in the order of their ranks.
[[nodiscard]] std::vector<ProcId> members_of(const Group& group);

/// The rank of this process in a group, or MPI_UNDEFINED.
[[nodiscard]] int own_rank_in(const Process& process, const Group& group);

/// The core of a communicator of `local`, in which this process has `rank`; with a remote group,
/// of an inter-communicator. The context is its own from then on: whoever ends the communicator
/// releases it.
[[nodiscard]] CommCore make_core(ContextId context, int rank, GroupPtr local,
                                 GroupPtr remote = nullptr);

/// What all members of `parent` call together, each with the group that it will be in: the
/// communicator of `group`. Nothing if this process is not in it, or it is null. Waits.
[[nodiscard]] Expected<MaybeComm> create_comm(const CommCall& call, const ParentComm& parent,
                                              GroupPtr group);

/// As create_comm(), for an inter-communicator: nothing where a group is null or empty.
[[nodiscard]] Expected<MaybeComm> create_intercomm(const CommCall& call, const ParentComm& parent,
                                                   GroupPtr local, GroupPtr remote);

/// MPI_ERR_GROUP unless each process of `group` is in the local group of `comm`.
[[nodiscard]] Expected<> check_subset(const CommCore& comm, const Group& group);

/// How two different communicators relate (section 7.4.1): MPI_CONGRUENT, MPI_SIMILAR or
/// MPI_UNEQUAL.
[[nodiscard]] int compare(const CommCore& a, const CommCore& b);

}  // namespace remit
