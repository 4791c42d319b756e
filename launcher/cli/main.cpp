// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// mpirun: starts an MPI job and ends with its exit status.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config.h"
#include "launcher/cli/options.hpp"
#include "launcher/cli/words.hpp"
#include "launcher/controller.hpp"
#include "launcher/host/daemon.hpp"
#include "launcher/host/guardian.hpp"
#include "launcher/host/host_names.hpp"
#include "launcher/host/signals.hpp"
#include "launcher/plan/job.hpp"
#include "launcher/plan/slurm.hpp"
#include "launcher/pmix/pmix_server.hpp"
#include "launcher/report/call_file.hpp"
#include "launcher/report/crash_report.hpp"
#include "launcher/report/profile_report.hpp"
#include "launcher/tree/remote_hosts.hpp"
#include "launcher/tree/secret.hpp"
#include "runtime/launch_params.hpp"

namespace remit::launcher {
namespace {

// A reader of standard error that has gone away is no reason to fail.
void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}

int complain(int status, const std::string& message) {
  say(fmt::format("mpirun: {}\n", message));
  return status;
}

// Descriptors 0 to 2 must be open, or the first pipe would become "standard output". One that was
// closed stays one that cannot be written: what ranks write must not vanish without a word. Only
// standard error has nobody left to tell.
void open_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    (void)::open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);  // takes the lowest number
  }
}

Expected<> provide_descriptors(const Options& options, std::size_t ranks) {
  const bool files = !options.output.out_file.empty() || !options.output.err_file.empty();
  return raise_descriptor_limit(
      ranks * (3U + (files ? 2U : 0U) + (options.input.rank == InputTo::kAll ? 1U : 0U)));
}

struct Outcome {
  JobResult result;
  std::string error;  // why it could not start
};

// What the command line left open: parameters, then what other mpiruns read.
Expected<> complete_options(Options* options) {
  Expected<Params> params = Params::from_environment(environ, UnknownNames::ignore);
  if (!params) return tl::unexpected(params.error());
  for (const auto& [name, value] : options->params) {
    const auto known = all_params();
    const bool is_own = std::ranges::any_of(
        known, [&](const ParamDecl* decl) { return std::string_view(decl->name) == name; });
    if (!is_own) continue;  // the ranks' business
    if (auto set = params->set(name, value); !set) {
      return fail(MPI_ERR_ARG, "--param {}={}: {}", name, value, set.error().message);
    }
  }
  if (auto done = apply_params(*params, options); !done) return done;
  const char* timeout = std::getenv("MPIEXEC_TIMEOUT");
  if (options->timeout_s || timeout == nullptr) return {};
  const int value = whole_number(timeout).value_or(0);
  if (value <= 0) {
    return fail(MPI_ERR_ARG, "MPIEXEC_TIMEOUT={}: use a whole number of seconds", timeout);
  }
  options->timeout_s = value;
  return {};
}

// The processes that are there before any other: the ranks' parent, and, of jobs on several hosts,
// that of ssh.
struct Helpers {
  std::unique_ptr<Guardian> ranks;
  std::unique_ptr<Guardian> keeper;
};

// What a job on several hosts needs in addition.
struct Others {
  std::optional<Secret> secret;
  std::unique_ptr<RemoteHosts> hosts;
};

std::string own_path() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

// The daemons, and with them the processors of their hosts.
tl::expected<void, LaunchError> raise_others(const Options& options, asio::io_context& io,
                                             Guardian& keeper, std::vector<HostRoom>* hosts,
                                             std::map<int, Processors>* remote, Others* others) {
  std::signal(SIGPIPE, SIG_IGN);  // an ssh that reads nothing is no reason to die
  TreePlan plan;
  plan.hosts.push_back(host_name());
  for (HostRoom& host : *hosts) {
    if (host.processors != nullptr) continue;
    host.node = static_cast<int>(plan.hosts.size());
    plan.hosts.push_back(host.spec.name);
  }
  plan.width = options.tree_width;
  plan.agent = options.agent;
  plan.program = options.prefix.empty() ? own_path() : options.prefix + "/bin/mpirun";
  plan.timeout_s = options.host_timeout_s;
  const Expected<Secret> secret = Secret::make();
  if (!secret) return tl::unexpected(LaunchError{1, secret.error().message});
  others->secret = *secret;
  others->hosts = std::make_unique<RemoteHosts>(io, std::move(plan), *others->secret, keeper);
  auto found = others->hosts->raise();
  if (!found) return tl::unexpected(found.error());
  *remote = std::move(*found);
  for (HostRoom& host : *hosts) {
    if (host.node > 0) host.processors = &remote->at(host.node);
  }
  return {};
}

// How many ranks run on this host.
std::size_t own_ranks(const Job& job) {
  for (const Host& host : job.hosts) {
    if (host.node == 0) return host.ranks.size();
  }
  return 0;
}

// How many processes there could usefully be (MPI-5.0, section 11.10.1).
int universe_of(const Job& job, std::span<const HostRoom> hosts) {
  int slots = 0;
  for (const HostRoom& host : hosts) slots += host.slots();
  return std::max(slots, static_cast<int>(job.ranks.size()));
}

