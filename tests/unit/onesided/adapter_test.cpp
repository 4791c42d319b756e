// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Windows of the adapter domain: nobody at a target does anything for accumulates and locks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "datatype/reductions.hpp"
#include "tests/unit/onesided/window_ranks.hpp"

namespace remit::testing {
namespace {

// --- accumulates -------------------------------------------------------------------------------

/// Where in each member's memory which elements are. Those of 8 bytes begin before a granule's end.
struct Places {
  static constexpr std::size_t kBytes = 3 * kGranuleBytes;
  static constexpr std::size_t kElements = 48;
  static constexpr std::size_t kSums = 0;
  static constexpr std::size_t kMasks = kSums + kElements * 8;
  static constexpr std::size_t kLargest = kMasks + kElements * 8;
  static constexpr std::size_t kAskew = kLargest + kElements * 8 + 4;  ///< not aligned
  static constexpr std::size_t kDoubles = kGranuleBytes - 100 * 8;
  static constexpr std::size_t kManyDoubles = 300;
  static constexpr std::size_t kInts = kDoubles + kManyDoubles * 8;
  static constexpr std::size_t kPairs = kInts + kElements * 4;  ///< of MPI_DOUBLE_INT
  static constexpr std::size_t kTurn = kPairs + kElements * 16;
};
static_assert(Places::kTurn + 8 <= Places::kBytes);

/// Ranks change each other's memory, and their own, in all ways; what is done commutes, so it is
/// known what comes of it.
class ChangingRanks {
 public:
  static constexpr int kSize = 4;
  static constexpr int kRounds = 60;
  static constexpr double kSmallest = -1e300;

  explicit ChangingRanks(SimConfig config)
      : ranks_(kSize, Places::kBytes, std::move(config)), expected_(kSize) {
    for (int rank = 0; rank < kSize; ++rank) {
      for (std::size_t i = 0; i < Places::kElements; ++i) {
        store(ranks_.memory(rank) + Places::kPairs + i * 16, kSmallest);
        std::memset(ranks_.memory(rank) + Places::kPairs + i * 16 + 12, 0x5a, 4);
      }
      expected_[static_cast<std::size_t>(rank)].assign(ranks_.memory(rank),
                                                       ranks_.memory(rank) + Places::kBytes);
    }
  }

  void play() {
    ranks_.run_served([&](int rank) {
      Random random(test_seed() * 7 + static_cast<std::uint64_t>(rank));
      for (int round = 0; round < kRounds; ++round) {
        change(rank, static_cast<int>(below(random, kSize)), random);
        if (below(random, 5) == 0)
          expect_ok(ranks_.access(rank).targets().flush(-1, false, nullptr));
      }
      expect_ok(ranks_.access(rank).targets().flush(-1, false, nullptr));
      EXPECT_FALSE(ranks_.access(rank).targets().busy());
    });
    ranks_.settle();
    for (int rank = 0; rank < kSize; ++rank) compare(rank);
    std::sort(turns_.begin(), turns_.end());
    for (std::size_t i = 0; i < turns_.size(); ++i) EXPECT_EQ(turns_[i], static_cast<int>(i));
    const AdapterWords none;
    for (int rank = 0; rank < kSize; ++rank) {
      const AdapterWords& words = ranks_.adapter(rank).peers().own().words();
      EXPECT_EQ(std::memcmp(&words.granules, &none.granules, sizeof none.granules), 0);
    }
  }

 private:
  template <class T>
  static void store(std::byte* to, T value) {
    std::memcpy(to, &value, sizeof value);
  }
  std::byte* expected(int rank, std::size_t at) {
    return expected_[static_cast<std::size_t>(rank)].data() + at;
  }
  void compare(int rank) {
    for (std::size_t i = 0; i < Places::kBytes; ++i) {
      if (*expected(rank, i) == ranks_.memory(rank)[i]) continue;
      ADD_FAILURE() << "byte " << i << " of rank " << rank;
      return;
    }
  }

