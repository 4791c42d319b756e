// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Slab and IntrusiveList.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "runtime/intrusive_list.hpp"
#include "runtime/pool.hpp"

namespace remit {
namespace {

std::uint64_t test_seed() {
  const char* text = std::getenv("REMIT_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : std::random_device{}();
}

TEST(Slab, HandleFindsObjectUntilFreed) {
  Slab<std::string> slab;
  std::string* a = slab.allocate("a");
  const SlabHandle handle = Slab<std::string>::handle_of(a);
  EXPECT_NE(handle, kNoSlabHandle);
  EXPECT_EQ(slab.get(handle), a);
  slab.free(a);
  EXPECT_EQ(slab.get(handle), nullptr);
  EXPECT_EQ(slab.live(), 0U);
}

TEST(Slab, EmptySlabKnowsNoHandle) {
  Slab<int> slab;
  EXPECT_EQ(slab.get(kNoSlabHandle), nullptr);
  EXPECT_EQ(slab.get(~SlabHandle{0}), nullptr);
  EXPECT_EQ(slab.get(1U << 20), nullptr);
}

TEST(Slab, NoForgedHandleReachesAFreeSlot) {
  Slab<int, 8> slab;
  slab.free(slab.allocate(1));
  for (std::uint32_t generation = 0; generation < 1U << 16; ++generation) {
    for (std::uint32_t index = 0; index < 4; ++index) {
      ASSERT_EQ(slab.get(generation << 8 | index), nullptr);
    }
  }
}

TEST(Slab, HandlesOfOneSlotDifferForItsWholeGenerationRange) {
  Slab<int, 24> slab;  // 8 bits of generation
  std::set<SlabHandle> seen;
  std::vector<int*> fill;
  for (int i = 0; i < 31; ++i) fill.push_back(slab.allocate(i));  // leaves one slot to reuse
  for (int i = 0; i < 255; ++i) {
    int* object = slab.allocate(i);
    EXPECT_TRUE(seen.insert(slab.handle_of(object)).second);
    slab.free(object);
  }
  EXPECT_EQ(slab.capacity(), 32U);
  int* again = slab.allocate(0);
  EXPECT_NE(slab.handle_of(again), kNoSlabHandle);
  EXPECT_EQ(slab.get(slab.handle_of(again)), again);
}

TEST(Slab, ExhaustionThrowsAndLeavesItUsable) {
  Slab<int, 4> slab;
  std::vector<int*> all;
  for (int i = 0; i < 16; ++i) all.push_back(slab.allocate(i));
  EXPECT_THROW((void)slab.allocate(16), std::bad_alloc);
  slab.free(all[3]);
  EXPECT_EQ(slab.allocate(17), all[3]);
}

TEST(Slab, ThrowingConstructorTakesNoSlot) {
  struct Thrower {
    explicit Thrower(bool fail) {
      if (fail) throw std::string("no");
    }
  };
  Slab<Thrower> slab;
  EXPECT_THROW((void)slab.allocate(true), std::string);
  EXPECT_EQ(slab.live(), 0U);
  Thrower* object = slab.allocate(false);
  EXPECT_EQ(slab.get(slab.handle_of(object)), object);
}

TEST(Slab, DestroysWhatStillLives) {
  auto shared = std::make_shared<int>(1);
  {
    Slab<std::shared_ptr<int>> slab;
    for (int i = 0; i < 300; ++i) (void)slab.allocate(shared);
    EXPECT_EQ(shared.use_count(), 301);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(Slab, OverAlignedObjects) {
  struct alignas(64) Line {
    char bytes[64];
  };
  Slab<Line> slab;
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(slab.allocate()) % 64, 0U);
  }
}

TEST(Slab, RandomOperationsAgreeWithAMap) {
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("REMIT_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  Slab<int> slab;
  std::map<SlabHandle, int> model;
  std::vector<SlabHandle> stale;
  int next = 0;
  for (int step = 0; step < 50'000; ++step) {
    if (model.empty() || random() % 100 < (step % 20'000 < 10'000 ? 55U : 45U)) {
      int* object = slab.allocate(next);
      ASSERT_TRUE(model.emplace(slab.handle_of(object), next++).second);
    } else {
      auto victim = model.lower_bound(static_cast<SlabHandle>(random()));
      if (victim == model.end()) victim = model.begin();
      ASSERT_EQ(*slab.get(victim->first), victim->second);
      slab.free(slab.get(victim->first));
      if (stale.size() < 1000) stale.push_back(victim->first);
      model.erase(victim);
    }
  }
  ASSERT_EQ(slab.live(), model.size());
  std::size_t visited = 0;
  slab.for_each([&](int& object) {
    ++visited;
    EXPECT_EQ(model.at(slab.handle_of(&object)), object);
  });
  EXPECT_EQ(visited, model.size());
  for (const SlabHandle handle : stale) EXPECT_EQ(slab.get(handle), nullptr);
}

struct Other;
struct Item : ListNode<>, ListNode<Other> {
  explicit Item(int v) : value(v) {}
  int value;
};

std::vector<int> values(IntrusiveList<Item>& list) {
  std::vector<int> result;
  for (Item& item : list) result.push_back(item.value);
  return result;
}

TEST(IntrusiveList, KeepsOrder) {
  Item a(1), b(2), c(3);
  IntrusiveList<Item> list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.pop_front(), nullptr);
  list.push_back(b);
  list.push_back(c);
  list.push_front(a);
  EXPECT_EQ(values(list), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(&list.front(), &a);
  EXPECT_EQ(&list.back(), &c);
  IntrusiveList<Item>::erase(b);
  EXPECT_EQ(values(list), (std::vector<int>{1, 3}));
  EXPECT_EQ(list.pop_front(), &a);
  EXPECT_FALSE(a.ListNode<>::linked());
  list.push_back(a);
  EXPECT_EQ(values(list), (std::vector<int>{3, 1}));
  list.clear();
  EXPECT_TRUE(list.empty());
}

TEST(IntrusiveList, OneItemInTwoLists) {
  Item a(1), b(2);
  IntrusiveList<Item> first;
  IntrusiveList<Item, Other> second;
  first.push_back(a);
  first.push_back(b);
  second.push_back(b);
  IntrusiveList<Item>::erase(b);
  EXPECT_FALSE(second.empty());
  EXPECT_EQ(&second.front(), &b);
}

TEST(IntrusiveList, CurrentElementMayLeaveDuringAWalk) {
  std::vector<std::unique_ptr<Item>> items;
  IntrusiveList<Item> list;
  for (int i = 0; i < 10; ++i) list.push_back(*items.emplace_back(std::make_unique<Item>(i)));
  for (Item& item : list) {
    const int value = item.value;
    if (value % 2 != 0) continue;
    IntrusiveList<Item>::erase(item);
    items[static_cast<std::size_t>(value)].reset();
  }
  EXPECT_EQ(values(list), (std::vector<int>{1, 3, 5, 7, 9}));
}

}  // namespace
}  // namespace remit
