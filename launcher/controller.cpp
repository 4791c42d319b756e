// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The job's state machine. Everything happens in the io_context's thread, one event at a time.
#include "launcher/controller.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>

#include "launcher/host/host_names.hpp"
#include "launcher/host/signals.hpp"
#include "launcher/report/last_words.hpp"
#include "launcher/report/loader_look.hpp"
#include "runtime/abort_words.hpp"
#include "runtime/spawn_keys.hpp"

namespace remit::launcher {
namespace {

constexpr double kNewsTime = 1;  // s, for that of a rank's end behind what others say of it
constexpr std::chrono::seconds kDrainTime{10};
constexpr int kKillRounds = 5;  // of 200 ms, after SIGKILL, for the last output to arrive

std::chrono::steady_clock::duration seconds(double value) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(value));
}

std::string signal_text(int signal) {
  const char* name = ::strsignal(signal);
  return fmt::format("signal {} ({})", signal, name == nullptr ? "unknown" : name);
}

}  // namespace

Controller::Controller(asio::io_context& io, const Options& options,
                       std::span<const HostRoom> hosts, Job job, Guardian& guardian,
                       std::unique_ptr<CallFile> calls, RemoteHosts* remote)
    : io_(io),
      options_(options),
      hosts_(hosts),
      guardian_(guardian),
      remote_(remote),
      signals_(io),
      end_timer_(io),
      leave_timer_(io),
      timeout_timer_(io),
      look_timer_(io),
      trouble_(io),
      streams_(io, options_,
               {[this] { check_progress(); },
                [this](const std::string& cause) { end_job(1, cause); }, [this] { finish(); },
                [this] {
                  // What is held may be for any of the outputs: all must have room.
                  if (remote_ != nullptr && !streams_.is_slow()) remote_->release_outputs();
                },
                [this](int stream) {
                  if (remote_ != nullptr) remote_->close_output(stream);
                }}) {
  add_job(std::move(job), std::move(calls));
  // Without ranks here there is nothing to wait for.
  nothing_left_ = true;
  for (std::size_t i = 0; i < ranks_.size() && nothing_left_; ++i) {
    nothing_left_ = !is_here(static_cast<int>(i));
  }
}

/// The job is over, and this process still has to clean up: a signal must not end it before, unless
/// it is the second one.
Controller::~Controller() {
  if (interrupts_ == 0) mask_ending_signals(SIG_BLOCK);
  *gone_ = true;
}

PmixServer::Callbacks Controller::pmix_callbacks() {
  return {
      [this](int rank) {
        RankState& state = ranks_.at(static_cast<std::size_t>(rank));
        state.connected = state.was_connected = true;
      },
      [this](int rank) { ranks_.at(static_cast<std::size_t>(rank)).connected = false; },
      [this](int rank, int status, const std::string& message) { aborted(rank, status, message); },
      [this](const SpawnOrder& order, const Spawned& done) { spawn(order, done); },
      [this](const JobControl& control) { carry_out(control); },
      [this](const std::string& words) { streams_.say(fmt::format("mpirun: {}\n", words)); },
  };
}

void Controller::start(PmixServer* server) {
  server_ = server;
  watch_signals();
  watch_trouble();
  guardian_.start({[this](int rank, const SpawnResult& result) { spawned(rank, result); },
                   [this](int rank, int status) { exited(rank, status, ""); },
                   [this] { guardian_empty(); }, [this] { guardian_lost(); }});
  if (options_.timeout_s) {
    timeout_timer_.expires_after(seconds(*options_.timeout_s));
    timeout_timer_.async_wait([this](std::error_code error) {
      if (!error) timed_out();
    });
  }
  if (remote_ != nullptr) remote_->listen(remote_callbacks());
  launch(jobs_.front());
  spawn_next();
}

void Controller::watch_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGTTIN, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    if (!is_ignored(signal)) signals_.add(signal);
  }
  for (const int signal : {SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT}) signals_.add(signal);
  mask_ending_signals(SIG_UNBLOCK);
  signals_.async_wait([this](std::error_code error, int signal) {
    if (!error) handle_signal(signal);
  });
}

