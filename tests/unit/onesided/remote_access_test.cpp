// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Operations between hosts, over the simulated network with its faults, against models of the
// memory.
#include "onesided/remote/remote_access.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "onesided/adapter/direct_moves.hpp"
#include "onesided/elements/runs.hpp"
#include "runtime/waiting/word_watch.hpp"
#include "tests/unit/onesided/window_ranks.hpp"

namespace remit::testing {
namespace {

SimConfig by_messages(SimConfig config) {
  config.caps.has_put = config.caps.has_get = false;
  return config;
}
SimConfig short_messages(SimConfig config) {
  config.caps.max_send = 256;
  return config;
}

/// Elements somewhere in an area of memory: the layout stays with it.
struct Placed {
  Ref<Datatype> type;
  MPI_Count count = 0;
  std::size_t offset = 0;  ///< of the first element's origin

  [[nodiscard]] View at(void* area) const {
    // In integers, for it may be an address of another process, or null.
    return {reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(area) + offset), count,
            &type->layout()};
  }
};

/// `elements` of a predefined type, which have place in an area of `bytes`, of any layout.
Placed place(Random& random, const Datatype& element, std::size_t elements, std::size_t bytes) {
  const auto extent = static_cast<std::size_t>(element.extent());
  const std::size_t room = bytes / extent;
  Placed out;
  if (below(random, 2) == 0 || elements < 2) {
    out.type = *make_contiguous(1, element);
    out.count = static_cast<MPI_Count>(elements);
    out.offset = below(random, room - elements + 1) * extent;
    return out;
  }
  if (below(random, 2) == 0) {
    // Any elements of the area, in any order.
    std::vector<MPI_Count> all(room), lengths(elements, 1);
    std::iota(all.begin(), all.end(), 0);
    std::shuffle(all.begin(), all.end(), random);
    all.resize(elements);
    out.type = *make_indexed(lengths, all, element);
    out.count = 1;
    return out;
  }
  const std::size_t stride = 1 + below(random, room / elements);
  out.type =
      *make_vector(static_cast<MPI_Count>(elements), 1, static_cast<MPI_Count>(stride), element);
  out.count = 1;
  return out;
}

/// Does to an area of memory what one process has it done to a remote one.
struct Model {
  std::vector<std::byte> area;

  /// The packed bytes of what was there.
  std::vector<std::byte> read(const Placed& target) {
    const View view = target.at(area.data());
    std::vector<std::byte> out(view.size());
    view.pack(0, out);
    return out;
  }
  void write(const Placed& target, const std::vector<std::byte>& packed) {
    target.at(area.data()).unpack(0, packed);
  }
  void accumulate(const Accumulation& what, const Placed& target,
                  const std::vector<std::byte>& packed) {
    if (what.kind() == Reduction::no_op) return;
    if (what.kind() == Reduction::replace) return write(target, packed);
    const Layout& layout = what.element().layout();
    const auto extent = static_cast<std::size_t>(layout.extent());
    const std::size_t count = packed.size() / static_cast<std::size_t>(layout.size());
    std::vector<std::byte> in(count * extent), inout(count * extent);
    const std::vector<std::byte> old = read(target);
    layout.unpack(in.data(), static_cast<MPI_Count>(count), 0, packed);
    layout.unpack(inout.data(), static_cast<MPI_Count>(count), 0, old);
    reduction_kernel(what.op(), what.element())(in.data(), inout.data(), count);
    std::vector<std::byte> result(packed.size());
    layout.pack(inout.data(), static_cast<MPI_Count>(count), 0, result);
    write(target, result);
  }
};

/// One rank that works on its own area of each other rank's memory, and knows what is in there.
class Worker {
 public:
  /// The areas are as long for each.
  Worker(WindowRanks& ranks, int rank)
      : ranks_(ranks),
        rank_(rank),
        area_bytes_(ranks.bytes() / static_cast<std::size_t>(ranks.size())),
        random_(test_seed() + static_cast<std::uint64_t>(rank)),
        models_(static_cast<std::size_t>(ranks.size())) {
    for (Model& model : models_) model.area.resize(area_bytes_);
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      const int to =
          (rank_ + 1 + static_cast<int>(below(random_, ranks_.size() - 1))) % ranks_.size();
      step(to);
      if (below(random_, 4) == 0) flush(below(random_, 2) == 0 ? to : -1);
      if (::testing::Test::HasFailure()) break;
    }
    flush(-1);
  }
  /// Whether its area of `to` is what the model says.
  void check(int to) {
    EXPECT_EQ(std::memcmp(area(to), model(to).area.data(), area_bytes_), 0)
        << "rank " << rank_ << " at " << to;
  }