void print_notes(const Options& options, const Job& job, std::span<const HostRoom> hosts) {
  const std::string excess = describe_excess(job, hosts);
  if (!excess.empty() && !options.oversubscribe && !options.quiet) {
    say(fmt::format("mpirun: note: {}\n", excess));
  }
  if (options.display_map) say(describe_map(job));
  if (options.report_bindings) say(describe_bindings(job));
}

Outcome failed(const LaunchError& error) {
  // What was interrupted while daemons were started ends as a running job does.
  return {{error.status, error.status == 128 + SIGINT ? SIGINT : 0}, error.message};
}

// mpirun itself cannot go on: the job ends here and now. To be called while the exception is
// handled.
Outcome break_down(Controller& controller, RemoteHosts* others) {
  Outcome outcome{{1, 0}, std::string(words_of_exception())};
  try {
    if (!controller.break_down()) outcome.error += "; some output of the ranks is lost";
    if (others != nullptr) others->finish();
  } catch (const std::exception&) {  // once more
    outcome.error += "; output of the ranks may be lost";
  }
  return outcome;
}

// Everything is laid out: starts the servers, then the ranks, and waits for the end.
Outcome run_laid_out(const Options& options, asio::io_context& io, std::span<const HostRoom> hosts,
                     Guardian& guardian, const Topology& topology, const Job& job,
                     RemoteHosts* others) {
  if (others != nullptr) {
    const DaemonJob part{job, options.output.merge, options.input.rank};
    if (auto ready = others->prepare(part); !ready) return failed(ready.error());
  }
  auto calls =
      CallFile::create(guardian.directory(), job.nspace, static_cast<int>(job.ranks.size()));
  if (!calls) return {{1, 0}, calls.error().message};
  Controller controller(io, options, hosts, job, guardian, std::move(*calls), others);
  std::unique_ptr<PmixServer> server;
  if (std::ranges::any_of(hosts, [](const HostRoom& host) { return host.node == 0; })) {
    auto started = PmixServer::start(io, {0, host_name(), &topology, guardian.directory()}, job,
                                     controller.pmix_callbacks(),
                                     others != nullptr ? &others->exchange() : nullptr);
    if (!started) return {{1, 0}, started.error().message};
    server = std::move(*started);
  }
  io.restart();
  try {
    controller.start(server.get());
    io.run();
  } catch (const std::exception&) {
    return break_down(controller, others);
  }
  Outcome outcome{controller.result(), ""};
  // While the daemons end, what still comes finds the controller and the server alive.
  if (others != nullptr) others->finish();
  return outcome;
}

Outcome run_job(Options& options, const JobRoom& room, asio::io_context& io, Helpers& helpers,
                Others* others) {
  Expected<Topology> topology = Topology::load();
  if (!topology) return {{1, 0}, topology.error().message};
  const std::string own = host_name();
  const Processors processors(*topology);
  std::map<int, Processors> remote;  // those of the other hosts, by node
  std::vector<HostRoom> hosts;
  hosts.reserve(room.hosts.size());
  for (const HostSpec& spec : room.hosts) {
    hosts.push_back({spec, spec.name == own ? &processors : nullptr, 0});
  }
  if (helpers.keeper) {
    auto raised = raise_others(options, io, *helpers.keeper, &hosts, &remote, others);
    if (!raised) return failed(raised.error());
  }
  if (auto counted = complete_counts(room, hosts, &options); !counted) {
    return {{2, 0}, counted.error().message};
  }
  auto job = make_job(options, room, hosts, environ);
  if (!job) return failed(job.error());
  if (auto enough = provide_descriptors(options, own_ranks(*job)); !enough) {
    return {{1, 0}, enough.error().message};
  }
  job->nspace = fmt::format("remit.{}.{}.{:08x}", own, ::getpid(), std::random_device{}());
  job->root = job->nspace;
  job->universe = universe_of(*job, hosts);
  job->allocated = static_cast<int>(hosts.size());
  print_notes(options, *job, hosts);
  return run_laid_out(options, io, hosts, *helpers.ranks, *topology, *job, others->hosts.get());
}

// Ends the job and leaves nothing, whoever of the two processes was killed meanwhile.
bool clean_up(Guardian& guardian) {
  const bool ended = guardian.finish(Guardian::kPatience);
  std::error_code ignored;
  if (ended) std::filesystem::remove_all(guardian.directory(), ignored);
  return ended;
}

bool has_others(const JobRoom& room) {
  return std::ranges::any_of(
      room.hosts, [own = host_name()](const HostSpec& host) { return host.name != own; });
}