// A shortage of memory that was survived ends the job in good order: the next one may not be.
void Controller::watch_trouble() {
  if (!trouble_.is_open()) {
    const int fd = ::fcntl(trouble_descriptor(), F_DUPFD_CLOEXEC, 3);
    if (fd < 0) return;
    trouble_.assign(fd);
  }
  trouble_.async_wait(asio::posix::stream_descriptor::wait_read, [this](std::error_code error) {
    if (error) return;
    std::uint64_t times = 0;
    (void)!::read(trouble_.native_handle(), &times, sizeof times);
    const Trouble found = trouble();
    if (found.is_fatal) throw Breakdown(found.words);
    if (!found.words.empty()) end_job(1, std::string(found.words));
    watch_trouble();
  });
}

bool Controller::break_down() {
  phase_ = Phase::done;
  guardian_.finish(Guardian::kPatience);
  // What a guardian has left that broke down, too. Of several hosts it is the keeper's turn.
  for (int round = 0; remote_ == nullptr && round < 100; ++round) {
    if (signal_descendants(SIGKILL) == 0) break;
    ::usleep(1000);
  }
  return streams_.drain(kDrainTime);
}

void Controller::handle_signal(int signal) {
  signals_.async_wait([this](std::error_code error, int next) {
    if (!error) handle_signal(next);
  });
  switch (signal) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
      if (phase_ == Phase::done) {
        io_.stop();  // whoever still waits, for daemons, does so no longer
      } else if (++interrupts_ > 1) {
        // Asked twice: nothing is waited for any more. The guardian kills what lives.
        break_off();
      } else {
        result_.raise_signal = signal == SIGINT ? SIGINT : 0;
        lookers_.clear();  // no report is waited for
        end_job(128 + signal, "interrupted by " + signal_text(signal));
        if (end_waits_) begin_end();
      }
      break;
    case SIGTSTP:
      signal_ranks(SIGSTOP);
      std::raise(SIGSTOP);
      break;
    case SIGCONT:
      signal_ranks(SIGCONT);
      streams_.resume_input();
      break;
    case SIGQUIT:
      // A rank whose start is not confirmed yet may have printed something already: its line shall
      // not say "not started". Asked again, the report does not wait for a start that hangs.
      if (phase_ == Phase::starting && !report_wanted_) {
        report_wanted_ = true;
      } else {
        report_ranks();
      }
      break;
    default:
      signal_ranks(signal);
  }
}

const Rank& Controller::place(int rank) const {
  const RankState& state = ranks_[static_cast<std::size_t>(rank)];
  return state.of->job.ranks[static_cast<std::size_t>(state.rank)];
}

const App& Controller::app_of(int rank) const {
  return running(rank).job.apps[static_cast<std::size_t>(place(rank).app)];
}

const Host& Controller::host_of(int rank) const {
  return running(rank).job.hosts[static_cast<std::size_t>(place(rank).host)];
}

bool Controller::is_here(int rank) const {
  return host_of(rank).node == 0;
}

void Controller::carry_out(const JobControl& control) {
  control_ = control;
  for (const int signal : control.signals) {
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
      if (control.is_for(rank) && is_here(rank)) guardian_.signal_rank(rank, signal);
    }
  }
  if (remote_ != nullptr) remote_->carry_out(control);
}

void Controller::signal_ranks(int signal) {
  guardian_.signal_ranks(signal);
  if (remote_ != nullptr) remote_->signal_ranks(signal);
}

void Controller::signal_all(int signal) {
  guardian_.signal_all(signal);
  if (remote_ != nullptr) remote_->signal_all(signal);
}