 private:
  enum class Kind : std::uint8_t { put, get, accumulate };
  /// What has to be in memory of this process after a flush.
  struct Awaited {
    int from;
    std::vector<std::byte> memory;
    Placed place;
    std::vector<std::byte> packed;
    std::unique_ptr<Request> done;
  };

  Model& model(int rank) { return models_[static_cast<std::size_t>(rank)]; }
  std::byte* area(int to) {
    return ranks_.memory(to) + static_cast<std::size_t>(rank_) * area_bytes_;
  }
  const Datatype& any_element() {
    static const std::array kElements = {
        MPI_BYTE,      MPI_INT,     MPI_DOUBLE, MPI_DOUBLE_INT,
        MPI_SHORT_INT, MPI_INT64_T, MPI_2INT,   MPI_C_FLOAT_COMPLEX};
    return predefined(kElements[below(random_, kElements.size())]);
  }
  std::vector<std::byte> any_bytes(std::size_t bytes) {
    std::vector<std::byte> out(bytes);
    // Small numbers, and no double that is not one.
    for (std::byte& byte : out) byte = static_cast<std::byte>(below(random_, 4));
    return out;
  }
  std::size_t any_count(const Datatype& element) {
    const std::size_t most = area_bytes_ / static_cast<std::size_t>(element.extent());
    return below(random_, 2) == 0 ? below(random_, 4) : below(random_, most + 1);
  }

  /// Operations of different kinds on one place have no order but by a flush, nor have puts.
  void separate(int to, Kind kind) {
    if (kind != last_[to] || kind == Kind::put) flush(to);
    last_[to] = kind;
  }

  void step(int to) {
    const Datatype& element = any_element();
    const std::size_t count = any_count(element);
    const Placed target = place(random_, element, count, area_bytes_);
    switch (below(random_, 4)) {
      case 0:
        return put(to, element, target);
      case 1:
        return get(to, element, target);
      case 2:
        return accumulate(to, element, target);
      default:
        return swap(to);
    }
  }

  /// Memory of this process with these packed bytes in some layout.
  std::pair<std::vector<std::byte>, Placed> local(const Datatype& element,
                                                  const std::vector<std::byte>& packed) {
    const std::size_t count = packed.size() / static_cast<std::size_t>(element.layout().size());
    const std::size_t bytes = (2 * count + 1) * static_cast<std::size_t>(element.extent());
    std::pair out(std::vector<std::byte>(bytes), place(random_, element, count, bytes));
    out.second.at(out.first.data()).unpack(0, packed);
    return out;
  }

  void put(int to, const Datatype& element, const Placed& target) {
    separate(to, Kind::put);
    const std::vector<std::byte> packed = any_bytes(target.at(nullptr).size());
    auto [memory, origin] = local(element, packed);
    Request done(RequestKind::generalized);
    expect_ok(ranks_.access(rank_).put(to, origin.at(memory.data()), target.at(area(to)), &done));
    ranks_.process(rank_).progress().wait([&] { return done.complete; });
    std::fill(memory.begin(), memory.end(), std::byte{0xee});
    model(to).write(target, packed);
  }

  void get(int to, const Datatype& element, const Placed& target) {
    separate(to, Kind::get);
    await(to, element, model(to).read(target), [&](const View& result, Request* done) {
      expect_ok(ranks_.access(rank_).get(to, result, target.at(area(to)), done));
    });
  }

  void accumulate(int to, const Datatype& element, const Placed& target) {
    separate(to, Kind::accumulate);
    static const std::array kOps = {MPI_SUM,  MPI_MAX,     MPI_BXOR, MPI_MINLOC,
                                    MPI_BAND, MPI_REPLACE, MPI_NO_OP};
    const Op* op = op_of(kOps[below(random_, kOps.size())]);
    if (!check_op(*op, element)) op = op_of(MPI_REPLACE);
    const Expected<Accumulation> what = Accumulation::of(*op, *target.type);
    ASSERT_TRUE(what.has_value()) << what.error().message;
    const std::vector<std::byte> packed = any_bytes(target.at(nullptr).size());
    auto [memory, place] = local(element, packed);
    const View origin = place.at(memory.data());
    RemoteAccess& access = ranks_.access(rank_);
    if (below(random_, 2) == 0) {
      expect_ok(access.accumulate(to, *what, &origin, target.at(area(to)), nullptr, nullptr));
    } else {
      await(to, element, model(to).read(target), [&](const View& result, Request* done) {
        expect_ok(access.accumulate(to, *what, &origin, target.at(area(to)), &result, done));
      });
    }
    model(to).accumulate(*what, target, packed);
  }
  static bool check_op(const Op& op, const Datatype& element) {
    return remit::check(op, element, OpUse::accumulate).has_value();
  }

