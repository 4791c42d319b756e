// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The job's state machine. Everything happens in the io_context's thread, one event at a time.
#include "launcher/controller.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <csignal>
#include <filesystem>
#include <utility>

#include "launcher/host/signals.hpp"
#include "launcher/report/profile_records.hpp"
#include "runtime/clock.hpp"

namespace remit::launcher {
namespace {

constexpr double kNewsTime = 1;  // s, for that of a rank's end behind what others say of it
constexpr std::chrono::seconds kDrainTime{10};

MonotonicClock::duration seconds(double value) {
  return std::chrono::duration_cast<MonotonicClock::duration>(std::chrono::duration<double>(value));
}

EndCause plain_cause(int status, std::string words) {
  return {status, std::move(words), -1, 0, ""};
}

EndCause cause_of(const LaunchError& error) {
  return plain_cause(error.status, error.message);
}

}  // namespace

Controller::Controller(asio::io_context& io, const Options& options,
                       std::span<const HostRoom> hosts, Job job, Guardian& guardian,
                       std::unique_ptr<CallFile> calls, RemoteHosts* remote)
    : io_(io),
      options_(options),
      guardian_(guardian),
      remote_(remote),
      streams_(io, options,
               {[this] { check_progress(); },
                [this](const std::string& cause) { end_job(plain_cause(1, cause)); },
                [this] { finish(); },
                [this] {
                  // What is held may be for any of the outputs: all must have room.
                  if (remote_ != nullptr && !streams_.is_slow()) remote_->release_outputs();
                },
                [this](int stream) {
                  if (remote_ != nullptr) remote_->orders().close_output(stream);
                }}),
      signals_(io, options, jobs_, guardian, remote, [this] { check_progress(); }),
      starter_(jobs_, streams_, guardian, remote,
               {[this](const LaunchError& error) { end_job(cause_of(error)); },
                [this] { check_progress(); }}),
      spawned_jobs_({jobs_, starter_, streams_, guardian, remote}, options, hosts),
      failures_(jobs_, options),
      inspection_(
          io, jobs_, hosts, remote,
          {[this](const std::string& text) { streams_.say(text); }, [this] { check_progress(); }}),
      trouble_(io, [this](const std::string& words) { end_job(plain_cause(1, words)); }),
      user_signals_(io, [this](int signal) { handle_signal(signal); }),
      end_timer_(io),
      close_timer_(io),
      timeout_timer_(io) {
  streams_.add(jobs_.add(std::move(job), std::move(calls)).job);
  // Without ranks here there is nothing to wait for.
  nothing_left_ = !jobs_.has_ranks_here();
}

PmixServer::Callbacks Controller::pmix_callbacks() {
  return {
      [this](int rank) {
        RankState& state = jobs_.at(rank);
        state.connected = state.was_connected = true;
      },
      [this](int rank) { jobs_.at(rank).connected = false; },
      [this](int rank, int status, const std::string& message) { aborted(rank, status, message); },
      [this](const SpawnOrder& order, const PmixServer::Spawned& done) {
        if (phase_ != Phase::running) return done("the job is ending", "");
        spawned_jobs_.spawn(order, done);
      },
      [this](const JobControl& control) {
        failures_.note(control);
        signals_.carry_out(control);
      },
      [this](const std::string& words) { streams_.say(fmt::format("mpirun: {}\n", words)); },
  };
}

RemoteHosts::Callbacks Controller::remote_callbacks() {
  const PmixServer::Callbacks of_pmix = pmix_callbacks();
  return {
      [this](int rank, pid_t pid) {
        rank_started(rank, {pid, SpawnStage::none, 0});
      },
      [this](int rank, const LaunchError& error) { rank_not_started(rank, error); },
      [this](int rank, int status, const std::string& explanation) {
        exited(rank, status, explanation);
      },
      of_pmix.connected,
      of_pmix.finalized,
      of_pmix.aborted,
      of_pmix.spawn,
      of_pmix.control,
      [this](int rank, int stream, std::string_view bytes) {
        return streams_.take_output(rank, stream, bytes);
      },
      [this](int rank, int stream) { streams_.end_output(rank, stream); },
      [this](const std::vector<int>& ranks, const std::string& why) { lost(ranks, why); },
      [this](int signal, const std::string& why) { end_job(plain_cause(128 + signal, why)); },
      [this] { check_progress(); },
      [this](int node, const std::string& text) {
        (void)node;
        streams_.say(text);
      },
      [this](std::string_view payload, int node, const std::optional<SeenClock>& clock) {
        auto kept = unpack_record(options_.record_dir, payload);
        if (kept && clock) kept = keep_clock(options_.record_dir, payload, node, *clock);
        if (!kept) streams_.say(fmt::format("mpirun: note: {}\n", kept.error().message));
      },
  };
}

void Controller::start(PmixServer* server) {
  starter_.serve(server);
  spawned_jobs_.serve(server);
  user_signals_.start();
  trouble_.start();
  guardian_.start({[this](int rank, const SpawnResult& result) { rank_started(rank, result); },
                   [this](int rank, int status) { exited(rank, status, ""); },
                   [this] {
                     nothing_left_ = true;
                     check_progress();
                   },
                   [this] { guardian_lost(); }});
  if (options_.timeout_s) {
    timeout_timer_.expires_after(seconds(*options_.timeout_s));
    timeout_timer_.async_wait([this](std::error_code error) {
      if (!error) timed_out();
    });
  }
  if (remote_ != nullptr) remote_->listen(remote_callbacks());
  if (remote_ != nullptr && !options_.record_dir.empty()) remote_->watch_clocks();
  starter_.launch(jobs_.jobs().front());
  starter_.go_on();
}

bool Controller::break_down() {
  phase_ = Phase::done;
  starter_.stop();
  signals_.stop();
  inspection_.stop();
  guardian_.finish(Guardian::kPatience);
  // What a guardian has left that broke down, too. Of several hosts it is the keeper's turn.
  for (int round = 0; remote_ == nullptr && round < 100; ++round) {
    if (signal_descendants(SIGKILL) == 0) break;
    ::usleep(1000);
  }
  return streams_.drain(kDrainTime);
}

void Controller::handle_signal(int signal) {
  switch (signal) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
      if (phase_ == Phase::done) {
        io_.stop();  // whoever still waits, for daemons, does so no longer
      } else if (user_signals_.count_interrupt() > 1) {
        // Asked twice: nothing is waited for any more. The guardian kills what lives.
        break_off();
      } else {
        end_.raise(signal == SIGINT ? SIGINT : 0);
        inspection_.cancel();  // no report is waited for
        end_job(plain_cause(128 + signal, "interrupted by " + signal_text(signal)));
      }
      break;
    case SIGTSTP:
      signals_.send_to_ranks(SIGSTOP);
      std::raise(SIGSTOP);
      break;
    case SIGCONT:
      signals_.send_to_ranks(SIGCONT);
      streams_.resume_input();
      break;
    case SIGQUIT:
      // A rank whose start is not confirmed yet may have printed something already: its line shall
      // not say "not started". Asked again, the report does not wait for a start that hangs.
      if (starter_.is_starting() && !report_wanted_) {
        report_wanted_ = true;
      } else {
        inspection_.print();
      }
      break;
    default:
      signals_.send_to_ranks(signal);
  }
}

