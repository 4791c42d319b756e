// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// mpirun: starts an MPI job on this host and ends with its exit status.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "config.h"
#include "launcher/call_file.hpp"
#include "launcher/controller.hpp"
#include "launcher/guardian.hpp"
#include "launcher/job.hpp"
#include "launcher/options.hpp"
#include "launcher/pmix_server.hpp"
#include "launcher/words.hpp"
#include "runtime/launch_params.hpp"
#include "runtime/nagle.hpp"

namespace remit::launcher {
namespace {

constexpr double kGuardianPatience = 10;  // seconds for the kernel to end killed processes

int complain(int status, const std::string& message) {
  fmt::print(stderr, "mpirun: {}\n", message);
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

// Without descriptors PMIx cannot take a rank's connection, and says nothing: the rank would wait
// for ever. So they are counted before. Ranks keep the limit that mpirun was started with.
Expected<> provide_descriptors(const Options& options) {
  constexpr rlim_t kOwn = 17;  // mpirun's, PMIx's, and those of one rank being started
  constexpr rlim_t kGuardian = 16;
  const bool files = !options.output.out_file.empty() || !options.output.err_file.empty();
  const auto ranks = static_cast<rlim_t>(options.total_ranks());
  const rlim_t each = 3U + (files ? 2U : 0U) + (options.input.rank == InputTo::kAll ? 1U : 0U);
  const auto used = static_cast<rlim_t>(open_descriptors().size());
  const rlim_t need = std::max(used + kOwn + ranks * each, kGuardian);
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  if (limit.rlim_max < need) {
    return fail(MPI_ERR_OTHER,
                "a job of {} rank(s) needs {} open files, and the limit is {}: raise it with "
                "'ulimit -n {}' "
                "(as root beyond the hard limit), or start fewer ranks",
                ranks, need, limit.rlim_max, need);
  }
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return {};
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string temporary_parent() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != 0 ? chosen : "/tmp";
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

Outcome run_job(Options& options, asio::io_context& io, Guardian& guardian) {
  Expected<Topology> topology = Topology::load();
  if (!topology) return {{1, 0}, topology.error().message};
  const Level mapped = options.placement.map_by.value_or(Level::host);
  if (auto counted = complete_counts(count_objects(*topology, mapped), &options); !counted) {
    return {{2, 0}, counted.error().message};
  }
  if (auto enough = provide_descriptors(options); !enough) {
    return {{1, 0}, enough.error().message};
  }
  const std::string host = host_name();
  auto job = make_job(options, *topology, host, environ);
  if (!job) return {{job.error().status, 0}, job.error().message};
  job->nspace = fmt::format("remit.{}.{}.{:08x}", host, ::getpid(), std::random_device{}());
  if (options.display_map) fmt::print(stderr, "{}", describe_map(*job));
  if (options.report_bindings) fmt::print(stderr, "{}", describe_bindings(*job));
  auto calls = CallFile::create(guardian.directory(), static_cast<int>(job->ranks.size()));
  if (!calls) return {{1, 0}, calls.error().message};
  Controller controller(io, options, *job, guardian, std::move(*calls));
  auto server =
      PmixServer::start(io, *job, 0, *topology, guardian.directory(), controller.pmix_callbacks());
  if (!server) return {{1, 0}, server.error().message};
  controller.start(**server);
  io.run();
  return {controller.result(), ""};
}

// Ends the job and leaves nothing, whoever of the two processes was killed meanwhile.
bool clean_up(Guardian& guardian) {
  const bool ended = guardian.finish(kGuardianPatience);
  std::error_code ignored;
  if (ended) std::filesystem::remove_all(guardian.directory(), ignored);
  return ended;
}

// From the guardian's birth on a signal must end the job, not only this process; until the
// controller hears signals they wait.
void hold_signals() {
  sigset_t ending;
  sigemptyset(&ending);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, signal);
  ::sigprocmask(SIG_BLOCK, &ending, nullptr);
}

int run(Options& options, std::span<char> title) {
  if (auto completed = complete_options(&options); !completed) {
    return complain(2, completed.error().message);
  }
  for (const std::string& note : options.notes) {
    if (!options.quiet) fmt::print(stderr, "mpirun: note: {}\n", note);
  }
  hold_signals();
  const Expected<GuardianProcess> process = fork_guardian(temporary_parent(), title);
  if (!process) return complain(1, process.error().message);
  // Should the guardian be killed, what its children started comes to us and is found.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  asio::io_context io(1);
  Expected<std::unique_ptr<Guardian>> guardian = Guardian::connect(io, *process);
  if (!guardian) {
    std::error_code ignored;
    std::filesystem::remove_all(process->directory, ignored);
    return complain(1, guardian.error().message);
  }
  const Outcome outcome = run_job(options, io, **guardian);
  if (!outcome.error.empty()) complain(outcome.result.status, outcome.error);
  if (!clean_up(**guardian)) {
    complain(1, "some processes of the job cannot be killed; the guardian waits for them");
  }
  if (outcome.result.raise_signal != 0) {
    std::signal(outcome.result.raise_signal, SIG_DFL);
    release_signals();
    std::raise(outcome.result.raise_signal);
  }
  // PMIx's threads still run: no destructor may be waited for. See ~PmixServer.
  ::_exit(outcome.result.status);
}

int main(std::span<const std::string> words, std::span<char> title) {
  open_standard_descriptors();
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
  const std::vector<std::string> words(argv + 1, argv + argc);
  // The kernel lays the arguments out one behind the other.
  char* end = argv[argc - 1] + std::strlen(argv[argc - 1]);
  return remit::launcher::main(words, {argv[0], end});
}