// Ranks are started one at a time, so that signals and failures are seen between them.
void Controller::spawn_next() {
  if (phase_ != Phase::starting || spawning_) return;
  while (next_to_spawn_ < ranks_.size() &&
         (ranks_[next_to_spawn_].dropped || !is_here(static_cast<int>(next_to_spawn_)))) {
    ++next_to_spawn_;
  }
  if (next_to_spawn_ == ranks_.size()) return check_started();
  if (!ranks_[next_to_spawn_].of->ready) return;  // prepared() goes on
  const auto index = static_cast<int>(next_to_spawn_++);
  const Rank& rank = place(index);
  const App& app = app_of(index);
  const auto ends = streams_.make_ends(index);
  if (!ends) return end_job(ends.error().status, ends.error().message);
  ChildSpec spec{app.program, app.argv, app.env, app.wdir, rank.binding.cpus, *ends};
  const auto added = server_->add_client_env(running(index).job, rank.rank, &spec.env);
  if (added) guardian_.spawn(index, spec);
  spawning_ = added.has_value();
  for (const int fd : *ends) ::close(fd);
  if (!added) end_job(1, added.error().message);
}

// The ranks of other hosts, all at once: each host starts its own one after the other.
void Controller::launch(RunningJob& job) {
  job.ready = true;
  if (remote_ == nullptr || phase_ != Phase::starting) return;
  for (const Rank& each : job.job.ranks) {
    const int rank = job.job.first + each.rank;
    if (is_here(rank)) continue;
    const auto input = streams_.make_remote(rank);
    if (!input) return end_job(input.error().status, input.error().message);
    if (*input >= 0) remote_->feed(rank, *input);
  }
  remote_->launch(job.job.number);
}

void Controller::check_started() {
  if (phase_ != Phase::starting || spawning_ || next_to_spawn_ < ranks_.size()) return;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (!ranks_[i].spawned && !ranks_[i].dropped) return;
  }
  phase_ = Phase::running;
  for (RunningJob& each : jobs_) {
    if (each.spawned) std::exchange(each.spawned, nullptr)({}, each.job.nspace);
  }
  streams_.started();
  check_progress();
}

RemoteHosts::Callbacks Controller::remote_callbacks() {
  return {
      [this](int rank, pid_t pid) {
        spawned(rank, {pid, SpawnStage::none, 0});
      },
      [this](int rank, const LaunchError& error) { not_spawned(rank, error); },
      [this](int rank, int status, const std::string& explanation) {
        exited(rank, status, explanation);
      },
      pmix_callbacks().connected,
      pmix_callbacks().finalized,
      pmix_callbacks().aborted,
      pmix_callbacks().spawn,
      pmix_callbacks().control,
      [this](int rank, int stream, std::string_view bytes) {
        return streams_.take_output(rank, stream, bytes);
      },
      [this](int rank, int stream) { streams_.end_output(rank, stream); },
      [this](const std::vector<int>& ranks, const std::string& why) { lost(ranks, why); },
      [this](int signal, const std::string& why) { end_job(128 + signal, why); },
      [this] { check_progress(); },
      [this](int node, const std::string& text) {
        (void)node;
        streams_.say(text);
      },
  };
}

void Controller::lost(const std::vector<int>& ranks, const std::string& why) {
  end_job(1, why);
  for (const int rank : ranks) {
    ranks_[static_cast<std::size_t>(rank)].exited = true;
    streams_.end_output(rank, STDOUT_FILENO);
    streams_.end_output(rank, STDERR_FILENO);
  }
  check_progress();
}

void Controller::spawned(int rank, const SpawnResult& result) {
  RankState& state = ranks_.at(static_cast<std::size_t>(rank));
  if (is_here(rank)) spawning_ = false;
  if (result.stage == SpawnStage::none) {
    state.pid = result.pid;
    state.spawned = true;
    if (is_here(rank)) nothing_left_ = false;
    if (std::exchange(report_wanted_, false)) report_ranks();
    if (phase_ != Phase::starting) {
      // It was asked for before the job began to end; daemons see to theirs.
      ++ended_ranks_;
      if (is_here(rank)) terminate();
    }
    return is_here(rank) ? spawn_next() : check_started();
  }
  const App& app = app_of(rank);
  not_spawned(rank, describe_spawn_failure(result, app.program, app.wdir));
}

