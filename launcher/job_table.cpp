// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The table of jobs and processes, and its words for a person.
#include "launcher/job_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace remit::launcher {

RunningJob& JobTable::add(Job job, std::unique_ptr<CallFile> calls) {
  RunningJob& added = jobs_.emplace_back(RunningJob{std::move(job), std::move(calls)});
  for (const Rank& rank : added.job.ranks) {
    RankState& state = ranks_.emplace_back();
    state.of = &added;
    state.rank = rank.rank;
  }
  return added;
}

const Rank& JobTable::place_of(int rank) const {
  const RankState& state = at(rank);
  return state.of->job.ranks[static_cast<std::size_t>(state.rank)];
}

const App& JobTable::app_of(int rank) const {
  return job_of(rank).apps[static_cast<std::size_t>(place_of(rank).app)];
}

const Host& JobTable::host_of(int rank) const {
  return job_of(rank).hosts[static_cast<std::size_t>(place_of(rank).host)];
}

bool JobTable::has_ranks_here() const {
  for (int rank = 0; rank < size(); ++rank) {
    if (is_here(rank)) return true;
  }
  return false;
}

int JobTable::living() const {
  return static_cast<int>(std::ranges::count_if(
      ranks_, [](const RankState& state) { return state.spawned && !state.exited; }));
}

std::map<int, int> JobTable::present_by_node() const {
  std::map<int, int> present;
  for (int rank = 0; rank < size(); ++rank) {
    if (!at(rank).dropped && !at(rank).exited) ++present[host_of(rank).node];
  }
  return present;
}

bool JobTable::has_job_exited(const RankState& state) const {
  return std::ranges::all_of(
      ranks_, [&](const RankState& other) { return other.of != state.of || other.exited; });
}

std::string JobTable::name_of(int rank) const {
  const RankState& state = at(rank);
  const Job& job = state.of->job;
  return fmt::format("rank {}{} (pid {}, {}) on host {}", state.rank,
                     job.is_spawned() ? fmt::format(" of spawned job {}", job.number) : "",
                     state.pid, app_of(rank).argv[0], host_of(rank).name);
}

std::string JobTable::exit_codes() const {
  std::string text;
  for (const RunningJob& each : jobs_) {
    const Job& job = each.job;
    text += job.is_spawned() ? fmt::format("mpirun: exit codes of spawned job {}:", job.number)
                             : "mpirun: exit codes:";
    for (const Host& host : job.hosts) {
      std::vector<std::string> codes;
      for (const int rank : host.ranks) {
        const std::optional<int>& code = at(job.first + rank).code;
        codes.push_back(code ? std::to_string(*code) : "-");
      }
      text += fmt::format(" [{}] {}", host.name, fmt::join(codes, ","));
    }
    text += '\n';
  }
  return text;
}

}  // namespace remit::launcher
