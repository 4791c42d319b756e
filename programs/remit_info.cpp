// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// remit_info: says what this installation of Remit is, can do here and is set to.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "bindings/checks.hpp"
#include "bindings/env/statistics.hpp"
#include "bindings/process/progress_thread.hpp"
#include "collectives/algorithms.hpp"
#include "collectives/choice/forced.hpp"
#include "config.h"
#include "files/storage/file_calls.hpp"
#include "programs/info_collectives.hpp"
#include "programs/info_files.hpp"
#include "programs/info_report.hpp"
#include "programs/info_windows.hpp"
#include "pt2pt/engine.hpp"
#include "rdma_btl/open_devices.hpp"
#include "rdma_btl/shm/shm_params.hpp"
#include "runtime/bootstrap/singleton_bootstrap.hpp"
#include "runtime/process.hpp"
#include "runtime/waiting/wait_policy.hpp"

namespace remit {

namespace {

constexpr int kWrongOptions = 2;  ///< exit status, as mpirun's

/// The parameters of the environment, then of --param.
Expected<Params> read_params(const std::vector<std::string>& settings) {
  auto params = Params::from_environment(environ);
  if (!params) return params;
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos) {
      return tl::unexpected(Error{MPI_ERR_ARG, "--param " + setting + ": write name=value"});
    }
    if (auto done = params->set(setting.substr(0, equals), setting.substr(equals + 1)); !done) {
      return tl::unexpected(done.error());
    }
  }
  return params;
}

/// Opens the devices as MPI_Init does, in a process by itself whatever launcher's environment it
/// was called in, and asks them and the protocol table.
void ask_devices(const Params& params, InfoReport& report) {
  Process process(make_singleton_bootstrap(), std::make_shared<SteadyClock>(), params, 0);
  auto devices = open_devices(process);
  if (!devices) {
    report.devices.push_back({"all", {}, devices.error().message});
    return;
  }
  for (const auto& device : *devices) {
    report.devices.push_back({std::string(device->caps().name), device->caps(), {}});
  }
  Engine engine(process, std::move(*devices));
  report.protocols = protocol_ranges(engine);
}

/// Which adapter, provider and interface ranks on other hosts would be reached by, and why.
void ask_networks(const Params& params, InfoReport& report) {
  Process process(make_singleton_bootstrap(), std::make_shared<SteadyClock>(), params, 0);
  report.networks = survey_devices(process);
}

void read_copies(const Params& params, InfoReport& report) {
  const ShmConfig config = shm_config(params, 0, "", nullptr);
  shm::CopyTable table(config.assist_from);
  report.copies_file = config.copy_table;
  shm::load_copy_table(report.copies_file, table);
  report.copies = table.lines();
  report.facts_file = config.facts_file;
  report.facts = config.facts;
  report.claim_lines_to = config.claim_lines_to;
}

/// What MPI_Init chooses in a job of this many ranks here, each of which may use the cores that
/// this process may use; 0: as many as there are cores.
void ask_waiting(const Params& params, int ranks, WaitingInfo& info) {
  Identity identity;
  const int cores = core_share(params, identity).cores;
  identity.size = identity.local_size = ranks != 0 ? ranks : cores;
  info.share = core_share(params, identity);
  info.told = params.integer(core_sharers_param) > 0;
  info.policy = make_wait_policy(params, info.share);
}

/// What sections have as arguments.
struct Questions {
  CollectivesQuestion collectives;
  FileQuestion file;
  int waiting_ranks = 0;
};

/// What the wanted sections say.
Expected<InfoReport> ask(const Params& params, const InfoSections& sections,
                         const Questions& questions) {
  InfoReport report;
  report.version = PACKAGE_VERSION;
  report.parameters = parameter_info(params);
  if (sections.devices || sections.protocols) ask_devices(params, report);
  if (sections.devices) ask_networks(params, report);
  if (sections.copies) read_copies(params, report);
  if (sections.waiting) ask_waiting(params, questions.waiting_ranks, report.waiting);
  if (sections.windows) report.windows = ask_windows(params);
  if (sections.file) {
    auto found = ask_file(kernel_file_calls(), questions.file, std::getenv("ROMIO_HINTS"));
    if (!found) return tl::unexpected(found.error());
    report.file = std::move(*found);
  }
  if (sections.collectives) {
    if (auto known = check_forced_algorithms(params); !known) return tl::unexpected(known.error());
    if (auto done = ask_collectives(params, questions.collectives, report.collectives); !done) {
      return tl::unexpected(done.error());
    }
  }
  if (sections.rdma) report.rdma = verbs::examine(params);
  return report;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Says what this installation of Remit is, what it can do on this host, and how it is "
      "set. Without an option: everything but --file, --collectives, --algorithms, --rdma and "
      "--variables.");
  InfoSections sections;
  bool json = false;
  std::vector<std::string> settings;
  app.add_flag("--version,-V", sections.version, "versions of Remit, of MPI and of the ABI");
  app.add_flag("--devices", sections.devices, "the devices that move bytes, and their limits");
  app.add_flag("--parameters", sections.parameters, "the parameters and their values");
  app.add_flag("--protocols", sections.protocols, "which protocol carries which size of message");
  app.add_flag("--copies", sections.copies,
               "the measured ways to copy large messages inside this host");
  Questions questions;
  CLI::Option* const waiting =
      app.add_option("--waiting", questions.waiting_ranks,
                     "how a rank waits in a job of RANKS ranks on this host (default: as many as "
                     "there are cores), on the cores that this process may use")
          ->type_name("[RANKS]")
          ->expected(0, 1)
          ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  app.add_flag("--window", sections.windows,
               "which ways each kind of window has to memory of this host and of others, why not "
               "faster ones, and whether its operations are passive");
  app.add_flag("--variables", sections.variables,
               "the parameters, performance variables and events that tools see by MPI_T");
  CLI::Option* const file = add_file_options(app, questions.file);
  CLI::Option* const collectives = add_collectives_options(app, questions.collectives);
  app.add_flag("--algorithms", sections.algorithms,
               "every algorithm of every collective, as the parameter coll_algorithms names it");
  app.add_flag(
      "--rdma", sections.rdma,
      "examine the RDMA adapter: each line OK or what to do; exit status 1 if one is not OK");
  app.add_flag("--json", json, "print JSON");
  app.add_option("--param", settings, "set a parameter first: name=value (repeatable)")
      ->allow_extra_args(false);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "remit_info: %s. 'remit_info --help' lists all options.\n", error.what());
    return kWrongOptions;
  }

  sections.waiting = waiting->count() != 0;
  sections.collectives = collectives->count() != 0;
  sections.file = file->count() != 0;
  const bool everything = !sections.version && !sections.collectives && !sections.devices &&
                          !sections.parameters && !sections.protocols && !sections.copies &&
                          !sections.rdma && !sections.waiting && !sections.algorithms &&
                          !sections.windows && !sections.variables && !sections.file;
  if (sections.variables) sections.parameters = true;
  if (everything) sections = {true, true, true, true, true, false, false, true, false, true};
  const auto report = read_params(settings).and_then(
      [&](const Params& params) { return ask(params, sections, questions); });
  if (!report) {
    std::fprintf(stderr, "remit_info: %s\n", report.error().message.c_str());
    return kWrongOptions;
  }
  const std::string out = json ? to_json(*report, sections) : to_text(*report, sections);
  if (std::fputs(out.c_str(), stdout) < 0) return EXIT_FAILURE;
  return verbs::healthy(report->rdma) ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

}  // namespace remit

int main(int argc, char** argv) {
  return remit::run(argc, argv);
}
