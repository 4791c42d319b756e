// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the end of a process, or what it says when it aborts, means for its job.
#pragma once

#include <optional>
#include <string>

#include "launcher/cli/options.hpp"
#include "launcher/job_end.hpp"
#include "launcher/job_table.hpp"
#include "launcher/pmix/data_store.hpp"
#include "launcher/pmix/job_control.hpp"

namespace remit::launcher {

/// Judges ends of processes by what the table says of them when they are known there. "rank" is the
/// number of a process. Changes nothing but its own memory of who asked for signals.
class RankFailures {
 public:
  /// What it is given outlives it.
  RankFailures(const JobTable& jobs, const Options& options) : jobs_(jobs), options_(options) {}

  /// A process has asked for signals to others, which may die of them.
  void note(const JobControl& control) { control_ = control; }

  /// What else is known when a process has ended.
  struct Circumstances {
    bool reader_left = false;  ///< nobody reads mpirun's standard output any more
    std::string explanation;   ///< its daemon's, see explain_by_loader(); mostly empty
    const DataStore& store;    ///< names that processes have published
  };
  /// nullopt: it has ended well.
  [[nodiscard]] std::optional<EndCause> of_exit(int rank, int wait_status,
                                                const Circumstances& known) const;

  /// Of a process that aborts its job. `status` and `message` are what it says.
  [[nodiscard]] EndCause of_abort(int rank, int status, const std::string& message) const;
  /// What to do about an abort of a process on this host; mostly empty. Asks the loader.
  [[nodiscard]] std::string explain_abort(int rank) const;
  /// It aborts because it misses another process, whose end is the cause.
  [[nodiscard]] static bool misses_another(int status, const std::string& message);

 private:
  [[nodiscard]] EndCause of_signal(int rank, int wait_status, const Circumstances& known) const;
  [[nodiscard]] std::string explain(int rank, int wait_status, const std::string& known) const;
  [[nodiscard]] bool missed_init(const RankState& state, const DataStore& store) const;

  const JobTable& jobs_;
  const Options& options_;
  std::optional<JobControl> control_;  // the last that a process asked for
};

}  // namespace remit::launcher