void Controller::rank_started(int rank, const SpawnResult& result) {
  starter_.answered(rank);
  if (result.stage != SpawnStage::none) {
    const App& app = jobs_.app_of(rank);
    return rank_not_started(rank, describe_spawn_failure(result, app.program, app.wdir));
  }
  const bool here = jobs_.is_here(rank);
  RankState& state = jobs_.at(rank);
  state.pid = result.pid;
  state.spawned = true;
  if (here) nothing_left_ = false;
  if (std::exchange(report_wanted_, false)) inspection_.print();
  if (!starter_.is_starting()) {
    // It was asked for before the job began to end; daemons see to theirs.
    end_.count_another();
    if (here) signals_.terminate();
  }
  starter_.go_on_after(rank);
}

void Controller::rank_not_started(int rank, const LaunchError& error) {
  const Host& host = jobs_.host_of(rank);
  if (jobs_.job_of(rank).is_spawned()) {
    const std::string where = remote_ == nullptr ? "" : fmt::format("host {}: ", host.name);
    spawned_jobs_.fail(*jobs_.at(rank).of, {error.status, where + error.message});
    return starter_.go_on();
  }
  // Its host starts no other: those that it has not started will write nothing.
  for (const int other : host.ranks) {
    if (jobs_.is_here(other) || jobs_.at(other).spawned) continue;
    streams_.end_output(other, STDOUT_FILENO);
    streams_.end_output(other, STDERR_FILENO);
  }
  end_job(plain_cause(error.status,
                      fmt::format("rank {} on host {}: {}", rank, host.name, error.message)));
}