void Controller::not_spawned(int rank, const LaunchError& error) {
  if (running(rank).job.is_spawned()) {
    const std::string where =
        remote_ == nullptr ? "" : fmt::format("host {}: ", host_of(rank).name);
    spawn_failed(*ranks_[static_cast<std::size_t>(rank)].of, {error.status, where + error.message});
    return spawn_next();
  }
  // Its host starts no other: those that it has not started will write nothing.
  for (const int other : host_of(rank).ranks) {
    if (is_here(other) || ranks_[static_cast<std::size_t>(other)].spawned) continue;
    streams_.end_output(other, STDOUT_FILENO);
    streams_.end_output(other, STDERR_FILENO);
  }
  end_job(error.status,
          fmt::format("rank {} on host {}: {}", rank, host_of(rank).name, error.message));
}

// --- jobs that ranks spawn

void Controller::add_job(Job job, std::unique_ptr<CallFile> calls) {
  RunningJob& added = jobs_.emplace_back(RunningJob{std::move(job), std::move(calls)});
  streams_.add(added.job);
  for (const Rank& rank : added.job.ranks) {
    RankState state;
    state.of = &added;
    state.rank = rank.rank;
    ranks_.push_back(state);
  }
}

void Controller::spawn(const SpawnOrder& order, const Spawned& done) {
  auto job = lay_out(order);
  if (!job) return done(job.error().message, "");
  if (const auto begun = prepare(std::move(*job), done); !begun) {
    return done(begun.error().message, "");
  }
}

// Nothing is changed yet.
tl::expected<Job, LaunchError> Controller::lay_out(const SpawnOrder& order) {
  const auto refuse = [](const std::string& why) { return tl::unexpected(LaunchError{1, why}); };
  if (phase_ != Phase::starting && phase_ != Phase::running) return refuse("the job is ending");
  if (order.asker < 0 || order.asker >= static_cast<int>(ranks_.size())) {
    return refuse("mpirun has not started the process that asks");
  }
  std::map<int, int> living;  // by node
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_[i].dropped || ranks_[i].exited) continue;
    ++living[host_of(static_cast<int>(i)).node];
  }
  SpawnPlace place{static_cast<int>(jobs_.size()), static_cast<int>(ranks_.size()), hosts_, {}};
  for (const HostRoom& host : hosts_) place.living.push_back(living[host.node]);
  return make_spawned_job(order, running(order.asker).job, options_, place);
}

// Everything that can be found wrong before a process runs: here at once, on other hosts later.
tl::expected<void, LaunchError> Controller::prepare(Job job, Spawned done) {
  const int host = job.host_of(0);
  std::unique_ptr<CallFile> calls;
  if (host >= 0) {
    constexpr std::size_t kDescriptors = 5;  // outputs, their files, its connection to PMIx
    const std::size_t ranks = job.hosts[static_cast<std::size_t>(host)].ranks.size();
    if (auto room = raise_descriptor_limit(ranks * kDescriptors); !room) {
      return tl::unexpected(LaunchError{1, room.error().message});
    }
    auto made =
        CallFile::create(guardian_.directory(), job.nspace, static_cast<int>(job.ranks.size()));
    if (!made) return tl::unexpected(LaunchError{1, made.error().message});
    calls = std::move(*made);
  }
  const auto served = server_ == nullptr ? Expected<>{} : server_->add_job(job);
  if (!served) return tl::unexpected(LaunchError{1, served.error().message});
  add_job(std::move(job), std::move(calls));
  RunningJob& added = jobs_.back();
  added.spawned = std::move(done);
  const bool resume = std::exchange(phase_, Phase::starting) == Phase::running;
  if (remote_ == nullptr) {
    if (resume) spawn_next();
    return {};
  }
  added.ready = false;
  const DaemonJob part{added.job, options_.output.merge, InputTo::kNone};
  remote_->add_job(part, [this, &added](const auto& result) { prepared(added, result); });
  return {};
}

void Controller::prepared(RunningJob& job, const tl::expected<void, LaunchError>& result) {
  if (phase_ != Phase::starting) return;  // all is ending
  if (result) {
    launch(job);
  } else {
    spawn_failed(job, result.error());
  }
  spawn_next();
}

