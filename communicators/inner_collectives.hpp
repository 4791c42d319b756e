// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Collective operations among the members of a communicator that are part of another MPI call, as
// what its making takes.
#pragma once

#include "collectives/collectives.hpp"
#include "communicators/comm_process.hpp"
#include "runtime/error.hpp"

namespace remit {

/// Arguments of a collective operation: `count` elements of a predefined type each way.
[[nodiscard]] CollectiveArgs plain_args(CollectiveKind kind, const void* send, void* recv,
                                        MPI_Count count, MPI_Datatype type);

/// The words of an error of a collective operation, unless its caller has others.
inline constexpr const char* kNoAgreementText =
    "the members could not agree on the new communicator";

/// Runs a collective operation that all members of `comm` call, those of both groups of an
/// inter-communicator. Waits. The error has the class of the operation's and `error_text`.
[[nodiscard]] Expected<> run_among_members(const CommCall& call, const ParentComm& comm,
                                           const CollectiveArgs& args,
                                           const char* error_text = kNoAgreementText);

/// The same for the members of the local group of an inter-communicator alone. The members of the
/// other group make as many such calls, in the same order among other operations.
[[nodiscard]] Expected<> run_within_local_group(const CommCall& call, const ParentComm& comm,
                                                const CollectiveArgs& args);

}  // namespace remit
