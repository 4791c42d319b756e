// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// mpirun on the other hosts of a job: its own executable, started with --remit-daemon. So there is
// one program to find there, of one version, with the same guardian, PMIx server and binding.
#pragma once

#include <span>

namespace remit::launcher {

inline constexpr const char* kDaemonWord = "--remit-daemon";

/// The life of a daemon: reads its start frame from standard input, connects to its parent, serves
/// the job, and leaves nothing on its host. `title`: see fork_guardian(). Does not return.
[[noreturn]] void run_daemon(std::span<char> title);

}  // namespace remit::launcher
