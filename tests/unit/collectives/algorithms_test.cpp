// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Collective operations among virtual ranks over the simulated network: every algorithm, forced
// and chosen, on quiet and hostile networks, many at once, restarted, and when a member fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "collectives/collectives.hpp"
#include "tests/unit/collectives/ranks.hpp"

namespace remit::testing {
namespace {

void run_one(Ranks& ranks, Case& what) {
  SCOPED_TRACE(what.describe());
  Operations operations = ranks.make(what);
  ranks.start(operations);
  ASSERT_TRUE(ranks.finish(operations)) << "stuck";
  expect_right(what, operations);
}

/// Whether a forced row is used for a case.
bool uses(const Algorithm& row, Case& what, CommCore& comm, const Params& params) {
  const CollectiveShape shape = shape_of(comm, what.at(0).args);
  return &choose_algorithm(row.kind, shape, params) == &row;
}

/// Some operations of one row, forced, on a network of this kind.
void run_row(const Algorithm& row, SimConfig config, int size, int repeats, int max_ints,
             Random& random, const Vocabulary& words, int& used) {
  let_reach(config, random);
  Ranks ranks(size, config, {{"coll_algorithms", text(row)}});
  ranks.make_cells(random);
  for (int i = 0; i < repeats; ++i) {
    Case what(row.kind, size, max_ints, words, random);
    if (uses(row, what, ranks.comm(0), ranks.process(0).params())) ++used;
    run_one(ranks, what);
    if (::testing::Test::HasFatalFailure()) return;
  }
  ranks.expect_nothing_left();
}

void run_row(const Algorithm& row, int size, int repeats, int max_ints, Random& random,
             const Vocabulary& words, int& used) {
  const std::uint64_t seed = random();
  run_row(row, quiet(seed), size, repeats, max_ints, random, words, used);
}

TEST(Collectives, EveryAlgorithmAtEverySmallSize) {
  Random random(test_seed());
  const Vocabulary words;
  for (const Algorithm& row : rows()) {
    SCOPED_TRACE(text(row));
    int used = 0;
    for (int size = 1; size <= 9; ++size) run_row(row, size, 8, 90, random, words, used);
    for (const int size : {16, 17, 31}) run_row(row, size, 4, 300, random, words, used);
    // Some rows need cells of a kind that chance has not made yet.
    for (int more = 0; more < 100 && used < 2 && row.run != nullptr; ++more) {
      run_row(row, 12, 4, 300, random, words, used);
      if (HasFatalFailure()) return;
    }
    // The board is for blocking calls over shared memory: see board_test.cpp.
    EXPECT_TRUE(used >= 2 || row.run == nullptr) << used << " of 84 or more";
    if (HasFatalFailure()) return;
  }
}

/// Where COLLECTIVES_ALL is set (make check-collectives): the whole product of algorithms, sizes
/// and networks, which takes minutes.
bool whole_product() {
  return std::getenv("COLLECTIVES_ALL") != nullptr;
}

/// Each algorithm among 64 to 257 members, on networks with every fault that may be tolerated.
TEST(Collectives, EveryAlgorithmAmongHundreds) {
  Random random(test_seed() + 1);
  const Vocabulary words;
  for (const Algorithm& row : rows()) {
    SCOPED_TRACE(text(row));
    std::vector<int> sizes = {64 + below(random, 130)};
    if (whole_product()) sizes = {64, 65, 96, 127, 128, 129, 200, 255, 256, 257};
    int used = 0;
    for (const int size : sizes) {
      run_row(row, sim_hostile(random()), size, 2, 600, random, words, used);
      if (whole_product()) run_row(row, size, 4, 600, random, words, used);
      if (HasFatalFailure()) return;
    }
    // Some are for powers of two, or for cells of a kind that chance has not made yet.
    for (int more = 0; more < 30 && used == 0 && row.run != nullptr; ++more) {
      run_row(row, sim_hostile(random()), more % 2 == 0 ? 64 : 100, 2, 600, random, words, used);
      if (HasFatalFailure()) return;
    }
    EXPECT_TRUE(used > 0 || row.run == nullptr) << "never chosen";
  }
}

TEST(Collectives, ChosenAlgorithms) {
  Random random(test_seed() + 2);
  const Vocabulary words;
  for (const int size : {2, 3, 6, 11, 257}) {
    Ranks ranks(size, quiet(random()));
    for (int i = 0; i < (size > 100 ? 1 : 5); ++i) {
      for (const int max_ints : {9, 3000, 60000}) {
        if (max_ints > 9 && size > 100) continue;
        CollectiveKind last = CollectiveKind::agree;
        for (const Algorithm& row : rows()) {
          if (size > 100 && row.kind == last) continue;  // each operation seldom, it takes long
          last = row.kind;
          Case what(row.kind, size, max_ints, words, random);
          run_one(ranks, what);
          if (HasFatalFailure()) return;
        }
      }
    }
    ranks.expect_nothing_left();
  }
}

TEST(Collectives, BlockingDriverAlone) {
  Random random(test_seed() + 3);
  const Vocabulary words;
  Ranks ranks(1, quiet(1));
  for (int i = 0; i < 20; ++i) {
    for (const Algorithm& row : rows()) {
      Case what(row.kind, 1, 30, words, random);
      SCOPED_TRACE(what.describe());
      EXPECT_EQ(run_collective(ranks.engine(0), ranks.comm(0), what.at(0).args), MPI_SUCCESS);
      EXPECT_TRUE(what.at(0).right());
    }
  }
}

/// Random operations, several at once, started by each member when it pleases; restarted in an
/// order of its own.
void run_hostile(std::uint64_t seed, const Vocabulary& words) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Random random(seed);
  const bool many = below(random, whole_product() ? 3 : 20) == 0;
  const int size = many ? 64 + below(random, 194) : 1 + below(random, 20);
  SimConfig config = sim_hostile(random());
  config.caps.ordered = below(random, 2) == 0;
  if (below(random, 2) == 0) config.caps.has_get = false;
  let_reach(config, random);
  const std::span<const Algorithm> choices = rows();
  std::string forced = text(choices[random() % choices.size()]);
  for (int i = 0; i < 6; ++i) forced += "," + text(choices[random() % choices.size()]);
  Ranks ranks(size, config,
              {{"eager_pool", below(random, 2) == 0 ? "64k" : "4M"}, {"coll_algorithms", forced}});
  ranks.make_cells(random);
  std::vector<std::unique_ptr<Case>> cases;
  std::vector<Operations> operations;
  std::vector<Collective*> all;
  for (int i = 1 + below(random, 6); i > 0; --i) {
    const Algorithm& row = choices[random() % choices.size()];
    const int max_ints = !many && below(random, 3) == 0 ? 9000 : 60;
    cases.push_back(std::make_unique<Case>(row.kind, size, max_ints, words, random));
    operations.push_back(ranks.make(*cases.back()));
    for (const auto& operation : operations.back()) all.push_back(operation.get());
  }
  for (int round = 0; round < 3; ++round) {
    std::vector<std::pair<std::size_t, int>> starts;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      for (int r = 0; r < size; ++r) starts.emplace_back(i, r);
    }
    std::shuffle(starts.begin(), starts.end(), random);
    for (const auto& [i, r] : starts) {
      ranks.start(*operations[i][static_cast<std::size_t>(r)], r);
      for (int steps = below(random, 30); steps > 0; --steps) {
        if (const auto ready = ranks.network().pop_ready()) {
          ranks.drive(*ready);
        } else {
          (void)ranks.network().step();
        }
      }
    }
    ASSERT_TRUE(ranks.finish(all)) << "stuck in round " << round;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      SCOPED_TRACE(cases[i]->describe());
      expect_right(*cases[i], operations[i]);
      if (::testing::Test::HasFatalFailure()) return;
      for (auto& member : cases[i]->members) member->refill();
    }
  }
  ranks.expect_nothing_left();
}