  void swap(int to) {
    separate(to, Kind::accumulate);
    const Datatype& element = predefined(below(random_, 2) == 0 ? MPI_INT : MPI_INT64_T);
    const Placed target = place(random_, element, 1, area_bytes_);
    const std::vector<std::byte> old = model(to).read(target);
    const std::vector<std::byte> compare = below(random_, 3) != 0 ? old : any_bytes(old.size());
    const std::vector<std::byte> wanted = any_bytes(old.size());
    Awaited& awaited = awaited_.emplace_back();
    awaited.from = to;
    awaited.memory.resize(old.size());
    awaited.place = {*make_contiguous(1, element), 1, 0};
    awaited.packed = old;
    expect_ok(ranks_.access(rank_).compare_and_swap(
        to, element, reinterpret_cast<std::uintptr_t>(area(to) + target.offset), wanted.data(),
        compare.data(), awaited.memory.data()));
    if (compare == old) model(to).write(target, wanted);
  }

  template <class Start>
  void await(int from, const Datatype& element, std::vector<std::byte> packed, Start&& start) {
    auto [memory, place] = local(element, std::vector<std::byte>(packed.size()));
    Awaited& awaited = awaited_.emplace_back();
    awaited.from = from;
    awaited.memory = std::move(memory);
    awaited.place = std::move(place);
    awaited.packed = std::move(packed);
    if (below(random_, 2) == 0) {
      awaited.done = std::make_unique<Request>(RequestKind::generalized);
    }
    start(awaited.place.at(awaited.memory.data()), awaited.done.get());
    if (awaited.done == nullptr || below(random_, 2) == 0) return;
    ranks_.process(rank_).progress().wait([&] { return awaited.done->complete; });
    EXPECT_EQ(awaited.done->status.error, MPI_SUCCESS);
    check_awaited(awaited);
  }
  static void check_awaited(const Awaited& awaited) {
    std::vector<std::byte> got(awaited.packed.size());
    auto& memory = const_cast<std::vector<std::byte>&>(awaited.memory);
    awaited.place.at(memory.data()).pack(0, got);
    EXPECT_EQ(got, awaited.packed);
    EXPECT_TRUE(awaited.done == nullptr || awaited.done->complete);
  }

  void flush(int to) {
    const bool local = below(random_, 4) == 0;
    RemoteAccess& access = ranks_.access(rank_);
    if (local) expect_ok(access.targets().flush(to, true, nullptr));
    for (auto it = awaited_.begin(); local && it != awaited_.end(); ++it) {
      if (to < 0 || it->from == to) check_awaited(*it);
    }
    expect_ok(access.targets().flush(to, false, nullptr));
    std::erase_if(awaited_, [&](const Awaited& awaited) {
      if (to >= 0 && awaited.from != to) return false;
      check_awaited(awaited);
      return true;
    });
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      if (rank != rank_ && (to < 0 || to == rank)) check(rank);
    }
    EXPECT_FALSE(to < 0 && access.targets().busy());
  }

  WindowRanks& ranks_;
  int rank_;
  std::size_t area_bytes_;
  Random random_;
  std::vector<Model> models_;
  std::map<int, Kind> last_;
  std::deque<Awaited> awaited_;
};

/// Many layouts, types and operations, by all ranks at once.
void work_at_random(SimConfig config, int steps, std::size_t area_bytes = 4096) {
  constexpr int kSize = 4;
  WindowRanks ranks(kSize, kSize * area_bytes, std::move(config));
  std::vector<std::unique_ptr<Worker>> workers;
  for (int rank = 0; rank < kSize; ++rank) {
    workers.push_back(std::make_unique<Worker>(ranks, rank));
  }
  ranks.run_served([&](int rank) { workers[static_cast<std::size_t>(rank)]->run(steps); });
  ranks.settle();
  for (int rank = 0; rank < kSize; ++rank) {
    for (int to = 0; to < kSize; ++to) workers[static_cast<std::size_t>(rank)]->check(to);
  }
}

TEST(RemoteAccess, WorksAtRandom) {
  work_at_random(sim_hostile(test_seed()), 300);
}
TEST(RemoteAccess, WorksAtRandomByMessages) {
  work_at_random(by_messages(sim_hostile(test_seed() + 1)), 300);
}
TEST(RemoteAccess, WorksAtRandomWithoutOrder) {
  work_at_random(unordered(sim_hostile(test_seed() + 2)), 300);
}
TEST(RemoteAccess, WorksAtRandomWithKeys) {
  work_at_random(registering(sim_hostile(test_seed() + 3)), 300);
}
/// Longer puts and gets are made by the device.
TEST(RemoteAccess, WorksAtRandomWithLongMoves) {
  work_at_random(registering(unordered(sim_hostile(test_seed() + 5))), 120, 65536);
}
/// Shorter and scattered ones, too.
TEST(RemoteAccess, WorksAtRandomWithMovesOfAllLengths) {
  work_at_random(passive(sim_hostile(test_seed() + 6)), 120, 65536);
}
TEST(RemoteAccess, WorksAtRandomByShortMessages) {
  work_at_random(short_messages(unordered(sim_hostile(test_seed() + 4))), 60);
}

