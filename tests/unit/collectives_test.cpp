// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Collective operations among virtual ranks over the simulated network: every algorithm, forced
// and chosen, on quiet and hostile networks, many at once, restarted, and when a member fails.
#include "collectives/collectives.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "collectives/algorithms.hpp"
#include "collectives/grouping.hpp"
#include "collectives/hierarchy.hpp"
#include "collectives/overlapped.hpp"
#include "collectives/peers.hpp"
#include "tests/unit/collectives_cases.hpp"
#include "tests/unit/pt2pt_world.hpp"

namespace remit::testing {
namespace {

/// One a member. What is not complete when it goes (a failed test, a dead process) is left behind,
/// for its engine knows its requests.
struct Operations : std::vector<std::unique_ptr<Collective>> {
  Operations() = default;
  Operations(Operations&&) = default;
  Operations& operator=(Operations&&) = default;
  ~Operations() {
    static auto& left = *new std::vector<Collective*>;  // so that leak checkers see them
    for (auto& operation : *this) {
      if (!operation->request.complete) left.push_back(operation.release());
    }
  }
};

SimConfig quiet(std::uint64_t seed) {
  SimConfig config;
  config.seed = seed;
  return config;
}

std::string text(const Algorithm& row) {
  return fmt::format("{}={}", collective_name(row.kind), row.name);
}

/// What a Case can be: the rows before agreements and inter-communicators, which come last and have
/// tests of their own (collectives_inter_test.cpp).
std::span<const Algorithm> rows() {
  const std::span<const Algorithm> all = all_algorithms();
  std::size_t count = 0;
  while (count < all.size() && all[count].kind != CollectiveKind::agree) ++count;
  return all.first(count);
}

/// Everybody reaches everybody's memory, or nobody, or some reach some.
void let_reach(SimConfig& config, Random& random) {
  const int kind = below(random, 4);
  const std::uint64_t salt = random();
  if (kind == 0) return;
  config.reaches_memory = [=](PeerName from, PeerName to) {
    return kind != 1 || (from * 2654435761U + to * 40503U + salt) % 5 != 0;
  };
}

/// Virtual ranks of one host that run collectives; costs are per event, not per rank.
class Ranks : public World {
 public:
  Ranks(int size, SimConfig config, const ParamTexts& params = {})
      : Ranks(size, std::move(config), params, size) {}
  Ranks(int size, SimConfig config, const ParamTexts& params, int ranks_per_host)
      : World(size, std::move(config), params, 0, ranks_per_host) {}

  /// Puts the ranks into cells: of one size, of any, or scattered.
  void make_cells(Random& random) {
    const int kind = below(random, 3);
    int length = 1 + below(random, size());
    while (kind == 0 && size() % length != 0) --length;
    std::vector<std::int64_t> cells;
    std::int64_t cell = 7;
    for (int r = 0; r < size(); ++r) {
      if (kind == 0 && r % length == 0) ++cell;
      if (kind == 1 && below(random, length) == 0) ++cell;
      if (kind == 2) cell = below(random, length);
      cells.push_back(cell);
    }
    take_cells(cells);
  }
  void take_cells(const std::vector<std::int64_t>& cells) {
    for (int r = 0; r < size(); ++r) {
      auto hierarchy = std::make_shared<Hierarchy>(comm(r), cells);
      if (hierarchy->useful()) comm(r).hierarchy = std::move(hierarchy);
    }
  }

