// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The processes that other ones have started.
#pragma once

#include "bindings/entry.hpp"

namespace remit {

/// In MPI_Init of a job that was spawned: makes the inter-communicator to those who spawned it
/// (Instance::parent). Collective over MPI_COMM_WORLD; in other jobs it does nothing. Returns what
/// the MPI function is to return.
[[nodiscard]] int connect_to_parent(Entry& entry);

}  // namespace remit
