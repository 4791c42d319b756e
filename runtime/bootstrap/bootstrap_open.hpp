// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Chooses the bootstrap that fits how this process was started.
#pragma once

#include <memory>

#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/params.hpp"

namespace remit {

inline const ParamDecl singleton_param{
    "singleton", false, "", "run as rank 0 of 1 whatever launcher the environment tells of"};

/// What `environment` ("NAME=value" strings, as environ) says about the launcher.
struct LaunchClues {
  bool pmix = false;  ///< a PMIx server is announced
  std::string
      multi_rank;      ///< else: the variable that tells of a job of several ranks, "NAME=value"
  std::string advice;  ///< how such a job is started so that this library can join it
};
[[nodiscard]] LaunchClues find_launcher(char** environment);

/// PMIx if a server is announced, else a singleton. An announced server that cannot be reached, and
/// a launcher of several ranks without PMIx, are errors that say what was found and what to do:
/// never N processes that each believe to be rank 0 of 1. Takes milliseconds; waits for no rank.
/// `opening` counts the bootstraps that this program has opened before: processes find those who
/// are at the same one.
[[nodiscard]] Expected<std::unique_ptr<Bootstrap>> open_bootstrap(char** environment,
                                                                  int opening = 0);

}  // namespace remit
