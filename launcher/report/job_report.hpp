// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of a job are, for a person who asks why it does not end: after --timeout, on
// SIGQUIT, and when a rank died. What its process does works for any program; the MPI call that it
// waits in is what a rank of this library says (runtime/call_status.hpp).
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>
#include <vector>

#include "launcher/report/rank_inspection.hpp"

namespace remit::launcher {

/// How far a rank has come in MPI, as the PMIx server saw it.
enum class MpiPhase { not_started, outside, inside, finished };

/// What is known of one rank.
struct RankSnapshot {
  int rank = 0;
  pid_t pid = -1;       ///< -1: it was never started
  bool exited = false;  ///< its process is gone
  MpiPhase phase = MpiPhase::outside;
  std::string host;
  bool remote = false;     ///< on another host
  bool seen = false;       ///< its host has answered: what follows is known
  ProcessState process{};  ///< without a pid: it has ended
  RankCalls calls{};
};

/// A table with a line for each rank, or for each of its threads that are blocked, and under it who
/// waits for whom. `elapsed_s`: how long the job has run.
[[nodiscard]] std::string describe_ranks(const std::vector<RankSnapshot>& ranks, double elapsed_s);

/// Leaves in `ranks` those blocked calls that were there `before` already: a call that ended
/// meanwhile must not become part of a deadlock. If everybody was inspected before anybody is
/// inspected again, there was a moment at which all that are left were blocked, whatever the hosts'
/// clocks say.
void keep_lasting(std::vector<RankSnapshot>& ranks, const std::vector<RankSnapshot>& before);

/// How long describe_stacks() may take.
struct StackWish {
  int rank_limit_s = 20;
  int limit_s = 60;  ///< for all ranks together
};

/// The stack of each living rank of this host, in the words of gdb. Blocks for about a second a
/// rank, within the limits; stops early, between two ranks, when `stop` becomes true.
[[nodiscard]] std::string describe_stacks(const std::vector<RankSnapshot>& ranks,
                                          const StackWish& wish, const std::atomic<bool>& stop);

}  // namespace remit::launcher
