// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Inspecting the processes of all jobs, and what was seen in words.
#include "launcher/report/job_inspection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <asio/post.hpp>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/clock.hpp"

namespace remit::launcher {
namespace {

// A call that is there before and after it lasts.
constexpr std::chrono::milliseconds kLastingTime{20};

}  // namespace

JobInspection::JobInspection(asio::io_context& io, const JobTable& jobs,
                             std::span<const HostRoom> hosts, RemoteHosts* remote,
                             Callbacks callbacks)
    : io_(io),
      jobs_(jobs),
      hosts_(hosts),
      remote_(remote),
      callbacks_(std::move(callbacks)),
      timer_(io) {}

JobInspection::~JobInspection() {
  *gone_ = true;
}

void JobInspection::inspect(Reader reader) {
  readers_.push_back(std::move(reader));
  if (readers_.size() > 1) return;
  inspect_once({}, [this](Snapshot first) {
    timer_.expires_after(kLastingTime);
    timer_.async_wait(
        [this, before = std::make_shared<const Snapshot>(std::move(first))](std::error_code error) {
          if (error) return;
          inspect_once(before->silent, [this, before](Snapshot second) {
            for (std::size_t i = 0; i < second.jobs.size(); ++i) {
              const bool known = i < before->jobs.size();
              keep_lasting(second.jobs[i], known ? before->jobs[i] : std::vector<RankSnapshot>{});
            }
            finish(std::make_shared<const Snapshot>(std::move(second)));
          });
        });
  });
}

// Other hosts first; what is here is seen when they have answered. `silent` ones are not asked.
void JobInspection::inspect_once(const std::set<int>& silent,
                                 const std::function<void(Snapshot snapshot)>& done) {
  std::vector<int> jobs;
  std::set<int> nodes;
  for (const RunningJob& each : jobs_.jobs()) {
    if (each.is_over()) continue;
    jobs.push_back(each.job.number);
    for (const Host& host : each.job.hosts) {
      if (host.node != 0 && !silent.contains(host.node)) nodes.insert(host.node);
    }
  }
  if (remote_ == nullptr) return done(gather({}));
  remote_->inspect(jobs, std::move(nodes), [this, silent, done](HostInspection::Result far) {
    far.silent.insert(silent.begin(), silent.end());
    done(gather(far));
  });
}

JobInspection::Snapshot JobInspection::gather(const HostInspection::Result& far) const {
  const ProcessTable processes;
  Snapshot all{std::vector<std::vector<RankSnapshot>>(jobs_.jobs().size()), far.silent};
  for (int number = 0; number < jobs_.size(); ++number) {
    const RankState& state = jobs_.at(number);
    const MpiPhase ended = state.was_connected ? MpiPhase::finished : MpiPhase::outside;
    RankSnapshot rank{state.rank, state.pid, state.exited,
                      state.connected ? MpiPhase::inside : ended, jobs_.host_of(number).name};
    rank.remote = !jobs_.is_here(number);
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

void JobInspection::finish(const std::shared_ptr<const Snapshot>& all) {
  if (stopped_) return;
  for (const Reader& reader : std::exchange(readers_, {})) reader(all);
  if (then_) std::exchange(then_, nullptr)();
  callbacks_.over();
}

void JobInspection::print() {
  inspect([this](const std::shared_ptr<const Snapshot>& all) { print(*all); });
}

void JobInspection::when_over(std::function<void()> then) {
  if (!is_under_way()) return then();
  then_ = std::move(then);
}

void JobInspection::cancel() {
  readers_.clear();
  if (then_) std::exchange(then_, nullptr)();
}

void JobInspection::stop() {
  stopped_ = true;
  readers_.clear();
  then_ = nullptr;
}

std::string JobInspection::describe(const Snapshot& all) const {
  std::string text = describe_ranks(all.jobs.front(), elapsed());
  for (std::size_t i = 1; i < all.jobs.size(); ++i) {
    if (std::ranges::all_of(all.jobs[i], &RankSnapshot::exited)) continue;
    const ProcessName& by = jobs_.jobs()[i].job.spawner;
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
                    RemoteHosts::kInspectionTime.count(), silent.size() > 1 ? "hosts" : "host",
                    fmt::join(silent, ", "));
}

double JobInspection::elapsed() const {
  return std::chrono::duration<double>(MonotonicClock::now() - start_).count();
}

void JobInspection::read_stacks(const std::shared_ptr<const Snapshot>& all,
                                const std::function<void(const std::string& text)>& done) {
  try {
    std::thread([this, all, done, gone = gone_] {
      std::string text;
      for (const auto& list : all->jobs) text += describe_stacks(list, StackWish{}, *gone);
      // The io_context lives as long as the process.
      if (*gone) return;
      asio::post(io_, [done, text = std::move(text)] { done(text); });
    }).detach();
  } catch (const std::system_error& error) {
    done(fmt::format("No stacks, for no thread can be started to get them: {}\n", error.what()));
  }
}

}  // namespace remit::launcher
