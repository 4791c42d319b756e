// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Signals to the processes of all jobs, on all hosts, up to those that end them.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <functional>

#include "launcher/cli/options.hpp"
#include "launcher/host/guardian.hpp"
#include "launcher/job_table.hpp"
#include "launcher/pmix/job_control.hpp"
#include "launcher/tree/remote_hosts.hpp"
#include "runtime/clock.hpp"

namespace remit::launcher {

/// Sends signals, and escalates: SIGTERM, after --grace SIGKILL, and again while something lives.
/// For the io_context's thread.
class JobSignals {
 public:
  /// `killed` is called after each round of SIGKILL. What it is given outlives it; `remote` may be
  /// null.
  JobSignals(asio::io_context& io, const Options& options, const JobTable& jobs, Guardian& guardian,
             RemoteHosts* remote, std::function<void()> killed);

  /// To the process group of each living rank.
  void send_to_ranks(int signal);
  /// To whatever ranks have started, too.
  void send_to_all(int signal);
  /// What a rank has asked for.
  void carry_out(const JobControl& control);

  /// SIGTERM to the ranks.
  void terminate();
  /// The same, and after --grace SIGKILL to everything, in rounds until stop().
  void end();
  /// No rank lives: what they have started may live on for --grace, then has SIGTERM, and after
  /// as long again SIGKILL.
  void end_leftovers();
  /// Those are not waited for any more.
  void forget_leftovers() { leftover_timer_.cancel(); }
  /// So much was killed that who is still there will not go.
  [[nodiscard]] bool is_in_vain() const { return rounds_ >= kRounds; }
  /// No more is sent by time.
  void stop();

 private:
  static constexpr int kRounds = 5;  // of 200 ms, after SIGKILL, for the last output to arrive
  void kill_everything();

  MonotonicClock::duration grace_;
  const JobTable& jobs_;
  Guardian& guardian_;
  RemoteHosts* remote_;
  std::function<void()> killed_;
  asio::steady_timer kill_timer_;
  asio::steady_timer leftover_timer_;
  int rounds_ = 0;  // SIGKILLs sent to everything
  bool stopped_ = false;
};

}  // namespace remit::launcher
