// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What mpirun knows of its jobs and of each of their processes while they run.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/plan/job.hpp"
#include "launcher/pmix/pmix_server.hpp"
#include "launcher/report/call_file.hpp"

namespace remit::launcher {

/// A job with what belongs to it while mpirun runs.
struct RunningJob {
  Job job;
  std::unique_ptr<CallFile> calls;        ///< null: its calls are not known, or not any more
  PmixServer::Spawned spawned = nullptr;  ///< whom to tell when all processes of a spawned one run
  bool ready = true;     ///< its ranks may be started: those of other hosts were asked for
  bool failed = false;   ///< it could not be started: the end of its processes is no failure
  std::size_t over = 0;  ///< ranks that have ended, or will not be started

  [[nodiscard]] bool is_over() const { return over == job.ranks.size(); }
};

/// One process of a job.
struct RankState {
  RunningJob* of = nullptr;
  int rank = 0;  ///< in its job
  pid_t pid = -1;
  bool dropped = false;  ///< it will not be started any more
  bool spawned = false;
  bool exited = false;
  std::optional<int> code = {};  ///< its exit status, or 128 + signal; nullopt: not known
  bool connected = false;        ///< between PMIx_Init and PMIx_Finalize
  bool was_connected = false;
  bool bereaved = false;  ///< it has aborted the job because another one is gone
};

/// All jobs, the first one and those that ranks spawn, and their processes in the order of their
/// numbers (Job::first): "rank" is such a number here. Whoever holds it changes the states; nothing
/// is ever removed, and references stay valid. For the io_context's thread.
class JobTable {
 public:
  /// `calls` may be null.
  RunningJob& add(Job job, std::unique_ptr<CallFile> calls);

  [[nodiscard]] std::deque<RunningJob>& jobs() { return jobs_; }
  [[nodiscard]] const std::deque<RunningJob>& jobs() const { return jobs_; }
  /// Processes of all jobs.
  [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }

  /// Throws std::out_of_range if there is no such process.
  [[nodiscard]] RankState& at(int rank) { return ranks_.at(static_cast<std::size_t>(rank)); }
  [[nodiscard]] const RankState& at(int rank) const {
    return ranks_.at(static_cast<std::size_t>(rank));
  }
  [[nodiscard]] const Job& job_of(int rank) const { return at(rank).of->job; }
  [[nodiscard]] const Rank& place_of(int rank) const;
  [[nodiscard]] const App& app_of(int rank) const;
  [[nodiscard]] const Host& host_of(int rank) const;
  /// It runs, or will, on mpirun's own host.
  [[nodiscard]] bool is_here(int rank) const { return host_of(rank).node == 0; }
  [[nodiscard]] bool has_ranks_here() const;

  /// Processes that were started and have not ended.
  [[nodiscard]] int living() const;
  /// Processes that have not ended, or are still to be started, by the node of their host.
  [[nodiscard]] std::map<int, int> present_by_node() const;
  /// Nobody of the job of this process is left.
  [[nodiscard]] bool has_job_exited(const RankState& state) const;

  /// "rank 3 (pid 17, ./a.out) on host b".
  [[nodiscard]] std::string name_of(int rank) const;
  /// Host by host, as Hydra does: "exit codes: [a] 0,0 [b] 139,-".
  [[nodiscard]] std::string exit_codes() const;

 private:
  std::deque<RunningJob> jobs_;
  std::deque<RankState> ranks_;
};

}  // namespace remit::launcher
