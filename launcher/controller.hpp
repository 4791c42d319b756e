// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The life of a job: start the ranks, watch them, end all of them when one fails, and say so once.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "launcher/cli/options.hpp"
#include "launcher/host/guardian.hpp"
#include "launcher/job_end.hpp"
#include "launcher/job_signals.hpp"
#include "launcher/job_table.hpp"
#include "launcher/pmix/pmix_server.hpp"
#include "launcher/rank_failures.hpp"
#include "launcher/rank_starter.hpp"
#include "launcher/report/job_inspection.hpp"
#include "launcher/report/trouble_watch.hpp"
#include "launcher/signal_watch.hpp"
#include "launcher/spawned_jobs.hpp"
#include "launcher/streams/job_streams.hpp"
#include "launcher/tree/remote_hosts.hpp"

namespace remit::launcher {

/// Runs one job, and those that its ranks spawn, from one thread (the io_context's): the ranks of
/// this host through its guardian, those of other hosts through their daemons. It owns the parts
/// that know how, and is the state machine between them: which phase the job is in, and what
/// follows from an event. "rank" is the number of a process (Job::first): in the first job its
/// rank.
class Controller {
 public:
  /// `hosts`: where ranks may run. `calls` may be null: then the report does not know the MPI calls
  /// of the ranks. `remote`: null if there is no other host. All outlive this.
  Controller(asio::io_context& io, const Options& options, std::span<const HostRoom> hosts, Job job,
             Guardian& guardian, std::unique_ptr<CallFile> calls, RemoteHosts* remote = nullptr);

  /// Ranks may start only after this; `server` outlives the controller. Null if none may run here.
  void start(PmixServer* server);

  /// For the PMIx server.
  [[nodiscard]] PmixServer::Callbacks pmix_callbacks();

  /// Valid after the io_context has run out of work.
  [[nodiscard]] const JobResult& result() const { return end_.result(); }

  /// Instead, where mpirun itself cannot go on: ends the ranks of this host at once, and writes
  /// what they have written. False: some of it is lost.
  bool break_down();

 private:
  /// In this order.
  enum class Phase {
    running,  // also while ranks are being started
    ending,   // SIGTERM sent, SIGKILL follows
    leaving,  // no rank lives; what they left behind and the last output are waited for
    closing,  // the last output is being written
    done,
  };

  [[nodiscard]] RemoteHosts::Callbacks remote_callbacks();
  void handle_signal(int signal);
  void rank_started(int rank, const SpawnResult& result);
  void rank_not_started(int rank, const LaunchError& error);
  void exited(int rank, int wait_status, const std::string& explanation);
  void aborted(int rank, int status, const std::string& message);
  void lost(const std::vector<int>& ranks, const std::string& why);
  void guardian_lost();
  void timed_out();
  void end_job(EndCause cause);
  void check_progress();
  void close_outputs();
  void break_off();
  [[nodiscard]] std::string final_message();
  void finish();

  asio::io_context& io_;
  const Options& options_;
  Guardian& guardian_;
  RemoteHosts* remote_;
  JobTable jobs_;
  JobStreams streams_;
  JobSignals signals_;
  RankStarter starter_;
  SpawnedJobs spawned_jobs_;
  RankFailures failures_;
  JobInspection inspection_;
  JobEnd end_;
  TroubleWatch trouble_;
  SignalWatch user_signals_;
  asio::steady_timer end_timer_;    // until a cause is acted upon, or a suspected one is the cause
  asio::steady_timer close_timer_;  // until the last output is given up
  asio::steady_timer timeout_timer_;
  Phase phase_ = Phase::running;
  bool nothing_left_ = false;   // no process is left on this host
  bool report_wanted_ = false;  // asked for while a rank's start was not confirmed
};

}  // namespace remit::launcher