// All of its processes run, or none.
void Controller::spawn_failed(RunningJob& job, const LaunchError& error) {
  if (!std::exchange(job.failed, true) && remote_ != nullptr) remote_->drop_job(job.job.number);
  for (const Rank& each : job.job.ranks) drop(job.job.first + each.rank);
  if (job.spawned) std::exchange(job.spawned, nullptr)(error.message, "");
}

// Daemons kill theirs by themselves.
void Controller::drop(int rank) {
  RankState& state = ranks_[static_cast<std::size_t>(rank)];
  if (is_here(rank)) guardian_.signal_rank(rank, SIGKILL);
  if (state.spawned || state.dropped) return;
  state.dropped = true;
  count_over(*state.of);
  if (is_here(rank)) return;
  streams_.end_output(rank, STDOUT_FILENO);
  streams_.end_output(rank, STDERR_FILENO);
}

// Names that it has published would lead nowhere. A program may spawn any number of jobs, so files
// of one that has ended go.
void Controller::count_over(RunningJob& job) {
  if (++job.over < job.job.ranks.size()) return;
  store().forget(job.job.nspace);
  if (!job.job.is_spawned()) return;
  job.calls.reset();
  if (server_ != nullptr) server_->remove_folder(job.job.nspace);
  if (remote_ != nullptr) remote_->drop_job(job.job.number);
}

DataStore& Controller::store() {
  return remote_ != nullptr ? remote_->exchange().store() : server_->store();
}

std::string Controller::rank_name(int rank) const {
  const RankState& state = ranks_[static_cast<std::size_t>(rank)];
  const Job& job = state.of->job;
  return fmt::format("rank {}{} (pid {}, {}) on host {}", state.rank,
                     job.is_spawned() ? fmt::format(" of spawned job {}", job.number) : "",
                     state.pid, app_of(rank).argv[0], host_of(rank).name);
}

int Controller::living() const {
  return static_cast<int>(std::ranges::count_if(
      ranks_, [](const RankState& state) { return state.spawned && !state.exited; }));
}

// Of ranks of other hosts their daemons know why the loader gave them up.
void Controller::exited(int rank, int wait_status, const std::string& explanation) {
  RankState& state = ranks_.at(static_cast<std::size_t>(rank));
  state.code = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  if (!std::exchange(state.exited, true)) count_over(*state.of);
  if (!cause_.empty() || state.of->failed || state.bereaved) return check_progress();
  if (WIFSIGNALED(wait_status) || state.connected) report_death(rank);
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    const bool asked = control_ && control_->sends(signal, rank);
    const std::string hint =
        asked               ? fmt::format(", for which rank {} asked (PMIx_Job_control)",
                                          ranks_[static_cast<std::size_t>(control_->asker)].rank)
        : signal == SIGKILL ? "; if nobody sent it, the host ran out of memory (see dmesg)"
        : signal == SIGPIPE && streams_.reader_left()
            ? "; nobody reads mpirun's standard output any more"
            : "";
    end_job(128 + signal,
            fmt::format("{} was killed by {}{}{}", rank_name(rank), signal_text(signal),
                        WCOREDUMP(wait_status) ? ", core dumped" : "", hint),
            rank);
  } else if (WEXITSTATUS(wait_status) != 0) {
    // After MPI_Finalize the others owe this rank nothing: let them finish by themselves.
    const bool finalized = state.was_connected && !state.connected;
    advice_ = explanation;
    if (is_here(rank) && WEXITSTATUS(wait_status) == kLoaderStatus) {
      advice_ = explain_loader_status(app_of(rank));
    }
    end_job(WEXITSTATUS(wait_status),
            fmt::format("{} exited with status {}", rank_name(rank), WEXITSTATUS(wait_status)),
            rank, finalized ? options_.grace() : 0);
  } else if (state.connected) {
    end_job(1, fmt::format("{} exited without calling MPI_Finalize", rank_name(rank)), rank);
  } else if (missed_init(state)) {
    end_job(1,
            fmt::format("{} exited without calling MPI_Init, though MPI_Comm_spawn had started it",
                        rank_name(rank)),
            rank);
  }
  check_progress();
}