void Controller::exited(int rank, int wait_status, const std::string& explanation) {
  RankState& state = jobs_.at(rank);
  state.code = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  if (!std::exchange(state.exited, true)) spawned_jobs_.count_over(*state.of);
  if (end_.is_decided() || state.of->failed || state.bereaved) return check_progress();
  // What the others were doing is of interest only if they have to do with each other.
  const bool died = WIFSIGNALED(wait_status) || state.connected;
  if (died && state.was_connected && jobs_.living() > 0) inspection_.print();
  auto cause = failures_.of_exit(rank, wait_status,
                                 {streams_.reader_left(), explanation, spawned_jobs_.store()});
  if (cause) end_job(std::move(*cause));
  check_progress();
}

// A rank that misses another one is not the cause, and its own end tells nothing. How the other one
// ended is known soon; if it is not, the first who missed it has the word.
void Controller::aborted(int rank, int status, const std::string& message) {
  EndCause cause = failures_.of_abort(rank, status, message);
  if (!RankFailures::misses_another(status, message)) {
    if (!end_.is_decided()) cause.advice = failures_.explain_abort(rank);
    return end_job(std::move(cause));
  }
  jobs_.at(rank).bereaved = true;
  if (!end_.suspect(std::move(cause))) return;
  end_timer_.expires_after(seconds(kNewsTime));
  end_timer_.async_wait([this](std::error_code error) {
    if (!error) end_job(*end_.suspected());
  });
}

void Controller::lost(const std::vector<int>& ranks, const std::string& why) {
  end_job(plain_cause(1, why));
  for (const int rank : ranks) {
    jobs_.at(rank).exited = true;
    streams_.end_output(rank, STDOUT_FILENO);
    streams_.end_output(rank, STDERR_FILENO);
  }
  check_progress();
}

void Controller::guardian_lost() {
  if (phase_ == Phase::done) return;
  // The ranks die with their parent; what they started became ours (see main).
  end_job(plain_cause(1, "the guardian process " + guardian_.how_it_ended()));
  while (signal_descendants(SIGKILL) > 0) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    ::usleep(1000);
  }
  std::error_code ignored;
  std::filesystem::remove_all(guardian_.directory(), ignored);
  for (int rank = 0; rank < jobs_.size(); ++rank) {
    if (jobs_.is_here(rank)) jobs_.at(rank).exited = true;
  }
  nothing_left_ = true;
  check_progress();
}

