// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// From options to a job laid out on its hosts.
#include "launcher/plan/job.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include "launcher/report/loader_check.hpp"
#include "launcher/report/profile_report.hpp"

namespace remit::launcher {
namespace {

// What another launcher around us left for its own ranks must not reach ours.
bool belongs_to_outer_launcher(std::string_view setting) {
  if (setting.starts_with("PMIX_MCA_") || setting.starts_with("PMIX_DEBUG")) return false;
  return setting.starts_with("PMIX_") || setting.starts_with("PMI_") ||
         setting.starts_with("OMPI_COMM_WORLD_");
}

std::vector<std::string> inherited_env(char** environment, const Inheritance& inherit) {
  std::vector<std::string> env;
  for (char** entry = environment; *entry != nullptr; ++entry) {
    const std::string_view setting = *entry;
    if (belongs_to_outer_launcher(setting)) continue;
    const std::string name(setting.substr(0, setting.find('=')));
    if (inherit.all || std::ranges::find(inherit.names, name) != inherit.names.end()) {
      env.emplace_back(setting);
    }
  }
  return env;
}

// The value of a variable in an environment; nullopt if it has none.
std::optional<std::string> value_in(char** environment, const std::string& name) {
  for (char** entry = environment; *entry != nullptr; ++entry) {
    const std::string_view setting = *entry;
    if (setting.size() > name.size() && setting.starts_with(name) && setting[name.size()] == '=') {
      return std::string(setting.substr(name.size() + 1));
    }
  }
  return std::nullopt;
}

tl::expected<void, LaunchError> apply(const std::vector<EnvSetting>& settings, char** environment,
                                      std::vector<std::string>* env) {
  for (const EnvSetting& setting : settings) {
    const std::optional<std::string> value =
        setting.value ? setting.value : value_in(environment, setting.name);
    if (!value) {
      return tl::unexpected(LaunchError{
          2, fmt::format("-x {}: mpirun's environment has no such variable (write -x {}=VALUE)",
                         setting.name, setting.name)});
    }
    set_env(env, setting.name, *value);
  }
  return {};
}

std::string param_variable(const std::string& name) {
  std::string variable = "REMIT_" + name;
  for (char& letter : variable) {
    letter =
        letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return variable;
}

// The monitor that hears of unmapped memory from a preloaded library finds it loaded.
tl::expected<void, LaunchError> preload_memory_monitor(std::vector<std::string>* env) {
  const char* const monitor = get_env(*env, "REMIT_MEMORY_MONITOR");
  if (monitor == nullptr || std::string_view(monitor) != "preload") return {};
  if (!preload_library("libremit_memory.so", env)) {
    return tl::unexpected(LaunchError{
        2,
        "memory_monitor=preload needs libremit_memory.so, which is neither beside mpirun nor "
        "in " REMIT_LIBDIR ": install it, or name it in LD_PRELOAD"});
  }
  return {};
}

tl::expected<App, LaunchError> make_app_of_options(const Options& options, const AppSpec& spec,
                                                   char** environment) {
  App app;
  app.argv = spec.command;
  app.ranks = spec.ranks;
  app.env = inherited_env(environment, spec.inherit.value_or(options.inherit));
  for (const std::vector<EnvSetting>* settings : {&options.global_env, &spec.env}) {
    if (auto done = apply(*settings, environment, &app.env); !done)
      return tl::unexpected(done.error());
  }
  for (const auto& [name, value] : options.params) set_env(&app.env, param_variable(name), value);
  if (auto done = preload_memory_monitor(&app.env); !done) return tl::unexpected(done.error());
  if (auto done = add_profile_env(options, &app.env); !done) {
    return tl::unexpected(LaunchError{2, done.error().message});
  }
  // With this Open MPI 4 takes the job from PMIx instead of running as N singletons.
  if (get_env(app.env, "JSM_JSRUN_PORT") == nullptr) set_env(&app.env, "JSM_JSRUN_PORT", "1");
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error && !std::filesystem::path(spec.wdir).is_absolute()) {
    return tl::unexpected(LaunchError{
        2, fmt::format("the current folder cannot be used ({}); was it deleted? Change to another "
                       "one, or give an absolute -wdir",
                       error.message())});
  }
  app.wdir = (spec.wdir.empty() ? here : here / spec.wdir).string();
  if (!spec.wdir.empty()) set_env(&app.env, "PWD", app.wdir);
  const char* set_path = get_env(app.env, "PATH");
  std::string path =
      set_path != nullptr ? set_path : value_in(environment, "PATH").value_or("/usr/bin:/bin");
  app.search_path = spec.path.empty() ? path : spec.path + ":" + path;
  return app;
}

// The hosts of the rankfile; they must be among those of --host where a program has some.
tl::expected<std::vector<int>, LaunchError> deal_by_file(const Options& options,
                                                         const JobRoom& room) {
  std::vector<int> dealt;
  for (std::size_t i = 0; i < options.apps.size(); ++i) {
    for (int left = options.apps[i].ranks; left > 0; --left) {
      const int host = room.rank_hosts[dealt.size()];
      if (!options.apps[i].hosts.empty() && std::ranges::count(room.app_hosts[i], host) == 0) {
        return tl::unexpected(LaunchError{
            2, fmt::format("--rankfile {} line {}: {} is not among the hosts of --host",
                           options.rankfile->path, options.rankfile->ranks[dealt.size()].line,
                           room.hosts[static_cast<std::size_t>(host)].name)});
      }
      dealt.push_back(host);
    }
  }
  return dealt;
}

// The index into `hosts` of each rank.
tl::expected<std::vector<int>, LaunchError> deal(const Options& options, const JobRoom& room,
                                                 std::span<const HostRoom> hosts) {
  if (options.rankfile) return deal_by_file(options, room);
  std::vector<AppRoom> apps;
  for (std::size_t i = 0; i < options.apps.size(); ++i) {
    apps.push_back({options.apps[i].ranks, room.app_hosts[i]});
  }
  return deal_to_hosts(hosts, apps, options.placement, options.ranks_per_host);
}

// The bindings of the ranks of one host. Without being asked nothing is bound where others share
// its processors: all of them would be bound to the first ones.
tl::expected<std::vector<Binding>, LaunchError> bind_host(const Options& options,
                                                          const HostRoom& room, const Host& host) {
  if (!options.rankfile) {
    Placement placement = options.placement;
    const bool asked = placement.bind_to || placement.map_by || placement.cores_per_rank != 0;
    if (host.neighbours != 0 && !asked) placement.bind_to = BindTo::none;
    return place_ranks(*room.processors, static_cast<int>(host.ranks.size()), placement);
  }
  std::vector<Binding> bindings;
  for (const int rank : host.ranks) {
    auto binding = bind_line(*room.processors, options.rankfile->path,
                             options.rankfile->ranks[static_cast<std::size_t>(rank)]);
    if (!binding) return tl::unexpected(binding.error());
    bindings.push_back(std::move(*binding));
  }
  return bindings;
}

// Gives each rank its host, and each host that has ranks its place in the job.
tl::expected<void, LaunchError> place_job(const Options& options, const JobRoom& room,
                                          std::span<const HostRoom> hosts, Job* job) {
  const auto dealt = deal(options, room, hosts);
  if (!dealt) return tl::unexpected(dealt.error());
  seat_ranks(hosts, *dealt, {}, job);
  for (const Host& host : job->hosts) {
    const int room = (*dealt)[static_cast<std::size_t>(host.ranks.front())];
    const auto bindings = bind_host(options, hosts[static_cast<std::size_t>(room)], host);
    if (!bindings) return tl::unexpected(bindings.error());
    for (std::size_t local = 0; local < host.ranks.size(); ++local) {
      job->ranks[static_cast<std::size_t>(host.ranks[local])].binding = (*bindings)[local];
    }
  }
  return {};
}

// The hosts of each machine that is known. Most have one: so not every host looks at all others.
std::map<std::string_view, std::vector<std::size_t>> hosts_by_machine(
    std::span<const HostRoom> hosts) {
  std::map<std::string_view, std::vector<std::size_t>> machines;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts[i].processors != nullptr) machines[hosts[i].processors->machine()].push_back(i);
  }
  machines.erase("");
  return machines;
}

