// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Jobs that ranks ask for (MPI_Comm_spawn), from the order until nothing is left of them.
#pragma once

#include <span>

#include "launcher/cli/options.hpp"
#include "launcher/host/guardian.hpp"
#include "launcher/job_table.hpp"
#include "launcher/plan/spawn_job.hpp"
#include "launcher/pmix/data_store.hpp"
#include "launcher/pmix/pmix_server.hpp"
#include "launcher/rank_starter.hpp"
#include "launcher/streams/job_streams.hpp"
#include "launcher/tree/remote_hosts.hpp"

namespace remit::launcher {

/// Lays such jobs out, has all hosts prepare for them and the starter start them; all processes of
/// one run, or none. What belonged to a job goes when its last process has ended: a program may
/// spawn any number. For the io_context's thread.
class SpawnedJobs {
 public:
  /// What these jobs share with the first one. All of it outlives this; `remote` may be null.
  struct Parts {
    JobTable& jobs;
    RankStarter& starter;
    JobStreams& streams;
    Guardian& guardian;
    RemoteHosts* remote;
  };
  SpawnedJobs(Parts parts, const Options& options, std::span<const HostRoom> hosts);

  /// Before the first order. Null if no process may run on this host.
  void serve(PmixServer* server) { server_ = server; }

  /// `done` hears when all processes run, or why there are none.
  void spawn(const SpawnOrder& order, const PmixServer::Spawned& done);
  /// A process of this job could not be started: the others are ended, and who asked is told.
  void fail(RunningJob& job, const LaunchError& error);
  /// A process of any job has ended, or will not be started. With the last one of a job goes what
  /// it has published, and of a spawned job all files.
  void count_over(RunningJob& job);

  /// Where processes publish names.
  [[nodiscard]] DataStore& store();

 private:
  tl::expected<Job, LaunchError> lay_out(const SpawnOrder& order);
  tl::expected<void, LaunchError> prepare(Job job, PmixServer::Spawned done);
  void prepared(RunningJob& job, const tl::expected<void, LaunchError>& result);
  void drop(int rank);

  Parts parts_;
  const Options& options_;
  std::span<const HostRoom> hosts_;
  PmixServer* server_ = nullptr;
};

}  // namespace remit::launcher