// Those who spawned it wait in MPI_Comm_spawn: it is no client of PMIx's, or the last of a job of
// which nobody has asked for them (a session alone does not).
bool Controller::missed_init(const RankState& state) {
  if (!state.of->job.is_spawned()) return false;
  if (!state.was_connected) return true;
  const bool last = std::ranges::all_of(
      ranks_, [&](const RankState& other) { return other.of != state.of || other.exited; });
  if (!last) return false;
  return store().has_all({key_of_name(parent_port_name(state.of->job.nspace))});
}

void Controller::aborted(int rank, int status, const std::string& message) {
  // A shell sees eight bits; an abort must not look like success.
  const int shown = (status & 0xff) == 0 ? 1 : status & 0xff;
  const bool has_text = !message.empty() && message != "N/A";  // Open MPI's word for nothing
  const std::string cause = fmt::format("{} aborted the job with code {}{}{}", rank_name(rank),
                                        status, has_text ? ": " : "", has_text ? message : "");
  const auto says = [&](std::string_view words) {
    return message.find(words) != std::string::npos;
  };
  const bool misses_peer = status == MPI_ERR_IN_STATUS && says(kPeerEnded);
  if (status == MPI_ERR_PROC_ABORTED || misses_peer || says(kAnotherFailed)) {
    return miss_another(rank, shown, cause);
  }
  end_job(shown, cause, rank);
}

// A rank that misses another one is not the cause, and its own end tells nothing. How the other one
// ended is known soon; if it is not, the first who missed it has the word.
void Controller::miss_another(int rank, int status, const std::string& cause) {
  ranks_[static_cast<std::size_t>(rank)].bereaved = true;
  if (!cause_.empty() || !missing_.empty()) return;
  missing_ = cause;
  missing_status_ = status;
  missed_by_ = rank;
  end_timer_.expires_after(seconds(kNewsTime));
  end_timer_.async_wait([this](std::error_code error) {
    if (!error) end_job(missing_status_, missing_, missed_by_);
  });
}

// The first cause counts; what fails afterwards is its consequence.
void Controller::end_job(int status, std::string cause, int culprit, double delay_s) {
  if (!cause_.empty() || phase_ == Phase::done) return;
  cause_ = std::move(cause);
  result_.status = status;
  by_rank_ = culprit >= 0;
  ended_ranks_ = living();
  // An aborting rank still lives when it says so.
  if (by_rank_ && !ranks_[static_cast<std::size_t>(culprit)].exited) --ended_ranks_;
  if (phase_ != Phase::leaving) phase_ = Phase::ending;
  end_timer_.expires_after(seconds(delay_s));
  end_timer_.async_wait([this](std::error_code error) {
    if (!error) begin_end();
  });
  check_progress();
}

// Behind a look that is under way: ranks that are killed show nothing.
void Controller::begin_end() {
  end_waits_ = !lookers_.empty();
  if (end_waits_) return;
  terminate();
  end_timer_.expires_after(seconds(options_.grace()));
  end_timer_.async_wait([this](std::error_code stopped) {
    if (!stopped) kill_everything();
  });
}

void Controller::terminate() {
  signal_ranks(SIGTERM);
  signal_ranks(SIGCONT);  // a stopped process sees the SIGTERM only then
}

void Controller::kill_everything() {
  ++kill_rounds_;
  signal_all(SIGKILL);
  check_progress();
  if (phase_ == Phase::done) return;
  if (kill_rounds_ == kKillRounds && remote_ != nullptr) remote_->lose_silent();
  // Again for what was forked meanwhile, and for processes slow to die.
  end_timer_.expires_after(std::chrono::milliseconds(200));
  end_timer_.async_wait([this](std::error_code error) {
    if (!error) kill_everything();
  });
}

void Controller::guardian_empty() {
  nothing_left_ = true;
  check_progress();
}

