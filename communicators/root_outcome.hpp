// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What one member of a communicator has found out, told to all of them.
#pragma once

#include <cstdint>

#include "communicators/comm_process.hpp"
#include "runtime/error.hpp"

namespace remit {

/// What the root found out: a code, and bytes whose number only the root knows. With an error these
/// are its words, unless the caller has more to tell.
struct RootOutcome {
  std::int64_t code = MPI_SUCCESS;
  Bytes bytes;
};

/// Brings `outcome` of `root` to all members of an intra-communicator, who all call this. Waits.
[[nodiscard]] Expected<> tell_members(const CommCall& call, const ParentComm& comm, int root,
                                      RootOutcome& outcome);

/// An error of the root, and back at the members: the same error for each of them to raise.
[[nodiscard]] RootOutcome outcome_of(const Error& error);
[[nodiscard]] Error error_of(const RootOutcome& outcome);

}  // namespace remit
