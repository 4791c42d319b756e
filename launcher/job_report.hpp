// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of a job are, for a person who asks why it does not end: after --timeout and on
// SIGQUIT. Reads /proc; works for any program.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

namespace remit::launcher {

/// How far a rank has come in MPI, as the PMIx server saw it.
enum class MpiPhase { not_started, outside, inside, finished };

/// What is known of one rank.
struct RankSnapshot {
  int rank = 0;
  pid_t pid = -1;       ///< -1: it was never started
  bool exited = false;  ///< its process is gone
  MpiPhase phase = MpiPhase::outside;
};

/// One process, as /proc/PID/stat and wchan show it.
struct ProcessState {
  pid_t pid = -1;
  std::string name;
  char state = '?';     ///< as ps prints it: R, S, D, T, Z
  double cpu_s = 0;     ///< seconds of processor time, its threads together
  std::string waiting;  ///< the kernel function it sleeps in; empty: none, or not to be seen
};

/// The process of a rank's process group that has used most processor time: not the shell that
/// started it. `pid` -1 if there is none.
[[nodiscard]] ProcessState busiest_of_group(pid_t group);

/// A table with one line a rank. `elapsed_s`: how long the job has run.
[[nodiscard]] std::string describe_ranks(const std::vector<RankSnapshot>& ranks, double elapsed_s);

/// The MPI function that the program called, in a stack that gdb printed, with its arguments where
/// gdb knows them; empty: none.
[[nodiscard]] std::string mpi_call_of(std::string_view stack);

/// What describe_stacks() prints, and how long it may take.
struct StackWish {
  bool whole = false;  ///< the stacks; otherwise only the MPI call of each rank, if gdb is there
  int rank_limit_s = 5;
  int limit_s = 10;  ///< for all ranks together
};

/// The MPI call that each living rank is in, and its stack, in the words of gdb. Blocks for about a
/// second a rank, within the limits; stops early, between two ranks, when `stop` becomes true.
[[nodiscard]] std::string describe_stacks(const std::vector<RankSnapshot>& ranks,
                                          const StackWish& wish, const std::atomic<bool>& stop);

}  // namespace remit::launcher