// How many processes are on other hosts that share processors with this one, by host.
std::vector<int> processes_beside(std::span<const HostRoom> hosts, std::span<const int> processes) {
  std::vector<int> beside(hosts.size());
  for (const auto& [machine, those] : hosts_by_machine(hosts)) {
    for (const std::size_t host : those) {
      for (const std::size_t other : those) {
        const bool shares = host != other && processes[other] != 0 &&
                            hosts[other].processors->shared_with(*hosts[host].processors);
        if (shares) beside[host] += processes[other];
      }
    }
  }
  return beside;
}

}  // namespace

int Job::host_of(int node) const {
  const auto found = std::ranges::find(hosts, node, &Host::node);
  return found == hosts.end() ? -1 : static_cast<int>(found - hosts.begin());
}

void seat_ranks(std::span<const HostRoom> hosts, std::span<const int> dealt,
                std::span<const int> living, Job* job) {
  std::vector<std::vector<int>> ranks(hosts.size());
  std::vector<int> others(living.begin(), living.end());
  others.resize(hosts.size());
  std::vector<int> processes = others;
  for (std::size_t rank = 0; rank < dealt.size(); ++rank) {
    ranks[static_cast<std::size_t>(dealt[rank])].push_back(static_cast<int>(rank));
    ++processes[static_cast<std::size_t>(dealt[rank])];
  }
  const std::vector<int> beside = processes_beside(hosts, processes);
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (ranks[i].empty()) continue;
    for (std::size_t local = 0; local < ranks[i].size(); ++local) {
      Rank& rank = job->ranks[static_cast<std::size_t>(ranks[i][local])];
      rank.host = static_cast<int>(job->hosts.size());
      rank.local_rank = static_cast<int>(local);
    }
    const int neighbours = others[i] + beside[i];
    job->hosts.push_back({hosts[i].name(), std::move(ranks[i]), hosts[i].node, neighbours});
  }
}

