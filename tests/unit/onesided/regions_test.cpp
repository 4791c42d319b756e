// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Attached memory: against a model, and as another process reads it while it changes.
#include "onesided/memory/regions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "onesided/memory/process_memory.hpp"
#include "tests/unit/onesided/child.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit::testing {
namespace {

constexpr std::uint64_t kBase = 0x10000;

const void* at(std::uint64_t offset) {
  return reinterpret_cast<const void*>(kBase + offset);
}

bool says(const Error& error, std::string_view words) {
  return error.message.find(words) != std::string::npos;
}

/// Regions of this process, read by itself as another one would do it.
struct OwnRegions {
  MemberControl::Identity identity;
  Regions regions{identity};
  KernelCopy kernel;
  std::unique_ptr<ProcessMemory> process = ProcessMemory::open(own_process_sign(), kernel).value();
  PeerRegions seen{*process, identity};

  /// Both must say the same.
  [[nodiscard]] bool contains(std::uint64_t offset, std::uint64_t bytes) {
    const bool here = regions.contains(kBase + offset, bytes);
    const auto there = seen.check(kBase + offset, bytes);
    EXPECT_EQ(here, there.has_value()) << offset << ", " << bytes << " bytes";
    EXPECT_EQ(here, regions.check(kBase + offset, bytes).has_value());
    if (!there) {
      EXPECT_EQ(there.error().code, MPI_ERR_RMA_RANGE) << there.error().message;
    }
    return here;
  }
};

TEST(Regions, TouchAndDoNotOverlap) {
  OwnRegions own;
  EXPECT_FALSE(own.contains(0, 1));
  EXPECT_TRUE(own.contains(0, 0));
  ASSERT_TRUE(own.regions.attach(at(100), 50));
  ASSERT_TRUE(own.regions.attach(at(150), 50));
  ASSERT_TRUE(own.regions.attach(at(90), 10));
  EXPECT_TRUE(own.contains(90, 110));
  EXPECT_TRUE(own.contains(99, 52));
  EXPECT_FALSE(own.contains(89, 2));
  EXPECT_FALSE(own.contains(199, 2));
  EXPECT_FALSE(own.contains(200, 1));
  for (const auto& [offset, bytes] : {std::pair{99, 1}, {150, 1}, {0, 91}, {0, 1000}, {199, 5}}) {
    const auto refused =
        own.regions.attach(at(static_cast<std::uint64_t>(offset)), static_cast<std::size_t>(bytes));
    ASSERT_FALSE(refused) << offset;
    EXPECT_EQ(refused.error().code, MPI_ERR_RMA_ATTACH);
    EXPECT_TRUE(says(refused.error(), "overlap")) << refused.error().message;
  }
  ASSERT_TRUE(own.regions.detach(at(150)));
  EXPECT_FALSE(own.contains(99, 52));
  EXPECT_TRUE(own.contains(99, 51));
  for (const std::uint64_t offset : {150, 101, 0}) {
    const auto refused = own.regions.detach(at(offset));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, MPI_ERR_RMA_ATTACH);
  }
}

TEST(Regions, WithoutBytesAreReachedByNobody) {
  OwnRegions own;
  ASSERT_TRUE(own.regions.attach(at(0), 0));
  ASSERT_TRUE(own.regions.attach(at(0), 100));
  ASSERT_TRUE(own.regions.attach(at(50), 0));
  ASSERT_TRUE(own.regions.attach(at(200), 0));
  ASSERT_TRUE(own.regions.attach(nullptr, 0));
  EXPECT_FALSE(own.contains(200, 1));
  EXPECT_TRUE(own.contains(0, 100));
  ASSERT_TRUE(own.regions.detach(at(0)));
  EXPECT_TRUE(own.contains(0, 100));
  ASSERT_TRUE(own.regions.detach(at(0)));
  EXPECT_FALSE(own.contains(0, 1));
  EXPECT_TRUE(own.regions.detach(at(50)));
  EXPECT_TRUE(own.regions.detach(at(200)));
  EXPECT_TRUE(own.regions.detach(nullptr));
  EXPECT_FALSE(own.regions.detach(nullptr));
}

TEST(Regions, AtTheEndOfAllAddresses) {
  OwnRegions own;
  const auto last = reinterpret_cast<const void*>(~std::uint64_t{0} - 15);
  EXPECT_FALSE(own.regions.attach(last, 17));
  ASSERT_TRUE(own.regions.attach(last, 8));
  const auto begin = reinterpret_cast<std::uint64_t>(last);
  EXPECT_TRUE(own.regions.contains(begin, 8));
  EXPECT_FALSE(own.regions.contains(begin, 9));
  EXPECT_FALSE(own.regions.contains(begin, ~std::uint64_t{0}));
}

