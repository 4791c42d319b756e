// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Slurm's allocations: what their variables say, and how srun starts daemons inside of one. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/cli/options.hpp"
#include "launcher/plan/hosts.hpp"
#include "runtime/error.hpp"

namespace remit::launcher {

/// What salloc or sbatch has given to the shell that mpirun was called from.
struct Allocation {
  std::string job;              ///< its number
  std::vector<HostSpec> hosts;  ///< with the tasks that each is meant to have
  std::string own_name;         ///< what Slurm calls this host; empty: it did not start this shell
};

/// nullopt: there is none. The slots are those of SLURM_TASKS_PER_NODE, or, where that is of
/// another list of nodes (that of a step), of SLURM_JOB_CPUS_PER_NODE.
[[nodiscard]] Expected<std::optional<Allocation>> find_allocation(
    const std::vector<std::string>& environment);

/// Slurm's notation of many names: "a[1-3,07],b" is a1 a2 a3 a07 b. Read here and not by "scontrol
/// show hostnames", so that a job on one host starts no process for it.
[[nodiscard]] Expected<std::vector<std::string>> expand_host_list(std::string_view text);

/// "2(x3),1" is 2 2 2 1; nullopt: it is something else.
[[nodiscard]] std::optional<std::vector<int>> expand_counts(std::string_view text);

/// Makes the hosts of the allocation those of the job. Where the user names hosts they must be
/// among them; one for which he gave no slots has those of the allocation.
[[nodiscard]] Expected<> use_allocation(const Allocation& allocation, const OwnNames& own,
                                        Options* options);

/// The command that reaches other hosts is srun, which starts programs on many of them at once.
[[nodiscard]] bool is_srun(const std::vector<std::string>& agent);

/// srun's words: `command` once on each of these hosts, beside whatever else the allocation runs
/// there. What srun reads goes to each of them.
[[nodiscard]] std::vector<std::string> srun_command(const std::vector<std::string>& agent,
                                                    const std::vector<std::string>& hosts,
                                                    const std::vector<std::string>& command);

/// srun takes the variables of an allocation, or of a step, for options; it gets only those by
/// which it finds the allocation.
[[nodiscard]] std::vector<std::string> srun_environment(std::vector<std::string> environment);

}  // namespace remit::launcher
