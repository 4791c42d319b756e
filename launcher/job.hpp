// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A job as data: its programs, its hosts, and which rank runs where. Made once before anything is
// started, by the process that was called mpirun; daemons of other hosts will receive a copy.
#pragma once

#include <string>
#include <vector>

#include "launcher/mapping.hpp"
#include "launcher/options.hpp"
#include "launcher/spawn.hpp"

namespace remit::launcher {

struct App {
  std::vector<std::string> argv;
  std::string program;  ///< path of the file to execute
  std::string wdir;     ///< absolute
  int ranks = 0;
  int first_rank = 0;
  std::vector<std::string> env;  ///< complete "NAME=value" list, without what PMIx adds
};

struct Rank {
  int rank = 0;  ///< in MPI_COMM_WORLD
  int app = 0;
  int app_rank = 0;    ///< among the ranks of its app
  int host = 0;        ///< index into Job::hosts
  int local_rank = 0;  ///< among the ranks of its host
  Binding binding;     ///< on its host; empty: not bound
  int sharers = 0;     ///< ranks bound to the same cores, this one included; 0: not bound
};

struct Host {
  std::string name;
  std::vector<int> ranks;  ///< ascending
};

struct Job {
  std::string nspace;  ///< PMIx namespace, unique among the jobs of the host
  std::vector<App> apps;
  std::vector<Host> hosts;
  std::vector<Rank> ranks;  ///< index: rank
};

/// Lays the job out on this host: finds the programs, builds their environments from `environment`
/// (a "NAME=value" list, environ) and binds the ranks. Fails if a program cannot be run (with the
/// exit status a shell would give), a variable of -x is not set, or a directory does not exist.
[[nodiscard]] tl::expected<Job, LaunchError> make_job(const Options& options,
                                                      const Topology& topology,
                                                      std::string host_name, char** environment);

/// What --display-map prints: one line a rank.
[[nodiscard]] std::string describe_map(const Job& job);
/// What --report-bindings prints: one line a rank.
[[nodiscard]] std::string describe_bindings(const Job& job);

/// Sets NAME=value in a list of "NAME=value" strings, replacing what was there.
void set_env(std::vector<std::string>* env, const std::string& name, const std::string& value);
/// The value of a variable in such a list; nullptr if it has none.
[[nodiscard]] const char* get_env(const std::vector<std::string>& env, std::string_view name);

}  // namespace remit::launcher
