// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a rank's environment says of its place.
#pragma once

#include <string>
#include <vector>

#include "launcher/job.hpp"

namespace remit::launcher {

/// A bound rank must not take the ranks of other cores for competitors (runtime/wait_policy.hpp).
inline void add_rank_env(const Rank& rank, std::vector<std::string>* env) {
  if (rank.sharers > 0 && get_env(*env, "REMIT_CORE_SHARERS") == nullptr) {
    set_env(env, "REMIT_CORE_SHARERS", std::to_string(rank.sharers));
  }
}

}  // namespace remit::launcher
