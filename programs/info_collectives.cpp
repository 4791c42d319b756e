// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// info_collectives.cpp: the options of remit_info --collectives, and asking the table of
// algorithms.
#include "programs/info_collectives.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string_view>

#include "collectives/algorithms.hpp"
#include "collectives/choice/board_limits.hpp"
#include "collectives/choice/long_board.hpp"
#include "collectives/hierarchy.hpp"
#include "rdma_btl/open_devices.hpp"
#include "runtime/bootstrap/singleton_bootstrap.hpp"
#include "runtime/process.hpp"

namespace remit {

namespace {

constexpr std::array<const char*, 3> kReductions = {"rounding", "exact", "ordered"};

/// Where the ranks are, and on how many hosts.
Expected<> find_place(const CollectivesQuestion& question, CollectivesInfo& info) {
  const auto named = std::find(kCostClassNames.begin(), kCostClassNames.end(), question.place);
  const bool network =
      named != kCostClassNames.end() &&
      static_cast<CostClass>(named - kCostClassNames.begin()) == CostClass::network;
  info.hosts = question.hosts;
  if (info.hosts == 0) info.hosts = network ? info.ranks : 1;
  if (info.hosts > info.ranks) {
    return fail(MPI_ERR_ARG, "--hosts {}: there are {} ranks only", info.hosts, info.ranks);
  }
  if (!question.place.empty() && network != (info.hosts > 1)) {
    return fail(MPI_ERR_ARG, "--place {} contradicts --hosts {}", question.place, info.hosts);
  }
  if (named != kCostClassNames.end()) {
    info.cost_class = static_cast<CostClass>(named - kCostClassNames.begin());
  } else if (info.hosts > 1) {
    info.cost_class = CostClass::network;
  } else {
    info.cost_class = info.ranks > host_processors() ? CostClass::host_shared : CostClass::host;
  }
  return {};
}

/// The cells of ranks that are dealt out to hosts evenly, neighbours together; null: none are made.
/// Each rank is noted by itself, so that there may not be any number of them.
Expected<std::unique_ptr<Hierarchy>> cells_of(const Params& params, const CollectivesInfo& info) {
  constexpr int kMostRanks = 10'000'000;
  if (info.hosts < 2 || info.ranks < Hierarchy::kLeastMembers) return nullptr;
  if (info.hosts == info.ranks || params.text(cells_param) == "none") return nullptr;
  if (info.ranks > kMostRanks) {
    return fail(MPI_ERR_ARG,
                "--collectives {} --hosts {}: cells of hosts are worked out for {} ranks at most: "
                "ask for fewer, or without cells: --param {}=none",
                info.ranks, info.hosts, kMostRanks, cells_param.name);
  }
  std::vector<std::int64_t> cells;
  for (std::int64_t rank = 0; rank < info.ranks; ++rank) {
    cells.push_back(rank * info.hosts / info.ranks);
  }
  CommCore comm;
  comm.local = Group::regular(ProcId{0}, 1, info.ranks);
  auto hierarchy = std::make_unique<Hierarchy>(comm, cells);
  return hierarchy->useful() ? std::move(hierarchy) : nullptr;
}

/// What ranks of this host would measure: whether copies of their memory are quick. How far from
/// each other they are only they know: without being told they use the board for short data here.
void ask_board(const Params& params, TuningQuery& query) {
  Process process(make_singleton_bootstrap(), std::make_shared<SteadyClock>(), params, 0);
  const auto devices = open_devices(process);
  if (!devices) return;
  for (const auto& device : *devices) {
    HostMemory* memory = device->host_memory();
    if (memory == nullptr) continue;
    const auto kernel = memory->measure_facts().kernel.value_or(KernelCopies{});
    query.long_board = long_board_of(params, kernel, {.reaches = true});
    query.quick_copies = kernel.quick;
  }
}

/// All that is asked about one operation.
void ask_operation(CollectiveKind kind, const CollectiveTable& table, const TuningQuery& query,
                   const Params& params, const std::vector<std::size_t>& sizes,
                   CollectivesInfo& info) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  const auto append = [&](std::vector<ChosenRange>& out, const TuningQuery& about) {
    const auto ranges = chosen_ranges(kind, table, about, kMost, params);
    out.insert(out.end(), ranges.begin(), ranges.end());
  };
  append(info.blocking, query);
  if (query.board) {
    TuningQuery nonblocking = query;
    nonblocking.board = nonblocking.quick_copies = false;
    nonblocking.long_board = LongBoard::none;
    append(info.others, nonblocking);
  }
  const bool sized = choice_has_sizes(kind, query.inter);
  for (const std::size_t bytes : sizes) {
    const std::size_t size = sized ? bytes : 0;
    for (const Candidate& c : candidates(kind, table, query, size, params)) {
      info.choices.push_back({size, kind, c});
    }
    if (!sized) break;  // it is the same for all
  }
}

}  // namespace