// The hosts of the job, and how the others are reached. Addresses are looked for only if somebody
// names hosts.
Expected<JobRoom> room_of(Options* options) {
  const auto allocation = find_allocation(own_environment());
  if (!allocation) return tl::unexpected(allocation.error());
  const bool names_hosts =
      *allocation || !options->hostfile.empty() || options->rankfile ||
      std::ranges::any_of(options->apps, [](const AppSpec& app) { return !app.hosts.empty(); });
  OwnNames own{host_name(), names_hosts ? own_addresses() : std::vector<std::string>{}};
  if (*allocation) {
    if (!(*allocation)->own_name.empty()) own.addresses.push_back((*allocation)->own_name);
    if (auto used = use_allocation(**allocation, own, options); !used) {
      return tl::unexpected(used.error());
    }
  }
  Expected<JobRoom> room = find_room(*options, own);
  if (!room) return room;
  if (has_others(*room) && !*allocation && is_srun(options->agent)) {
    return fail(
        MPI_ERR_ARG,
        "srun is to start the daemons (parameter launch_agent), and there is no allocation: "
        "call mpirun inside of salloc or sbatch");
  }
  if (options->agent.empty()) {
    options->agent = *allocation ? std::vector<std::string>{"srun"}
                                 : std::vector<std::string>{"ssh", "-x", "-o", "BatchMode=yes"};
  }
  return room;
}

// Forks them before any thread exists.
Expected<Helpers> start_helpers(asio::io_context& io, bool with_keeper, std::span<char> title) {
  const Expected<GuardianProcess> ranks = fork_guardian(temporary_parent(), title);
  if (!ranks) return tl::unexpected(ranks.error());
  Helpers helpers;
  Expected<GuardianProcess> keeper = GuardianProcess{};
  if (with_keeper) keeper = fork_guardian(temporary_parent(), title);
  if (!keeper) return tl::unexpected(keeper.error());
  // Should a guardian be killed, what its children started comes to us and is found.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const auto& [process, guardian] :
       {std::pair{&*ranks, &helpers.ranks}, std::pair{&std::as_const(*keeper), &helpers.keeper}}) {
    if (process->pid < 0) continue;
    Expected<std::unique_ptr<Guardian>> connected = Guardian::connect(io, *process);
    if (!connected) {
      std::error_code ignored;
      std::filesystem::remove_all(process->directory, ignored);
      return tl::unexpected(connected.error());
    }
    *guardian = std::move(*connected);
  }
  return helpers;
}

int run(Options& options, std::span<char> title) {
  if (auto completed = complete_options(&options); !completed) {
    return complain(2, completed.error().message);
  }
  for (const std::string& note : options.notes) {
    if (!options.quiet) fmt::print(stderr, "mpirun: note: {}\n", note);
  }
  const Expected<JobRoom> room = room_of(&options);
  if (!room) return complain(2, room.error().message);
  mask_ending_signals(SIG_BLOCK);  // until somebody hears them
  asio::io_context io(1);
  Expected<Helpers> helpers = start_helpers(io, has_others(*room), title);
  if (!helpers) return complain(1, helpers.error().message);
  const Expected<ProfilePlan> profile = plan_profile(options, helpers->ranks->directory());
  if (!profile) {
    clean_up(*helpers->ranks);
    return complain(2, profile.error().message);
  }
  options.record_dir = profile->folder;
  Others others;
  Outcome outcome;
  try {
    outcome = run_job(options, *room, io, *helpers, &others);
  } catch (const std::exception&) {
    outcome = {{1, 0}, std::string(words_of_exception())};
  }
  if (others.hosts) others.hosts->finish();  // where the job did not start
  if (!outcome.error.empty()) complain(outcome.result.status, outcome.error);
  if (outcome.error.empty()) write_profile(*profile);
  if (helpers->keeper) clean_up(*helpers->keeper);
  if (!clean_up(*helpers->ranks)) {
    complain(1, "some processes of the job cannot be killed; the guardian waits for them");
  }
  if (outcome.result.raise_signal != 0) {
    std::signal(outcome.result.raise_signal, SIG_DFL);
    mask_ending_signals(SIG_UNBLOCK);
    std::raise(outcome.result.raise_signal);
  }
  // PMIx's threads still run: no destructor may be waited for. See ~PmixServer.
  ::_exit(outcome.result.status);
}

int main(std::span<const std::string> words, std::span<char> title) {
  open_standard_descriptors();
  prepare_crash_report();
  if (words.size() == 1 && words[0] == kDaemonWord) run_daemon(title);
  Expected<Options> options = parse_options(words);
  if (!options) return complain(2, options.error().message);
  switch (options->action) {
    case Action::help:
      fmt::print("{}\n", help_text());
      return 0;
    case Action::version:
      fmt::print("mpirun (Remit) {}\n", PACKAGE_VERSION);
      return 0;
    case Action::run:
      break;
  }
  return run(*options, title);
}

}  // namespace
}  // namespace remit::launcher

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    // The kernel lays the arguments out one behind the other.
    char* end = argv[argc - 1] + std::strlen(argv[argc - 1]);
    const int status = remit::launcher::main(words, {argv[0], end});
    remit::launcher::expect_exit();
    return status;
  } catch (const std::exception&) {
    // Guardians clean up when this process is gone, whose other threads may still run.
    remit::launcher::tell_exception();
    ::_exit(1);
  }
}
