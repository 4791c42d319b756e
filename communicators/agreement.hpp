// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How the members of a communicator agree on the context of a new one (pt2pt/context_ids.hpp).
#pragma once

#include "communicators/comm_process.hpp"
#include "runtime/error.hpp"

namespace remit {

/// One round of an agreement among the members of an intra-communicator, who all call this. Waits.
/// Returns the maxima, which ContextAgreement::settle() takes.
[[nodiscard]] Expected<ContextAgreement::Words> agreement_round(const CommCall& call,
                                                                const ParentComm& comm,
                                                                ContextAgreement& agreement);

/// Agrees with all members of `parent`, both groups of an inter-communicator, on a context that is
/// free at each of them, and takes it: the caller releases it (ContextIds::release()) or gives it
/// to a communicator. Collective; waits.
[[nodiscard]] Expected<ContextId> agree_on_context(const CommCall& call, const ParentComm& parent);

}  // namespace remit