/// All ranks change the same words: what was there before is a value that nobody else saw.
TEST(RemoteAccess, AccumulatesOfManyAddUp) {
  constexpr int kSize = 5;
  constexpr int kRounds = 30;
  constexpr std::size_t kWords = 40;
  WindowRanks ranks(kSize, 4096, unordered(sim_hostile(test_seed())));
  const Accumulation add = *Accumulation::of(*op_of(MPI_SUM), predefined(MPI_UINT64_T));
  std::vector<std::set<std::uint64_t>> seen(kWords);
  std::uint64_t swaps = 0;
  ranks.run_served([&](int rank) {
    if (rank == 0) return;
    RemoteAccess& access = ranks.access(rank);
    std::vector<std::uint64_t> one(kWords, 1);
    const View origin = view(one.data(), kWords, MPI_UINT64_T);
    const View target = view(ranks.memory(0), kWords, MPI_UINT64_T);
    for (int round = 0; round < kRounds; ++round) {
      std::vector<std::uint64_t> old(kWords);
      const View result = view(old.data(), kWords, MPI_UINT64_T);
      expect_ok(access.accumulate(0, add, &origin, target, &result, nullptr));
      // A counter by compare-and-swap.
      const auto counter = reinterpret_cast<std::uintptr_t>(ranks.memory(0)) + 8 * kWords;
      for (std::uint64_t expected = 0, wanted = 1, found = 1;; wanted = expected + 1) {
        expect_ok(access.compare_and_swap(0, predefined(MPI_UINT64_T), counter, &wanted, &expected,
                                          &found));
        expect_ok(access.targets().flush(0, false, nullptr));
        if (found == expected) break;
        expected = found;
      }
      ++swaps;
      for (std::size_t i = 0; i < kWords; ++i) EXPECT_TRUE(seen[i].insert(old[i]).second);
    }
  });
  ranks.settle();
  const auto* words = reinterpret_cast<const std::uint64_t*>(ranks.memory(0));
  for (std::size_t i = 0; i < kWords; ++i) EXPECT_EQ(words[i], (kSize - 1) * kRounds);
  EXPECT_EQ(words[kWords], swaps);
}

/// Accumulates to one place happen in the order in which they were called.
TEST(RemoteAccess, KeepsTheOrderOfAccumulates) {
  WindowRanks ranks(2, 4096, unordered(sim_hostile(test_seed())));
  const Accumulation replace = *Accumulation::of(*op_of(MPI_REPLACE), predefined(MPI_INT));
  ranks.run_served([&](int rank) {
    if (rank != 0) return;
    RemoteAccess& access = ranks.access(0);
    std::vector<int> old(100, -1);
    for (int i = 0; i < 100; ++i) {
      const View origin = view(&i, 1, MPI_INT);
      const View result = view(&old[static_cast<std::size_t>(i)], 1, MPI_INT);
      expect_ok(access.accumulate(1, replace, &origin, view(ranks.memory(1), 1, MPI_INT), &result,
                                  nullptr));
    }
    expect_ok(access.targets().flush(-1, false, nullptr));
    for (int i = 1; i < 100; ++i) EXPECT_EQ(old[static_cast<std::size_t>(i)], i - 1);
  });
}

TEST(RemoteAccess, MovesMegabytes) {
  constexpr std::size_t kBytes = (std::size_t{3} << 20) + 13;
  for (const bool messages : {false, true}) {
    SimConfig config = registering(sim_hostile(test_seed()));
    if (messages) config = by_messages(config);
    WindowRanks ranks(2, 2 * kBytes, config);
    ranks.run_served([&](int rank) {
      if (rank != 0) return;
      RemoteAccess& access = ranks.access(0);
      std::vector<std::byte> out(kBytes), in(kBytes), strided(kBytes);
      for (std::size_t i = 0; i < kBytes; ++i) out[i] = pattern(3, i);
      for (int i = 0; i < 2; ++i) {
        expect_ok(
            access.put(1, view(out.data(), kBytes), view(ranks.memory(1) + 1, kBytes), nullptr));
        expect_ok(access.targets().flush(1, false, nullptr));
        EXPECT_EQ(std::memcmp(ranks.memory(1) + 1, out.data(), kBytes), 0);
      }
      expect_ok(access.get(1, view(in.data(), kBytes), view(ranks.memory(1) + 1, kBytes), nullptr));
      const Ref<Datatype> every_second =
          *make_vector(static_cast<MPI_Count>(kBytes / 97), 97, 2 * 97, predefined(MPI_BYTE));
      const View scattered{ranks.memory(1), 1, &every_second->layout()};
      expect_ok(access.get(1, view(strided.data(), kBytes / 97 * 97), scattered, nullptr));
      expect_ok(access.targets().flush(1, true, nullptr));
      EXPECT_EQ(in, out);
      std::vector<std::byte> expected(kBytes / 97 * 97);
      scattered.pack(0, expected);
      EXPECT_EQ(std::memcmp(strided.data(), expected.data(), expected.size()), 0);
      expect_ok(access.targets().flush(1, false, nullptr));
      const SimStats& stats = ranks.network().stats(ranks.process(0).name_of(0));
      EXPECT_EQ(stats.puts != 0 && stats.gets != 0 && stats.confirms != 0, !messages);
    });
  }
}

