// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Process sets by name (MPI-5.0, section 11.3.2).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "bindings/process/instance.hpp"

namespace remit {

/// The sets that always exist, mpi://WORLD and mpi://SELF (without their members), then the
/// launcher's. Asks the launcher.
[[nodiscard]] std::vector<ProcessSet> process_sets(Instance& instance);

/// The processes of a set; null if there is none of that name. Asks the launcher about others than
/// the first two.
[[nodiscard]] std::shared_ptr<const Group> find_pset(Instance& instance, std::string_view name);

}  // namespace remit
