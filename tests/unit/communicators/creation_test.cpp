// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How communicators come to be, by virtual ranks that make the calls together over the simulated
// network: no MPI function, no handle.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "communicators/agreement.hpp"
#include "communicators/dist_graph.hpp"
#include "communicators/group_mail.hpp"
#include "communicators/intercomm.hpp"
#include "communicators/root_outcome.hpp"
#include "communicators/split.hpp"
#include "tests/unit/communicators/calling_ranks.hpp"
#include "tests/unit/process_ids.hpp"

namespace remit::testing {
namespace {

using Random = std::mt19937_64;

int below(Random& random, int limit) {
  return static_cast<int>(random() % static_cast<unsigned>(limit));
}

/// A value of every rank.
template <class T>
std::vector<T> of_each(const World& world) {
  return std::vector<T>(static_cast<std::size_t>(world.size()));
}

/// Ranks that have taken other numbers each: what they agree on is free at all, and new.
void agree_in(int size, bool overlap) {
  Random random(test_seed() + static_cast<std::uint64_t>(size));
  CallingRanks ranks(size, sim_hostile(random()), overlap);
  std::set<ContextId> seen;
  for (int round = 0; round < 6; ++round) {
    for (int r = 0; r < size; ++r) {
      for (int extra = below(random, 4); extra > 0; --extra) {
        ASSERT_TRUE(ranks.contexts(r).take(ranks.contexts(r).propose()));
      }
    }
    auto live = of_each<std::size_t>(ranks);
    auto got = of_each<ContextId>(ranks);
    for (std::size_t r = 0; r < live.size(); ++r) {
      live[r] = ranks.contexts(static_cast<int>(r)).live();
    }
    ranks.run_all([&](int rank) {
      const auto context = agree_on_context(ranks.call(rank), ranks.world(rank));
      ASSERT_TRUE(context.has_value());
      got[static_cast<std::size_t>(rank)] = *context;
    });
    EXPECT_TRUE(seen.insert(got[0]).second);
    for (std::size_t r = 0; r < live.size(); ++r) {
      EXPECT_EQ(got[r], got[0]);
      EXPECT_EQ(ranks.contexts(static_cast<int>(r)).live(), live[r] + 1) << "one was taken";
    }
  }
}

TEST(Agreement, OneContextThatIsFreeAtAll) {
  for (const int size : {1, 2, 3, 5, 8}) agree_in(size, false);
}

TEST(Agreement, WhereOthersMayBeUnderWay) {
  for (const int size : {1, 2, 5}) agree_in(size, true);
}

std::vector<ProcId> procs_of(const GroupPtr& group) {
  return members_of(*group);
}

TEST(Split, LikeTheStandardSays) {
  Random random(test_seed());
  for (int trial = 0; trial < 30; ++trial) {
    const int size = 1 + below(random, 9);
    CallingRanks ranks(size, sim_hostile(random()));
    auto colors = of_each<int>(ranks);
    auto keys = of_each<int>(ranks);
    for (auto& color : colors) color = below(random, 4) == 0 ? MPI_UNDEFINED : below(random, 3);
    for (auto& key : keys) key = below(random, 3) - 1;
    ranks.run_all([&](int rank) {
      const auto me = static_cast<std::size_t>(rank);
      const auto made = split_comm(ranks.call(rank), ranks.world(rank), colors[me], keys[me]);
      ASSERT_TRUE(made.has_value());
      ASSERT_EQ(made->has_value(), colors[me] != MPI_UNDEFINED);
      EXPECT_EQ(ranks.contexts(rank).live(), made->has_value() ? 1U : 0U) << "given back";
      if (!*made) return;
      std::vector<ProcId> expected;
      for (int key = -1; key <= 1; ++key) {
        for (std::size_t r = 0; r < colors.size(); ++r) {
          if (colors[r] == colors[me] && keys[r] == key) expected.push_back(static_cast<ProcId>(r));
        }
      }
      EXPECT_EQ(procs_of((*made)->local), expected);
      EXPECT_EQ(expected[static_cast<std::size_t>((*made)->rank)], static_cast<ProcId>(rank));
    });
  }
}

TEST(Split, ColorsThatAreFoundOutTogether) {
  CallingRanks ranks(5);
  ranks.run_all([&](int rank) {
    int asked = 0;
    const Recolor recolor = [&](std::int64_t color) -> Expected<std::int64_t> {
      ++asked;
      EXPECT_EQ(color, rank == 3 ? kColorLater : 7);
      return rank % 2;
    };
    const auto made =
        split_comm(ranks.call(rank), ranks.world(rank), rank == 3 ? kColorLater : 7, 0, recolor);
    EXPECT_EQ(asked, 1) << "rank " << rank;
    ASSERT_TRUE(made && *made);
    EXPECT_EQ((*made)->local->size(), rank % 2 == 0 ? 3 : 2);
  });
  ranks.run_all([&](int rank) {
    const Recolor refuse = [](std::int64_t) -> Expected<std::int64_t> {
      return fail(MPI_ERR_OTHER, "no color");
    };
    const auto made = split_comm(ranks.call(rank), ranks.world(rank), kColorLater, 0, refuse);
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().message, "no color");
  });
}

/// Three groups, any two of which share a process: who comes late finds its mail.
TEST(GroupMail, CallsOfSeveralGroups) {
  CallingRanks ranks(3);
  auto contexts = of_each<std::vector<ContextId>>(ranks);
  ranks.run_all([&](int rank) {
    const std::vector<std::pair<std::string, std::vector<ProcId>>> calls = {
        {"last", procs({0, 2})}, {"middle", procs({1, 2})}, {"first", procs({0, 1})}};
    for (const auto& [tag, members] : calls) {
      const GroupPtr group = Group::of(members);
      const int place = own_rank_in(ranks.process(rank), *group);
      if (place == MPI_UNDEFINED) continue;
      const auto made = create_comm_from_group(ranks.call(rank), group, place, tag);
      ASSERT_TRUE(made.has_value());
      EXPECT_EQ(made->rank, place);
      contexts[static_cast<std::size_t>(rank)].push_back(made->context);
    }
  });
  EXPECT_EQ(contexts[0][0], contexts[2][0]);
  EXPECT_EQ(contexts[1][0], contexts[2][1]);
  EXPECT_EQ(contexts[0][1], contexts[1][1]);
  for (const auto& own : contexts) EXPECT_NE(own[0], own[1]);
}

TEST(GroupMail, LostMembersEndTheCall) {
  CallingRanks ranks(2);
  ranks.run_all([&](int rank) {  // who was never heard of is not missed
    ASSERT_TRUE(agree_on_context(ranks.call(rank), ranks.world(rank)));
  });
  ranks.kill(1);
  ranks.run_all([&](int rank) {
    if (rank == 1) return;
    const GroupPtr group = Group::regular(ProcId{0}, 1, 2);
    const auto made = create_comm_of_group(ranks.call(rank), ranks.comm(rank), group, 5);
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code, MPI_ERR_PROC_ABORTED);
    EXPECT_EQ(made.error().message, "the processes of the new communicator could not agree on it");
    EXPECT_EQ(ranks.contexts(rank).live(), 1U) << "nothing is left of the agreement";
  });
}