TEST(Collectives, ManyAtOnceOnHostileNetworks) {
  const Vocabulary words;
  const std::uint64_t rounds = whole_product() ? 1000 : 60;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    run_hostile(test_seed() + i, words);
    if (HasFailure()) return;
  }
}

// --- floating point ------------------------------------------------------------------------------

/// Sums whose value depends on the order of additions: the same bits whatever the network does.
TEST(Collectives, FloatResultsDoNotDependOnTiming) {
  Random random(test_seed() + 5);
  for (const Algorithm& row : rows()) {
    if (row.kind < CollectiveKind::reduce) continue;
    SCOPED_TRACE(text(row));
    for (const int size : {3, 8, 13}) {
      const int block = 40;
      const int total = block * size;
      std::vector<std::vector<float>> sends(static_cast<std::size_t>(size)), first;
      for (auto& send : sends) {
        for (int i = 0; i < total; ++i) {
          send.push_back(
              std::ldexp(static_cast<float>(below(random, 1 << 24)), -below(random, 40)));
        }
      }
      const std::vector<MPI_Count> counts(static_cast<std::size_t>(size), block);
      for (int round = 0; round < 6; ++round) {
        SimConfig config = round == 0 ? quiet(1) : sim_hostile(random());
        let_reach(config, random);
        Ranks ranks(size, config, {{"coll_algorithms", text(row)}});
        Random same(test_seed());  // the cells are no matter of timing
        ranks.make_cells(same);
        std::vector<std::vector<float>> recvs(static_cast<std::size_t>(size),
                                              std::vector<float>(static_cast<std::size_t>(total)));
        Operations operations;
        for (int r = 0; r < size; ++r) {
          const bool scatters = row.kind == CollectiveKind::reduce_scatter ||
                                row.kind == CollectiveKind::reduce_scatter_block;
          CollectiveArgs args;
          args.kind = row.kind;
          args.send = sends[static_cast<std::size_t>(r)].data();
          args.recv = recvs[static_cast<std::size_t>(r)].data();
          args.send_count = total;
          args.recv_count = scatters ? block : total;
          args.recv_counts = Counts(counts.data());
          args.send_type = args.recv_type = &predefined(MPI_FLOAT);
          args.op = op_of(MPI_SUM);
          operations.push_back(std::make_unique<Collective>(ranks.engine(r), ranks.comm(r), args));
        }
        ranks.start(operations);
        ASSERT_TRUE(ranks.finish(operations));
        if (round == 0) first = recvs;
        ASSERT_TRUE(first == recvs) << "seed " << test_seed() << ", round " << round;
        if (row.kind != CollectiveKind::allreduce) continue;
        for (const auto& recv : recvs) ASSERT_TRUE(recv == recvs[0]) << "the same everywhere";
      }
    }
  }
}