// The table first: it is quick. The stacks take a second a rank.
void Controller::timed_out() {
  if (end_.is_decided() || phase_ >= Phase::leaving) return;
  inspection_.inspect([this](const auto& all) {
    if (end_.is_decided() || jobs_.living() == 0) return;  // it has ended meanwhile
    inspection_.print(*all);
    EndCause cause = plain_cause(
        124, fmt::format("the job ran longer than --timeout {} seconds", *options_.timeout_s));
    if (!options_.stack_traces) return end_job(std::move(cause));
    inspection_.read_stacks(all, [this, cause](const std::string& text) {
      streams_.say(text);
      end_job(cause);
    });
  });
}

// The first cause counts; what fails afterwards is its consequence.
void Controller::end_job(EndCause cause) {
  if (end_.is_decided() || phase_ == Phase::done) return;
  int others = jobs_.living();
  // An aborting rank still lives when it says so.
  if (cause.culprit >= 0 && !jobs_.at(cause.culprit).exited) --others;
  const double delay_s = cause.delay_s;
  end_.decide(std::move(cause), others);
  starter_.stop();
  if (phase_ < Phase::leaving) phase_ = Phase::ending;
  end_timer_.expires_after(seconds(delay_s));
  end_timer_.async_wait([this](std::error_code error) {
    // Behind an inspection that is under way: ranks that are killed show nothing.
    if (!error) inspection_.when_over([this] { signals_.end(); });
  });
  check_progress();
}

void Controller::check_progress() {
  if (phase_ == Phase::done || starter_.is_starting() || jobs_.living() > 0) return;
  if (inspection_.is_under_way()) return;  // what was asked for is told first
  if (!end_.is_decided() && end_.suspected()) return end_job(*end_.suspected());
  const bool outputs_open = streams_.is_open();
  if (phase_ < Phase::leaving) {
    phase_ = Phase::leaving;
    // All ranks have ended well, but what they started may still run, or hold their output.
    if (!end_.is_decided()) signals_.end_leftovers();
  }
  // A pipe may be held by a process that is not ours. Never mistake a slow reader for that.
  const bool give_up =
      signals_.is_in_vain() && (user_signals_.interrupts() > 0 || !streams_.is_slow());
  const bool nothing_left = nothing_left_ && (remote_ == nullptr || remote_->is_empty());
  if (phase_ == Phase::leaving && ((nothing_left && !outputs_open) || give_up)) close_outputs();
}

void Controller::close_outputs() {
  phase_ = Phase::closing;
  signals_.forget_leftovers();
  if (user_signals_.interrupts() > 0) {
    // A reader that has stopped must not keep an interrupted job alive.
    close_timer_.expires_after(seconds(options_.grace()));
    close_timer_.async_wait([this](std::error_code error) {
      if (!error) break_off();
    });
  }
  streams_.close([this] { return final_message(); });
}

// The last output has not been written. The last words may still be, unless they would have to
// wait, too: a pipe that can be written takes so much. The exit codes of many ranks are more.
void Controller::break_off() {
  if (phase_ == Phase::done) return;
  std::string words = end_.has_spoken() ? "" : final_message();
  if (words.size() > PIPE_BUF) words = end_.words();
  pollfd room{STDERR_FILENO, POLLOUT, 0};
  if (words.size() <= PIPE_BUF && ::poll(&room, 1, 0) == 1 && (room.revents & POLLOUT) != 0) {
    (void)!::write(STDERR_FILENO, words.data(), words.size());
  }
  finish();
}

std::string Controller::final_message() {
  if (streams_.reader_left()) {
    end_.lose_reader(STDOUT_FILENO);
  } else if (streams_.reader_of_errors_left()) {
    end_.lose_reader(STDERR_FILENO);
  }
  return (options_.print_exit_codes ? jobs_.exit_codes() : "") + end_.final_message();
}

void Controller::finish() {
  if (phase_ == Phase::done) return;  // io_ may run on for others
  phase_ = Phase::done;
  starter_.stop();
  signals_.stop();
  inspection_.stop();
  io_.stop();
}

}  // namespace remit::launcher