  /// Elements of a type are changed by `operands`, here and in what is expected.
  template <class T>
  void accumulate(int rank, int to, MPI_Datatype type, std::size_t at, MPI_Op op,
                  std::vector<T> operands, Random& random) {
    const Datatype& element = predefined(type);
    const auto count = static_cast<std::size_t>(operands.size());
    const auto what = Accumulation::of(*op_of(op), element);
    ASSERT_TRUE(what.has_value()) << what.error().message;
    std::vector<T> before(count);  // where elements are aligned
    std::memcpy(before.data(), expected(to, at), count * sizeof(T));
    what->kernel()(reinterpret_cast<const std::byte*>(operands.data()),
                   reinterpret_cast<std::byte*>(before.data()), count);
    std::memcpy(expected(to, at), before.data(), count * sizeof(T));
    const View origin = view(operands.data(), count, type);
    const View result = view(before.data(), count, type);
    expect_ok(ranks_.adapter(rank).changes().accumulate(
        to, *what, &origin, view(ranks_.memory(to) + at, count, type),
        below(random, 2) == 0 ? nullptr : &result, nullptr));
    if (below(random, 2) == 0)
      return expect_ok(ranks_.access(rank).targets().flush(to, false, nullptr));
    kept_.push_back(std::make_shared<std::vector<T>>(std::move(before)));  // it is still written to
  }

  template <class T>
  std::vector<T> draw(Random& random, std::size_t most) {
    std::vector<T> operands(1 + below(random, most));
    for (T& operand : operands) operand = static_cast<T>(below(random, 1000));
    return operands;
  }

  void change(int rank, int to, Random& random) {
    constexpr std::size_t kMost = Places::kElements;
    switch (below(random, 9)) {
      case 0:
        return accumulate(rank, to, MPI_INT64_T, Places::kSums, MPI_SUM,
                          draw<std::int64_t>(random, kMost), random);
      case 1:
        return accumulate(rank, to, MPI_UINT64_T, Places::kMasks, MPI_BXOR,
                          draw<std::uint64_t>(random, kMost), random);
      case 2:
        return accumulate(rank, to, MPI_INT64_T, Places::kLargest, MPI_MAX,
                          draw<std::int64_t>(random, kMost), random);
      case 3:
        return accumulate(rank, to, MPI_INT64_T, Places::kAskew, MPI_SUM,
                          draw<std::int64_t>(random, kMost), random);
      case 4:
        return accumulate(rank, to, MPI_DOUBLE, Places::kDoubles, MPI_SUM,
                          draw<double>(random, Places::kManyDoubles), random);
      case 5:
        return accumulate(rank, to, MPI_INT32_T, Places::kInts, MPI_SUM,
                          draw<std::int32_t>(random, kMost), random);
      case 6:
        return change_pairs(rank, to, random);
      case 7:
        return take_turn(rank);
      default:
        return add_by_swaps(rank, to, Places::kSums + 8 * below(random, kMost), random);
    }
  }

  void change_pairs(int rank, int to, Random& random) {
    struct Pair {
      double value;
      int index;
    };
    std::vector<Pair> pairs(1 + below(random, Places::kElements));
    int index = 0;
    // No value comes twice, so that the order does not matter.
    for (Pair& pair : pairs) pair = {static_cast<double>(++drawn_), index++};
    accumulate(rank, to, MPI_DOUBLE_INT, Places::kPairs, MPI_MAXLOC, pairs, random);
  }

  /// Everybody gets another number of rank 0.
  void take_turn(int rank) {
    const std::int64_t one = 1;
    std::int64_t turn = -1;
    const auto what = Accumulation::of(*op_of(MPI_SUM), predefined(MPI_INT64_T));
    const View origin = view(&one, 1, MPI_INT64_T);
    const View result = view(&turn, 1, MPI_INT64_T);
    expect_ok(ranks_.adapter(rank).changes().accumulate(
        0, *what, &origin, view(ranks_.memory(0) + Places::kTurn, 1, MPI_INT64_T), &result,
        nullptr));
    expect_ok(ranks_.access(rank).targets().flush(0, false, nullptr));
    turns_.push_back(static_cast<int>(turn));
    store(expected(0, Places::kTurn), static_cast<std::int64_t>(turns_.size()));
  }

  void add_by_swaps(int rank, int to, std::size_t at, Random& random) {
    const auto addend = static_cast<std::int64_t>(below(random, 100));
    std::int64_t compare = 0;
    for (;;) {
      const std::int64_t sum = compare + addend;
      std::int64_t before = -1;
      const auto address = reinterpret_cast<std::uint64_t>(ranks_.memory(to) + at);
      AdapterChanges& changes = ranks_.adapter(rank).changes();
      if (below(random, 2) == 0 || !changes.try_swap(to, address, &sum, &compare, &before)) {
        expect_ok(changes.compare_and_swap(to, predefined(MPI_INT64_T), address, &sum, &compare,
                                           &before));
      }
      expect_ok(ranks_.access(rank).targets().flush(to, false, nullptr));
      if (before == compare) break;
      compare = before;
    }
    std::int64_t total = 0;
    std::memcpy(&total, expected(to, at), sizeof total);
    store(expected(to, at), total + addend);
  }