  Operations make(Case& what) {
    Operations operations;
    for (int r = 0; r < size(); ++r) {
      operations.push_back(std::make_unique<Collective>(engine(r), comm(r), what.at(r).args));
    }
    return operations;
  }
  void start(Collective& operation, int rank) {
    operation.start();
    network().wake(static_cast<PeerName>(rank));
  }
  void start(Operations& operations) {
    for (int r = 0; r < size(); ++r) start(*operations[static_cast<std::size_t>(r)], r);
  }
  /// Polls one rank until it has nothing to do.
  void drive(PeerName name) {
    Progress& progress = process(static_cast<int>(name)).progress();
    for (int idle = 0; idle < 2;) idle = progress.poll() != 0 ? 0 : idle + 1;
  }
  /// False: nothing happens any more though an operation is not complete.
  [[nodiscard]] bool finish(const std::vector<Collective*>& operations) {
    std::size_t next = 0;
    const auto done = [&] {
      while (next < operations.size() && operations[next]->request.complete) ++next;
      return next == operations.size();
    };
    return network().run([this](PeerName name) { drive(name); }, done);
  }
  [[nodiscard]] bool finish(const Operations& operations) {
    std::vector<Collective*> all;
    for (const auto& operation : operations) all.push_back(operation.get());
    return finish(all);
  }
  /// Every message that was sent has been received.
  void expect_nothing_left() {
    for (int r = 0; r < size(); ++r) network().wake(static_cast<PeerName>(r));
    (void)network().run([this](PeerName name) { drive(name); }, [] { return false; });
    for (int r = 0; r < size(); ++r) {
      EXPECT_EQ(engine(r).unexpected_bytes(), 0U) << "rank " << r;
      EXPECT_EQ(engine(r).transfers_live(), 0U) << "rank " << r;
      EXPECT_TRUE(engine(r).flushed()) << "rank " << r;
    }
  }
};

void expect_right(Case& what, const Operations& operations) {
  for (int r = 0; r < what.size; ++r) {
    const Request& request = operations[static_cast<std::size_t>(r)]->request;
    ASSERT_TRUE(request.complete) << "rank " << r;
    ASSERT_EQ(request.status.error, MPI_SUCCESS) << "rank " << r;
    ASSERT_TRUE(what.at(r).right()) << "rank " << r << " has a wrong result";
  }
}

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

void run_row(const Algorithm& row, int size, int repeats, int max_ints, Random& random,
             const Vocabulary& words, int& used) {
  SimConfig config = quiet(random());
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
    // The board is for blocking calls over shared memory: see collectives_board_test.cpp.
    EXPECT_TRUE(used >= 2 || row.run == nullptr) << used << " of 84 or more";
    if (HasFatalFailure()) return;
  }
}

TEST(Collectives, EveryAlgorithmAmongHundreds) {
  Random random(test_seed() + 1);
  const Vocabulary words;
  for (const Algorithm& row : rows()) {
    SCOPED_TRACE(text(row));
    int used = 0;
    const int size = row.name == "recursive_doubling" ? 128 : 65 + below(random, 130);
    run_row(row, size, 2, 600, random, words, used);
    if (HasFatalFailure()) return;
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
        for (const Algorithm& row : rows()) {
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
  const int size = 1 + below(random, 20);
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
    const int max_ints = below(random, 3) == 0 ? 9000 : 60;
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
  for (std::uint64_t i = 0; i < 60; ++i) {
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

/// The sums of all members' floats by an allreduce, or what else member 1 gets.
std::vector<float> sums_of(Ranks& ranks, const std::vector<std::vector<float>>& vectors) {
  std::vector<std::vector<float>> results(vectors.size(), std::vector<float>(vectors[0].size()));
  Operations operations;
  for (int r = 0; r < ranks.size(); ++r) {
    CollectiveArgs args;
    args.kind = CollectiveKind::allreduce;
    args.send = vectors[static_cast<std::size_t>(r)].data();
    args.recv = results[static_cast<std::size_t>(r)].data();
    args.send_count = args.recv_count = static_cast<MPI_Count>(vectors[0].size());
    args.send_type = args.recv_type = &predefined(MPI_FLOAT);
    args.op = op_of(MPI_SUM);
    operations.push_back(std::make_unique<Collective>(ranks.engine(r), ranks.comm(r), args));
  }
  ranks.start(operations);
  EXPECT_TRUE(ranks.finish(operations));
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
  return results[0];
}

/// Members on few hosts or many: with the parameter the sums are the same, without it they need not
/// be.
TEST(Collectives, ReproducibleSumsDoNotDependOnHosts) {
  Random random(test_seed() + 6);
  const int size = 12;
  std::vector<std::vector<float>> vectors(size, std::vector<float>(500));
  for (auto& vector : vectors) {
    for (float& x : vector) {
      x = std::ldexp(static_cast<float>(below(random, 1 << 24)), -below(random, 40));
    }
  }
  for (const std::string forced : {"allreduce=hierarchical", "allreduce=direct"}) {
    for (const std::string reproducible : {"yes", "no"}) {
      std::vector<std::vector<float>> sums;
      for (const int per_host : {2, 3, 6, 12}) {
        SimConfig config = quiet(1);
        config.reaches_memory = [](PeerName, PeerName) { return true; };
        Ranks ranks(size, config,
                    {{"coll_algorithms", forced}, {"coll_reproducible", reproducible}}, per_host);
        std::vector<std::int64_t> cells;
        for (int r = 0; r < size; ++r) cells.push_back(r / per_host);
        ranks.take_cells(cells);
        sums.push_back(sums_of(ranks, vectors));
        if (reproducible == "yes") {
          EXPECT_EQ(sums.back(), sums[0]) << per_host << " per host";
        }
      }
      const auto other = [&](const auto& sum) { return sum != sums[0]; };
      if (reproducible == "no") {
        EXPECT_TRUE(std::any_of(sums.begin(), sums.end(), other)) << "the test sees nothing";
      }
    }
  }
}

// --- scratch memory ------------------------------------------------------------------------------

TEST(Collectives, ScratchElementsAreAlignedAndApart) {
  Random random(test_seed() + 4);
  const Vocabulary words;
  Ranks ranks(1, quiet(1));
  Arena arena;
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

// --- what algorithms cost ------------------------------------------------------------------------

int log2_up(int n) {
  return std::bit_width(static_cast<unsigned>(n - 1));
}

/// Messages and bytes of data of all members together, for contributions of n bytes.
struct Traffic {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

/// All messages are whole vectors; those that would be empty are not sent.
Traffic overlapped_traffic(std::int64_t p, std::int64_t n) {
  const int size = static_cast<int>(p);
  const LogGP& model = builtin_collective_table().model(Place::network);
  const Overlapped way{size, best_lag(model, size, static_cast<double>(n))};
  std::vector<int> windows(static_cast<std::size_t>(way.steps()) + 1);
  way.fill(windows);
  std::int64_t messages = 0;
  for (int step = way.lag; step <= way.steps(); ++step) {
    if (!way.message(windows, step).empty) messages += p;
  }
  return {messages, messages * n};
}

/// In each group everybody gets all others' values.
Traffic grouped_traffic(int p, std::int64_t n) {
  const LogGP& model = builtin_collective_table().model(Place::network);
  const Grouping grouping(model, p, static_cast<double>(n));
  Traffic all;
  const auto add = [&](int size) {
    const Overlapped way{size, grouping.lag()};
    std::vector<int> windows(static_cast<std::size_t>(way.steps()) + 1);
    way.fill(windows);
    for (int step = way.lag; step <= way.steps(); ++step) {
      if (!way.message(windows, step).empty) ++all.messages;
    }
    all.bytes += (size - 1) * n;
  };
  for (int rank = 0; rank < p; ++rank) {
    const Grouping::Seat seat = grouping.seat(rank);
    add(grouping.length(seat.block));
    if (seat.index >= grouping.common()) {
      all.messages += 1;  // the result, to this one
      all.bytes += n;
      continue;
    }
    for (int i = 1; i < grouping.rounds(); ++i) add(grouping.circle(seat, i).size);
  }
  return all;
}

Traffic expected_traffic(const Algorithm& row, std::int64_t p, std::int64_t n) {
  const std::int64_t rounds = log2_up(static_cast<int>(p));
  const PowerOfTwoFold fold{static_cast<int>(p)};
  const std::int64_t cube = fold.cube();
  const std::int64_t extra = fold.extra();
  const std::int64_t cube_rounds = log2_up(fold.cube());
  const std::string name(row.name);
  if (name == "direct" || name == "hierarchical") return {-1, -1};
  using enum CollectiveKind;
  switch (row.kind) {
    case barrier:
      if (name == "overlapped") return overlapped_traffic(p, 0);
      if (name.starts_with("tree")) return {2 * (p - 1), 0};
      if (name == "dissemination") return {p * rounds, 0};
      return {-1, -1};
    case bcast: {
      if (name == "binomial" || name.starts_with("knomial")) return {p - 1, (p - 1) * n};
      if (name == "chain") return {p - 1, (p - 1) * n};  // one segment
      if (name == "double_tree") return {2 * (p - 1), (p - 1) * n};
      if (name != "scatter_allgather") return {-1, -1};
      std::int64_t subtrees = 0;  // blocks that ranks have after the scatter
      for (int r = 0; r < p; ++r) subtrees += BinomialTree{r, static_cast<int>(p)}.subtree();
      const std::int64_t block = n / p;
      return {p - 1 + p * p - subtrees, (subtrees - p) * block + (p * p - subtrees) * block};
    }
    case gather:
    case scatter: {
      if (name == "linear") return {p - 1, (p - 1) * n};
      std::int64_t blocks = 0;
      const int radix = name == "binomial" ? 2 : 4;
      for (int r = 1; r < p; ++r) blocks += KnomialTree{r, static_cast<int>(p), radix}.subtree();
      return {p - 1, blocks * n};
    }
    case allgather:
      if (name == "overlapped") return {overlapped_traffic(p, n).messages, p * (p - 1) * n};
      return {p * (name == "ring" ? p - 1 : rounds), p * (p - 1) * n};
    case alltoall: {
      if (name != "bruck") return {p * (p - 1), p * (p - 1) * n};
      std::int64_t hops = 0;
      for (unsigned d = 1; d < p; ++d) hops += std::popcount(d);
      return {p * rounds, p * hops * n};
    }
    case reduce:
      if (name == "double_tree") return {2 * (p - 1), (p - 1) * n};
      // The root is not rank 0 here: one message more in order.
      return name == "in_order" ? Traffic{p, p * n} : Traffic{p - 1, (p - 1) * n};
    case allreduce:
      if (name == "ring") return {2 * p * (p - 1), 2 * (p - 1) * n};
      if (name == "double_tree") return {4 * (p - 1), 2 * (p - 1) * n};
      if (name == "knomial4") return {2 * (p - 1), 2 * (p - 1) * n};
      if (name == "overlapped") return overlapped_traffic(p, n);
      if (name == "grouped") return grouped_traffic(static_cast<int>(p), n);
      if (name == "recursive_doubling") {
        return {cube * cube_rounds + 2 * extra, (cube * cube_rounds + 2 * extra) * n};
      }
      return {2 * cube * cube_rounds + 2 * extra, 2 * (cube - 1) * n + 2 * extra * n};
    case reduce_scatter_block:
      if (name == "pairwise") return {p * (p - 1), (p - 1) * n};
      return {cube * cube_rounds + 2 * extra, (cube - 1) * n + extra * (n + n / p)};
    case scan:
    case exscan: {
      if (name == "chain") return {p - 1, (p - 1) * n};  // one segment
      std::int64_t pairs = 0;
      for (std::int64_t d = 1; d < p; d *= 2) pairs += p - d;
      return {pairs, pairs * n};
    }
    default:
      return {-1, -1};
  }
}

/// Plain bytes or ints, n bytes a contribution (of `blocks` blocks), root 1.
CollectiveArgs plain_args(CollectiveKind kind, std::int64_t n, int blocks,
                          std::vector<std::byte>& send, std::vector<std::byte>& recv) {
  using enum CollectiveKind;
  CollectiveArgs args;
  args.kind = kind;
  args.root = 1;
  args.send = send.data();
  args.recv = recv.data();
  const bool reduces = kind >= reduce;
  args.send_type = args.recv_type = &predefined(reduces ? MPI_INT : MPI_BYTE);
  args.send_count = args.recv_count = reduces ? n / 4 : n;
  args.op = reduces ? op_of(MPI_SUM) : nullptr;
  if (kind == reduce_scatter_block) args.recv_count = n / 4 / blocks;
  return args;
}

void expect_traffic(const Algorithm& row, int p) {
  SCOPED_TRACE(fmt::format("{} of {}", text(row), p));
  const std::int64_t n = 4 * p;  // cuts into equal blocks
  Ranks ranks(p, quiet(1), {{"coll_algorithms", text(row)}}, 1);
  std::vector<std::byte> any(static_cast<std::size_t>(n));
  const CollectiveShape shape = shape_of(ranks.comm(0), plain_args(row.kind, n, p, any, any));
  if (!row.applies(shape)) return;
  std::vector<std::vector<std::byte>> sends(static_cast<std::size_t>(p)), recvs(sends);
  Operations operations;
  for (int r = 0; r < p; ++r) {
    auto& send = sends[static_cast<std::size_t>(r)];
    auto& recv = recvs[static_cast<std::size_t>(r)];
    send.resize(static_cast<std::size_t>(n * p));
    recv.resize(static_cast<std::size_t>(n * p));
    const CollectiveArgs args = plain_args(row.kind, n, p, send, recv);
    operations.push_back(std::make_unique<Collective>(ranks.engine(r), ranks.comm(r), args));
  }
  ranks.start(operations);
  ASSERT_TRUE(ranks.finish(operations));
  const Traffic want = expected_traffic(row, p, n);
  Traffic got;
  std::int64_t sent = 0;
  for (int r = 0; r < p; ++r) {
    const Engine::Counters& counters = ranks.engine(r).counters();
    got.messages += static_cast<std::int64_t>(counters.eager + counters.rendezvous);
    EXPECT_EQ(counters.rendezvous, 0U) << "short messages, or the bytes below mean nothing";
    const SimStats& stats = ranks.network().stats(static_cast<PeerName>(r));
    got.bytes += static_cast<std::int64_t>(stats.bytes_out);
    sent += static_cast<std::int64_t>(stats.sends);
  }
  EXPECT_EQ(got.messages, want.messages);
  // Each message has a header, and there may be messages about credits.
  EXPECT_GE(got.bytes, want.bytes + 8 * want.messages);
  EXPECT_LE(got.bytes, want.bytes + 64 * sent);
}

TEST(Collectives, TrafficIsWhatTheFormulaSays) {
  for (const Algorithm& row : rows()) {
    if (expected_traffic(row, 4, 4).messages < 0) continue;  // v-variants: as the others
    for (const int p : {2, 3, 4, 7, 8, 12, 16, 33}) expect_traffic(row, p);
  }
}

// --- selection -----------------------------------------------------------------------------------

TEST(Selection, EveryShapeHasARowThatApplies) {
  const Params params;
  int distinct = 0;
  for (const Algorithm& row : rows()) {
    int chosen = 0;
    for (int size = 1; size <= 257; ++size) {
      for (std::size_t bytes = 0; bytes <= std::size_t{1} << 30;
           bytes = bytes == 0 ? 1 : bytes * 8) {
        for (int flags = 0; flags < 8; ++flags) {
          CollectiveShape shape;
          shape.size = size;
          shape.bytes = bytes;
          shape.elements = static_cast<MPI_Count>((bytes + 3) / 4);
          shape.commutative = (flags & 1) != 0;
          shape.in_place = (flags & 2) != 0;
          shape.uniform = (flags & 4) != 0;
          const Algorithm& best = choose_algorithm(row.kind, shape, params);
          ASSERT_EQ(best.kind, row.kind);
          ASSERT_TRUE(best.applies(shape));
          ASSERT_GE(best.cost(shape), 0);
          if (&best == &row) ++chosen;
        }
      }
    }
    if (chosen != 0) ++distinct;
    fmt::print("{:24} chosen for {:6} of the shapes\n", text(row), chosen);
  }
  EXPECT_GT(distinct, 15) << "rows that are never the best";
}

TEST(Selection, CheaperAsSizesGrow) {
  const Params params;
  CollectiveShape shape;
  shape.size = 16;
  const auto name = [&](CollectiveKind kind, std::size_t bytes) {
    shape.bytes = bytes;
    shape.elements = static_cast<MPI_Count>(bytes / 4);
    return choose_algorithm(kind, shape, params).name;
  };
  EXPECT_EQ(name(CollectiveKind::allreduce, 8), "recursive_doubling");
  EXPECT_NE(name(CollectiveKind::allreduce, 1 << 20), "recursive_doubling");
  EXPECT_EQ(name(CollectiveKind::bcast, 8), "binomial");
  EXPECT_EQ(name(CollectiveKind::bcast, 1 << 22), "double_tree");
  EXPECT_EQ(name(CollectiveKind::alltoall, 4), "bruck");
  EXPECT_NE(name(CollectiveKind::alltoall, 1 << 16), "bruck");
  EXPECT_EQ(name(CollectiveKind::gather, 4), "binomial");
  EXPECT_EQ(name(CollectiveKind::gather, 1 << 16), "linear");
  EXPECT_EQ(name(CollectiveKind::reduce_scatter, 1 << 20), "halving");
  EXPECT_EQ(name(CollectiveKind::scan, 8), "recursive_doubling");
  EXPECT_EQ(name(CollectiveKind::exscan, 1 << 22), "chain");
  shape.commutative = false;
  EXPECT_EQ(name(CollectiveKind::allreduce, 1 << 20), "recursive_doubling");
  EXPECT_EQ(name(CollectiveKind::reduce, 8), "in_order");
  EXPECT_EQ(name(CollectiveKind::reduce_scatter_block, 8), "ordered_halving");
  EXPECT_EQ(name(CollectiveKind::reduce_scatter_block, 1 << 22), "pairwise");
}

TEST(Selection, NamesForceAlgorithms) {
  for (const Algorithm& row : rows()) {
    Params params;
    const bool is_barrier = row.kind == CollectiveKind::barrier;
    const std::string other = is_barrier ? "bcast=binomial," : "barrier=tree,";
    ASSERT_TRUE(params.set("coll_algorithms", other + text(row)).has_value());
    EXPECT_TRUE(check_forced_algorithms(params).has_value()) << text(row);
    for (std::size_t bytes = 1; bytes <= 1 << 20; bytes *= 4) {
      CollectiveShape shape;
      shape.size = 8;
      shape.bytes = bytes;
      shape.elements = static_cast<MPI_Count>(bytes);
      if (!row.applies(shape)) continue;
      EXPECT_EQ(&choose_algorithm(row.kind, shape, params), &row) << text(row);
    }
  }
}

TEST(Selection, UnknownNamesAreErrors) {
  for (const char* wrong : {"allreduce=fast", "allreduce", "reduced=binomial", "=",
                            "bcast=", "allreduce=ring,bcast=ring", "allreduce=ring bcast=binomial",
                            ",", "allreduce=ring,,barrier=dissemination"}) {
    Params params;
    ASSERT_TRUE(params.set("coll_algorithms", wrong).has_value());
    const Expected<> checked = check_forced_algorithms(params);
    ASSERT_FALSE(checked.has_value()) << wrong;
    EXPECT_NE(checked.error().message.find("allreduce=ring"), std::string::npos)
        << "says what there is";
  }
  EXPECT_TRUE(check_forced_algorithms(Params()).has_value());
}

TEST(Selection, NamesAreUnique) {
  const std::span<const Algorithm> all = all_algorithms();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(text(all[i]), text(all[j]));
  }
}

}  // namespace
}  // namespace remit::testing
