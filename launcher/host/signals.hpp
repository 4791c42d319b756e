// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The signals that end a job, held back where nobody is there to act on them; signals in words.
#pragma once

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <cstring>
#include <string>

namespace remit::launcher {

inline constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};

/// Blocks (SIG_BLOCK) or lets through (SIG_UNBLOCK) the signals that end a job, for the calling
/// thread and what it starts: from the guardian's birth on a signal must end the job, not only this
/// process.
inline void mask_ending_signals(int how) {
  sigset_t ending;
  sigemptyset(&ending);
  for (const int signal : kEndingSignals) sigaddset(&ending, signal);
  ::pthread_sigmask(how, &ending, nullptr);
}

/// What was ignored when mpirun started (nohup, a shell's background job) stays ignored.
inline bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// "signal 9 (Killed)".
[[nodiscard]] inline std::string signal_text(int signal) {
  const char* name = ::strsignal(signal);
  return fmt::format("signal {} ({})", signal, name == nullptr ? "unknown" : name);
}

}  // namespace remit::launcher
