// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// From a request of a rank to start processes (MPI_Comm_spawn) to a job of their own.
#pragma once

#include <string>
#include <vector>

#include "launcher/job.hpp"

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
  std::string job;  ///< PMIx namespace of who asks
  int rank = 0;
  std::vector<Program> programs;
  std::string parent_port;  ///< see kParentPortKey (runtime/spawn_keys.hpp)
};

/// What who asks is told in a job on several hosts.
inline constexpr const char* kOneHostOnly =
    "mpirun does not start further processes in a job on several hosts yet";

/// What a spawned job is called and counted by.
struct SpawnPlace {
  int number = 1;      ///< of the job, among those that mpirun starts
  int first = 0;       ///< see Job::first
  int neighbours = 0;  ///< processes of other jobs that live on this host
  std::string host;    ///< the name of this one
};

/// Its programs are found, and have the environment and working directory of the rank of `parent`
/// that asks. All run on this host, and none is bound. The error is for that rank.
[[nodiscard]] tl::expected<Job, LaunchError> make_spawned_job(const SpawnOrder& order,
                                                              const Job& parent,
                                                              const SpawnPlace& place);

}  // namespace remit::launcher