  WindowRanks ranks_;
  std::vector<std::vector<std::byte>> expected_;
  std::vector<std::shared_ptr<void>> kept_;
  std::vector<int> turns_;
  int drawn_ = 0;
};

TEST(AdapterChanges, LoseNothing) {
  ChangingRanks(passive(sim_hostile(test_seed()))).play();
}
TEST(AdapterChanges, LoseNothingOnAQuietNetwork) {
  ChangingRanks(passive(quiet(test_seed()))).play();
}

/// The short way is there for members that were reached before, and for aligned words alone.
TEST(AdapterChanges, SwapShortly) {
  SimConfig config = passive(sim_hostile(test_seed()));
  config.caps.in_order = true;
  WindowRanks ranks(2, 64, config);
  ranks.run_served([&](int rank) {
    if (rank != 0) return;
    AdapterChanges& changes = ranks.adapter(0).changes();
    const auto address = reinterpret_cast<std::uint64_t>(ranks.memory(1));
    const std::int64_t five = 5;
    const std::int64_t none = 0;
    std::int64_t before = -1;
    const auto flush = [&] { expect_ok(ranks.access(0).targets().flush(1, false, nullptr)); };
    EXPECT_FALSE(changes.try_swap(1, address, &five, &none, &before));
    expect_ok(
        changes.compare_and_swap(1, predefined(MPI_INT64_T), address + 8, &five, &none, &before));
    flush();
    EXPECT_FALSE(changes.try_swap(1, address + 4, &five, &none, &before));
    ASSERT_TRUE(changes.try_swap(1, address, &five, &none, &before));
    flush();
    EXPECT_EQ(before, 0);
    ASSERT_TRUE(changes.try_swap(1, address, &none, &none, &before));  // it is not 0
    flush();
    EXPECT_EQ(before, 5);
    std::int64_t now = 0;
    std::memcpy(&now, ranks.memory(1), sizeof now);
    EXPECT_EQ(now, 5);
  });
  ranks.settle();
}

/// Operations of one origin on one place take effect in their order, whichever way each goes.
TEST(AdapterChanges, KeepTheOrderOfOneOrigin) {
  WindowRanks ranks(2, 64, passive(sim_hostile(test_seed())));
  ranks.run_served([&](int rank) {
    if (rank != 0) return;
    constexpr int kTimes = 40;
    const Datatype& type = predefined(MPI_INT64_T);
    std::array<std::int64_t, kTimes> values{};
    std::array<std::int64_t, kTimes> results{};
    const std::array<MPI_Op, 3> ops = {MPI_SUM, MPI_REPLACE, MPI_MAX};
    std::array<std::int64_t, kTimes> expected{};
    std::int64_t now = 0;
    for (std::size_t i = 0; i < kTimes; ++i) {
      values[i] = static_cast<std::int64_t>(i * i);
      expected[i] = now;
      now = i % 3 == 0 ? now + values[i] : i % 3 == 1 ? values[i] : std::max(now, values[i]);
      const auto what = Accumulation::of(*op_of(ops[i % 3]), type);
      const View origin = view(&values[i], 1, MPI_INT64_T);
      const View result = view(&results[i], 1, MPI_INT64_T);
      expect_ok(ranks.adapter(0).changes().accumulate(
          1, *what, &origin, view(ranks.memory(1), 1, MPI_INT64_T), &result, nullptr));
    }
    expect_ok(ranks.access(0).targets().flush(1, false, nullptr));
    EXPECT_EQ(results, expected);
  });
}

/// Which has died inside of an accumulate.
TEST(AdapterChanges, NameADeadHolderOfAGranule) {
  WindowRanks ranks(3, 64, passive(sim_hostile(test_seed())));
  bool held = false;
  ranks.run_served([&](int rank) {
    if (rank == 0) return;
    if (rank == 2) {
      AdapterPeers& peers = ranks.adapter(2).peers();
      AdapterPeer& peer = **peers.reach(0);
      const auto address = reinterpret_cast<std::uint64_t>(ranks.memory(0));
      const std::size_t place = offsetof(AdapterWords, granules) +
                                granule_lock_of(address) * sizeof(AdapterWords::Granule);
      Operation take = swap_of(peer.word(place), 0, peers.self(), {});
      expect_ok(peers.run(peer, {&take, 1}));
      held = true;
      return ranks.die(2);
    }
    ranks.process(1).progress().wait([&] { return held; });
    const double one = 1;
    const auto what = Accumulation::of(*op_of(MPI_SUM), predefined(MPI_DOUBLE));
    const View origin = view(&one, 1, MPI_DOUBLE);
    const Expected<> done = ranks.adapter(1).changes().accumulate(
        0, *what, &origin, view(ranks.memory(0), 1, MPI_DOUBLE), nullptr, nullptr);
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().code, MPI_ERR_PROC_ABORTED);
    EXPECT_NE(done.error().message.find("rank 2 has ended inside"), std::string::npos)
        << done.error().message;
  });
}

// --- locks -------------------------------------------------------------------------------------

/// All ranks want the lock of rank 0, the owner too.
class AdapterLockGame {
 public:
  static constexpr int kSize = 5;
  static constexpr int kRounds = 30;

