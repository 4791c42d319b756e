// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// remit_info: says what this installation of Remit is, can do here and is set to.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "bindings/checks.hpp"
#include "bindings/info_report.hpp"
#include "bindings/progress_thread.hpp"
#include "bindings/statistics.hpp"
#include "collectives/algorithms.hpp"
#include "collectives/board.hpp"
#include "config.h"
#include "rdma_btl/open_devices.hpp"
#include "rdma_btl/shm/shm_params.hpp"
#include "runtime/process.hpp"
#include "runtime/singleton_bootstrap.hpp"

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
  const Engine engine(process, std::move(*devices));
  report.protocols = engine.protocols();
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
}

/// What --collectives asks.
struct CollectivesQuestion {
  int ranks = 0;  ///< 0: as many as there are processors
  std::string place;
  std::vector<std::size_t> bytes;
};

Place place_of(const CollectivesQuestion& question, int ranks) {
  if (question.place.empty()) {
    return ranks > host_processors() ? Place::host_shared : Place::host;
  }
  const auto found = std::find(kPlaceNames.begin(), kPlaceNames.end(), question.place);
  return static_cast<Place>(found - kPlaceNames.begin());
}

/// What ranks of this host would measure: whether copies of their memory are quick. How far from
/// each other they are only they know: without being told they use the board for short data here.
void ask_board(const Params& params, TuningQuery& query) {
  Process process(make_singleton_bootstrap(), std::make_shared<SteadyClock>(), params, 0);
  const auto devices = open_devices(process);
  if (!devices) return;
  for (const auto& device : *devices) {
    if (device->caps().name != "shm") continue;
    query.long_board = Board::takes_long(params, device->copy_speed(), {.reaches = true});
    query.quick_copies = device->copy_speed().quick;
  }
}

void ask_collectives(const Params& params, const CollectivesQuestion& question,
                     CollectivesInfo& info) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  const int processors = host_processors();
  info.ranks = question.ranks != 0 ? question.ranks : std::max(2, processors);
  info.place = place_of(question, info.ranks);
  const bool one_host = info.place != Place::network;
  const LoadedTable loaded = load_collective_table(params, one_host);
  info.file = loaded.file;
  info.from_file = loaded.from_file;
  info.problem = loaded.problem;
  const bool board = one_host && info.ranks <= Board::kMembers;
  TuningQuery query{info.ranks, info.place, board, false, false, processors};
  if (board) ask_board(params, query);
  for (std::size_t i = 0; i < kCollectiveKinds; ++i) {
    const auto kind = static_cast<CollectiveKind>(i);
    if (kind == CollectiveKind::agree) continue;  // inside of Remit only
    const auto append = [&](std::vector<ChosenRange>& out, const TuningQuery& about) {
      const auto ranges = chosen_ranges(kind, *loaded.table, about, kMost, params);
      out.insert(out.end(), ranges.begin(), ranges.end());
    };
    append(info.blocking, query);
    if (board) append(info.others, {info.ranks, info.place, false, false, false, processors});
    for (const std::size_t bytes : question.bytes) {
      const std::size_t size = kind == CollectiveKind::barrier ? 0 : bytes;
      if (size == 0 && bytes != question.bytes.front()) continue;
      for (const Candidate& c : candidates(kind, *loaded.table, query, size, params)) {
        info.choices.push_back({size, kind, c});
      }
    }
  }
}

int run(int argc, char** argv) {
  CLI::App app(
      "Says what this installation of Remit is, what it can do on this host, and how it is "
      "set. Without an option: everything but --collectives and --rdma.");
  InfoSections sections;
  bool json = false;
  std::vector<std::string> settings;
  app.add_flag("--version,-V", sections.version, "versions of Remit, of MPI and of the ABI");
  app.add_flag("--devices", sections.devices, "the devices that move bytes, and their limits");
  app.add_flag("--parameters", sections.parameters, "the parameters and their values");
  app.add_flag("--protocols", sections.protocols, "which protocol carries which size of message");
  app.add_flag("--copies", sections.copies,
               "the measured ways to copy large messages inside this host");
  CollectivesQuestion question;
  CLI::Option* const collectives =
      app.add_option("--collectives", question.ranks,
                     "which algorithm each collective uses among RANKS ranks (default: as many as "
                     "there are processors), by sizes, and what it costs")
          ->type_name("[RANKS]")
          ->expected(0, 1)
          ->check(CLI::Range(2, std::numeric_limits<int>::max()));
  app.add_option("--bytes", question.bytes,
                 "with --collectives: all algorithms for these sizes, e.g. 8,64K,1M")
      ->type_name("LIST")
      ->delimiter(',')
      ->transform(CLI::AsSizeValue(false))
      ->needs(collectives);
  app.add_option("--place", question.place,
                 "with --collectives: where the ranks are; default: on this host")
      ->check(CLI::IsMember(std::vector<std::string>(kPlaceNames.begin(), kPlaceNames.end())))
      ->needs(collectives);
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

  sections.collectives = collectives->count() != 0;
  const bool everything = !sections.version && !sections.collectives && !sections.devices &&
                          !sections.parameters && !sections.protocols && !sections.copies &&
                          !sections.rdma;
  if (everything) sections = {true, true, true, true, true, false, false};
  auto params = read_params(settings);
  if (!params) {
    std::fprintf(stderr, "remit_info: %s\n", params.error().message.c_str());
    return kWrongOptions;
  }
  InfoReport report;
  report.version = PACKAGE_VERSION;
  report.parameters = parameter_info(*params);
  if (sections.devices || sections.protocols) ask_devices(*params, report);
  if (sections.devices) ask_networks(*params, report);
  if (sections.copies) read_copies(*params, report);
  if (sections.collectives) {
    if (!check_forced_algorithms(*params)) {
      std::fprintf(stderr, "remit_info: %s\n",
                   check_forced_algorithms(*params).error().message.c_str());
      return kWrongOptions;
    }
    ask_collectives(*params, question, report.collectives);
  }
  if (sections.rdma) report.rdma = verbs::examine(*params);
  const std::string out = json ? to_json(report, sections) : to_text(report, sections);
  if (std::fputs(out.c_str(), stdout) < 0) return EXIT_FAILURE;
  return verbs::healthy(report.rdma) ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

}  // namespace remit

int main(int argc, char** argv) {
  return remit::run(argc, argv);
}
