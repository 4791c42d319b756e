// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The start of processes, of the first job and of spawned ones.
#pragma once

#include <functional>

#include "launcher/host/guardian.hpp"
#include "launcher/job_table.hpp"
#include "launcher/streams/job_streams.hpp"
#include "launcher/tree/remote_hosts.hpp"

namespace remit::launcher {

/// Starts the processes of this host one after the other, in the order of their numbers, so that
/// signals and failures are seen between them; those of other hosts at once: each host starts its
/// own one after the other. For the io_context's thread.
class RankStarter {
 public:
  struct Callbacks {
    std::function<void(const LaunchError& error)> failed;  ///< mpirun lacks what a process needs
    std::function<void()> started;  ///< all processes of all jobs run, or will not be started
  };

  /// What it is given outlives it; `remote` may be null.
  RankStarter(JobTable& jobs, JobStreams& streams, Guardian& guardian, RemoteHosts* remote,
              Callbacks callbacks);

  /// Before the first process of this host is started. Null if none may run here.
  void serve(PmixServer* server) { server_ = server; }

  /// Processes are being started, or wait for that.
  [[nodiscard]] bool is_starting() const { return state_ == State::starting; }
  /// Nothing is started any more, for ever.
  void stop() { state_ = State::stopped; }
  /// A job was added. False: others are being started already.
  bool resume();
  /// The processes of this job may be started; asks the other hosts for theirs.
  void launch(RunningJob& job);
  /// Goes on with this host's processes, if none of them is just being started.
  void go_on();
  /// The guardian, or a daemon, has answered for a process, well or not. go_on_after() follows.
  void answered(int rank);
  /// After answered(): with the next process, or there is none.
  void go_on_after(int rank);

 private:
  enum class State { starting, done, stopped };
  void check_started();

  JobTable& jobs_;
  JobStreams& streams_;
  Guardian& guardian_;
  RemoteHosts* remote_;
  Callbacks callbacks_;
  PmixServer* server_ = nullptr;
  State state_ = State::starting;
  int next_ = 0;            // of all processes, the next to start here
  bool under_way_ = false;  // one of this host is being started
};

}  // namespace remit::launcher
