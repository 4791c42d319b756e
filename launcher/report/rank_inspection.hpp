// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What can be seen of a rank on its own host: its process, as /proc shows it, and the calls that it
// says it is blocked in. A daemon looks for mpirun, and sends what it has seen as bytes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "launcher/report/call_file.hpp"

namespace remit::launcher {

/// One process, as /proc/PID/stat and wchan show it.
struct ProcessState {
  pid_t pid = -1;  ///< -1: there is none
  std::string name;
  char state = '?';         ///< as ps prints it: R, S, D, T, Z
  std::int64_t cpu_ms = 0;  ///< of processor time, its threads together
  std::string waiting;      ///< the kernel function it sleeps in; empty: none, or not to be seen
};

/// All process groups of this host, as they were when this was made.
class ProcessTable {
 public:
  ProcessTable();

  /// Of a group that process which has used most processor time: not the shell that started it.
  [[nodiscard]] ProcessState busiest_of(pid_t group) const;

 private:
  std::map<pid_t, ProcessState> busiest_;
};

struct RankInspection {
  ProcessState process;
  RankCalls calls;
};

/// By the numbers of the processes (Job::first).
using RankInspections = std::map<int, RankInspection>;

[[nodiscard]] std::string write_inspections(const RankInspections& inspections);
/// nullopt: the bytes are none, or say what cannot be seen.
[[nodiscard]] std::optional<RankInspections> read_inspections(const std::string& bytes);

}  // namespace remit::launcher
