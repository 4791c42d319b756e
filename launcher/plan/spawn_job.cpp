// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Laying out a job that a rank has asked for.
#include "launcher/plan/spawn_job.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "launcher/cli/words.hpp"
#include "launcher/plan/host_map.hpp"

namespace remit::launcher {
namespace {

constexpr int kMostRanks = 1 << 20;  // of one job: what rank arrays may be made for

/// The host key of MPI_Comm_spawn: indices into `hosts`. `own`: the name of the asker's host.
tl::expected<std::vector<int>, LaunchError> hosts_of(const SpawnOrder::Program& program,
                                                     std::span<const HostRoom> hosts,
                                                     const std::string& own) {
  std::vector<int> chosen;
  if (program.hosts.empty()) {
    for (std::size_t i = 0; i < hosts.size(); ++i) chosen.push_back(static_cast<int>(i));
    return chosen;
  }
  for (const std::string& name : split(program.hosts, ',')) {
    const std::string& meant = name == "localhost" ? own : name;
    const auto found = std::ranges::find(hosts, meant, &HostRoom::name);
    if (found == hosts.end()) {
      std::vector<std::string> names;
      for (const HostRoom& host : hosts) names.push_back(host.name());
      return tl::unexpected(
          LaunchError{1, fmt::format("info key host: {} is not a host of this job, which has {}",
                                     name.empty() ? program.hosts : name, fmt::join(names, ","))});
    }
    const auto index = static_cast<int>(found - hosts.begin());
    if (std::ranges::count(chosen, index) == 0) chosen.push_back(index);
  }
  return chosen;
}

App make_spawned_app(const SpawnOrder::Program& program, const App& parent) {
  App app;
  app.argv = program.argv;
  app.ranks = program.ranks;
  app.env = parent.env;
  for (const std::string& setting : program.env) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) continue;
    set_env(&app.env, setting.substr(0, equals), setting.substr(equals + 1));
  }
  const std::filesystem::path base = parent.wdir;
  app.wdir = program.wdir.empty() ? parent.wdir : (base / program.wdir).string();
  if (!program.wdir.empty()) set_env(&app.env, "PWD", app.wdir);
  app.search_path =
      program.path.empty() ? parent.search_path : program.path + ":" + parent.search_path;
  return app;
}

void add_app(App app, Job* job) {
  app.first_rank = static_cast<int>(job->ranks.size());
  for (int i = 0; i < app.ranks; ++i) {
    Rank rank;
    rank.rank = static_cast<int>(job->ranks.size());
    rank.app = static_cast<int>(job->apps.size());
    rank.app_rank = i;
    job->ranks.push_back(std::move(rank));
  }
  job->apps.push_back(std::move(app));
}

/// Gives the ranks their hosts.
tl::expected<void, LaunchError> seat(std::span<const AppRoom> apps, const Options& options,
                                     const SpawnPlace& place, Job* job) {
  const auto dealt =
      deal_to_hosts(place.hosts, apps, options.placement, options.ranks_per_host, place.living);
  if (!dealt) return tl::unexpected(dealt.error());
  seat_ranks(place.hosts, *dealt, place.living, job);
  return {};
}

}  // namespace

tl::expected<Job, LaunchError> make_spawned_job(const SpawnOrder& order, const Job& parent,
                                                const Options& options, const SpawnPlace& place) {
  const int asker = order.asker - parent.first;
  const Rank& rank = parent.ranks.at(static_cast<std::size_t>(asker));
  const App& model = parent.apps[static_cast<std::size_t>(rank.app)];
  const std::string& own = parent.hosts[static_cast<std::size_t>(rank.host)].name;
  Job job;
  job.nspace = fmt::format("{}.{}", parent.root, place.number);
  job.root = parent.root;
  job.number = place.number;
  job.first = place.first;
  job.universe = parent.universe;
  job.allocated = parent.allocated;
  job.spawner = {parent.nspace, asker};
  job.parent_port = order.parent_port;
  std::vector<AppRoom> rooms;
  for (const SpawnOrder::Program& program : order.programs) {
    if (program.argv.empty() || program.ranks < 1) {
      return tl::unexpected(LaunchError{1, "a program without a name, or without processes"});
    }
    if (program.ranks > kMostRanks - static_cast<int>(job.ranks.size())) {
      return tl::unexpected(
          LaunchError{1, fmt::format("more than {} processes at once are too many", kMostRanks)});
    }
    auto hosts = hosts_of(program, place.hosts, own);
    if (!hosts) return tl::unexpected(hosts.error());
    rooms.push_back({program.ranks, std::move(*hosts)});
    add_app(make_spawned_app(program, model), &job);
  }
  if (auto done = seat(rooms, options, place, &job); !done) return tl::unexpected(done.error());
  if (auto done = find_programs(&job, 0); !done) return tl::unexpected(done.error());
  return job;
}

}  // namespace remit::launcher
