// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Waiting with an ear for signals.
#include "launcher/tree/startup_wait.hpp"

#include <fmt/format.h>

#include <asio/signal_set.hpp>
#include <csignal>
#include <system_error>

#include "launcher/host/signals.hpp"

namespace remit::launcher {

tl::expected<void, LaunchError> StartupWait::until(const std::function<bool()>& condition) {
  asio::signal_set signals(io_);
  for (const int signal : kEndingSignals) {
    if (!is_ignored(signal)) signals.add(signal);
  }
  signals.async_wait([this](std::error_code error, int signal) {
    if (!error) signal_ = signal;
  });
  mask_ending_signals(SIG_UNBLOCK);
  io_.restart();
  while (error_.empty() && signal_ == 0 && !condition()) io_.run_one();
  mask_ending_signals(SIG_BLOCK);
  if (signal_ != 0) {
    return tl::unexpected(LaunchError{
        128 + signal_,
        fmt::format("interrupted by {} while the daemons were started", signal_text(signal_))});
  }
  if (!error_.empty()) return tl::unexpected(LaunchError{1, error_});
  return {};
}

}  // namespace remit::launcher