TEST(Regions, NearestOneIsNamed) {
  OwnRegions own;
  const auto words = [&](std::uint64_t offset) {
    const auto refused = own.seen.check(kBase + offset, 3);
    return refused ? std::string() : refused.error().message;
  };
  EXPECT_NE(words(7).find("3 bytes at 0x10007"), std::string::npos) << words(7);
  EXPECT_NE(words(7).find("nothing is attached"), std::string::npos) << words(7);
  ASSERT_TRUE(own.regions.attach(at(0x100), 0x10));
  ASSERT_TRUE(own.regions.attach(at(0x200), 0x20));
  const std::string_view first = "0x10100 to 0x10110 (16 bytes)";
  const std::string_view second = "0x10200 to 0x10220 (32 bytes)";
  for (const std::uint64_t offset : {0x0, 0xff, 0x10e, 0x110, 0x170})
    EXPECT_NE(words(offset).find(first), std::string::npos) << words(offset);
  for (const std::uint64_t offset : {0x1f0, 0x1ff, 0x21f, 0x220, 0x9999})
    EXPECT_NE(words(offset).find(second), std::string::npos) << words(offset);
}

// Behind the last meeting of a window's members the words may be of another window.
TEST(Regions, LeaveTheirWordsAloneAtTheEnd) {
  MemberControl::Identity identity;
  KernelCopy kernel;
  const auto process = ProcessMemory::open(own_process_sign(), kernel).value();
  PeerRegions seen(*process, identity);
  const auto refused = seen.check(kBase, 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, MPI_ERR_RMA_RANGE);
  std::uint64_t version = 0;
  {
    Regions regions(identity);
    ASSERT_TRUE(regions.attach(at(0), 10));
    EXPECT_TRUE(seen.check(kBase, 10));
    version = identity.regions_version.load();
    identity.regions_address = 77;
  }
  EXPECT_EQ(identity.regions_version.load(), version);
  EXPECT_EQ(identity.regions_address, 77U);
}

/// Each byte of a few addresses, and the beginnings of regions.
class RegionModel {
 public:
  static constexpr std::uint64_t kSpace = 400;

  bool attach(std::uint64_t offset, std::uint64_t bytes) {
    const auto first = attached_.begin() + static_cast<std::ptrdiff_t>(offset);
    if (std::count(first, first + static_cast<std::ptrdiff_t>(bytes), true) != 0) return false;
    std::fill_n(first, bytes, true);
    if (bytes == 0) {
      ++without_[offset];
    } else {
      regions_[offset] = bytes;
    }
    return true;
  }
  bool detach(std::uint64_t offset) {
    if (without_[offset] != 0) return --without_[offset], true;
    const auto region = regions_.find(offset);
    if (region == regions_.end()) return false;
    std::fill_n(attached_.begin() + static_cast<std::ptrdiff_t>(offset), region->second, false);
    regions_.erase(region);
    return true;
  }
  [[nodiscard]] bool contains(std::uint64_t offset, std::uint64_t bytes) const {
    const auto first = attached_.begin() + static_cast<std::ptrdiff_t>(offset);
    return std::count(first, first + static_cast<std::ptrdiff_t>(bytes), false) == 0;
  }
  [[nodiscard]] std::vector<AttachedMemory> all() const {
    std::vector<AttachedMemory> list;
    for (const auto& [offset, bytes] : regions_) list.push_back({kBase + offset, bytes});
    return list;
  }

 private:
  std::vector<bool> attached_ = std::vector<bool>(kSpace + 100);
  std::map<std::uint64_t, std::uint64_t> regions_;
  std::map<std::uint64_t, int> without_;
};

TEST(Regions, LikeAModelOfAllBytes) {
  std::mt19937_64 random(test_seed());
  std::size_t most = 0;
  int changes = 0;
  int refusals = 0;
  for (int round = 0; round < 20; ++round) {
    OwnRegions own;
    RegionModel model;
    const std::uint64_t longest = std::uint64_t{1} << (random() % 6);
    for (int step = 0; step < 600; ++step) {
      const std::uint64_t offset = random() % RegionModel::kSpace;
      const bool attaches = random() % 3 != 0;
      bool done = false;
      bool wanted = false;
      if (attaches) {
        const std::uint64_t bytes = random() % (longest + 1);
        wanted = model.attach(offset, bytes);
        done = own.regions.attach(at(offset), bytes).has_value();
      } else {
        const auto regions = model.all();
        const std::uint64_t which = random() % 4 == 0 || regions.empty()
                                        ? offset
                                        : regions[random() % regions.size()].address - kBase;
        wanted = model.detach(which);
        done = own.regions.detach(at(which)).has_value();
      }
      ASSERT_EQ(done, wanted) << "round " << round << ", step " << step;
      ++(done ? changes : refusals);
      for (int i = 0; i < 5; ++i) {
        const std::uint64_t place = random() % RegionModel::kSpace;
        const std::uint64_t bytes = random() % 20;
        ASSERT_EQ(own.contains(place, bytes), model.contains(place, bytes));
      }
      const auto attached = own.regions.attached();
      ASSERT_EQ(std::vector(attached.begin(), attached.end()), model.all());
      ASSERT_TRUE(own.contains(0, 0));  // reads what has changed
      ASSERT_EQ(std::vector(own.seen.known().begin(), own.seen.known().end()), model.all());
      most = std::max(most, attached.size());
    }
  }
  EXPECT_GT(most, 50U);
  EXPECT_GT(changes, 1000);
  EXPECT_GT(refusals, 1000);
}