void Controller::guardian_lost() {
  if (phase_ == Phase::done) return;
  // The ranks die with their parent; what they started became ours (see main).
  end_job(1, "the guardian process " + guardian_.how_it_ended());
  while (signal_descendants(SIGKILL) > 0) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    ::usleep(1000);
  }
  std::error_code ignored;
  std::filesystem::remove_all(guardian_.directory(), ignored);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (is_here(static_cast<int>(i))) ranks_[i].exited = true;
  }
  nothing_left_ = true;
  check_progress();
}

void Controller::check_progress() {
  if (phase_ == Phase::done || phase_ == Phase::starting || living() > 0) return;
  if (!lookers_.empty()) return;  // what was asked for is told first; looked() goes on
  if (cause_.empty() && !missing_.empty()) {
    return end_job(missing_status_, missing_, missed_by_);
  }
  const bool outputs_open = streams_.is_open();
  if (phase_ != Phase::leaving) {
    phase_ = Phase::leaving;
    if (cause_.empty()) leave();
  }
  // A pipe may be held by a process that is not ours. Never mistake a slow reader for that.
  const bool give_up = kill_rounds_ >= kKillRounds && (interrupts_ > 0 || !streams_.is_slow());
  const bool nothing_left = nothing_left_ && (remote_ == nullptr || remote_->is_empty());
  if (closing_ || !((nothing_left && !outputs_open) || give_up)) return;
  closing_ = true;
  leave_timer_.cancel();
  if (interrupts_ > 0) {
    // A reader that has stopped must not keep an interrupted job alive.
    leave_timer_.expires_after(seconds(options_.grace()));
    leave_timer_.async_wait([this](std::error_code error) {
      if (!error) break_off();
    });
  }
  streams_.close([this] { return last_words(); });
}

// All ranks have ended well, but something they started may still run, or hold their output.
void Controller::leave() {
  leave_timer_.expires_after(seconds(options_.grace()));
  leave_timer_.async_wait([this](std::error_code error) {
    if (error || phase_ == Phase::done) return;
    signal_all(SIGTERM);
    signal_all(SIGCONT);
    leave_timer_.expires_after(seconds(options_.grace()));
    leave_timer_.async_wait([this](std::error_code stopped) {
      if (!stopped && phase_ != Phase::done) kill_everything();
    });
  });
}

// The last output has not been written. The last words may still be, unless they would have to
// wait, too: a pipe that can be written takes so much. The exit codes of many ranks are more.
void Controller::break_off() {
  if (phase_ == Phase::done) return;
  std::string words = said_ ? "" : last_words();
  if (words.size() > PIPE_BUF) words = why_it_ends();
  pollfd room{STDERR_FILENO, POLLOUT, 0};
  if (words.size() <= PIPE_BUF && ::poll(&room, 1, 0) == 1 && (room.revents & POLLOUT) != 0) {
    (void)!::write(STDERR_FILENO, words.data(), words.size());
  }
  finish();
}

std::string Controller::last_words() {
  said_ = true;
  if (cause_.empty() && streams_.reader_left()) {
    result_.status = 128 + SIGPIPE;
    cause_ = "nobody reads mpirun's standard output any more: output of the ranks is lost";
  } else if (cause_.empty() && streams_.reader_of_errors_left()) {
    result_.status = 128 + SIGPIPE;
  }
  return (options_.print_exit_codes ? exit_codes() : "") + why_it_ends();
}

// Empty if nothing ends it: all ranks have ended well.
std::string Controller::why_it_ends() const {
  if (cause_.empty()) return {};
  std::string text = "mpirun: " + cause_;
  if (ended_ranks_ > 0) {
    const std::string ranks =
        ended_ranks_ == 1 ? "rank was" : fmt::format("{} ranks were", ended_ranks_);
    text += fmt::format("; {}{} ended", by_rank_ ? "the other " : "its ", ranks);
  }
  text += ".\n";
  return advice_.empty() ? text : text + "mpirun: " + advice_ + ".\n";
}

void Controller::finish() {
  if (phase_ == Phase::done) return;  // io_ may run on for others
  phase_ = Phase::done;
  io_.stop();
}

}  // namespace remit::launcher