  AdapterLockGame(SimConfig config, bool readers)
      : with_readers_(readers), ranks_(kSize, 64, std::move(config)) {}

  void play() {
    ranks_.run_served([&](int rank) {
      Random random(test_seed() + static_cast<std::uint64_t>(rank));
      AdapterLocks& locks = ranks_.adapter(rank).locks();
      for (int round = 0; round < kRounds; ++round) {
        const bool exclusive = !with_readers_ || below(random, 3) != 0;
        TicketLock::Ticket ticket = 0;
        expect_ok(locks.lock(0, exclusive, ticket, nullptr));
        // Who comes later by his ticket comes in later.
        EXPECT_TRUE(!exclusive || ticket == entered_) << ticket << " " << entered_;
        ++entered_;
        (exclusive ? writers_ : readers_) += 1;
        for (std::size_t i = below(random, exclusive ? 4 : 80); i != 0; --i) {
          EXPECT_TRUE(writers_ == 0 || (writers_ == 1 && readers_ == 0));
          ranks_.process(rank).progress().poll();
          WindowRanks::rest(ranks_.process(rank));
        }
        most_readers_ = std::max(most_readers_, readers_);
        (exclusive ? writers_ : readers_) -= 1;
        locks.unlock(0, exclusive, ticket);
        if (below(random, 2) == 0)
          expect_ok(ranks_.access(rank).targets().flush(-1, false, nullptr));
      }
      expect_ok(ranks_.access(rank).targets().flush(-1, false, nullptr));
    });
    ranks_.settle();
    const AdapterWords::Lock& lock = ranks_.adapter(0).peers().own().words().lock;
    EXPECT_EQ(lock.next, std::uint64_t{kSize * kRounds});
    EXPECT_EQ(lock.served, std::uint64_t{kSize * kRounds} * ((std::uint64_t{1} << 32) + 1));
  }
  [[nodiscard]] int most_readers() const { return most_readers_; }

