// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of grids, process sets, and groups as numbers: what needs no other process.
#include "communicators/virtual_topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "communicators/creation.hpp"
#include "communicators/group_encoding.hpp"
#include "communicators/intercomm.hpp"
#include "communicators/placement.hpp"
#include "communicators/process_sets.hpp"
#include "communicators/root_outcome.hpp"
#include "tests/unit/process_ids.hpp"
#include "tests/unit/pt2pt/world.hpp"

namespace remit::testing {
namespace {

Grid plain_grid(const std::vector<int>& sides) {
  Grid grid;
  for (const int side : sides) grid.dimensions.push_back({side, false});
  return grid;
}

TEST(Grid, SlicesAreGridsOfWhatIsKept) {
  const Grid grid = plain_grid({2, 3, 4});
  const std::vector<int> kept{1, 0, 1};
  const Grid rest = grid.without_others(kept);
  ASSERT_EQ(rest.dimensions.size(), 2U);
  EXPECT_EQ(rest.size(), 8);
  for (int rank = 0; rank < grid.size(); ++rank) {
    const std::vector<int> slice = grid.slice(rank, kept);
    ASSERT_EQ(slice.size(), 8U);
    EXPECT_NE(std::find(slice.begin(), slice.end(), rank), slice.end());
    std::vector<int> own(3);
    grid.coordinates(rank, own);
    for (std::size_t i = 0; i < slice.size(); ++i) {
      std::vector<int> there(3);
      std::vector<int> inside(2);
      grid.coordinates(slice[i], there);
      rest.coordinates(static_cast<int>(i), inside);
      EXPECT_EQ(there, (std::vector<int>{inside[0], own[1], inside[1]}));
    }
  }
  EXPECT_EQ(grid.slice(7, std::vector<int>{0, 0, 0}), std::vector<int>{7});
  EXPECT_EQ(plain_grid({}).slice(0, {}), std::vector<int>{0});
}

TEST(Grid, DimensionsAreDecreasingAndCloseTogether) {
  const auto filled = [](int nodes, std::vector<int> sizes) {
    return fill_dimensions(nodes, sizes) ? sizes : std::vector<int>{};
  };
  EXPECT_EQ(filled(12, {0, 0}), (std::vector<int>{4, 3}));
  EXPECT_EQ(filled(6, {0, 3, 0}), (std::vector<int>{2, 3, 1}));
  EXPECT_EQ(filled(7, {0, 3}), std::vector<int>{}) << "3 does not divide 7";
  EXPECT_EQ(filled(7, {7}), std::vector<int>{7});
  EXPECT_EQ(filled(6, {3}), std::vector<int>{}) << "no zero for the rest";
  for (int nodes = 1; nodes < 300; ++nodes) {
    std::vector<int> sizes(3);
    ASSERT_TRUE(fill_dimensions(nodes, sizes));
    EXPECT_TRUE(std::is_sorted(sizes.rbegin(), sizes.rend()));
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies<>()), nodes);
  }
}

