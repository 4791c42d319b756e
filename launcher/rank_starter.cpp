// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Starting processes, one after the other.
#include "launcher/rank_starter.hpp"

#include <unistd.h>

#include <utility>

namespace remit::launcher {

RankStarter::RankStarter(JobTable& jobs, JobStreams& streams, Guardian& guardian,
                         RemoteHosts* remote, Callbacks callbacks)
    : jobs_(jobs),
      streams_(streams),
      guardian_(guardian),
      remote_(remote),
      callbacks_(std::move(callbacks)) {}

bool RankStarter::resume() {
  return std::exchange(state_, State::starting) == State::done;
}

void RankStarter::launch(RunningJob& job) {
  job.ready = true;
  if (remote_ == nullptr || !is_starting()) return;
  for (const Rank& each : job.job.ranks) {
    const int rank = job.job.first + each.rank;
    if (jobs_.is_here(rank)) continue;
    const auto input = streams_.make_remote(rank);
    if (!input) return callbacks_.failed(input.error());
    if (*input >= 0) remote_->feed(rank, *input);
  }
  remote_->orders().launch(job.job.number);
}

void RankStarter::go_on() {
  if (!is_starting() || under_way_) return;
  while (next_ < jobs_.size() && (jobs_.at(next_).dropped || !jobs_.is_here(next_))) ++next_;
  if (next_ == jobs_.size()) return check_started();
  if (!jobs_.at(next_).of->ready) return;  // who makes it ready goes on
  const int rank = next_++;
  const Rank& place = jobs_.place_of(rank);
  const App& app = jobs_.app_of(rank);
  const auto ends = streams_.make_ends(rank);
  if (!ends) return callbacks_.failed(ends.error());
  ChildSpec spec{app.program, app.argv, app.env, app.wdir, place.binding.cpus, *ends};
  const auto added = server_->add_client_env(jobs_.job_of(rank), place.rank, &spec.env);
  if (added) guardian_.spawn(rank, spec);
  under_way_ = added.has_value();
  for (const int fd : *ends) ::close(fd);
  if (!added) callbacks_.failed({1, added.error().message});
}

void RankStarter::answered(int rank) {
  if (jobs_.is_here(rank)) under_way_ = false;
}

void RankStarter::go_on_after(int rank) {
  if (jobs_.is_here(rank)) return go_on();
  check_started();
}

void RankStarter::check_started() {
  if (!is_starting() || under_way_ || next_ < jobs_.size()) return;
  for (int rank = 0; rank < jobs_.size(); ++rank) {
    if (!jobs_.at(rank).spawned && !jobs_.at(rank).dropped) return;
  }
  state_ = State::done;
  for (RunningJob& each : jobs_.jobs()) {
    if (each.spawned) std::exchange(each.spawned, nullptr)({}, each.job.nspace);
  }
  streams_.started();
  callbacks_.started();
}

}  // namespace remit::launcher