/// A target that does not poll has no more than a megabyte on its way to it, and an origin that
/// polls no more than that on its way back.
TEST(RemoteAccess, BoundsWhatIsUnderWay) {
  constexpr std::size_t kBytes = std::size_t{4} << 20;
  SimConfig config = by_messages(quiet(test_seed()));
  config.queue_depth = 1 << 20;
  WindowRanks ranks(2, kBytes, config);
  bool put = false;
  bool looked = false;
  ranks.run_served([&](int rank) {
    std::vector<std::byte> bytes(kBytes, std::byte{1});
    if (rank == 0) {
      expect_ok(ranks.access(0).put(1, view(bytes.data(), kBytes), view(ranks.memory(1), kBytes),
                                    nullptr));
      put = true;
      ranks.process(0).progress().wait([&] { return looked; });
      expect_ok(ranks.access(0).targets().flush(-1, false, nullptr));
    } else {
      for (int i = 0; i < 5000; ++i) WindowRanks::rest(ranks.process(1));
      EXPECT_FALSE(put);
      const auto sent = ranks.network().stats(ranks.process(0).name_of(0)).bytes_out;
      EXPECT_GT(sent, kMostUnderWay / 2);
      EXPECT_LT(sent, kMostUnderWay + 4096);
      looked = true;
    }
  });
  EXPECT_TRUE(std::all_of(ranks.memory(1), ranks.memory(1) + kBytes,
                          [](std::byte byte) { return byte == std::byte{1}; }));
}

TEST(RemoteAccess, NothingIsNothing) {
  WindowRanks ranks(2, 64, quiet(test_seed()));
  RemoteAccess& access = ranks.access(0);
  const View none = view(ranks.memory(1), 0, MPI_DOUBLE_INT);
  const View here = view(nullptr, 0, MPI_DOUBLE_INT);
  const Accumulation what = *Accumulation::of(*op_of(MPI_MINLOC), predefined(MPI_DOUBLE_INT));
  std::array<Request, 3> done = {Request(RequestKind::generalized),
                                 Request(RequestKind::generalized),
                                 Request(RequestKind::generalized)};
  expect_ok(access.put(1, here, none, &done[0]));
  expect_ok(access.get(1, here, none, &done[1]));
  expect_ok(access.accumulate(1, what, &here, none, &here, &done[2]));
  for (const Request& one : done) EXPECT_TRUE(one.complete);
  expect_ok(access.targets().flush(-1, true, nullptr));
  EXPECT_EQ(ranks.network().stats(ranks.process(0).name_of(0)).sends, 0U);
}

/// All that waits for a process that dies ends, with words that name it.
TEST(RemoteAccess, NamesTheDead) {
  WindowRanks ranks(4, 4096, sim_hostile(test_seed()));
  bool met = false;
  ranks.run_served([&](int rank) {
    Progress& progress = ranks.process(rank).progress();
    const auto is_of_1 = [](const Expected<>& outcome) {
      ASSERT_FALSE(outcome.has_value());
      EXPECT_EQ(outcome.error().code, MPI_ERR_PROC_ABORTED);
      EXPECT_NE(outcome.error().message.find("rank 1"), std::string::npos)
          << outcome.error().message;
    };
    RemoteAccess& access = ranks.access(rank);
    std::array<std::byte, 64> bytes{};
    const View here = view(bytes.data(), bytes.size());
    if (rank == 1) {
      progress.wait([&] { return met; });
      ranks.die(1);
    } else if (rank == 0) {
      expect_ok(access.put(1, here, view(ranks.memory(1), 64), nullptr));
      expect_ok(access.targets().flush(1, false, nullptr));
      expect_ok(access.put(2, here, view(ranks.memory(2), 64), nullptr));
      met = true;
      WindowRanks::rest(ranks.process(0));
      WindowRanks::rest(ranks.process(0));
      Request request(RequestKind::generalized);
      Expected<> got = access.get(1, here, view(ranks.memory(1), 64), &request);
      if (got) {
        is_of_1(access.targets().flush(-1, false, nullptr));
        EXPECT_TRUE(request.complete);
        EXPECT_EQ(request.status.error, MPI_ERR_PROC_ABORTED);
      } else {
        is_of_1(got);
        EXPECT_FALSE(request.complete);
      }
      EXPECT_EQ(ranks.memory(2)[0], bytes[0]);
      is_of_1(access.put(1, here, view(ranks.memory(1), 64), nullptr));
      is_of_1(access.lock(1, true, nullptr));
      expect_ok(access.targets().flush(-1, false, nullptr));
    } else if (rank == 3) {
      expect_ok(access.lock(2, true, nullptr));
      access.unlock(2, true);
    }
  });
}