TEST(Placement, RanksOfMembers) {
  EXPECT_EQ(first_ranks(3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(new_rank_of(5, {7, 5, 6}), 1);
  EXPECT_EQ(new_rank_of(4, {7, 5, 6}), MPI_UNDEFINED);
}

TEST(GroupEncoding, GroupsComeBack) {
  World world(9, {});
  Engine& engine = world.engine(4);
  std::mt19937_64 random(test_seed());
  std::vector<GroupPtr> groups{Group::regular(ProcId{0}, 1, 9), Group::regular(ProcId{8}, -2, 4),
                               Group::regular(ProcId{3}, 0, 1), Group::of(procs({5, 1, 7}))};
  for (int i = 0; i < 50; ++i) {
    std::vector<ProcId> members = procs({0, 1, 2, 3, 4, 5, 6, 7, 8});
    std::shuffle(members.begin(), members.end(), random);
    members.resize(1 + random() % 9);
    groups.push_back(Group::of(members));
  }
  for (const GroupPtr& group : groups) {
    const Bytes bytes = bytes_of_words(encode_group(engine, *group));
    const GroupPtr back = decode_group(engine, words_of_bytes(bytes));
    EXPECT_EQ(compare(*group, *back), MPI_IDENT);
  }
  EXPECT_EQ(encode_group(engine, *Group::regular(ProcId{0}, 1, 9)).size(), 3U)
      << "however large it is";
  EXPECT_EQ(decode_group(engine, encode_group(engine, *Group::regular(ProcId{0}, 1, 0)))->size(),
            0);
  EXPECT_TRUE(comes_first(engine, *groups[0], *groups[1]));
  EXPECT_FALSE(comes_first(engine, *groups[1], *groups[0]));
}

TEST(Creation, SubsetsAndDisjointGroups) {
  World world(6, {});
  EXPECT_TRUE(check_subset(world.comm(0), *Group::of(procs({5, 0}))));
  const CommCore small = make_core(40, 0, Group::of(procs({2, 4})));
  const auto no_subset = check_subset(small, *Group::of(procs({4, 3})));
  ASSERT_FALSE(no_subset);
  EXPECT_EQ(no_subset.error().code, MPI_ERR_GROUP);
  EXPECT_EQ(no_subset.error().message, "rank 1 of the group is not in the communicator");
  EXPECT_TRUE(
      check_disjoint(world.engine(0), *Group::of(procs({0, 1})), *Group::of(procs({2, 3}))));
  const auto overlap =
      check_disjoint(world.engine(0), *Group::of(procs({0, 1})), *Group::of(procs({3, 1, 2})));
  ASSERT_FALSE(overlap);
  EXPECT_EQ(overlap.error().code, MPI_ERR_COMM);
  EXPECT_EQ(overlap.error().message,
            "rank 1 of MPI_COMM_WORLD is in both groups; they must be disjoint");
}

TEST(Creation, CoresAndTheirComparison) {
  const GroupPtr low = Group::of(procs({0, 1}));
  const GroupPtr high = Group::of(procs({2, 3}));
  const CommCore inter = make_core(48, 1, low, high);
  ASSERT_TRUE(inter.is_inter());
  EXPECT_EQ(inter.context, 48U);
  EXPECT_EQ(inter.within->context, 48U + kContextsEach / 2);
  EXPECT_EQ(inter.within->rank, 1);
  EXPECT_EQ(inter.within->local, low);
  const CommCore intra = make_core(56, 1, low);
  EXPECT_EQ(compare(intra, make_core(64, 0, Group::of(procs({0, 1})))), MPI_CONGRUENT);
  EXPECT_EQ(compare(intra, make_core(64, 0, Group::of(procs({1, 0})))), MPI_SIMILAR);
  EXPECT_EQ(compare(intra, make_core(64, 0, high)), MPI_UNEQUAL);
  EXPECT_EQ(compare(intra, inter), MPI_UNEQUAL);
  EXPECT_EQ(compare(inter, make_core(64, 1, low, Group::of(procs({3, 2})))), MPI_SIMILAR);
  EXPECT_EQ(compare(inter, make_core(64, 1, high, low)), MPI_UNEQUAL);
}

TEST(ProcessSets, TheStandardsOwn) {
  World world(3, {});
  Process& process = world.process(1);
  ASSERT_GE(process_sets(process).size(), 2U);
  EXPECT_EQ(process_sets(process)[0].name, "mpi://WORLD");
  EXPECT_EQ(find_process_set(process, "MPI://world")->size(), 3);
  const auto self = find_process_set(process, "mpi://SELF");
  ASSERT_EQ(self->size(), 1);
  EXPECT_EQ(self->proc(0), ProcId{1});
  EXPECT_EQ(find_process_set(process, "mpi://other"), nullptr);
}

TEST(RootOutcome, ErrorsKeepTheirWords) {
  const Error error = error_of(outcome_of({MPI_ERR_PORT, "the port was closed meanwhile"}));
  EXPECT_EQ(error.code, MPI_ERR_PORT);
  EXPECT_EQ(error.message, "the port was closed meanwhile");
}

}  // namespace
}  // namespace remit::testing
