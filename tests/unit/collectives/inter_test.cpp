// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Collectives on inter-communicators among virtual ranks over the simulated network, many at once;
// and agreements on contexts as operations.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "collectives/algorithms.hpp"
#include "collectives/collectives.hpp"
#include "pt2pt/context_ids.hpp"
#include "tests/unit/pt2pt/world.hpp"

namespace remit::testing {
namespace {

using enum CollectiveKind;
using Random = std::mt19937_64;

/// Two groups of a world: the ranks below `first`, and the others.
class TwoGroups : public World {
 public:
  TwoGroups(int first, int second, SimConfig config)
      : World(first + second, std::move(config), {}, 0), first_(first) {
    const auto low = Group::regular(ProcId{0}, 1, first);
    const auto high = Group::regular(static_cast<ProcId>(first), 1, second);
    for (int r = 0; r < size(); ++r) {
      const bool is_low = r < first;
      CommCore& core = cores_.emplace_back();
      core.rank = is_low ? r : r - first;
      core.local = is_low ? low : high;
      core.remote = is_low ? high : low;
      core.within = std::make_shared<CommCore>();
      core.within->rank = core.rank;
      core.within->local = core.local;
      core.set_context(40);
    }
  }
  [[nodiscard]] CommCore& core(int rank) { return cores_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] bool is_low(int rank) const { return rank < first_; }
  /// Where the other group begins.
  [[nodiscard]] int others(int rank) const { return is_low(rank) ? first_ : 0; }

 private:
  int first_;
  std::vector<CommCore> cores_;
};

/// One operation at all ranks; what each gets is in `got`.
struct Operation {
  CollectiveKind kind = barrier;
  int root = 0;  ///< of the low group
  std::vector<std::vector<std::int64_t>> given, got;
  std::vector<std::vector<MPI_Count>> counts, displs;
  std::vector<std::unique_ptr<Collective>> parts;

