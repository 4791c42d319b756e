// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What one member of a communicator has found out, told to all of them.
#pragma once

#include <cstdint>
#include <exception>

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

/// An error of the root, and back at the members: the same error for each of them to raise. An
/// outcome without words is one of outcome_of_exception().
[[nodiscard]] RootOutcome outcome_of(const Error& error);
[[nodiscard]] Error error_of(const RootOutcome& outcome);

/// An exception as an outcome: want of memory has no words, for these would need some.
[[nodiscard]] RootOutcome outcome_of_exception(const std::exception& error);

/// What `work`, which returns a RootOutcome, finds out at the root. It may throw: the exception is
/// the outcome then, for members who are told nothing would wait for ever.
template <class Work>
[[nodiscard]] RootOutcome outcome_at_root(const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return outcome_of_exception(error);
  }
}

}  // namespace remit
