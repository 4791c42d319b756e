// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The life of a job: start the ranks, watch them, end all of them when one fails, and say so once.
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "launcher/cli/options.hpp"
#include "launcher/host/guardian.hpp"
#include "launcher/plan/job.hpp"
#include "launcher/plan/spawn_job.hpp"
#include "launcher/pmix/pmix_server.hpp"
#include "launcher/report/job_report.hpp"
#include "launcher/streams/job_streams.hpp"
#include "launcher/tree/remote_hosts.hpp"

namespace remit::launcher {

/// How a job ended, for the process that started it.
struct JobResult {
  int status = 0;        ///< exit status of mpirun
  int raise_signal = 0;  ///< if not 0: die by this signal, so that a shell's loop stops too
};

/// Runs one job, and those that its ranks spawn, from one thread (the io_context's): the ranks of
/// this host through its guardian, those of other hosts through their daemons. "rank" is the number
/// of a process (Job::first): in the first job its rank.
class Controller {
 public:
  /// `hosts`: where ranks may run. `calls` may be null: then the report does not know the MPI calls
  /// of the ranks. `remote`: null if there is no other host. All outlive this.
  Controller(asio::io_context& io, const Options& options, std::span<const HostRoom> hosts, Job job,
             Guardian& guardian, std::unique_ptr<CallFile> calls, RemoteHosts* remote = nullptr);
  ~Controller();

  /// Ranks may start only after this; `server` outlives the controller. Null if none may run here.
  void start(PmixServer* server);

  /// For the PMIx server.
  [[nodiscard]] PmixServer::Callbacks pmix_callbacks();

  /// Valid after the io_context has run out of work.
  [[nodiscard]] const JobResult& result() const { return result_; }

  /// Instead, where mpirun itself cannot go on: ends the ranks of this host at once, and writes
  /// what they have written. False: some of it is lost.
  bool break_down();

 private:
  /// Of ranks that spawn. The error is for the user.
  using Spawned = PmixServer::Spawned;

  /// A job with what belongs to it while mpirun runs.
  struct RunningJob {
    Job job;
    std::unique_ptr<CallFile> calls;
    Spawned spawned = nullptr;  // of a spawned one: whom to tell, until all its processes run
    bool ready = true;          // its ranks may be started: those of other hosts were asked for
    bool failed = false;        // it could not be started: the end of its processes is no failure
    std::size_t over = 0;       // ranks that have ended, or will not be started
  };

  enum class Phase {
    starting,  // ranks are being spawned, one after the other
    running,   //
    ending,    // SIGTERM sent, SIGKILL follows
    leaving,   // no rank lives; what they left behind and the last output are waited for
    done,
  };

  struct RankState {
    RunningJob* of = nullptr;
    int rank = 0;  // in its job
    pid_t pid = -1;
    bool dropped = false;  // will not be started any more
    bool spawned = false;
    bool exited = false;
    std::optional<int> code = {};  // its exit status, or 128 + signal; nullopt: not known
    bool connected = false;        // between PMIx_Init and PMIx_Finalize
    bool was_connected = false;
    bool bereaved = false;  // it has aborted the job because another one is gone
  };