struct SharedControl {
  MemberControl control;
  std::atomic<int> step{0};
  std::atomic<std::uint64_t> front{0};
};

// A process whose regions are always as many kDistance apart, of which it takes some away in front
// and adds others behind. A table of two moments has a gap, or none of the sizes that there are.
TEST(PeerRegions, WhileTheyChange) {
  constexpr std::uint64_t kDistance = 64;
  constexpr std::uint64_t kMostRegions = 3000;
  constexpr std::uint64_t kReads = 3000;
  const std::uint64_t seed = test_seed();
  const SharedWithChildren<SharedControl> shared;
  Child child([&] {
    std::mt19937_64 random(seed);
    Regions regions(shared->control.identity);
    shared->control.identity.sign = own_process_sign();
    std::uint64_t front = 0;
    std::uint64_t back = 0;
    while (shared->step != 2) {
      const std::uint64_t wanted = 1 + random() % kMostRegions;
      for (; back - front < wanted; ++back) {
        if (!regions.attach(at(back * kDistance), 1 + back % kDistance)) ::_exit(1);
      }
      for (; back - front > wanted; ++front) {
        if (!regions.detach(at(front * kDistance))) ::_exit(2);
      }
      int at_first = 0;
      shared->step.compare_exchange_strong(at_first, 1);
    }
    shared->front = front;
    shared->step = 3;
    yield_until([&] { return shared->step == 4; });
  });
  yield_until([&] { return shared->step == 1; });
  KernelCopy kernel;
  const auto process = ProcessMemory::open(shared->control.identity.sign, kernel).value();
  PeerRegions seen(*process, shared->control.identity);
  std::uint64_t moved = 0;
  std::uint64_t last_front = 0;
  for (std::uint64_t i = 0; i < kReads; ++i) {
    const auto far_away = seen.check(~std::uint64_t{0} / 2, 1);
    ASSERT_EQ(far_away.error().code, MPI_ERR_RMA_RANGE) << far_away.error().message;
    const auto regions = seen.known();
    ASSERT_FALSE(regions.empty());
    ASSERT_LE(regions.size(), kMostRegions);
    const std::uint64_t front = (regions.front().address - kBase) / kDistance;
    ASSERT_GE(front, last_front);
    moved += front != last_front ? 1 : 0;
    last_front = front;
    for (std::uint64_t k = 0; k < regions.size(); ++k) {
      const AttachedMemory wanted{kBase + (front + k) * kDistance, 1 + (front + k) % kDistance};
      ASSERT_EQ(regions[k], wanted) << "read " << i << ", region " << k;
    }
  }
  EXPECT_GT(moved, 0U);
  shared->step = 2;
  yield_until([&] { return shared->step == 3; });
  // It rests: what is attached is reached, and nothing in front of it.
  const std::uint64_t front = shared->front;
  EXPECT_TRUE(seen.check(kBase + front * kDistance, 1 + front % kDistance));
  EXPECT_FALSE(seen.check(kBase + front * kDistance - kDistance, 1));
  shared->step = 4;
  EXPECT_EQ(child.wait(), 0);
}

// Its table will never be whole again.
TEST(PeerRegions, OfOneThatEndedInTheMiddleOfAChange) {
  const SharedWithChildren<SharedControl> shared;
  const Child child([&] {
    const auto regions = std::make_unique<Regions>(shared->control.identity);
    if (!regions->attach(at(0), 10)) ::_exit(1);
    shared->control.identity.sign = own_process_sign();
    shared->step = 1;
    yield_until([&] { return shared->step == 2; });
    ++shared->control.identity.regions_version;
    ::_exit(0);
  });
  yield_until([&] { return shared->step == 1; });
  KernelCopy kernel;
  const auto process = ProcessMemory::open(shared->control.identity.sign, kernel).value();
  PeerRegions seen(*process, shared->control.identity);
  EXPECT_TRUE(seen.check(kBase, 10));
  shared->step = 2;
  child.await_end();
  const auto refused = seen.check(kBase, 10);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, MPI_ERR_PROC_ABORTED) << refused.error().message;
}

}  // namespace
}  // namespace remit::testing
