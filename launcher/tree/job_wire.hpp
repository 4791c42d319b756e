// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A job as bytes, for daemons, and a request to spawn one, for mpirun. Pure.
#pragma once

#include <optional>
#include <string>

#include "launcher/plan/job.hpp"
#include "launcher/plan/spawn_job.hpp"

namespace remit::launcher {

/// What a daemon needs to run its part of a job.
struct DaemonJob {
  Job job;
  bool merge = false;  ///< standard error goes where standard output goes
  int input = 0;       ///< the rank that gets mpirun's input, or all or none (InputTo)
};

[[nodiscard]] std::string write_job(const DaemonJob& job);
/// nullopt: the bytes are no job, or one whose parts contradict each other.
[[nodiscard]] std::optional<DaemonJob> read_job(const std::string& bytes);

[[nodiscard]] std::string write_order(const SpawnOrder& order);
/// nullopt: the bytes are no order, or one of nobody, or for nothing.
[[nodiscard]] std::optional<SpawnOrder> read_order(const std::string& bytes);

}  // namespace remit::launcher