  void watch_signals();
  void watch_trouble();
  void handle_signal(int signal);
  void spawn_next();
  void launch(RunningJob& job);
  void check_started();
  [[nodiscard]] RemoteHosts::Callbacks remote_callbacks();
  void lost(const std::vector<int>& ranks, const std::string& why);
  [[nodiscard]] bool is_here(int rank) const;
  void carry_out(const JobControl& control);
  void signal_ranks(int signal);
  void signal_all(int signal);
  void add_job(Job job, std::unique_ptr<CallFile> calls);
  void spawn(const SpawnOrder& order, const Spawned& done);
  tl::expected<Job, LaunchError> lay_out(const SpawnOrder& order);
  tl::expected<void, LaunchError> prepare(Job job, Spawned done);
  void prepared(RunningJob& job, const tl::expected<void, LaunchError>& result);
  void spawn_failed(RunningJob& job, const LaunchError& error);
  void drop(int rank);
  void count_over(RunningJob& job);
  [[nodiscard]] DataStore& store();
  [[nodiscard]] const RunningJob& running(int rank) const {
    return *ranks_[static_cast<std::size_t>(rank)].of;
  }
  [[nodiscard]] const Rank& place(int rank) const;
  [[nodiscard]] const App& app_of(int rank) const;
  [[nodiscard]] const Host& host_of(int rank) const;
  void spawned(int rank, const SpawnResult& result);
  void not_spawned(int rank, const LaunchError& error);
  void exited(int rank, int wait_status, const std::string& explanation);
  [[nodiscard]] bool missed_init(const RankState& state);
  void aborted(int rank, int status, const std::string& message);
  void miss_another(int rank, int status, const std::string& cause);
  void guardian_empty();
  void guardian_lost();
  void timed_out();
  /// What the ranks of all jobs do.
  struct Look {
    std::vector<std::vector<RankSnapshot>> jobs;
    std::set<int> silent;  // nodes that have not answered
  };
  using Looker = std::function<void(const std::shared_ptr<const Look>& look)>;
  void look(Looker looker);
  void look_once(const std::set<int>& silent, const std::function<void(Look look)>& done);
  [[nodiscard]] Look gather(const HostLooks::Result& far) const;
  void looked(const std::shared_ptr<const Look>& all);
  [[nodiscard]] std::string describe(const Look& all) const;
  void end_timed_out(const std::shared_ptr<const Look>& all);
  void report_death(int culprit);
  void report_ranks();
  [[nodiscard]] double elapsed() const;

  void end_job(int status, std::string cause, int culprit = -1, double delay_s = 0);
  void begin_end();
  void terminate();
  void kill_everything();
  void check_progress();
  void leave();
  void break_off();
  [[nodiscard]] std::string last_words();
  [[nodiscard]] std::string why_it_ends() const;
  [[nodiscard]] std::string exit_codes() const;
  void finish();
  [[nodiscard]] std::string rank_name(int rank) const;
  [[nodiscard]] int living() const;

  asio::io_context& io_;
  const Options& options_;
  std::span<const HostRoom> hosts_;
  std::deque<RunningJob> jobs_;  // the first one, then what was spawned
  Guardian& guardian_;
  RemoteHosts* remote_;
  PmixServer* server_ = nullptr;
  asio::signal_set signals_;
  asio::steady_timer end_timer_;
  asio::steady_timer leave_timer_;
  asio::steady_timer timeout_timer_;
  asio::steady_timer look_timer_;
  asio::posix::stream_descriptor trouble_;  // last_words.hpp's
  JobStreams streams_;
  // Set when this object goes: for the thread that reads stacks, which is not waited for.
  std::shared_ptr<std::atomic<bool>> gone_ = std::make_shared<std::atomic<bool>>(false);
  std::vector<RankState> ranks_;
  std::size_t next_to_spawn_ = 0;
  bool spawning_ = false;  // a rank of this host is being started
  bool closing_ = false;   // the last output is being written
  bool said_ = false;      // the last words are behind it
  Phase phase_ = Phase::starting;
  JobResult result_;
  std::string cause_;                  // why the job is being ended; empty: it is not
  std::string advice_;                 // what to do about it, if that is known
  std::optional<JobControl> control_;  // the last that a process asked for
  std::string missing_;     // what a rank said first that missed another one; empty: none did
  int missing_status_ = 0;  // with which it aborted
  int missed_by_ = -1;      // that rank
  int ended_ranks_ = 0;     // how many still lived when it was decided
  bool by_rank_ = false;    // a rank is the cause
  int interrupts_ = 0;
  std::vector<Looker> lookers_;  // who waits for what the ranks do; empty: nobody looks
  bool end_waits_ = false;       // for the same, before any rank is killed
  bool report_wanted_ = false;   // asked for while a rank's start was not confirmed
  int kill_rounds_ = 0;          // SIGKILLs sent to everything
  bool nothing_left_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace remit::launcher
