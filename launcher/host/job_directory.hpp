// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The private directory of a job on a host, and those of jobs that could not remove theirs.
#pragma once

#include <string>

#include "runtime/error.hpp"

namespace remit::launcher {

/// A name that no other directory in `parent` has. Nothing is made.
[[nodiscard]] std::string new_directory_name(const std::string& parent);

/// Makes the directory (mode 0700) and marks it as in use: by this process and by those that it
/// forks, until they have all ended or called exec. Returns 0 or errno.
[[nodiscard]] int make_job_directory(const std::string& path);

/// Removes from `parent` the directories of this user's jobs of which no process is left that could
/// do so: everything was killed at once, as batch systems, containers and a kernel without memory
/// do. Those of the last minute are left alone, which may not be marked yet, and those that another
/// kernel made, where `parent` is shared by hosts: its locks need not be seen here.
void remove_abandoned_directories(const std::string& parent);

}  // namespace remit::launcher