TEST(GroupMail, OnlyTheGroupTakesPart) {
  CallingRanks ranks(4);
  ranks.run_all([&](int rank) {
    const GroupPtr group = Group::of(procs({3, 1}));
    const auto made = create_comm_of_group(ranks.call(rank), ranks.comm(rank), group, 5);
    ASSERT_TRUE(made.has_value());
    ASSERT_EQ(made->has_value(), rank % 2 == 1);
    if (!*made) return;
    EXPECT_EQ((*made)->rank, rank == 3 ? 0 : 1);
  });
}

/// The halves of a world, and the inter-communicator between them, merged again.
TEST(Intercomm, OfLeadersAndMerged) {
  Random random(test_seed());
  for (int trial = 0; trial < 12; ++trial) {
    const int size = 2 + below(random, 7);
    const int first = 1 + below(random, size - 1);
    const bool high = trial % 3 == 0;
    CallingRanks ranks(size, sim_hostile(random()));
    const std::string name;
    auto contexts = of_each<ContextId>(ranks);
    ranks.run_all([&](int rank) {
      const CommCall call = ranks.call(rank);
      const bool is_low = rank < first;
      auto half = split_comm(call, ranks.world(rank), is_low ? 0 : 1, 0);
      ASSERT_TRUE(half && *half);
      const ParentComm local{**half, name};
      const int leader = local.core.size() - 1;
      const LeaderLink link{ranks.comm(rank), is_low ? size - 1 : first - 1};
      auto inter = create_intercomm_of_leaders(call, local, leader, 9,
                                               local.core.rank == leader ? &link : nullptr);
      ASSERT_TRUE(inter.has_value());
      EXPECT_EQ(inter->local->size(), is_low ? first : size - first);
      EXPECT_EQ(inter->remote->proc(0), is_low ? static_cast<ProcId>(first) : ProcId{0});
      contexts[static_cast<std::size_t>(rank)] = inter->context;
      const auto merged = merge_intercomm(call, {*inter, name}, high == is_low);
      ASSERT_TRUE(merged && *merged);
      const int shift = high ? (is_low ? size - first : -first) : 0;
      EXPECT_EQ((*merged)->rank, rank + shift);
      EXPECT_EQ((*merged)->size(), size);
    });
    for (const ContextId context : contexts) EXPECT_EQ(context, contexts[0]);
  }
}