 private:
  bool with_readers_;
  WindowRanks ranks_;
  int readers_ = 0;
  int writers_ = 0;
  int most_readers_ = 0;
  TicketLock::Ticket entered_ = 0;
};

TEST(AdapterLocks, AreFairAndForgetNobody) {
  AdapterLockGame(passive(sim_hostile(test_seed())), false).play();
}
TEST(AdapterLocks, LetReadersInTogether) {
  AdapterLockGame game(passive(sim_hostile(test_seed())), true);
  game.play();
  EXPECT_GT(game.most_readers(), 1);
}

/// Rank 2 dies with the lock, of either kind.
class DeadHolder : public ::testing::TestWithParam<bool> {};

TEST_P(DeadHolder, IsNamed) {
  WindowRanks ranks(4, 64, passive(sim_hostile(test_seed())));
  bool held = false;
  ranks.run_served([&](int rank) {
    if (rank == 0) return;
    TicketLock::Ticket ticket = 0;
    if (rank == 2) {
      expect_ok(ranks.adapter(2).locks().lock(0, GetParam(), ticket, nullptr));
      expect_ok(ranks.access(2).targets().flush(-1, false, nullptr));
      held = true;
      return ranks.die(2);
    }
    ranks.process(rank).progress().wait([&] { return held; });
    const Expected<> taken = ranks.adapter(rank).locks().lock(0, true, ticket, nullptr);
    ASSERT_FALSE(taken.has_value());
    EXPECT_EQ(taken.error().code, MPI_ERR_PROC_ABORTED);
    EXPECT_EQ(taken.error().message.find("rank 2, which has locked rank 0"), 0U)
        << taken.error().message;
  });
}
INSTANTIATE_TEST_SUITE_P(AdapterLocks, DeadHolder, ::testing::Bool());

/// Nobody looks at what is waited for.
class NoWait final : public WaitSubject {
 public:
  void describe(CallRecord& /*record*/) const override {}
};

// --- short moves -------------------------------------------------------------------------------

/// Puts, and then gets, of all words of a member's memory, more than a device has room for: what
/// the short way leaves undone goes the other one, and a flush waits for both.
TEST(ShortMoves, GoWithOthers) {
  constexpr std::size_t kWords = 300;
  constexpr int kRounds = 5;
  WindowRanks ranks(2, kWords * 8, passive(sim_hostile(test_seed())));
  std::array<std::array<int, 2>, 2> moves{};  // of a rank: the other way, the short one
  ranks.run_served([&](int rank) {
    const int to = 1 - rank;
    const NoWait nobody;
    RemoteAccess& access = ranks.access(rank);
    Random random(test_seed() + static_cast<std::uint64_t>(rank));
    const auto move = [&](OpKind kind, std::size_t word, std::uint64_t* local) {
      const bool is_short = access.try_move(kind, to, word * 8, local, 8);
      ++moves[static_cast<std::size_t>(rank)][is_short ? 1 : 0];
      if (is_short) return;
      const View here = view(local, 8, MPI_BYTE);
      const View there = view(ranks.memory(to) + word * 8, 8, MPI_BYTE);
      expect_ok(kind == OpKind::put ? access.put(to, here, there, nullptr)
                                    : access.get(to, here, there, nullptr));
    };
    const auto flush = [&] {
      if (!access.targets().try_flush(to, nobody)) {
        expect_ok(access.targets().flush(to, false, nullptr));
      }
      EXPECT_FALSE(access.targets().busy());
    };
    for (int round = 0; round < kRounds; ++round) {
      std::vector<std::uint64_t> values(kWords), found(kWords);
      for (std::size_t i = 0; i < kWords; ++i) {
        values[i] = random();
        std::uint64_t value = values[i];
        move(OpKind::put, i, &value);
        value = 0;  // its memory is free
      }
      flush();
      EXPECT_EQ(std::memcmp(ranks.memory(to), values.data(), kWords * 8), 0);
      for (std::size_t i = 0; i < kWords; ++i) move(OpKind::get, i, &found[i]);
      flush();
      EXPECT_EQ(found, values);
    }
  });
  for (const auto& [others, shorts] : moves) {
    EXPECT_GT(others, 0);
    EXPECT_GT(shorts, 0);
  }
}

/// What is under way when the target dies fails, and the general flush says so.
TEST(ShortMoves, NameTheDead) {
  WindowRanks ranks(2, 64, passive(quiet(test_seed())));
  bool met = false;
  ranks.run_served([&](int rank) {
    if (rank == 1) {
      ranks.process(1).progress().wait([&] { return met; });
      return ranks.die(1);
    }
    const NoWait nobody;
    RemoteAccess& access = ranks.access(0);
    std::uint64_t value = 1;
    const View here = view(&value, 8, MPI_BYTE);
    const View there = view(ranks.memory(1), 8, MPI_BYTE);
    while (!access.try_move(OpKind::put, 1, 0, &value, 8)) {
      expect_ok(access.put(1, here, there, nullptr));
      expect_ok(access.targets().flush(1, false, nullptr));
    }
    expect_ok(access.targets().flush(1, false, nullptr));
    met = true;
    WindowRanks::rest(ranks.process(0));
    WindowRanks::rest(ranks.process(0));
    if (!access.try_move(OpKind::get, 1, 0, &value, 8)) return;  // it is known already
    EXPECT_FALSE(access.targets().try_flush(1, nobody));
    const Expected<> flushed = access.targets().flush(1, false, nullptr);
    ASSERT_FALSE(flushed.has_value());
    EXPECT_EQ(flushed.error().code, MPI_ERR_PROC_ABORTED);
    EXPECT_FALSE(access.targets().busy());
    EXPECT_FALSE(access.try_move(OpKind::put, 1, 0, &value, 8));
  });
}

TEST(Ending, LetsGoOfWhatItHolds) {
  const auto held = std::make_shared<int>(0);
  Ending first([held](int status) { *held += status; });
  Ending second(std::move(first));
  second(3);
  EXPECT_EQ(*held, 3);
  EXPECT_EQ(held.use_count(), 2);
  second.set([value = held.get()](int status) { *value = status; });
  EXPECT_EQ(held.use_count(), 1);
  Ending third;
  EXPECT_FALSE(third);
  third = std::move(second);
  third(5);
  EXPECT_EQ(*held, 5);
  third = Ending([held](int /*status*/) {});
  EXPECT_EQ(held.use_count(), 2);
  third.clear();
  EXPECT_FALSE(third);
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace remit::testing
