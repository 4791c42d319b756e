// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// MPI_Comm_split and its relatives (MPI-5.0, section 7.4.2).
#pragma once

#include <cstdint>
#include <functional>

#include "communicators/creation.hpp"

namespace remit {

/// A color that is found out only when some member has asked for it: see Recolor.
inline constexpr std::int64_t kColorLater = -2;

/// What all members call if one of them, of either group, has kColorLater as its color: finds out,
/// together with the others, the color of this one, which asked for `color`.
using Recolor = std::function<Expected<std::int64_t>(std::int64_t color)>;

/// Splits `comm`, also an inter-communicator, whose members all call this: makes the communicator
/// of the members with the same color, in the order of `key`, then of their ranks. Any `color`,
/// MPI_UNDEFINED (nothing is made at this process), or kColorLater, which needs `recolor`. Waits.
[[nodiscard]] Expected<MaybeComm> split_comm(const CommCall& call, const ParentComm& comm,
                                             std::int64_t color, int key,
                                             const Recolor& recolor = {});

}  // namespace remit