/// What all members get of sums of their floats, one behind the other. Cut into blocks of this many
/// elements where the result is scattered.
constexpr MPI_Count kSummedBlock = 42;
std::vector<float> sums_of(CollectiveKind kind, Ranks& ranks,
                           const std::vector<std::vector<float>>& vectors) {
  const auto length = static_cast<MPI_Count>(vectors[0].size());
  const bool scatters =
      kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::reduce_scatter_block;
  std::vector<std::vector<float>> results(vectors.size(), std::vector<float>(vectors[0].size()));
  const std::vector<MPI_Count> counts(vectors.size(), kSummedBlock);
  Operations operations;
  for (int r = 0; r < ranks.size(); ++r) {
    CollectiveArgs args;
    args.kind = kind;
    args.root = 1;
    args.send = vectors[static_cast<std::size_t>(r)].data();
    args.recv = results[static_cast<std::size_t>(r)].data();
    args.send_count = length;
    args.recv_count = scatters ? kSummedBlock : length;
    args.recv_counts = Counts(counts.data());
    args.send_type = args.recv_type = &predefined(MPI_FLOAT);
    args.op = op_of(MPI_SUM);
    operations.push_back(std::make_unique<Collective>(ranks.engine(r), ranks.comm(r), args));
  }
  ranks.start(operations);
  EXPECT_TRUE(ranks.finish(operations));
  std::vector<float> all;
  for (const auto& result : results) {
    EXPECT_TRUE(kind != CollectiveKind::allreduce || result == results[0]);
    all.insert(all.end(), result.begin(), result.end());
  }
  return all;
}

/// The sums with these many ranks a host, which reach each other's memory there.
std::vector<float> sums_on_hosts(const Algorithm& row, const std::string& reproducible,
                                 int per_host, const std::vector<std::vector<float>>& vectors) {
  const int size = static_cast<int>(vectors.size());
  SimConfig config = quiet(1);
  config.reaches_memory = [](PeerName, PeerName) { return true; };
  Ranks ranks(size, config, {{"coll_algorithms", text(row)}, {"coll_reproducible", reproducible}},
              per_host);
  std::vector<std::int64_t> cells;
  for (int r = 0; r < size; ++r) cells.push_back(r / per_host);
  ranks.take_cells(cells);
  return sums_of(row.kind, ranks, vectors);
}

