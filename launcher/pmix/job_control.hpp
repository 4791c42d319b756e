// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a process asks for others by PMIx_Job_control. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/plan/process_runs.hpp"

namespace remit::launcher {

/// Signals, one after the other, for processes of any jobs of this mpirun.
struct JobControl {
  int asker = 0;  ///< the number of a process (Job::first)
  ProcessRuns processes;
  std::vector<int> signals;

  [[nodiscard]] bool is_for(int process) const { return contains(processes, process); }
  /// One of the signals, for this process.
  [[nodiscard]] bool sends(int signal, int process) const;
};

/// Its bytes begin with the asker's number, as those of every message about a process.
[[nodiscard]] std::string write_control(const JobControl& control);
/// nullopt: the bytes are none, or name others than the first `processes` ones, or no signals.
[[nodiscard]] std::optional<JobControl> read_control(const std::string& bytes, int processes);

}  // namespace remit::launcher