CLI::Option* add_collectives_options(CLI::App& app, CollectivesQuestion& question) {
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
  CLI::Option* const place =
      app.add_option(
             "--place", question.place,
             "with --collectives: where the ranks are; default: on this host, or on the network "
             "if there are several hosts")
          ->check(CLI::IsMember(
              std::vector<std::string>(kCostClassNames.begin(), kCostClassNames.end())))
          ->needs(collectives);
  CLI::Option* const hosts =
      app.add_option("--hosts", question.hosts,
                     "with --collectives: the ranks are dealt out to so many hosts evenly")
          ->type_name("N")
          ->check(CLI::Range(1, std::numeric_limits<int>::max()))
          ->needs(collectives);
  CLI::Option* const operation =
      app.add_option("--op", question.reduction,
                     "with --collectives: what reductions do: sums that are rounded (the default), "
                     "exact ones as of integers, or what has to be done in the order of the ranks")
          ->check(CLI::IsMember(std::vector<std::string>(kReductions.begin(), kReductions.end())))
          ->needs(collectives);
  CLI::Option* const in_place =
      app.add_flag("--in-place", question.in_place, "with --collectives: calls with MPI_IN_PLACE")
          ->needs(collectives);
  app.add_flag("--inter", question.inter,
               "with --collectives: between two groups of ranks, wherever they are and whatever "
               "reductions do")
      ->needs(collectives)
      ->excludes(place)
      ->excludes(hosts)
      ->excludes(operation)
      ->excludes(in_place);
  return collectives;
}

Expected<> ask_collectives(const Params& params, const CollectivesQuestion& question,
                           CollectivesInfo& info) {
  const int processors = host_processors();
  info.ranks = question.ranks != 0 ? question.ranks : std::max(2, processors);
  info.reduction = question.reduction.empty() ? kReductions.front() : question.reduction;
  info.in_place = question.in_place;
  info.inter = question.inter;
  if (auto found = find_place(question, info); !found) return found;
  const bool one_host = info.hosts == 1;
  const LoadedTable loaded = load_collective_table(params, one_host);
  info.file = loaded.file;
  info.from_file = loaded.from_file;
  info.problem = loaded.problem;
  const auto hierarchy = cells_of(params, info);
  if (!hierarchy) return tl::unexpected(hierarchy.error());
  TuningQuery query{.ranks = info.ranks, .cost_class = info.cost_class, .processors = processors};
  query.board = one_host && !info.inter && info.ranks <= BoardLimits::kMembers;
  query.hierarchy = hierarchy->get();
  query.exact = info.reduction == "exact";
  query.commutative = info.reduction != "ordered";
  query.in_place = info.in_place;
  query.inter = info.inter;
  if (query.board) ask_board(params, query);
  for (std::size_t i = 0; i < kCollectiveKinds; ++i) {
    const auto kind = static_cast<CollectiveKind>(i);
    if (kind == CollectiveKind::agree) continue;  // inside of Remit only
    if (!has_algorithm(kind, info.inter)) continue;
    ask_operation(kind, *loaded.table, query, params, question.bytes, info);
  }
  return {};
}

}  // namespace remit