/// Members on few hosts or many: with the parameter the sums are the same, whatever is forced,
/// without it they need not be.
TEST(Collectives, ReproducibleSumsDoNotDependOnHosts) {
  Random random(test_seed() + 6);
  for (const int size : {12, 7}) {
    std::vector<std::vector<float>> vectors(
        static_cast<std::size_t>(size),
        std::vector<float>(static_cast<std::size_t>(kSummedBlock * size)));
    for (auto& vector : vectors) {
      for (float& x : vector) {
        x = std::ldexp(static_cast<float>(below(random, 1 << 24)), -below(random, 40));
      }
    }
    for (const Algorithm& row : rows()) {
      if (row.kind < CollectiveKind::reduce) continue;
      SCOPED_TRACE(fmt::format("{} of {}", text(row), size));
      const auto first = sums_on_hosts(row, "yes", 1, vectors);
      const auto elsewhere = sums_on_hosts(row, "no", 1, vectors);
      bool differs = false;
      for (const int per_host : {2, 3, 6, size}) {
        EXPECT_EQ(sums_on_hosts(row, "yes", per_host, vectors), first) << per_host << " per host";
        differs = differs || sums_on_hosts(row, "no", per_host, vectors) != elsewhere;
      }
      if (row.name == "hierarchical" || row.name == "direct") {
        EXPECT_TRUE(differs) << "the test sees nothing";
      }
    }
  }
}

// --- scratch memory ------------------------------------------------------------------------------

TEST(Collectives, ScratchElementsAreAlignedAndApart) {
  Random random(test_seed() + 4);
  const Vocabulary words;
  Ranks ranks(1, quiet(1));
  FrameArena arena;
  CollCtx c(ranks.engine(0), ranks.comm(0), 0, arena, 0);
  struct Piece {
    Typed typed;
    std::byte* base;
    Words content;
  };
  std::vector<Piece> pieces;
  for (int i = 0; i < 200; ++i) {
    const Typed typed = below(random, 3) == 0 ? words.spread_pair() : words.any(random);
    const int count = below(random, 50);
    Piece piece{typed, c.scratch(count, *typed.type),
                Words(static_cast<std::size_t>(count * typed.ints), i)};
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece.base) % alignof(std::max_align_t), 0U);
    (void)slice(piece.base, 0, count, *typed.type)
        .unpack(0, std::as_bytes(std::span(piece.content)));
    pieces.push_back(std::move(piece));
  }
  for (const Piece& piece : pieces) {
    Words now(piece.content.size());
    const auto count = static_cast<MPI_Count>(now.size()) / piece.typed.ints;
    (void)slice(piece.base, 0, count, *piece.typed.type)
        .pack(0, std::as_writable_bytes(std::span(now)));
    EXPECT_EQ(now, piece.content);
  }
}

// --- failures ------------------------------------------------------------------------------------

/// Everybody talks to everybody, so that deaths are noticed.
void meet(Ranks& ranks) {
  const auto size = static_cast<std::size_t>(ranks.size());
  const std::vector<int> ones(size, 1), places(size, 0);
  const std::byte out{};
  std::byte in{};
  Operations operations;
  for (int r = 0; r < ranks.size(); ++r) {
    CollectiveArgs args;
    args.kind = CollectiveKind::alltoallv;
    args.send = &out;
    args.recv = &in;
    args.send_counts = args.recv_counts = Counts(ones.data());
    args.send_displs = args.recv_displs = Counts(places.data());
    args.send_type = args.recv_type = &predefined(MPI_BYTE);
    operations.push_back(std::make_unique<Collective>(ranks.engine(r), ranks.comm(r), args));
  }
  ranks.start(operations);
  ASSERT_TRUE(ranks.finish(operations));
}