  [[nodiscard]] bool complete() const {
    return std::all_of(parts.begin(), parts.end(),
                       [](const auto& p) { return p->request.complete; });
  }
};

constexpr MPI_Count kEach = 3;

std::int64_t value(int from, int to, int i) {
  return from * 1'000'003 + to * 1009 + i;
}

/// Fills in the arguments of one rank. Elements are int64; each pair of processes exchanges kEach.
CollectiveArgs arguments(TwoGroups& world, Operation& o, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  const CommCore& core = world.core(rank);
  const int peers = core.peers().size();
  const bool low = world.is_low(rank);
  CollectiveArgs a;
  a.kind = o.kind;
  a.send_type = a.recv_type = &predefined(MPI_INT64_T);
  a.op = predefined_op(reinterpret_cast<std::uintptr_t>(MPI_SUM));
  a.root = !low ? o.root : rank == o.root ? MPI_ROOT : MPI_PROC_NULL;
  const bool blocks = o.kind == reduce_scatter || o.kind == reduce_scatter_block;
  const MPI_Count total = blocks ? kEach * peers * core.size() : kEach * peers;
  for (int i = 0; i < total; ++i) {
    o.given[r].push_back(value(rank, i / static_cast<int>(kEach), i % static_cast<int>(kEach)));
  }
  o.got[r].assign(static_cast<std::size_t>(total) + 1, -1);
  a.send = o.given[r].data();
  a.recv = o.got[r].data();
  a.send_count = a.recv_count = kEach;
  if (o.kind == reduce_scatter_block || o.kind == reduce_scatter) {
    a.send_count = total;
    a.recv_count = kEach * peers;
  }
  const int slots = o.kind == reduce_scatter ? core.size() : peers;
  for (int i = 0; i < slots; ++i) {
    o.counts[r].push_back(o.kind == reduce_scatter ? kEach * peers : kEach);
    o.displs[r].push_back(kEach * i);
  }
  a.send_counts = a.recv_counts = Counts(o.counts[r].data());
  a.send_displs = a.recv_displs = Counts(o.displs[r].data());
  return a;
}

/// Element i of what `rank` is to have, or -1 for untouched.
std::int64_t expected(TwoGroups& world, const Operation& o, int rank, int i) {
  const bool low = world.is_low(rank);
  const int others = world.others(rank);
  const int peers = world.core(rank).peers().size();
  const int each = static_cast<int>(kEach);
  const int slot = i / each;
  const auto sum = [&](int element) {
    std::int64_t total = 0;
    for (int p = 0; p < peers; ++p) total += value(others + p, element / each, element % each);
    return total;
  };
  const bool root = low && rank == o.root;
  switch (o.kind) {
    case bcast:
      return !low && i < each ? value(o.root, 0, i) : -1;
    case gather:
    case gatherv:
      return root && slot < peers ? value(others + slot, 0, i % each) : -1;
    case scatter:
    case scatterv:
      return !low && i < each ? value(o.root, rank - world.core(0).size(), i) : -1;
    case allgather:
    case allgatherv:
      return slot < peers ? value(others + slot, 0, i % each) : -1;
    case alltoall:
    case alltoallv:
      return slot < peers ? value(others + slot, world.core(rank).rank, i % each) : -1;
    case reduce:
      return root && i < each ? sum(i) : -1;
    case allreduce:
      return i < each ? sum(i) : -1;
    case reduce_scatter:
    case reduce_scatter_block:
      return i < each * peers ? sum(world.core(rank).rank * each * peers + i) : -1;
    default:
      return -1;
  }
}

std::unique_ptr<Operation> make(TwoGroups& world, CollectiveKind kind, Random& random) {
  auto o = std::make_unique<Operation>();
  const auto ranks = static_cast<std::size_t>(world.size());
  o->kind = kind;
  o->root = static_cast<int>(random() % static_cast<unsigned>(world.core(0).size()));
  o->given.resize(ranks);
  o->got.resize(ranks);
  o->counts.resize(ranks);
  o->displs.resize(ranks);
  for (int r = 0; r < world.size(); ++r) {
    CollectiveArgs a = arguments(world, *o, r);
    if (kind == bcast && a.root == MPI_ROOT) a.recv = o->given[static_cast<std::size_t>(r)].data();
    o->parts.push_back(std::make_unique<Collective>(world.engine(r), world.core(r), a));
  }
  return o;
}

void check(TwoGroups& world, const Operation& o) {
  SCOPED_TRACE(collective_name(o.kind));
  for (int r = 0; r < world.size(); ++r) {
    const auto at = static_cast<std::size_t>(r);
    ASSERT_EQ(o.parts[at]->request.status.error, MPI_SUCCESS) << "rank " << r;
    for (std::size_t i = 0; i < o.got[at].size(); ++i) {
      ASSERT_EQ(o.got[at][i], expected(world, o, r, static_cast<int>(i)))
          << "rank " << r << ", element " << i;
    }
  }
}

constexpr CollectiveKind kInterKinds[] = {
    barrier,    bcast,    gather,    gatherv, scatter,   scatterv,       allgather,
    allgatherv, alltoall, alltoallv, reduce,  allreduce, reduce_scatter, reduce_scatter_block};

/// Every operation twice, all under way at once, each rank starting them in an order of its own.
void run(int first, int second, SimConfig config) {
  SCOPED_TRACE(fmt::format("{} and {} ranks, seed {}", first, second, config.seed));
  Random random(config.seed);
  TwoGroups world(first, second, std::move(config));
  std::vector<std::unique_ptr<Operation>> all;
  for (int i = 0; i < 2; ++i) {
    for (const CollectiveKind kind : kInterKinds) all.push_back(make(world, kind, random));
  }
  for (int r = 0; r < world.size(); ++r) {
    std::vector<std::size_t> order(all.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      all[i]->parts[static_cast<std::size_t>(r)]->start();
      world.poll_all();
    }
  }
  const auto done = [&] {
    return std::all_of(all.begin(), all.end(), [](const auto& o) { return o->complete(); });
  };
  if (!world.run(done)) {
    for (auto& operation : all) (void)operation.release();  // the engines know their requests
    FAIL() << "stuck";
  }
  for (const auto& operation : all) {
    check(world, *operation);
    if (::testing::Test::HasFatalFailure()) return;
  }
  world.settle();
  for (int r = 0; r < world.size(); ++r)
    EXPECT_EQ(world.engine(r).receiver().unexpected().bytes(), 0U);
}

TEST(InterCollectives, EverySmallPair) {
  for (int first = 1; first <= 5; ++first) {
    for (int second = 1; second <= 5; ++second) {
      SimConfig config;
      config.seed = test_seed();
      run(first, second, config);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(InterCollectives, HostileNetworks) {
  for (std::uint64_t seed = test_seed(); seed < test_seed() + 12; ++seed) {
    Random random(seed);
    run(1 + static_cast<int>(random() % 9), 1 + static_cast<int>(random() % 9), sim_hostile(seed));
    if (HasFatalFailure()) return;
  }
}

/// Several duplicates of the world and of the inter-communicator agree on contexts at once.
TEST(InterCollectives, AgreementsAtOnce) {
  for (std::uint64_t seed = test_seed(); seed < test_seed() + 12; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    constexpr std::size_t kAgreements = 6;
    TwoGroups world(1 + static_cast<int>(random() % 4), 1 + static_cast<int>(random() % 4),
                    sim_hostile(seed));
    std::vector<std::unique_ptr<ContextIds>> ids;
    std::vector<std::vector<std::unique_ptr<ContextAgreement>>> agreements;
    std::vector<std::unique_ptr<Collective>> all;
    for (int r = 0; r < world.size(); ++r) {
      ids.push_back(std::make_unique<ContextIds>(20));
      auto& mine = agreements.emplace_back();
      for (std::size_t i = 0; i < kAgreements; ++i) {
        mine.push_back(std::make_unique<ContextAgreement>(*ids.back(), false));
        CollectiveArgs a;
        a.kind = agree;
        a.recv = mine.back().get();
        CommCore& core = i % 2 == 0 ? world.core(r) : world.comm(r);
        all.push_back(std::make_unique<Collective>(world.engine(r), core, a));
      }
    }
    std::vector<Collective*> order;
    for (auto& one : all) order.push_back(one.get());
    std::shuffle(order.begin(), order.end(), random);
    for (Collective* one : order) {
      one->start();
      world.poll_all();
    }
    const auto done = [&] {
      return std::all_of(all.begin(), all.end(), [](const auto& c) { return c->request.complete; });
    };
    if (!world.run(done)) {
      for (auto& one : all) (void)one.release();
      FAIL() << "stuck";
    }
    std::vector<ContextId> contexts;
    for (std::size_t i = 0; i < kAgreements; ++i) {
      contexts.push_back(agreements[0][i]->context());
      for (const auto& mine : agreements) EXPECT_EQ(mine[i]->context(), contexts.back());
    }
    std::sort(contexts.begin(), contexts.end());
    EXPECT_EQ(std::unique(contexts.begin(), contexts.end()), contexts.end());
    EXPECT_EQ(ids[0]->live(), kAgreements);
  }
}

}  // namespace
}  // namespace remit::testing
