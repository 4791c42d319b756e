// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Finding a program and turning a description of a child into a running process.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "runtime/error.hpp"

namespace remit::launcher {

/// Why a job could not start, with the exit status mpirun ends with (126, 127, 2 ... as shells do).
struct LaunchError {
  int status = 1;
  std::string message;
};

/// The file that `name` means to a shell in directory `wdir` with search path `path`. Status 127 if
/// there is none (the message says where it was looked for), 126 if it cannot be executed.
[[nodiscard]] tl::expected<std::string, LaunchError> find_program(const std::string& name,
                                                                  const std::string& wdir,
                                                                  const std::string& path);

/// Everything needed to start one process.
struct ChildSpec {
  std::string program;  ///< path of the file to execute
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::string wdir;
  std::vector<int> cpus;            ///< processors to bind to; empty: leave the parent's
  std::array<int, 3> fds{0, 1, 2};  ///< become the child's descriptors 0, 1, 2; all >= 3
  std::optional<rlimit> open_files = std::nullopt;  ///< the child's limit; nullopt: the parent's
};

/// What a child was doing when it failed to become the program.
enum class SpawnStage : int { none, fork, fds, chdir, bind, exec };

struct SpawnResult {
  pid_t pid = -1;                       ///< valid if stage is none
  SpawnStage stage = SpawnStage::none;  ///< where it failed
  int error = 0;                        ///< errno there
};

/// Starts a child in a process group of its own, with default signal handlers and mask, that dies
/// when the calling process does. Returns when the program runs or failed to. The caller must have
/// one thread only.
[[nodiscard]] SpawnResult spawn_child(const ChildSpec& spec);

/// "cannot execute ./a.out: Exec format error", for a failed SpawnResult.
[[nodiscard]] LaunchError describe_spawn_failure(const SpawnResult& result,
                                                 const std::string& program,
                                                 const std::string& wdir);

}  // namespace remit::launcher
