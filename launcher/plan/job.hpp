// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A job as data: its programs, its hosts, and which rank runs where. Made once before anything of
// it is started, by the process that was called mpirun; daemons of other hosts receive a copy.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <vector>

#include "launcher/cli/options.hpp"
#include "launcher/host/spawn.hpp"
#include "launcher/plan/mapping.hpp"

namespace remit::launcher {

struct App {
  std::vector<std::string> argv;
  std::string program;      ///< path of the file to execute; empty: to be found on its host
  std::string search_path;  ///< where it is found, like PATH
  std::string wdir;         ///< absolute
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
};

struct Host {
  std::string name;
  std::vector<int> ranks;  ///< ascending
  int node = 0;            ///< of the tree of daemons; 0: mpirun's own
  /// Processes that share its processors: of other jobs when this one was made, and of this job on
  /// other hosts that are parts of the same machine.
  int neighbours = 0;
};

/// As PMIx calls a process.
struct ProcessName {
  static constexpr int kAll = -1;

  std::string job;  ///< its namespace
  int rank = 0;     ///< or kAll: every rank of the job
};

struct Job {
  std::string nspace;  ///< PMIx namespace, unique among the jobs of its hosts
  std::vector<App> apps;
  std::vector<Host> hosts;
  std::vector<Rank> ranks;  ///< index: rank
  int universe = 0;         ///< MPI_UNIVERSE_SIZE: slots of all hosts, if these are more than ranks
  int allocated = 1;        ///< hosts that mpirun was given, with ranks or without

  // mpirun starts one job, and those that its ranks spawn. It counts the processes of all of them
  // in the order in which they were asked for: rank r of a job is process `first + r`.
  std::string root;  ///< namespace of the first job
  int number = 0;    ///< 0: the first job
  int first = 0;     ///< processes of the jobs before it
  ProcessName spawner;
  std::string parent_port;  ///< where its processes reach who spawned them

  [[nodiscard]] bool is_spawned() const { return number > 0; }
  /// "3", or "2.3" in a spawned job: what its output is marked with.
  [[nodiscard]] std::string label(int rank) const {
    return is_spawned() ? fmt::format("{}.{}", number, rank) : std::to_string(rank);
  }
  /// The index of the host of a node; -1: the job has no rank there.
  [[nodiscard]] int host_of(int node) const;
};

/// Lays the job out on `hosts`, which are those of `room` with their processors: finds the
/// programs, builds their environments from `environment` (a "NAME=value" list, environ), deals the
/// ranks to hosts and binds them. Hosts without ranks are not part of the job. Fails if a program
/// cannot be run (with the exit status a shell would give), a variable of -x is not set, a
/// directory does not exist, or there is no room for the ranks.
[[nodiscard]] tl::expected<Job, LaunchError> make_job(const Options& options, const JobRoom& room,
                                                      std::span<const HostRoom> hosts,
                                                      char** environment);

/// Gives each rank of the job its host and its place there. `dealt`: the index into `hosts` of each
/// rank; `living`: how many processes of other jobs each of them has, none where it is empty. Hosts
/// without ranks are not part of the job.
void seat_ranks(std::span<const HostRoom> hosts, std::span<const int> dealt,
                std::span<const int> living, Job* job);

/// What the ranks of a node need there: folders, and programs, whose path is filled in. The error
/// is that of the first that is missing.
[[nodiscard]] tl::expected<void, LaunchError> find_programs(Job* job, int node);

/// Tells of hosts that have more ranks than the slots that were given for them; empty: none has.
[[nodiscard]] std::string describe_excess(const Job& job, std::span<const HostRoom> hosts);

/// What --display-map prints: one line a rank.
[[nodiscard]] std::string describe_map(const Job& job);
/// What --report-bindings prints: one line a rank.
[[nodiscard]] std::string describe_bindings(const Job& job);

/// The environment of this process, as "NAME=value" strings.
[[nodiscard]] std::vector<std::string> own_environment();
/// Sets NAME=value in a list of "NAME=value" strings, replacing what was there.
void set_env(std::vector<std::string>* env, const std::string& name, const std::string& value);
/// The value of a variable in such a list; nullptr if it has none.
[[nodiscard]] const char* get_env(const std::vector<std::string>& env, std::string_view name);

}  // namespace remit::launcher