/// What comes after the window is gone, or is not in it, touches nothing and is an error.
TEST(RemoteAccess, RefusesWhatIsNotThere) {
  constexpr std::size_t kBytes = 4096;
  WindowRanks ranks(2, kBytes, unordered(sim_hostile(test_seed())));
  const Accumulation add = *Accumulation::of(*op_of(MPI_SUM), predefined(MPI_INT64_T));
  ranks.run_served([&](int rank) {
    if (rank != 0) return;
    RemoteAccess& access = ranks.access(0);
    std::vector<std::byte> bytes(kBytes, std::byte{9});
    const auto all_fail = [&](std::byte* at, int code) {
      const auto is_refused = [&] {
        const Expected<> outcome = access.targets().flush(1, false, nullptr);
        ASSERT_FALSE(outcome.has_value());
        EXPECT_EQ(outcome.error().code, code) << outcome.error().message;
        EXPECT_NE(outcome.error().message.find("indow 7"), std::string::npos)
            << outcome.error().message;
        EXPECT_FALSE(access.targets().busy());
        expect_ok(access.targets().flush(1, false, nullptr));
      };
      const View here = view(bytes.data(), kBytes);
      const View words = view(bytes.data(), kBytes / 8, MPI_INT64_T);
      const View there = view(at, kBytes);
      const View words_there = view(at, kBytes / 8, MPI_INT64_T);
      expect_ok(access.put(1, here, there, nullptr));
      is_refused();
      Request request(RequestKind::generalized);
      expect_ok(access.get(1, here, there, &request));
      is_refused();
      EXPECT_TRUE(request.complete);
      EXPECT_EQ(request.status.error, code);
      expect_ok(access.accumulate(1, add, &words, words_there, nullptr, nullptr));
      is_refused();
      expect_ok(access.accumulate(1, add, &words, words_there, &words, nullptr));
      is_refused();
      std::int64_t old = 5;
      expect_ok(access.compare_and_swap(1, predefined(MPI_INT64_T),
                                        reinterpret_cast<std::uintptr_t>(at + kBytes - 8), &old,
                                        &old, &old));
      is_refused();
      EXPECT_EQ(old, 5);
      EXPECT_EQ(bytes, std::vector<std::byte>(kBytes, std::byte{9}));
    };
    all_fail(ranks.memory(1) + 8, MPI_ERR_RMA_RANGE);
    all_fail(reinterpret_cast<std::byte*>(~std::uintptr_t{0} - kBytes - 16), MPI_ERR_RMA_RANGE);
    expect_ok(access.lock(1, true, nullptr));
    access.unlock(1, true);
    ranks.remove(1);
    all_fail(ranks.memory(1), MPI_ERR_WIN);
    const Expected<> lock = access.lock(1, false, nullptr);
    ASSERT_FALSE(lock.has_value());
    EXPECT_EQ(lock.error().code, MPI_ERR_WIN);
    EXPECT_NE(lock.error().message.find("Window 7 (of a test) is not there: it has been freed"),
              std::string::npos)
        << lock.error().message;
    EXPECT_EQ(std::vector<std::byte>(ranks.memory(1), ranks.memory(1) + kBytes),
              std::vector<std::byte>(kBytes));
  });
}

