// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Waiting for signals.
#include "launcher/signal_watch.hpp"

#include <system_error>
#include <utility>

#include "launcher/host/signals.hpp"

namespace remit::launcher {

SignalWatch::SignalWatch(asio::io_context& io, std::function<void(int signal)> heard)
    : signals_(io), heard_(std::move(heard)) {}

SignalWatch::~SignalWatch() {
  if (interrupts_ == 0) mask_ending_signals(SIG_BLOCK);
}

void SignalWatch::start() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGTTIN, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    if (!is_ignored(signal)) signals_.add(signal);
  }
  for (const int signal : {SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT}) signals_.add(signal);
  mask_ending_signals(SIG_UNBLOCK);
  wait();
}

void SignalWatch::wait() {
  signals_.async_wait([this](std::error_code error, int signal) {
    if (error) return;
    wait();
    heard_(signal);
  });
}

}  // namespace remit::launcher