tl::expected<void, LaunchError> find_programs(Job* job, int node) {
  for (const Rank& rank : job->ranks) {
    App& app = job->apps[static_cast<std::size_t>(rank.app)];
    const Host& host = job->hosts[static_cast<std::size_t>(rank.host)];
    if (host.node != node || !app.program.empty()) continue;
    std::error_code unused;
    const bool folder = std::filesystem::is_directory(app.wdir, unused);
    if (::access(app.wdir.c_str(), X_OK) != 0 || !folder) {
      const int why = folder || !std::filesystem::exists(app.wdir, unused) ? errno : ENOTDIR;
      return tl::unexpected(
          LaunchError{2, fmt::format("{}wdir {}: {}", job->is_spawned() ? "" : "-", app.wdir,
                                     std::strerror(why))});
    }
    auto program = find_program(app.argv[0], app.wdir, app.search_path);
    if (!program) return tl::unexpected(program.error());
    app.program = std::move(*program);
  }
  return {};
}

std::vector<std::string> own_environment() {
  std::vector<std::string> list;
  for (char** entry = environ; *entry != nullptr; ++entry) list.emplace_back(*entry);
  return list;
}

void set_env(std::vector<std::string>* env, const std::string& name, const std::string& value) {
  const std::string prefix = name + "=";
  const auto found = std::ranges::find_if(
      *env, [&](const std::string& setting) { return setting.starts_with(prefix); });
  if (found != env->end()) {
    *found = prefix + value;
  } else {
    env->push_back(prefix + value);
  }
}

const char* get_env(const std::vector<std::string>& env, std::string_view name) {
  for (const std::string& setting : env) {
    if (setting.starts_with(name) && setting.size() > name.size() && setting[name.size()] == '=') {
      return setting.c_str() + name.size() + 1;
    }
  }
  return nullptr;
}

tl::expected<Job, LaunchError> make_job(const Options& options, const JobRoom& room,
                                        std::span<const HostRoom> hosts, char** environment) {
  Job job;
  for (const AppSpec& spec : options.apps) {
    auto app = make_app_of_options(options, spec, environment);
    if (!app) return tl::unexpected(app.error());
    app->first_rank = static_cast<int>(job.ranks.size());
    for (int i = 0; i < app->ranks; ++i) {
      Rank rank;
      rank.rank = static_cast<int>(job.ranks.size());
      rank.app = static_cast<int>(job.apps.size());
      rank.app_rank = i;
      job.ranks.push_back(std::move(rank));
    }
    job.apps.push_back(std::move(*app));
  }
  if (auto done = place_job(options, room, hosts, &job); !done) return tl::unexpected(done.error());
  if (auto done = find_programs(&job, 0); !done) return tl::unexpected(done.error());
  return job;
}

std::string describe_excess(const Job& job, std::span<const HostRoom> hosts) {
  std::string text;
  for (const Host& host : job.hosts) {
    const auto room = std::ranges::find(hosts, host.name, &HostRoom::name);
    if (room == hosts.end() || !room->spec.said) continue;
    if (static_cast<int>(host.ranks.size()) <= room->slots()) continue;
    text += fmt::format("{}{} has {} ranks and {} slots", text.empty() ? "" : ", ", host.name,
                        host.ranks.size(), room->slots());
  }
  return text.empty() ? "" : "more ranks than slots: " + text;
}

std::string describe_map(const Job& job) {
  std::string text;
  for (const Rank& rank : job.ranks) {
    const App& app = job.apps[static_cast<std::size_t>(rank.app)];
    text += fmt::format("mpirun: rank {} of {} on host {}{}: {} in {}\n", rank.rank,
                        job.ranks.size(), job.hosts[static_cast<std::size_t>(rank.host)].name,
                        rank.binding.bound() ? ", " + rank.binding.description : "",
                        fmt::join(app.argv, " "), app.wdir);
  }
  return text;
}

std::string describe_bindings(const Job& job) {
  std::string text;
  for (const Rank& rank : job.ranks) {
    text += fmt::format("mpirun: rank {} on host {} is {}{}\n", rank.rank,
                        job.hosts[static_cast<std::size_t>(rank.host)].name,
                        rank.binding.bound() ? "bound to " : "not bound", rank.binding.description);
  }
  return text;
}

}  // namespace remit::launcher