/// A member dies: the others' operations all complete, and who reports success has the result.
TEST(Collectives, DeathOfAMemberEndsTheOperationEverywhere) {
  const Vocabulary words;
  int failed = 0;
  for (const Algorithm& row : rows()) {
    for (std::uint64_t i = 0; i < 6; ++i) {
      const std::uint64_t seed = test_seed() + i;
      SCOPED_TRACE(fmt::format("{}, seed {}", text(row), seed));
      Random random(seed);
      const int size = i == 0 ? 8 : 2 + below(random, 9);
      SimConfig config = quiet(seed);
      let_reach(config, random);
      Ranks ranks(size, config, {{"coll_algorithms", text(row)}});
      ranks.make_cells(random);
      meet(ranks);
      ASSERT_FALSE(HasFatalFailure());
      Case what(row.kind, size, below(random, 2) == 0 ? 90 : 9000, words, random);
      SCOPED_TRACE(what.describe());
      Operations operations = ranks.make(what);
      ranks.start(operations);
      for (int steps = below(random, 40); steps > 0; --steps) {
        if (const auto ready = ranks.network().pop_ready()) ranks.drive(*ready);
        (void)ranks.network().step();
      }
      const int victim = below(random, size);
      ranks.network().kill(static_cast<PeerName>(victim));
      std::vector<Collective*> others;
      for (int r = 0; r < size; ++r) {
        if (r != victim) others.push_back(operations[static_cast<std::size_t>(r)].get());
      }
      ASSERT_TRUE(ranks.finish(others)) << "somebody waits for ever";
      for (int r = 0; r < size; ++r) {
        if (r == victim) continue;
        const int error = operations[static_cast<std::size_t>(r)]->request.status.error;
        if (error != MPI_SUCCESS) {
          ++failed;
        } else {
          EXPECT_TRUE(what.at(r).right()) << "rank " << r << " says success";
        }
      }
    }
  }
  EXPECT_GT(failed, 0);
}

/// Operations of the network fail at random, and their endpoints with them, under every other
/// fault: all operations complete everywhere, and who reports success has the result.
TEST(Collectives, FailingEndpointsEndTheOperationEverywhere) {
  const Vocabulary words;
  int failed = 0, succeeded = 0;
  for (const Algorithm& row : rows()) {
    for (std::uint64_t i = 0; i < (whole_product() ? 100U : 12U); ++i) {
      const std::uint64_t seed = test_seed() + 100 + i;
      SCOPED_TRACE(fmt::format("{}, seed {}", text(row), seed));
      Random random(seed);
      const int size = 2 + below(random, whole_product() ? 70 : 15);
      SimConfig config = sim_hostile(random());
      config.error_rate = below(random, 2) == 0 ? 0.002 : 0.02;
      let_reach(config, random);
      Ranks ranks(size, config, {{"coll_algorithms", text(row)}});
      ranks.make_cells(random);
      Case what(row.kind, size, below(random, 2) == 0 ? 90 : 3000, words, random);
      SCOPED_TRACE(what.describe());
      Operations operations = ranks.make(what);
      ranks.start(operations);
      ASSERT_TRUE(ranks.finish(operations)) << "somebody waits for ever";
      for (int r = 0; r < size; ++r) {
        const bool success =
            operations[static_cast<std::size_t>(r)]->request.status.error == MPI_SUCCESS;
        ++(success ? succeeded : failed);
        EXPECT_TRUE(!success || what.at(r).right()) << "rank " << r << " says success";
      }
    }
  }
  EXPECT_GT(failed, 0);
  EXPECT_GT(succeeded, 0);
}

/// Members that disagree on the length (an error of the program): nobody hangs, and the members
/// that got a wrong length say so.
TEST(Collectives, DifferentLengthsAreReported) {
  const int size = 7;
  for (const int wrong : {50, 200}) {
    Ranks ranks(size, quiet(1), {{"coll_algorithms", "bcast=binomial"}});
    std::vector<std::vector<std::byte>> buffers(size, std::vector<std::byte>(256));
    Operations operations;
    for (int r = 0; r < size; ++r) {
      CollectiveArgs args;
      args.kind = CollectiveKind::bcast;
      args.recv = buffers[static_cast<std::size_t>(r)].data();
      args.recv_count = r == 4 ? wrong : 100;
      args.recv_type = &predefined(MPI_BYTE);
      operations.push_back(std::make_unique<Collective>(ranks.engine(r), ranks.comm(r), args));
    }
    ranks.start(operations);
    ASSERT_TRUE(ranks.finish(operations));
    for (int r = 0; r < size; ++r) {
      const int error = operations[static_cast<std::size_t>(r)]->request.status.error;
      if (r == 4) {
        EXPECT_EQ(error, wrong < 100 ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER);
      } else {
        EXPECT_EQ(error != MPI_SUCCESS, r > 4) << "4's subtree: " << r;
      }
    }
    ranks.expect_nothing_left();
  }
}

}  // namespace
}  // namespace remit::testing
