// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Inter-communicators (MPI-5.0, section 7.6): from two groups with leaders, from groups alone, and
// merging them.
#pragma once

#include <string>

#include "communicators/creation.hpp"

namespace remit {

/// MPI_ERR_COMM if a process is in both groups of a future inter-communicator. All members of both
/// find out alike.
[[nodiscard]] Expected<> check_disjoint(const Engine& engine, const Group& local,
                                        const Group& remote);

/// A context that is free at all members of two disjoint groups, who all call this, and taken at
/// each from then on. `topic` as for MailCall. Waits.
[[nodiscard]] Expected<ContextId> agree_between(const CommCall& call, std::string topic,
                                                const Group& local, const Group& remote);

/// The way of a local leader to the remote one: arguments of MPI_Intercomm_create that matter at
/// the leaders only, checked.
struct LeaderLink {
  CommCore& peer;
  int remote_leader = 0;
};

/// MPI_Intercomm_create: the inter-communicator of `local`, all of whose members call this, and of
/// the group of the remote leader. `link` is null but at `leader`, a rank of `local`. `tag` tells
/// calls of the same leaders apart. Waits.
[[nodiscard]] Expected<CommCore> create_intercomm_of_leaders(const CommCall& call,
                                                             const ParentComm& local, int leader,
                                                             int tag, const LeaderLink* link);

/// What the leader calls instead if its arguments are wrong: the others get an error of class
/// `code`. Waits. The remote leader hears nothing: which of its calls this one was meant to meet,
/// the arguments would say. A wrong argument has no effect on other processes, as of all functions:
/// the remote leader waits until the group repeats the call, or until the error ends the job.
[[nodiscard]] Expected<> refuse_intercomm(const CommCall& call, const ParentComm& local, int leader,
                                          int code);

/// MPI_Comm_create_group: the communicator of `group`, whose members call this, all in `parent`.
/// Nothing if this process is not in it. Waits.
[[nodiscard]] Expected<MaybeComm> create_comm_of_group(const CommCall& call, const CommCore& parent,
                                                       GroupPtr group, int tag);

/// MPI_Comm_create_from_group: the communicator of `group`, whose members call this; this process
/// has `rank`. `string_tag` tells calls apart that are under way at once. Waits.
[[nodiscard]] Expected<CommCore> create_comm_from_group(const CommCall& call, GroupPtr group,
                                                        int rank, const std::string& string_tag);

/// MPI_Intercomm_create_from_groups: all members of `local` call this, this process with `rank`.
/// `remote` matters at `leader` only. Nothing if the remote group is empty. Waits.
[[nodiscard]] Expected<MaybeComm> create_intercomm_from_groups(const CommCall& call, GroupPtr local,
                                                               int rank, int leader,
                                                               GroupPtr remote,
                                                               const std::string& string_tag);

/// MPI_Intercomm_merge: the communicator of both groups, whose members all call this. The group
/// that says `high` comes second; if both say the same, the one whose rank 0 does. Waits.
[[nodiscard]] Expected<MaybeComm> merge_intercomm(const CommCall& call, const ParentComm& comm,
                                                  bool high);

}  // namespace remit