/// A notification comes behind the put that was started before it, and before the next one.
TEST(RemoteAccess, NotifiesBehindOperations) {
  constexpr std::uint32_t kPuts = 60;
  WindowRanks ranks(3, 64, unordered(sim_hostile(test_seed())));
  ranks.run_served([&](int rank) {
    const int to = (rank + 1) % 3;
    for (std::uint32_t i = 0; i < kPuts; ++i) {
      auto value = static_cast<std::byte>(i);
      expect_ok(ranks.access(rank).put(to, view(&value, 1), view(ranks.memory(to), 1), nullptr));
      expect_ok(ranks.access(rank).notify(to, i % WindowRanks::kCounters));
    }
    EXPECT_TRUE(ranks.access(rank).targets().busy());
    expect_ok(ranks.access(rank).targets().flush(to, false, nullptr));
    ranks.process(rank).progress().wait([&] { return ranks.notifications(rank).size() == kPuts; });
    for (std::uint32_t i = 0; i < kPuts; ++i) {
      EXPECT_EQ(ranks.notifications(rank)[i].first, i % WindowRanks::kCounters);
      EXPECT_EQ(ranks.notifications(rank)[i].second, static_cast<std::byte>(i));
    }
    expect_ok(ranks.access(rank).notify(to, WindowRanks::kCounters));
    const Expected<> refused = ranks.access(rank).targets().flush(to, false, nullptr);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, MPI_ERR_ARG);
    EXPECT_NE(refused.error().message.find("no counter 4"), std::string::npos)
        << refused.error().message;
    EXPECT_EQ(ranks.notifications(rank).size(), kPuts);
  });
}

/// Nor does it overtake a put that another thread, which flushes, has begun to confirm.
TEST(RemoteAccess, NotifiesBehindWhatOthersConfirm) {
  constexpr std::size_t kPuts = 60;
  WindowRanks ranks(2, kDirectFrom, unordered(sim_hostile(test_seed())));
  ranks.run_served([&](int rank) {
    if (rank != 0) return;
    RemoteAccess& access = ranks.access(0);
    std::vector<std::byte> bytes(kDirectFrom);
    const auto flush = [&] { expect_ok(access.targets().flush(1, false, nullptr)); };
    const auto put = [&] {
      expect_ok(access.put(1, view(bytes.data(), bytes.size()), view(ranks.memory(1), bytes.size()),
                           nullptr));
    };
    put();  // asks for keys
    flush();
    for (std::size_t i = 0; i < kPuts; ++i) {
      bytes.assign(bytes.size(), static_cast<std::byte>(i));
      put();
      RemoteTarget& target = *access.targets().find(ProcId{1});
      EXPECT_TRUE(std::exchange(target.unconfirmed, false));
      ranks.manager(0).moves().confirm(ProcId{1}, *target.moves);
      expect_ok(access.notify(1, 0));
      flush();
    }
    EXPECT_EQ(access.moved(), kPuts);
  });
  ASSERT_EQ(ranks.notifications(1).size(), kPuts);
  for (std::size_t i = 0; i < kPuts; ++i) {
    EXPECT_EQ(ranks.notifications(1)[i].second, static_cast<std::byte>(i));
  }
}

/// While one thread waits for the answer to a marker another one's flush is not over either.
TEST(RemoteAccess, FlushesBehindMarkersOfOthers) {
  WindowRanks ranks(2, 64, quiet(test_seed()));
  std::uint64_t looks = 0;
  ranks.run_served([&](int rank) {
    if (rank != 0) return;
    RemoteAccess& access = ranks.access(0);
    struct Subject final : WaitSubject {
      void describe(CallRecord& /*record*/) const override {}
    } subject;
    const auto look = [&] {
      const RemoteTarget* const target = access.targets().find(ProcId{1});
      if (target == nullptr || target->asked == target->reached) return false;
      ++looks;
      EXPECT_FALSE(access.targets().try_flush(1, subject));
      return false;
    };
    const WordWatch other(ranks.process(0).progress(), look, nullptr);
    std::byte value{5};
    expect_ok(access.put(1, view(&value, 1), view(ranks.memory(1), 1), nullptr));
    expect_ok(access.targets().flush(1, false, nullptr));
    EXPECT_EQ(ranks.memory(1)[0], value);
    EXPECT_FALSE(access.targets().busy());
  });
  EXPECT_GT(looks, 0U);
}

TEST(RemoteAccess, TellsOfPostsAndCompletions) {
  WindowRanks ranks(3, 64, unordered(sim_hostile(test_seed())));
  ranks.run_served([&](int rank) {
    const int to = (rank + 1) % 3;
    ranks.access(rank).tell_posted(to);
    ranks.access(rank).tell_completed(to);
    ranks.access(rank).tell_completed(to);
    ranks.process(rank).progress().wait([&] { return ranks.completions(rank).size() == 2; });
    const int from = (rank + 2) % 3;
    EXPECT_EQ(ranks.posts(rank), std::vector<int>{from});
    EXPECT_EQ(ranks.completions(rank), (std::vector<int>{from, from}));
  });
}

