// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The table of what collectives cost: reading it, what is chosen from it, where it is looked for;
// and the steps of overlapped dissemination, which follow from it.
#include "collectives/choice/tuning.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "collectives/algorithms.hpp"
#include "collectives/algorithms/grouping.hpp"
#include "collectives/algorithms/overlapped.hpp"
#include "collectives/choice/collective_costs.hpp"
#include "collectives/hierarchy.hpp"
#include "collectives/state.hpp"
#include "runtime/cache_file.hpp"
#include "tests/unit/process_ids.hpp"
#include "tests/unit/pt2pt/world.hpp"

namespace remit::testing {
namespace {

const std::string kHead = "remit collective table 1\nhere\n";

std::string problem_of(const std::string& text) {
  const auto table = CollectiveTable::parse(text, "here");
  return table ? "" : table.error().message;
}

CollectiveTable table_of(const std::string& lines) {
  auto table = CollectiveTable::parse(kHead + lines, "here");
  EXPECT_TRUE(table.has_value()) << (table ? "" : table.error().message);
  return table ? *table : CollectiveTable();
}

std::string_view chosen(const CollectiveTable& table, CollectiveKind kind, int ranks,
                        std::size_t bytes, CostClass cost_class = CostClass::host,
                        const Params& params = {}) {
  CollectiveShape shape;
  shape.size = ranks;
  shape.bytes = bytes;
  shape.elements = static_cast<MPI_Count>(bytes / 4);
  shape.table = &table;
  shape.cost_class = cost_class;
  return choose_algorithm(kind, shape, params).name;
}

TEST(Tuning, WhatAFileSays) {
  const CollectiveTable table = table_of(
      "# a comment\n"
      "\n"
      "model host_shared 1.5 2 3e2 0.25 0.125\n"
      "choice allreduce host 4 8192 ring,recursive_doubling\n"
      "choice allreduce host 4 0 rabenseifner\n");
  const LogGP& model = table.model(CostClass::host_shared);
  EXPECT_EQ(model.latency, 1.5);
  EXPECT_EQ(model.overhead, 2);
  EXPECT_EQ(model.gap, 300);
  EXPECT_EQ(model.per_byte, 0.25);
  EXPECT_EQ(model.reduce, 0.125);
  EXPECT_EQ(model.alpha(), 5.5);
  EXPECT_EQ(table.model(CostClass::network).latency,
            builtin_collective_table().model(CostClass::network).latency)
      << "what is not in the file is as built in";
  EXPECT_EQ(table.choices(), 2U);
}

TEST(Tuning, WhatIsWrongWithAFile) {
  EXPECT_EQ(problem_of(kHead), "");
  const auto says = [](const std::string& text, const std::string& piece) {
    const std::string problem = problem_of(text);
    EXPECT_NE(problem.find(piece), std::string::npos) << text << "\n: " << problem;
    EXPECT_EQ(problem.find('\n'), std::string::npos) << problem;
  };
  says("", "first line");
  says("remit collective table 0\nhere\n", "first line");
  says("remit collective table 1\n", "measured on ''");
  says("remit collective table 1\nthere\n", "measured on 'there', and this is 'here'");
  const auto line = [&](const std::string& text, const std::string& piece) {
    says(kHead + "# one\n" + text + "\n", "line 4: ");
    says(kHead + "# one\n" + text + "\n", piece);
  };
  line("rubbish", "neither");
  line("model moon 1 1 1 1 1", "'moon' is no place");
  line("model host 1 1 1 1", "place L o g G reduce");
  line("model host 1 1 1 1 1 1", "place L o g G reduce");
  line("model host 1 1 x 1 1", "'x' is no time");
  line("model host 1 1 -1 1 1", "'-1' is no time");
  line("model host nan 1 1 1 1", "'nan' is no time");
  line("model host 0 0 1 1 1", "takes no time");
  line("choice allreduce host 4 0", "a choice is");
  line("choice reduced host 4 0 ring", "'reduced' is no operation");
  line("choice allreduce moon 4 0 ring", "'moon' is no place");
  line("choice allreduce host four 0 ring", "'four' is no number of ranks");
  line("choice allreduce host 0 0 ring", "'0' is no number of ranks");
  line("choice allreduce host 4 -1 ring", "'-1' is no number of bytes");
  line("choice allreduce host 4 0 fast", "there is no allreduce=fast");
  line("choice barrier host 4 0 inter_leaders", "there is no barrier=inter_leaders");
  line("choice allreduce host 4 0 ,", "names no algorithm");
  says(kHead + "choice bcast host 4 0 binomial\nchoice bcast host 4 0 binomial\n",
       "line 4: a second choice for 0 bytes among 4 ranks");
}

TEST(Tuning, MeasuredChoices) {
  const CollectiveTable table = table_of(
      "choice allreduce host 4 0 ring\n"
      "choice allreduce host 4 1000 rabenseifner,recursive_doubling\n"
      "choice allreduce host 16 0 recursive_doubling\n"
      "choice bcast network 8 64 scatter_allgather\n");
  using enum CollectiveKind;
  const CollectiveTable none;
  EXPECT_EQ(chosen(table, allreduce, 4, 999), "ring");
  EXPECT_EQ(chosen(table, allreduce, 4, 1000), "rabenseifner");
  EXPECT_EQ(chosen(table, allreduce, 4, 1 << 30), "rabenseifner");
  EXPECT_NE(chosen(none, allreduce, 4, 999), "ring") << "or the test shows nothing";
  // The nearest number of ranks, up to twice or half as many.
  EXPECT_EQ(chosen(table, allreduce, 3, 999), "ring");
  EXPECT_EQ(chosen(table, allreduce, 2, 999), "ring");
  EXPECT_EQ(chosen(table, allreduce, 8, 999), "ring");
  EXPECT_EQ(chosen(table, allreduce, 9, 1 << 20), "recursive_doubling");
  EXPECT_EQ(chosen(table, allreduce, 32, 1 << 20), "recursive_doubling");
  EXPECT_EQ(chosen(table, allreduce, 33, 1 << 20), chosen(none, allreduce, 33, 1 << 20));
  // The first that applies; the model where none does, for sizes below, and other places.
  EXPECT_EQ(chosen(table, allreduce, 4, 8), "recursive_doubling") << "too short for a ring";
  EXPECT_EQ(chosen(table, bcast, 8, 64, CostClass::network), "scatter_allgather");
  EXPECT_EQ(chosen(table, bcast, 8, 63, CostClass::network),
            chosen(none, bcast, 8, 63, CostClass::network));
  EXPECT_EQ(chosen(table, bcast, 8, 64), chosen(none, bcast, 8, 64));
  EXPECT_NE(chosen(none, bcast, 8, 64, CostClass::network), "scatter_allgather");
  // The user's word counts more, where it applies.
  Params params;
  ASSERT_TRUE(params.set("coll_algorithms", "allreduce=rabenseifner").has_value());
  EXPECT_EQ(chosen(table, allreduce, 4, 999, CostClass::host, params), "rabenseifner");
  ASSERT_TRUE(params.set("coll_algorithms", "allreduce=ring").has_value());
  EXPECT_EQ(chosen(table, allreduce, 4, 1000, CostClass::host, params), "ring");
}

TEST(Tuning, ManyRanksOnFewProcessorsWaitSeldom) {
  using enum CollectiveKind;
  const auto among_64 = [](CollectiveKind kind, int processors) {
    CollectiveShape shape;
    shape.size = 64;
    shape.bytes = kind == barrier ? 0 : 8;
    shape.elements = kind == barrier ? 0 : 1;
    shape.cost_class = CostClass::host_shared;
    shape.processors = processors;
    return choose_algorithm(kind, shape, Params{}).name;
  };
  EXPECT_EQ(among_64(barrier, 2), "tree4");
  EXPECT_EQ(among_64(allreduce, 2), "knomial4");
  // With little less than a processor each, the rounds of all cost less than two ways of a tree.
  EXPECT_EQ(among_64(barrier, 60), "overlapped");
  EXPECT_EQ(among_64(allreduce, 60), "grouped");
}

/// On so many processors.
std::string_view chosen_on_host(CollectiveKind kind, int ranks, std::size_t bytes, bool quick,
                                LongBoard long_board, int processors = 2) {
  CollectiveShape shape;
  shape.size = ranks;
  shape.bytes = bytes;
  shape.elements = static_cast<MPI_Count>(bytes / 4);
  shape.cost_class = ranks > processors ? CostClass::host_shared : CostClass::host;
  shape.processors = processors;
  shape.board = shape.one_host = true;
  shape.quick_copies = quick;
  shape.long_board = long_board;
  return choose_algorithm(kind, shape, Params{}).name;
}

TEST(Tuning, SlowKernelsCopyLongBlocksOnly) {
  using enum CollectiveKind;
  constexpr LongBoard kNone = LongBoard::none;
  EXPECT_EQ(chosen_on_host(alltoall, 8, 65536, false, kNone), "spread_out");
  EXPECT_EQ(chosen_on_host(alltoall, 8, 65536, true, kNone), "direct");
  EXPECT_EQ(chosen_on_host(alltoall, 8, 1 << 20, false, kNone), "direct");
  EXPECT_EQ(chosen_on_host(bcast, 8, 65536, false, kNone), "board");
  EXPECT_EQ(chosen_on_host(bcast, 8, 65536, true, kNone), "direct");
}

TEST(Tuning, KernelsThatAreSlowByFarCopyNothing) {
  using enum CollectiveKind;
  for (const CollectiveKind kind : {bcast, gather, scatter, allgather, alltoall}) {
    EXPECT_EQ(chosen_on_host(kind, 2, 65536, true, LongBoard::none), "direct");
    EXPECT_EQ(chosen_on_host(kind, 2, 65536, true, LongBoard::cached), "board");
    EXPECT_EQ(chosen_on_host(kind, 2, 8 << 20, true, LongBoard::cached), "direct");
    EXPECT_EQ(chosen_on_host(kind, 2, 8 << 20, true, LongBoard::all), "board");
  }
}

/// Of more than two members, each with a core, who are in one process's memory at the same time.
TEST(Tuning, KernelsCopyForACrowdInTurn) {
  using enum CollectiveKind;
  const auto chosen = [](CollectiveKind kind, int ranks, std::size_t kilobytes) {
    return chosen_on_host(kind, ranks, kilobytes << 10, true, LongBoard::none, 64);
  };
  for (const std::size_t kilobytes : {64, 256, 1024, 65536}) {
    EXPECT_EQ(chosen(bcast, 2, kilobytes), "direct");
    for (const int ranks : {3, 8, 16}) EXPECT_EQ(chosen(bcast, ranks, kilobytes), "board");
    EXPECT_NE(chosen(bcast, 17, kilobytes), "direct") << "which has no board";
  }
  // The root's memory is several page tables then.
  EXPECT_EQ(chosen(gather, 8, 256), "board");
  EXPECT_EQ(chosen(gather, 8, 1024), "direct");
  // On a board the root would write everything.
  EXPECT_EQ(chosen(scatter, 8, 64), "direct");
  EXPECT_EQ(chosen(scatter, 8, 256), "linear");
  EXPECT_EQ(chosen(scatter, 8, 1024), "direct");
}

/// The order of combining shows in the bits of a sum.
TEST(Tuning, WhatIsMeasuredDoesNotChooseReductionsOfMany) {
  using enum CollectiveKind;
  for (const CollectiveKind kind : {reduce, allreduce, reduce_scatter, reduce_scatter_block}) {
    for (const auto& [ranks, cores] : {std::pair(3, 2), {4, 2}, {8, 2}, {3, 8}, {4, 8}, {8, 8}}) {
      for (std::size_t bytes = 4; bytes <= std::size_t{64} << 20; bytes *= 2) {
        const std::string_view name =
            chosen_on_host(kind, ranks, bytes, false, LongBoard::none, cores);
        for (const bool quick : {false, true}) {
          for (const LongBoard board : {LongBoard::none, LongBoard::cached, LongBoard::all}) {
            EXPECT_EQ(chosen_on_host(kind, ranks, bytes, quick, board, cores), name) << bytes;
          }
        }
      }
    }
  }
}

TEST(Tuning, ModelsMoveTheCrossovers) {
  const CollectiveTable slow = table_of("model host 100000 100 300 0.1 0.1\n");
  const CollectiveTable fast = table_of("model host 1 1 1 0.1 0.1\n");
  using enum CollectiveKind;
  EXPECT_EQ(chosen(slow, alltoall, 16, 1024), "bruck");
  EXPECT_NE(chosen(fast, alltoall, 16, 1024), "bruck");
  EXPECT_NE(chosen(slow, bcast, 16, 1024), "scatter_allgather");
  EXPECT_EQ(chosen(fast, bcast, 16, 1024), "scatter_allgather");
}

/// Ranges leave no gap, say what is chosen at both ends, and differ from their neighbours.
TEST(Tuning, RangesAreWhatIsChosen) {
  const CollectiveTable table = table_of("choice allgather host 8 4096 ring\n");
  const Params params;
  constexpr std::size_t kMost = std::size_t{1} << 22;
  std::size_t ranges_seen = 0;
  for (const Algorithm& row : all_algorithms()) {
    if (row.inter || row.kind == CollectiveKind::agree) continue;
    for (const int ranks : {2, 3, 8, 100}) {
      for (const bool board : {false, true}) {
        const auto ranges =
            chosen_ranges(row.kind, table, {ranks, CostClass::host, board}, kMost, params);
        ASSERT_FALSE(ranges.empty());
        ranges_seen += ranges.size();
        for (std::size_t i = 0; i < ranges.size(); ++i) {
          CollectiveShape shape;
          shape.size = ranks;
          shape.board = board;
          shape.one_host = true;
          shape.table = &table;
          const bool has_sizes = choice_has_sizes(row.kind, false);
          shape.uniform = row.kind == CollectiveKind::barrier ||
                          (has_sizes && row.kind != CollectiveKind::allgatherv);
          for (const std::size_t bytes : {ranges[i].from_bytes, ranges[i].to_bytes}) {
            shape.bytes = bytes;
            shape.elements = static_cast<MPI_Count>(bytes / 4);
            EXPECT_EQ(&choose_algorithm(row.kind, shape, params), ranges[i].algorithm);
          }
          EXPECT_GE(ranges[i].to_cost, ranges[i].from_cost);
          if (i == 0) continue;
          EXPECT_EQ(ranges[i].from_bytes, ranges[i - 1].to_bytes + 4);
          EXPECT_NE(ranges[i].algorithm, ranges[i - 1].algorithm);
        }
        EXPECT_EQ(ranges.back().to_bytes, choice_has_sizes(row.kind, false) ? kMost : 0);
        const bool measured =
            row.kind == CollectiveKind::allgather && ranks == 8 && !ranges.empty();
        EXPECT_EQ(ranges.back().measured, measured);
      }
    }
  }
  EXPECT_GT(ranges_seen, 100U);
}

/// Whether an algorithm is among those that a query lists.
bool lists(const TuningQuery& query, CollectiveKind kind, std::string_view name) {
  const auto found = candidates(kind, builtin_collective_table(), query, 4096, Params());
  return std::any_of(found.begin(), found.end(),
                     [&](const Candidate& c) { return c.algorithm->name == name; });
}

TEST(Tuning, QueriesTellCallsAndPlacesApart) {
  using enum CollectiveKind;
  CommCore comm;
  comm.local = Group::regular(ProcId{0}, 1, 8);
  const std::vector<std::int64_t> even = {1, 1, 1, 1, 2, 2, 2, 2},
                                  uneven = {1, 1, 1, 2, 2, 2, 2, 2};
  const Hierarchy cells(comm, even), others(comm, uneven);
  TuningQuery query{.ranks = 8, .cost_class = CostClass::network};
  EXPECT_FALSE(lists(query, allreduce, "hierarchical"));
  query.hierarchy = &others;
  EXPECT_TRUE(lists(query, barrier, "hierarchical"));
  EXPECT_TRUE(lists(query, allreduce, "hierarchical"));
  EXPECT_FALSE(lists(query, allgather, "hierarchical"));
  query.hierarchy = &cells;
  EXPECT_TRUE(lists(query, allgather, "hierarchical"));

  EXPECT_FALSE(lists(query, allreduce, "overlapped"));
  query.exact = true;
  EXPECT_TRUE(lists(query, allreduce, "overlapped"));
  EXPECT_TRUE(lists(query, reduce, "binomial"));
  query.commutative = false;
  EXPECT_FALSE(lists(query, reduce, "binomial"));
  EXPECT_TRUE(lists(query, bcast, "binomial"));

  EXPECT_TRUE(lists(query, alltoall, "spread_out"));
  query.in_place = true;
  EXPECT_FALSE(lists(query, alltoall, "spread_out"));

  query.inter = true;
  EXPECT_TRUE(lists(query, bcast, "inter_leader"));
  EXPECT_FALSE(lists(query, bcast, "binomial"));
  EXPECT_TRUE(has_algorithm(bcast, true));
  EXPECT_FALSE(has_algorithm(scan, true));
  EXPECT_TRUE(has_algorithm(scan, false));
}

TEST(Hierarchy, EvenCellsAreTheSameHoweverTheyAreMade) {
  CommCore comm;
  comm.local = Group::regular(ProcId{5}, 2, 12);
  std::vector<std::int64_t> numbers;
  for (int rank = 0; rank < comm.size(); ++rank) numbers.push_back(rank / 4);
  for (comm.rank = 0; comm.rank < comm.size(); ++comm.rank) {
    const Hierarchy listed(comm, numbers), counted(comm, 4);
    EXPECT_TRUE(listed.even() && counted.even() && counted.ordered() && counted.useful());
    EXPECT_EQ(listed.own_cell(), counted.own_cell());
    EXPECT_EQ(listed.largest(), counted.largest());
    for (const auto part : {&Hierarchy::inside, &Hierarchy::among}) {
      EXPECT_EQ(compare(*(listed.*part)().local, *(counted.*part)().local), MPI_IDENT);
      EXPECT_EQ((listed.*part)().rank, (counted.*part)().rank);
      EXPECT_EQ((listed.*part)().context, (counted.*part)().context);
    }
    for (int rank = 0; rank < comm.size(); ++rank) {
      EXPECT_EQ(listed.cell_of(rank), rank / 4);
      EXPECT_EQ(counted.cell_of(rank), rank / 4);
    }
  }
}

/// What members do not know of each other cannot decide.
TEST(Tuning, OwnSizesChooseNothing) {
  using enum CollectiveKind;
  const Params params;
  for (const CollectiveKind kind : {gatherv, scatterv, alltoallv, alltoallw, neighbor_alltoallv}) {
    const auto ranges = chosen_ranges(kind, builtin_collective_table(), {.ranks = 8, .board = true},
                                      1 << 20, params);
    ASSERT_EQ(ranges.size(), 1U);
    EXPECT_EQ(ranges[0].to_bytes, 0U);
  }
  EXPECT_GT(chosen_ranges(allgatherv, builtin_collective_table(), {.ranks = 8, .board = true},
                          1 << 20, params)
                .size(),
            1U);
}

// --- files ---------------------------------------------------------------------------------------

class TuningFile : public ::testing::Test {
 protected:
  TuningFile() {
    std::string name = ::testing::TempDir() + "remit-tuning-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    path_ = folder_ + "/table";
  }
  ~TuningFile() override { std::filesystem::remove_all(folder_); }

