// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Process sets by name (MPI-5.0, section 11.3.2).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "pt2pt/communicator.hpp"
#include "runtime/process.hpp"

namespace remit {

/// The sets that always exist, mpi://WORLD and mpi://SELF (without their members), then the
/// launcher's, whom this asks.
[[nodiscard]] std::vector<ProcessSet> process_sets(Process& process);

/// The processes of a set; null if there is none of that name. Asks the launcher about others than
/// the first two.
[[nodiscard]] std::shared_ptr<const Group> find_process_set(Process& process,
                                                            std::string_view name);

}  // namespace remit
