// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The index of the registration cache against a list that is searched from end to end.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "rdma_btl/registration/interval_map.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit {
namespace {

struct Entry {
  AddressRange range;
  int value;
};
using Model = std::vector<Entry>;

AddressRange any_range() {
  const auto begin = *rc::gen::inRange<std::uintptr_t>(0, 60);
  return {begin, begin + *rc::gen::inRange<std::uintptr_t>(1, 12)};
}

const Entry* find(const Model& model, AddressRange range) {
  for (const Entry& entry : model) {
    if (entry.range.contains(range)) return &entry;
  }
  return nullptr;
}

template <class Condition>
std::vector<int> take(Model& model, Condition condition) {
  std::vector<int> taken;
  std::erase_if(model, [&](const Entry& entry) {
    if (!condition(entry.range)) return false;
    taken.push_back(entry.value);
    return true;
  });
  std::sort(taken.begin(), taken.end());
  return taken;
}

void compare_find(const IntervalMap<int>& map, const Model& model, AddressRange range) {
  const int* found = map.find(range);
  RC_ASSERT((found != nullptr) == (find(model, range) != nullptr));
  if (found == nullptr) return;
  const bool right = std::any_of(model.begin(), model.end(), [&](const Entry& entry) {
    return entry.value == *found && entry.range.contains(range);
  });
  RC_ASSERT(right);
}

void compare_gaps(const IntervalMap<int>& map, const Model& model, AddressRange range) {
  std::vector<bool> gap(80, false);
  std::uintptr_t last = 0;
  map.for_each_gap(range, [&](AddressRange part) {
    RC_ASSERT(!part.empty() && range.contains(part) && part.begin >= last);
    last = part.end + 1;  // maximal: two gaps never touch
    for (auto at = part.begin; at < part.end; ++at) gap[at] = true;
  });
  for (auto at = range.begin; at < range.end; ++at) {
    const bool held = std::any_of(model.begin(), model.end(), [&](const Entry& entry) {
      return entry.range.begin <= at && at < entry.range.end;
    });
    RC_ASSERT(gap[at] == !held);
  }
}

void add(IntervalMap<int>& map, Model& model, AddressRange range, int value) {
  std::vector<int> taken;
  map.take_contained(range, [&](int inner) { taken.push_back(inner); });
  std::sort(taken.begin(), taken.end());
  RC_ASSERT(taken == take(model, [&](AddressRange r) { return range.contains(r); }));
  if (map.find(range) != nullptr || map.full()) return;
  map.insert(range, value);
  model.push_back({range, value});
}

TEST(IntervalMap, IsTheListThatIsSearched) {
  const std::string seed = fmt::format("seed={}", testing::test_seed());
  ::setenv("RC_PARAMS", seed.c_str(), 0);
  const bool right = rc::check([] {
    constexpr std::size_t kCapacity = 12;
    IntervalMap<int> map(kCapacity);
    Model model;
    const int steps = *rc::gen::inRange(0, 120);
    for (int step = 0; step < steps; ++step) {
      const AddressRange range = any_range();
      switch (*rc::gen::inRange(0, 6)) {
        case 0:
        case 1:
          add(map, model, range, step);
          break;
        case 2: {
          std::vector<int> taken;
          map.take_overlaps(range, [&](int value) { taken.push_back(value); });
          std::sort(taken.begin(), taken.end());
          RC_ASSERT(taken == take(model, [&](AddressRange r) { return r.overlaps(range); }));
          break;
        }
        case 3: {
          const bool there = !model.empty() && *rc::gen::arbitrary<bool>();
          const AddressRange gone = there ? model[model.size() / 2].range : range;
          const bool erased = !take(model, [&](AddressRange r) { return r == gone; }).empty();
          RC_ASSERT(map.erase(gone) == erased);
          break;
        }
        case 4:
          compare_gaps(map, model, range);
          break;
        default:
          compare_find(map, model, range);
      }
      RC_ASSERT(map.size() == model.size());
      RC_ASSERT(map.full() == (model.size() == kCapacity));
    }
  });
  EXPECT_TRUE(right);
}

TEST(IntervalMap, ARangeIsHalfOpen) {
  IntervalMap<int> map(4);
  map.insert({10, 20}, 1);
  EXPECT_NE(map.find({10, 20}), nullptr);
  EXPECT_NE(map.find({19, 20}), nullptr);
  EXPECT_EQ(map.find({19, 21}), nullptr);
  EXPECT_EQ(map.find({9, 11}), nullptr);
  map.take_overlaps({20, 30}, [](int) { FAIL() << "it ends where the other begins"; });
  map.take_overlaps({0, 10}, [](int) { FAIL() << "it begins where the other ends"; });
  EXPECT_EQ(map.size(), 1U);
}

TEST(IntervalMap, OverlappingRangesAreFoundByTheOneThatContains) {
  IntervalMap<int> map(4);
  map.insert({10, 20}, 1);
  map.insert({15, 30}, 2);
  EXPECT_EQ(*map.find({12, 20}), 1);
  EXPECT_EQ(*map.find({16, 25}), 2);
  EXPECT_EQ(map.find({12, 25}), nullptr);
}

}  // namespace
}  // namespace remit
