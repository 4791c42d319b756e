// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The numbers by which a process knows all others.
#pragma once

#include <cstdint>

namespace remit {

/// A process in this process's table of all processes it can talk to: the world rank for those of
/// its own job, higher numbers for those of other jobs, in the order in which it heard of them
/// (links/passport.hpp). It means nothing to a process of another job. A type of its own, so that
/// neither a rank in some communicator nor a PeerName passes for it: who has a rank asks the
/// communicator's Group.
enum class ProcId : std::uint32_t {};

/// No process, or any.
inline constexpr ProcId kAnyProc{~std::uint32_t{0}};

/// The process of a world rank of this job.
[[nodiscard]] constexpr ProcId proc_of_world_rank(int rank) {
  return static_cast<ProcId>(rank);
}
/// As an index, or for messages to people.
[[nodiscard]] constexpr std::uint32_t number_of(ProcId proc) {
  return static_cast<std::uint32_t>(proc);
}

}  // namespace remit
