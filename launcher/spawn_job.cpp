// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Laying out a job that a rank has asked for.
#include "launcher/spawn_job.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "launcher/words.hpp"

namespace remit::launcher {
namespace {

/// The host key of MPI_Comm_spawn.
tl::expected<void, LaunchError> check_hosts(const SpawnOrder::Program& program,
                                            const std::string& own) {
  if (program.hosts.empty()) return {};
  const std::vector<std::string> names = split(program.hosts, ',');
  const bool here = std::ranges::any_of(
      names, [&](const std::string& name) { return name == own || name == "localhost"; });
  if (here) return {};
  return tl::unexpected(
      LaunchError{1, fmt::format("info key host: {} is not a host of this job, which runs on {}",
                                 program.hosts, own)});
}

tl::expected<App, LaunchError> make_app(const SpawnOrder::Program& program, const App& parent) {
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
  std::error_code unused;
  const bool folder = std::filesystem::is_directory(app.wdir, unused);
  if (::access(app.wdir.c_str(), X_OK) != 0 || !folder) {
    const int why = folder || !std::filesystem::exists(app.wdir, unused) ? errno : ENOTDIR;
    return tl::unexpected(LaunchError{1, fmt::format("wdir {}: {}", app.wdir, std::strerror(why))});
  }
  app.search_path =
      program.path.empty() ? parent.search_path : program.path + ":" + parent.search_path;
  auto found = find_program(app.argv[0], app.wdir, app.search_path);
  if (!found) return tl::unexpected(found.error());
  app.program = std::move(*found);
  return app;
}

}  // namespace

tl::expected<Job, LaunchError> make_spawned_job(const SpawnOrder& order, const Job& parent,
                                                const SpawnPlace& place) {
  Job job;
  job.nspace = fmt::format("{}.{}", parent.root, place.number);
  job.root = parent.root;
  job.number = place.number;
  job.first = place.first;
  job.universe = parent.universe;
  job.neighbours = place.neighbours;
  job.spawner = {order.job, order.rank};
  job.parent_port = order.parent_port;
  const Rank& asker = parent.ranks.at(static_cast<std::size_t>(order.rank));
  Host host{place.host, {}, 0};
  for (const SpawnOrder::Program& program : order.programs) {
    if (program.argv.empty() || program.ranks < 1) {
      return tl::unexpected(LaunchError{1, "a program without a name, or without processes"});
    }
    if (auto fine = check_hosts(program, place.host); !fine) return tl::unexpected(fine.error());
    auto app = make_app(program, parent.apps[static_cast<std::size_t>(asker.app)]);
    if (!app) return tl::unexpected(app.error());
    app->first_rank = static_cast<int>(job.ranks.size());
    for (int i = 0; i < app->ranks; ++i) {
      Rank rank;
      rank.rank = rank.local_rank = static_cast<int>(job.ranks.size());
      rank.app = static_cast<int>(job.apps.size());
      rank.app_rank = i;
      host.ranks.push_back(rank.rank);
      job.ranks.push_back(rank);
    }
    job.apps.push_back(std::move(*app));
  }
  job.hosts.push_back(std::move(host));
  return job;
}

}  // namespace remit::launcher