/// Whatever a peer sends, nothing but its link suffers.
TEST(RemoteAccess, BelievesNothing) {
  Random random(test_seed());
  int refused = 0;
  constexpr int kRounds = 400;
  for (int round = 0; round < kRounds; ++round) {
    WindowRanks ranks(2, 256, quiet(test_seed()));
    std::vector<std::byte> message(sizeof(WindowHead));
    WindowHead head = window_head(static_cast<WindowMessage>(below(random, 21)),
                                  below(random, 8) == 0 ? 3 : WindowRanks::kNumber);
    head.op = static_cast<std::uint8_t>(below(random, 3) == 0 ? random() : 1);
    const std::array elements = {MPI_INT, MPI_DOUBLE_INT, MPI_BYTE, MPI_DATATYPE_NULL};
    head.element = static_cast<std::uint16_t>(
        below(random, 8) == 0
            ? random()
            : reinterpret_cast<std::uintptr_t>(elements[below(random, elements.size())]));
    const auto any = [&] { return below(random, 4) == 0 ? random() : below(random, 40); };
    head.token = any();
    head.offset = any();
    head.value = static_cast<std::uint32_t>(below(random, 4) == 0 ? random() : below(random, 4));
    std::memcpy(message.data(), &head, sizeof head);
    for (std::size_t i = below(random, 5); i != 0; --i) {
      const MemoryRun run{reinterpret_cast<std::uintptr_t>(ranks.memory(1)) + any(), any()};
      const auto* bytes = reinterpret_cast<const std::byte*>(&run);
      message.insert(message.end(), bytes, bytes + sizeof run);
    }
    if (below(random, 8) == 0) message.resize(1 + below(random, message.size()));
    Links& links = ranks.engine(0).links();
    Link& link = links.get(ProcId{1});
    links.connect(link);
    ranks.settle();
    const Piece piece{message.data(), message.size(), 0};
    links.send(link, {&piece, 1});
    ranks.settle();
    refused += ranks.engine(1).links().lost(ProcId{0}) ? 1 : 0;
    EXPECT_EQ(ranks.engine(1).links().lost(ProcId{0}),
              ranks.engine(1).links().users().malformed() != 0);
  }
  EXPECT_GT(refused, kRounds / 4);
  EXPECT_LT(refused, kRounds);
}

/// Runs are the target's bytes in their order, whatever the room.
TEST(RunCutter, CutsAnyLayout) {
  Random random(test_seed());
  std::vector<std::byte> area(4096);
  for (int round = 0; round < 500; ++round) {
    const std::array elements = {MPI_INT, MPI_DOUBLE_INT, MPI_SHORT_INT, MPI_BYTE, MPI_2INT};
    const Datatype& element = predefined(elements[below(random, elements.size())]);
    const Placed placed = place(random, element, below(random, 250), area.size());
    const View target = placed.at(area.data());
    const bool by_elements = below(random, 2) == 0;
    const bool carries = below(random, 2) == 0;
    const std::size_t room = 64 + below(random, 3000);
    const std::size_t size = by_elements ? static_cast<std::size_t>(element.layout().size()) : 1;
    std::vector<Layout::Piece> cut;
    std::size_t offset = 0;
    for (RunCutter cutter(target, by_elements ? &element : nullptr); !cutter.done();) {
      const RunCutter::Part part = cutter.next(room, 2000, carries);
      ASSERT_EQ(part.offset, offset);
      ASSERT_FALSE(part.runs.empty());
      EXPECT_LE(part.runs.size_bytes() + (carries ? part.bytes : 0), room);
      EXPECT_LE(part.bytes, 2000U);
      std::size_t bytes = 0;
      for (const MemoryRun& run : part.runs) {
        bytes += run.length * size;
        auto* at = reinterpret_cast<std::byte*>(run.address);
        std::array<Layout::Piece, 2> pieces;
        for (std::size_t i = 0; by_elements && i < run.length; ++i) {
          const View one{at + i * static_cast<std::size_t>(element.extent()), 1, &element.layout()};
          const auto found = one.pieces(0, size, pieces);
          cut.insert(cut.end(), pieces.begin(), pieces.begin() + found.pieces);
        }
        if (!by_elements) cut.push_back({at, run.length});
      }
      EXPECT_EQ(bytes, part.bytes);
      offset += part.bytes;
    }
    ASSERT_EQ(offset, target.size());
    // As packed bytes: each is the one of the layout.
    for (std::size_t i = 0; i < area.size(); ++i) area[i] = static_cast<std::byte>(random());
    std::vector<std::byte> packed(target.size()), joined;
    target.pack(0, packed);
    for (const Layout::Piece& piece : cut) {
      const auto* bytes = static_cast<const std::byte*>(piece.address);
      joined.insert(joined.end(), bytes, bytes + piece.length);
    }
    EXPECT_EQ(joined, packed);
  }
}

}  // namespace
}  // namespace remit::testing
