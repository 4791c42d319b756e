// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The controller's reports: what the ranks of all jobs do, and how they have ended.
#include <algorithm>
#include <asio/post.hpp>
#include <system_error>
#include <thread>
#include <utility>

#include "launcher/controller.hpp"

namespace remit::launcher {
namespace {

// A call that is there before and after it lasts.
constexpr std::chrono::milliseconds kLastingTime{20};

}  // namespace

// Two looks agree on a call that lasts. Who asks while somebody looks gets the same.
void Controller::look(Looker looker) {
  lookers_.push_back(std::move(looker));
  if (lookers_.size() > 1) return;
  look_once({}, [this](Look first) {
    look_timer_.expires_after(kLastingTime);
    look_timer_.async_wait(
        [this, before = std::make_shared<const Look>(std::move(first))](std::error_code error) {
          if (error) return;
          look_once(before->silent, [this, before](Look second) {
            for (std::size_t i = 0; i < second.jobs.size(); ++i) {
              const bool known = i < before->jobs.size();
              keep_lasting(second.jobs[i], known ? before->jobs[i] : std::vector<RankSnapshot>{});
            }
            looked(std::make_shared<const Look>(std::move(second)));
          });
        });
  });
}

// Other hosts first; what is here is seen when they have answered. `silent` ones are not asked.
void Controller::look_once(const std::set<int>& silent,
                           const std::function<void(Look look)>& done) {
  std::vector<int> jobs;
  std::set<int> nodes;
  for (const RunningJob& each : jobs_) {
    if (each.over == each.job.ranks.size()) continue;
    jobs.push_back(each.job.number);
    for (const Host& host : each.job.hosts) {
      if (host.node != 0 && !silent.contains(host.node)) nodes.insert(host.node);
    }
  }
  if (remote_ == nullptr) return done(gather({}));
  remote_->look(jobs, std::move(nodes), [this, silent, done](HostLooks::Result far) {
    far.silent.insert(silent.begin(), silent.end());
    done(gather(far));
  });
}

Controller::Look Controller::gather(const HostLooks::Result& far) const {
  const ProcessTable processes;
  Look all{std::vector<std::vector<RankSnapshot>>(jobs_.size()), far.silent};
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const RankState& state = ranks_[i];
    const MpiPhase ended = state.was_connected ? MpiPhase::finished : MpiPhase::outside;
    const auto number = static_cast<int>(i);
    RankSnapshot rank{state.rank, state.pid, state.exited,
                      state.connected ? MpiPhase::inside : ended, host_of(number).name};
    rank.remote = !is_here(number);
    const auto seen = far.ranks.find(number);
    rank.seen = !rank.remote || seen != far.ranks.end();
    if (!rank.remote) {
      rank.process = processes.busiest_of(state.pid);
      if (const CallFile* calls = state.of->calls.get()) rank.calls = calls->read(state.rank);
    } else if (rank.seen) {
      rank.process = seen->second.process;
      rank.calls = seen->second.calls;
    }
    if (state.exited) rank.process = {};  // another may have its number
    all.jobs[static_cast<std::size_t>(state.of->job.number)].push_back(std::move(rank));
  }
  return all;
}

void Controller::looked(const std::shared_ptr<const Look>& all) {
  if (phase_ == Phase::done) return;
  for (const Looker& looker : std::exchange(lookers_, {})) looker(all);
  if (std::exchange(end_waits_, false)) begin_end();
  check_progress();
}

// Spawned jobs that have ended are of no interest.
std::string Controller::describe(const Look& all) const {
  std::string text = describe_ranks(all.jobs.front(), elapsed());
  for (std::size_t i = 1; i < all.jobs.size(); ++i) {
    if (std::ranges::all_of(all.jobs[i], &RankSnapshot::exited)) continue;
    const ProcessName& by = jobs_[i].job.spawner;
    text += fmt::format("Job {}, spawned by rank {} of {}:\n", i, by.rank, by.job);
    text += describe_ranks(all.jobs[i], elapsed());
  }
  std::vector<std::string> silent;
  for (const HostRoom& host : hosts_) {
    if (all.silent.contains(host.node)) silent.push_back(host.spec.name);
  }
  if (silent.empty()) return text;
  return text + fmt::format(
                    "No answer within {} seconds from {} {}: what the ranks there do is not "
                    "known.\n",
                    RemoteHosts::kLookTime.count(), silent.size() > 1 ? "hosts" : "host",
                    fmt::join(silent, ", "));
}

// What the others were doing is of interest only if they have to do with each other.
void Controller::report_death(int culprit) {
  if (!ranks_[static_cast<std::size_t>(culprit)].was_connected || living() == 0) return;
  report_ranks();
}

void Controller::report_ranks() {
  look([this](const auto& all) { streams_.say(describe(*all)); });
}

double Controller::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Controller::timed_out() {
  if (!cause_.empty() || phase_ == Phase::leaving || phase_ == Phase::done) return;
  look([this](const auto& all) { end_timed_out(all); });
}

// The table first: it is quick. The stacks take a second a rank, in a thread, so that output and
// signals are still served.
void Controller::end_timed_out(const std::shared_ptr<const Look>& all) {
  if (!cause_.empty() || living() == 0) return;  // it has ended meanwhile
  streams_.say(describe(*all));
  const std::string cause =
      fmt::format("the job ran longer than --timeout {} seconds", *options_.timeout_s);
  if (!options_.stack_traces) return end_job(124, cause);
  try {
    std::thread([this, all, cause, gone = gone_] {
      std::string text;
      for (const auto& list : all->jobs) text += describe_stacks(list, StackWish{}, *gone);
      // The io_context lives as long as the process.
      if (*gone) return;
      asio::post(io_, [this, cause, text = std::move(text)] {
        streams_.say(text);
        end_job(124, cause);
      });
    }).detach();
  } catch (const std::system_error& error) {
    streams_.say(
        fmt::format("No stacks, for no thread can be started to get them: {}\n", error.what()));
    end_job(124, cause);
  }
}

// Host by host, as Hydra does: "exit codes: [a] 0,0 [b] 139,-".
std::string Controller::exit_codes() const {
  std::string text;
  for (const RunningJob& each : jobs_) {
    const Job& job = each.job;
    text += job.is_spawned() ? fmt::format("mpirun: exit codes of spawned job {}:", job.number)
                             : "mpirun: exit codes:";
    for (const Host& host : job.hosts) {
      std::vector<std::string> codes;
      for (const int rank : host.ranks) {
        const std::optional<int>& code =
            ranks_[static_cast<std::size_t>(job.first) + static_cast<std::size_t>(rank)].code;
        codes.push_back(code ? std::to_string(*code) : "-");
      }
      text += fmt::format(" [{}] {}", host.name, fmt::join(codes, ","));
    }
    text += '\n';
  }
  return text;
}

}  // namespace remit::launcher
