// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Sets of processes, of one job or several. Pure.
#pragma once

#include <vector>

#include "launcher/tree/wire.hpp"

namespace remit::launcher {

/// Processes by their numbers (Job::first): `count` of them from `first` on.
struct ProcessRun {
  int first = 0;
  int count = 0;
};
/// Ascending, and no two overlap or touch: so the same processes are always the same runs.
using ProcessRuns = std::vector<ProcessRun>;

/// Whether they are as they should be, not empty, and all among the first `processes` ones.
[[nodiscard]] bool are_sound(const ProcessRuns& runs, int processes);
[[nodiscard]] bool contains(const ProcessRuns& runs, int process);

void write_runs(const ProcessRuns& runs, WireWriter* writer);
/// Whatever was written: see are_sound().
[[nodiscard]] ProcessRuns read_runs(WireReader* reader);

}  // namespace remit::launcher
