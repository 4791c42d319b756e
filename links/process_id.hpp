// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The numbers by which a process knows all others.
#pragma once

#include <cstdint>

namespace remit {

/// A process in this process's table of all processes it can talk to: the world rank for those of
/// its own job, higher numbers for those of other jobs, in the order in which it heard of them
/// (links/passport.hpp). It means nothing to a process of another job.
using ProcId = std::uint32_t;

/// No process, or any.
inline constexpr ProcId kAnyProc = ~ProcId{0};

}  // namespace remit
