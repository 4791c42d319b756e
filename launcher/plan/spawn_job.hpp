// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// From a request of a rank to start processes (MPI_Comm_spawn) to a job of their own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "launcher/plan/job.hpp"

namespace remit::launcher {

struct SpawnOrder {
  struct Program {
    std::vector<std::string> argv;
    std::vector<std::string> env;  ///< "NAME=value", in addition to that of the rank
    std::string wdir;              ///< relative to that of the rank; empty: the same
    std::string path;              ///< folders to look for it before PATH
    std::string hosts;             ///< names with commas between them; empty: any
    int ranks = 0;
  };
  int asker = -1;  ///< the number (Job::first) of the process that asks
  std::vector<Program> programs;
  std::string parent_port;  ///< see kParentPortKey (runtime/bootstrap/spawn_keys.hpp)
};

/// What a spawned job is called and counted by, and where it may run.
struct SpawnPlace {
  int number = 1;                   ///< of the job, among those that mpirun starts
  int first = 0;                    ///< see Job::first
  std::span<const HostRoom> hosts;  ///< those that mpirun was given
  std::vector<int> living;          ///< processes on each of them
};

/// Laid out as a first job would be on what others have left of the slots, and not bound. Its
/// programs have the environment and working directory of the rank of `parent` that asks; those
/// with ranks on mpirun's host are found there. The error is for that rank.
[[nodiscard]] tl::expected<Job, LaunchError> make_spawned_job(const SpawnOrder& order,
                                                              const Job& parent,
                                                              const Options& options,
                                                              const SpawnPlace& place);

}  // namespace remit::launcher