TEST(Intercomm, RefusalsReachTheGroup) {
  CallingRanks ranks(3);
  ranks.run_all([&](int rank) {
    if (rank == 1) {
      EXPECT_TRUE(refuse_intercomm(ranks.call(rank), ranks.world(rank), 1, MPI_ERR_TAG));
      return;
    }
    const auto made =
        create_intercomm_of_leaders(ranks.call(rank), ranks.world(rank), 1, 9, nullptr);
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code, MPI_ERR_TAG);
    EXPECT_EQ(made.error().message, "rank 1, the leader, could not reach the other");
  });
}

TEST(Intercomm, FromGroups) {
  CallingRanks ranks(5);
  ranks.run_all([&](int rank) {
    const bool is_low = rank < 2;
    const GroupPtr low = Group::of(procs({1, 0}));
    const GroupPtr high = Group::of(procs({2, 3, 4}));
    const GroupPtr local = is_low ? low : high;
    const int place = own_rank_in(ranks.process(rank), *local);
    // The remote group matters at the leader.
    const GroupPtr remote = place == 1 ? (is_low ? high : low) : nullptr;
    const auto made =
        create_intercomm_from_groups(ranks.call(rank), local, place, 1, remote, "both");
    ASSERT_TRUE(made && *made);
    EXPECT_EQ(compare(*(*made)->remote, is_low ? *high : *low), MPI_IDENT);
    // Groups of nobody make nothing, groups that overlap an error.
    const GroupPtr nobody = Group::regular(ProcId{0}, 1, 0);
    const auto none =
        create_intercomm_from_groups(ranks.call(rank), local, place, 1, nobody, "none");
    ASSERT_TRUE(none.has_value());
    EXPECT_FALSE(none->has_value());
    const auto wrong =
        create_intercomm_from_groups(ranks.call(rank), local, place, 1, local, "wrong");
    ASSERT_FALSE(wrong.has_value());
    EXPECT_EQ(wrong.error().code, MPI_ERR_COMM);
  });
}

TEST(RootOutcome, AllMembersHearIt) {
  CallingRanks ranks(4);
  ranks.run_all([&](int rank) {
    RootOutcome outcome;
    if (rank == 2) outcome = outcome_of({MPI_ERR_SPAWN, "there is no such program"});
    ASSERT_TRUE(tell_members(ranks.call(rank), ranks.world(rank), 2, outcome));
    EXPECT_EQ(error_of(outcome).code, MPI_ERR_SPAWN);
    EXPECT_EQ(error_of(outcome).message, "there is no such program");
  });
}

struct NamedEdge {
  int source, destination, weight;
};

/// Everybody names edges of everybody; the ends hear of them in the order of who named them.
TEST(DistGraph, EdgesReachBothEnds) {
  Random random(test_seed());
  for (int trial = 0; trial < 20; ++trial) {
    const int size = 1 + below(random, 7);
    CallingRanks ranks(size, sim_hostile(random()));
    auto named = of_each<std::vector<NamedEdge>>(ranks);
    for (auto& own : named) {
      for (int i = below(random, 8); i > 0; --i) {
        own.push_back({below(random, size), below(random, size), below(random, 100)});
      }
    }
    const bool weighted = trial % 2 == 0;
    ranks.run_all([&](int rank) {
      std::vector<int> sources, degrees, destinations, weights;
      for (const NamedEdge& edge : named[static_cast<std::size_t>(rank)]) {
        sources.push_back(edge.source);
        degrees.push_back(1);
        destinations.push_back(edge.destination);
        weights.push_back(edge.weight);
      }
      const NamedEdges edges{sources, degrees.data(), destinations.data(),
                             weighted ? weights.data() : MPI_UNWEIGHTED};
      const auto graph = distribute_edges(ranks.call(rank), ranks.world(rank), edges);
      ASSERT_TRUE(graph.has_value());
      DistributedGraph expected;
      for (const auto& own : named) {
        for (const auto& [source, destination, weight] : own) {
          if (source == rank) {
            expected.destinations.push_back(destination);
            expected.destination_weights.push_back(weight);
          }
          if (destination == rank) {
            expected.sources.push_back(source);
            expected.source_weights.push_back(weight);
          }
        }
      }
      EXPECT_EQ(graph->weighted, weighted);
      EXPECT_EQ(graph->sources, expected.sources);
      EXPECT_EQ(graph->destinations, expected.destinations);
      EXPECT_EQ(graph->source_weights, weighted ? expected.source_weights : std::vector<int>{});
      EXPECT_EQ(graph->destination_weights,
                weighted ? expected.destination_weights : std::vector<int>{});
      // Nobody knows where these ranks run: everybody keeps its node.
      const auto placed = place_graph(ranks.call(rank), ranks.world(rank), *graph);
      ASSERT_TRUE(placed.has_value());
      EXPECT_EQ(placed->group, ranks.comm(rank).local);
      EXPECT_EQ(placed->graph.sources, graph->sources);
    });
  }
}

}  // namespace
}  // namespace remit::testing
