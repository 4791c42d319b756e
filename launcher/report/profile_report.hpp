// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// mpirun's part of --profile and --trace: where the records of ranks go (tool/profile), and the
// report at the end, which is another program's: remit_profile.
#pragma once

#include <string>
#include <vector>

#include "launcher/cli/options.hpp"
#include "runtime/error.hpp"

namespace remit::launcher {

/// Where the records of a job go, and what becomes of them.
struct ProfilePlan {
  std::string folder;  ///< of the records; empty: there is no profile
  std::string output;  ///< all formats are written here; empty: only the page is written
  std::string page;    ///< then this one
};

/// What --profile, --profile-dir and --trace come to. `directory`: the private one of this job,
/// where records are that nobody asked to keep. Older records in the folder are removed.
[[nodiscard]] Expected<ProfilePlan> plan_profile(const Options& options,
                                                 const std::string& directory);

/// Gives a rank's environment what makes it write its record, and its trace if that is wanted: the
/// preloaded library, the folder.
/// The error says which library is missing.
[[nodiscard]] Expected<> add_profile_env(const Options& options, std::vector<std::string>* env);

/// Runs remit_profile on the records of a job that has ended, however it did; its words go to
/// standard error.
void write_profile(const ProfilePlan& plan);

}  // namespace remit::launcher
