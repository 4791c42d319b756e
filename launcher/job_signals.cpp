// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Signals by time, milder ones first.
#include "launcher/job_signals.hpp"

#include <chrono>
#include <csignal>
#include <system_error>
#include <utility>

#include "runtime/clock.hpp"

namespace remit::launcher {

JobSignals::JobSignals(asio::io_context& io, const Options& options, const JobTable& jobs,
                       Guardian& guardian, RemoteHosts* remote, std::function<void()> killed)
    : grace_(std::chrono::duration_cast<MonotonicClock::duration>(
          std::chrono::duration<double>(options.grace()))),
      jobs_(jobs),
      guardian_(guardian),
      remote_(remote),
      killed_(std::move(killed)),
      kill_timer_(io),
      leftover_timer_(io) {}

void JobSignals::send_to_ranks(int signal) {
  guardian_.signal_ranks(signal);
  if (remote_ != nullptr) remote_->orders().signal_ranks(signal);
}

void JobSignals::send_to_all(int signal) {
  guardian_.signal_all(signal);
  if (remote_ != nullptr) remote_->orders().signal_all(signal);
}

void JobSignals::carry_out(const JobControl& control) {
  for (const int signal : control.signals) {
    for (int rank = 0; rank < jobs_.size(); ++rank) {
      if (control.is_for(rank) && jobs_.is_here(rank)) guardian_.signal_rank(rank, signal);
    }
  }
  if (remote_ != nullptr) remote_->orders().carry_out(control);
}

void JobSignals::terminate() {
  send_to_ranks(SIGTERM);
  send_to_ranks(SIGCONT);  // a stopped process sees the SIGTERM only then
}

void JobSignals::end() {
  if (stopped_) return;
  terminate();
  kill_timer_.expires_after(grace_);
  kill_timer_.async_wait([this](std::error_code error) {
    if (!error) kill_everything();
  });
}

void JobSignals::kill_everything() {
  if (stopped_) return;
  ++rounds_;
  send_to_all(SIGKILL);
  killed_();
  if (stopped_) return;
  if (rounds_ == kRounds && remote_ != nullptr) remote_->lose_silent();
  // Again for what was forked meanwhile, and for processes slow to die.
  kill_timer_.expires_after(std::chrono::milliseconds(200));
  kill_timer_.async_wait([this](std::error_code error) {
    if (!error) kill_everything();
  });
}

void JobSignals::end_leftovers() {
  leftover_timer_.expires_after(grace_);
  leftover_timer_.async_wait([this](std::error_code error) {
    if (error || stopped_) return;
    send_to_all(SIGTERM);
    send_to_all(SIGCONT);
    leftover_timer_.expires_after(grace_);
    leftover_timer_.async_wait([this](std::error_code cancelled) {
      if (!cancelled) kill_everything();
    });
  });
}

void JobSignals::stop() {
  stopped_ = true;
  kill_timer_.cancel();
  leftover_timer_.cancel();
}

}  // namespace remit::launcher
