// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// From an order to running processes, and what is taken away at the end.
#include "launcher/spawned_jobs.hpp"

#include <unistd.h>

#include <csignal>
#include <map>
#include <utility>

#include "launcher/host/host_names.hpp"

namespace remit::launcher {

SpawnedJobs::SpawnedJobs(Parts parts, const Options& options, std::span<const HostRoom> hosts)
    : parts_(parts), options_(options), hosts_(hosts) {}

void SpawnedJobs::spawn(const SpawnOrder& order, const PmixServer::Spawned& done) {
  auto job = lay_out(order);
  if (!job) return done(job.error().message, "");
  if (const auto begun = prepare(std::move(*job), done); !begun) {
    return done(begun.error().message, "");
  }
}

// Nothing is changed yet.
tl::expected<Job, LaunchError> SpawnedJobs::lay_out(const SpawnOrder& order) {
  const JobTable& jobs = parts_.jobs;
  if (order.asker < 0 || order.asker >= jobs.size()) {
    return tl::unexpected(LaunchError{1, "mpirun has not started the process that asks"});
  }
  const std::map<int, int> present = jobs.present_by_node();
  SpawnPlace place{static_cast<int>(jobs.jobs().size()), jobs.size(), hosts_, {}};
  for (const HostRoom& host : hosts_) {
    const auto found = present.find(host.node);
    place.living.push_back(found == present.end() ? 0 : found->second);
  }
  return make_spawned_job(order, jobs.job_of(order.asker), options_, place);
}

// Everything that can be found wrong before a process runs: here at once, on other hosts later.
tl::expected<void, LaunchError> SpawnedJobs::prepare(Job job, PmixServer::Spawned done) {
  const int host = job.host_of(0);
  std::unique_ptr<CallFile> calls;
  if (host >= 0) {
    constexpr std::size_t kDescriptors = 5;  // outputs, their files, its connection to PMIx
    const std::size_t ranks = job.hosts[static_cast<std::size_t>(host)].ranks.size();
    if (auto room = raise_descriptor_limit(ranks * kDescriptors); !room) {
      return tl::unexpected(LaunchError{1, room.error().message});
    }
    auto made = CallFile::create(parts_.guardian.directory(), job.nspace,
                                 static_cast<int>(job.ranks.size()));
    if (!made) return tl::unexpected(LaunchError{1, made.error().message});
    calls = std::move(*made);
  }
  const auto served = server_ == nullptr ? Expected<>{} : server_->add_job(job);
  if (!served) return tl::unexpected(LaunchError{1, served.error().message});
  RunningJob& added = parts_.jobs.add(std::move(job), std::move(calls));
  parts_.streams.add(added.job);
  added.spawned = std::move(done);
  const bool resumed = parts_.starter.resume();
  if (parts_.remote == nullptr) {
    if (resumed) parts_.starter.go_on();
    return {};
  }
  added.ready = false;
  const DaemonJob part{added.job, options_.output.merge, InputTo::kNone};
  parts_.remote->add_job(part, [this, &added](const auto& result) { prepared(added, result); });
  return {};
}

void SpawnedJobs::prepared(RunningJob& job, const tl::expected<void, LaunchError>& result) {
  if (!parts_.starter.is_starting()) return;  // all is ending
  if (result) {
    parts_.starter.launch(job);
  } else {
    fail(job, result.error());
  }
  parts_.starter.go_on();
}

void SpawnedJobs::fail(RunningJob& job, const LaunchError& error) {
  if (!std::exchange(job.failed, true) && parts_.remote != nullptr) {
    parts_.remote->orders().drop_job(job.job.number);
  }
  for (const Rank& each : job.job.ranks) drop(job.job.first + each.rank);
  if (job.spawned) std::exchange(job.spawned, nullptr)(error.message, "");
}

// Daemons kill theirs by themselves.
void SpawnedJobs::drop(int rank) {
  RankState& state = parts_.jobs.at(rank);
  const bool here = parts_.jobs.is_here(rank);
  if (here) parts_.guardian.signal_rank(rank, SIGKILL);
  if (state.spawned || state.dropped) return;
  state.dropped = true;
  count_over(*state.of);
  if (here) return;
  parts_.streams.end_output(rank, STDOUT_FILENO);
  parts_.streams.end_output(rank, STDERR_FILENO);
}

// Names that it has published would lead nowhere.
void SpawnedJobs::count_over(RunningJob& job) {
  ++job.over;
  if (!job.is_over()) return;
  store().forget(job.job.nspace);
  if (!job.job.is_spawned()) return;
  job.calls.reset();
  if (server_ != nullptr) server_->remove_folder(job.job.nspace);
  if (parts_.remote != nullptr) parts_.remote->orders().drop_job(job.job.number);
}

DataStore& SpawnedJobs::store() {
  return parts_.remote != nullptr ? parts_.remote->exchange().store() : server_->store();
}

}  // namespace remit::launcher