  LoadedTable load(const std::string& wish, bool one_host = true) {
    Params params;
    EXPECT_TRUE(params.set("coll_table", wish).has_value());
    return load_collective_table(params, one_host);
  }
  void write(const std::string& text) { std::ofstream(path_) << text; }

  std::string folder_, path_;
};

TEST_F(TuningFile, IsUsed) {
  write("remit collective table 1\n" + measured_host() + "\nmodel host 1 2 3 4 5\n");
  const LoadedTable loaded = load(path_);
  EXPECT_EQ(loaded.problem, "");
  EXPECT_TRUE(loaded.from_file);
  EXPECT_EQ(loaded.file, path_);
  EXPECT_EQ(loaded.table->model(CostClass::host).reduce, 5);
}

TEST_F(TuningFile, ThatIsBrokenIsIgnoredWithALine) {
  for (const std::string& text :
       {std::string("rubbish"), std::string(), std::string("remit collective table 1\nother\n"),
        "remit collective table 1\n" + measured_host() + "\nmodel host 9 9 9 9 9\nchoice\n",
        std::string(std::size_t{2} << 20, 'x')}) {
    write(text);
    const LoadedTable loaded = load(path_);
    EXPECT_FALSE(loaded.from_file);
    EXPECT_NE(loaded.problem.find(path_), std::string::npos) << loaded.problem;
    EXPECT_EQ(loaded.problem.find('\n'), std::string::npos) << loaded.problem;
    EXPECT_EQ(loaded.table->model(CostClass::host).latency,
              builtin_collective_table().model(CostClass::host).latency);
  }
  EXPECT_NE(load(folder_ + "/none").problem, "") << "asked for by name, and not there";
}

TEST_F(TuningFile, IsLookedForInTheCacheFolder) {
  ASSERT_EQ(::setenv("XDG_CACHE_HOME", folder_.c_str(), 1), 0);
  LoadedTable loaded = load("auto");
  EXPECT_TRUE(loaded.file.starts_with(folder_ + "/remit/collectives-")) << loaded.file;
  EXPECT_EQ(loaded.problem, "") << "there need not be one";
  EXPECT_FALSE(loaded.from_file);
  std::filesystem::create_directories(folder_ + "/remit");
  std::ofstream(loaded.file) << "remit collective table 1\n" << measured_host() << "\n";
  EXPECT_TRUE(load("auto").from_file);
  EXPECT_FALSE(load("none").from_file);
  EXPECT_FALSE(load("auto", false).from_file) << "hosts may have different ones";
  EXPECT_EQ(load("auto", false).file, "");
  ASSERT_EQ(::unsetenv("XDG_CACHE_HOME"), 0);
}

// --- places --------------------------------------------------------------------------------------

TEST(Places, AllMembersSeeTheSame) {
  World world(8, SimConfig{});  // four ranks a host
  const long processors = ::sysconf(_SC_NPROCESSORS_CONF);
  const CostClass inside = processors < 4 ? CostClass::host_shared : CostClass::host;
  const auto place = [&](int rank, const std::shared_ptr<const Group>& group) {
    CommCore comm;
    comm.local = group;
    comm.rank = group->rank_of(static_cast<ProcId>(rank));
    learn_costs(world.engine(rank), comm);
    EXPECT_EQ(known_state(comm).table, &builtin_collective_table());
    return known_state(comm).cost_class;
  };
  for (int rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(place(rank, Group::regular(ProcId{0}, 1, 8)), CostClass::network);
    const auto host = Group::regular(ProcId{rank < 4 ? 0U : 4U}, 1, 4);
    EXPECT_EQ(place(rank, host), inside);
    if (rank % 4 < 2) {
      EXPECT_EQ(place(rank, Group::of({static_cast<ProcId>(rank / 4 * 4 + 1),
                                       static_cast<ProcId>(rank / 4 * 4)})),
                inside);
    }
    if (rank % 4 == 0) {
      EXPECT_EQ(place(rank, Group::of(procs({4, 0}))), CostClass::network);
    }
  }
}

TEST(Places, AProcessHasATable) {
  World world(5, SimConfig{});
  const auto table = std::make_shared<CollectiveTable>(table_of("model network 7 1 1 1 1\n"));
  world.process(2).kept<CollectiveCosts>().set_table([table] { return table; });
  EXPECT_EQ(model_of(world.engine(2), world.comm(2)).latency, 7);
  EXPECT_EQ(shape_of(world.comm(2), CollectiveArgs{}).table, table.get());
  EXPECT_EQ(shape_of(world.comm(2), CollectiveArgs{}).cost_class, CostClass::network);
  EXPECT_NE(model_of(world.engine(3), world.comm(3)).latency, 7);
}

// --- overlapped dissemination --------------------------------------------------------------------

/// Follows what a member knows, as offsets from its rank: at the end each of the group once.
void expect_each_once(int size, int lag) {
  SCOPED_TRACE(fmt::format("{} members, lag {}", size, lag));
  const Overlapped way{size, lag};
  std::vector<int> windows(static_cast<std::size_t>(way.steps()) + 1);
  way.fill(windows);
  std::vector<int> known(static_cast<std::size_t>(size));  // how often, by offset
  known[0] = 1;
  int reached = 1;
  for (int step = 0; step <= way.steps(); ++step) {
    if (step < lag) {
      ASSERT_EQ(windows[static_cast<std::size_t>(step)], 1);
      continue;
    }
    const Overlapped::Message message = way.message(windows, step);
    const int theirs = windows[static_cast<std::size_t>(step - lag)];
    ASSERT_GE(message.distance, 0);
    ASSERT_LT(message.distance, size);
    ASSERT_EQ(message.empty, message.without_own && theirs == 1);
    ASSERT_TRUE(message.empty || message.distance > 0) << "nobody writes to oneself";
    for (int i = message.without_own ? 1 : 0; i < theirs; ++i) {
      ASSERT_LT(message.distance + i, size);
      ++known[static_cast<std::size_t>(message.distance + i)];
      ++reached;
    }
    ASSERT_EQ(windows[static_cast<std::size_t>(step)], reached);
  }
  EXPECT_EQ(reached, size);
  EXPECT_EQ(known, std::vector<int>(static_cast<std::size_t>(size), 1));
}

TEST(Overlapped, EveryMemberKnowsEachContributionOnce) {
  for (int lag = 1; lag <= Overlapped::kMostLag; ++lag) {
    for (int size = 1; size <= 257; ++size) expect_each_once(size, lag);
    for (const int size : {1000, 4096, 65537, 99991}) expect_each_once(size, lag);
  }
}

/// Those who know tell others at every step, and are heard `lag` steps later: nothing is faster.
TEST(Overlapped, StepsAreAsFewAsCanBe) {
  for (int lag = 1; lag <= Overlapped::kMostLag; ++lag) {
    std::vector<std::int64_t> know = {1};
    for (int step = 0; know.back() < 3'000'000'000; ++step) {
      if (step > 0) {
        know.push_back(know.back() +
                       (step >= lag ? know[static_cast<std::size_t>(step - lag)] : 0));
      }
      const std::int64_t size = know.back();
      if (size < 2 || size > std::numeric_limits<int>::max()) continue;
      EXPECT_EQ((Overlapped{static_cast<int>(size), lag}.steps()), step) << size;
      if (size + 1 > std::numeric_limits<int>::max()) continue;
      EXPECT_GT((Overlapped{static_cast<int>(size + 1), lag}.steps()), step);
    }
  }
  for (int size = 2; size < 1000; ++size) {
    EXPECT_EQ((Overlapped{size, 1}.steps()), std::bit_width(static_cast<unsigned>(size - 1)));
  }
  // The last sizes that there can be.
  for (int lag = 1; lag <= Overlapped::kMostLag; ++lag) {
    const Overlapped way{std::numeric_limits<int>::max(), lag};
    std::vector<int> windows(static_cast<std::size_t>(way.steps()) + 1);
    way.fill(windows);
    EXPECT_EQ(windows.back(), way.size);
  }
}

TEST(Overlapped, TheLagFollowsFromTheModel) {
  EXPECT_EQ(best_lag({0, 100, 200, 0.1, 0.1}, 1000, 0), 1) << "nothing fits between";
  EXPECT_EQ(best_lag({1000, 100, 200, 0.1, 0.1}, 1000, 0), 6);
  EXPECT_EQ(best_lag({1e9, 1, 1, 0.1, 0.1}, 1000, 0), Overlapped::kMostLag);
  EXPECT_EQ(best_lag({1, 0, 0, 0.1, 0.1}, 1000, 0), 1);
  EXPECT_EQ(best_lag({1000, 100, 200, 1, 0}, 1000, 1e6), 1) << "long messages do not overlap";
  const LogGP network{1000, 100, 200, 0.08, 0};
  EXPECT_LT(overlapped_cost(network, 1'000'000, 6, 0),
            0.7 * overlapped_cost(network, 1'000'000, 1, 0));
}

/// Floating-point sums must be the same at all members, so they go another way.
TEST(Overlapped, IsForExactResultsOnly) {
  CommCore comm;
  comm.local = Group::regular(ProcId{0}, 1, 8);
  const auto exact = [&](MPI_Op op, MPI_Datatype type) {
    CollectiveArgs args;
    args.kind = CollectiveKind::allreduce;
    args.recv_count = 1;
    args.recv_type = &predefined(type);
    args.op = op_of(op);
    return shape_of(comm, args).exact;
  };
  EXPECT_TRUE(exact(MPI_SUM, MPI_INT));
  EXPECT_TRUE(exact(MPI_MAX, MPI_UINT64_T));
  EXPECT_TRUE(exact(MPI_BXOR, MPI_BYTE));
  EXPECT_FALSE(exact(MPI_SUM, MPI_DOUBLE));
  EXPECT_FALSE(exact(MPI_MAX, MPI_FLOAT)) << "of two zeros";
  EXPECT_FALSE(exact(MPI_MINLOC, MPI_2INT));
  const Op user([](void*, void*, int*, MPI_Datatype*) {}, true);
  CollectiveArgs args;
  args.kind = CollectiveKind::allreduce;
  args.recv_type = &predefined(MPI_INT);
  args.op = &user;
  EXPECT_FALSE(shape_of(comm, args).exact);
}

// --- groups --------------------------------------------------------------------------------------

/// Blocks that a block's members know, from `begin` on.
struct Known {
  int begin;
  int end;
};

/// Every member has one seat, and follows rounds until all blocks know all, those that a circle
/// combines lying one behind the other.
void expect_groups_cover(const Grouping& grouping, int size) {
  int next = 0;
  std::vector<Known> known;
  for (int block = 0; block < grouping.blocks(); ++block) {
    const int length = grouping.length(block);
    ASSERT_GE(length, grouping.common());
    ASSERT_LE(length, std::min(grouping.common() + 1, Grouping::kMost));
    for (int index = 0; index < length; ++index) {
      const Grouping::Seat seat = grouping.seat(next);
      ASSERT_EQ(seat.block, block);
      ASSERT_EQ(seat.index, index);
      ASSERT_EQ(grouping.rank(seat), next++);
    }
    known.push_back({block, block + 1});
  }
  ASSERT_EQ(next, size);
  ASSERT_LE(grouping.rounds(), Grouping::kRounds);
  for (int round = 1; round < grouping.rounds(); ++round) {
    std::vector<Known> later;
    for (int block = 0; block < grouping.blocks(); ++block) {
      const Circle circle = grouping.circle({block, 0}, round);
      ASSERT_LE(circle.size, Grouping::kMost);
      ASSERT_EQ(circle.first + circle.own * circle.step, block);
      const auto at = [&](int i) {
        return known[static_cast<std::size_t>(circle.first + i * circle.step)];
      };
      for (int i = 1; i < circle.size; ++i) ASSERT_EQ(at(i).begin, at(i - 1).end);
      later.push_back({at(0).begin, at(circle.size - 1).end});
    }
    known.swap(later);
  }
  for (const Known& all : known) {
    ASSERT_EQ(all.begin, 0);
    ASSERT_EQ(all.end, grouping.blocks());
  }
}

TEST(Grouping, CoversAllMembersInTheirOrder) {
  const std::array models = {LogGP{1000, 100, 200, 0.08, 0.1}, LogGP{60, 120, 300, 0.1, 0.1},
                             LogGP{1e6, 1, 1, 0, 0}, LogGP{0, 1, 1, 10, 10}};
  for (const LogGP& model : models) {
    for (const double bytes : {0.0, 8.0, 3000.0}) {
      const auto check = [&](int size) {
        SCOPED_TRACE(fmt::format("{} members, {} bytes, L {}", size, bytes, model.latency));
        expect_groups_cover(Grouping(model, size, bytes), size);
      };
      for (int size = 1; size <= 257 && !HasFatalFailure(); ++size) check(size);
      for (const int size : {1000, 4096, 65537, 99991, 1'000'000}) check(size);
      if (HasFatalFailure()) return;
    }
    const int most = std::numeric_limits<int>::max();
    const Grouping largest(model, most, 8);
    EXPECT_GT(largest.cost(), 0);
    EXPECT_EQ(largest.rank(largest.seat(most - 1)), most - 1);
  }
}

/// Not far from those that need not have the same bits everywhere.
TEST(Grouping, IsNearlyAsQuickAsDissemination) {
  const LogGP network{1000, 100, 200, 0.08, 0};
  for (const int size : {10, 64, 1000, 10'000, 100'000, 1'000'000, 1 << 20}) {
    const double best = overlapped_cost(network, size, 6, 8);
    EXPECT_LT(Grouping(network, size, 8).cost(), 1.35 * best) << size;
  }
  EXPECT_EQ(Grouping(network, 30, 8).rounds(), 1);
}

}  // namespace
}  // namespace remit::testing
