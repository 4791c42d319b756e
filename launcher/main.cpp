// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// mpirun: starts an MPI job on this host and ends with its exit status.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <asio/io_context.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "config.h"
#include "launcher/controller.hpp"
#include "launcher/guardian.hpp"
#include "launcher/job.hpp"
#include "launcher/options.hpp"
#include "launcher/pmix_server.hpp"

namespace remit::launcher {
namespace {

constexpr double kGuardianPatience = 10;  // seconds for the kernel to end killed processes

int complain(int status, const std::string& message) {
  fmt::print(stderr, "mpirun: {}\n", message);
  return status;
}

// Descriptors 0 to 2 must be open, or the first pipe would become "standard output".
void open_standard_descriptors() {
  int fd = 0;
  do {
    fd = ::open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= 2);
  if (fd > 2) ::close(fd);
}

// Two pipes a rank: the usual soft limit of 1024 is too low. Ranks are forked by the guardian and
// keep the limit that mpirun was started with.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
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

Outcome run_job(const Options& options, asio::io_context& io, Guardian& guardian) {
  Expected<Topology> topology = Topology::load();
  if (!topology) return {{1, 0}, topology.error().message};
  const std::string host = host_name();
  auto job = make_job(options, *topology, host, environ);
  if (!job) return {{job.error().status, 0}, job.error().message};
  job->nspace = fmt::format("remit.{}.{}.{:08x}", host, ::getpid(), std::random_device{}());
  if (options.display_map) fmt::print(stderr, "{}", describe_map(*job));
  if (options.report_bindings) fmt::print(stderr, "{}", describe_bindings(*job));
  raise_descriptor_limit();
  Controller controller(io, options, *job, guardian);
  auto server =
      PmixServer::start(io, *job, 0, *topology, guardian.directory(), controller.pmix_callbacks());
  if (!server) return {{1, 0}, server.error().message};
  controller.start(**server);
  io.run();
  return {controller.result(), ""};
}

int run(const Options& options) {
  const Expected<GuardianProcess> process = fork_guardian(temporary_parent());
  if (!process) return complain(1, process.error().message);
  // Should the guardian be killed, what its children started comes to us and is found.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  asio::io_context io(1);
  Expected<std::unique_ptr<Guardian>> guardian = Guardian::connect(io, *process);
  if (!guardian) return complain(1, guardian.error().message);
  const Outcome outcome = run_job(options, io, **guardian);
  if (!outcome.error.empty()) complain(outcome.result.status, outcome.error);
  if (!(*guardian)->finish(kGuardianPatience)) {
    complain(1, "some processes of the job cannot be killed; the guardian waits for them");
  }
  if (outcome.result.raise_signal != 0) {
    std::signal(outcome.result.raise_signal, SIG_DFL);
    std::raise(outcome.result.raise_signal);
  }
  // PMIx's threads still run: no destructor may be waited for. See ~PmixServer.
  ::_exit(outcome.result.status);
}

int main(std::span<const std::string> words) {
  open_standard_descriptors();
  const Expected<Options> options = parse_options(words);
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
  return run(*options);
}

}  // namespace
}  // namespace remit::launcher

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  return remit::launcher::main(words);
}
