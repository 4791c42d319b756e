// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The registration cache on a device that only registers and a monitor that says what the test
// says.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "rdma_btl/registration/registration_cache.hpp"
#include "tests/unit/rdma_btl/registration/fakes.hpp"
#include "tests/unit/test_seed.hpp"

namespace remit {
namespace {

using testing::FakeMonitor;
using testing::RegisteringDevice;

constexpr std::uintptr_t kBase = std::uintptr_t{1} << 40;  // nobody touches this memory

void* at(std::size_t page, std::size_t offset = 0) {
  return reinterpret_cast<void*>(kBase + page * page_bytes() + offset);
}

AddressRange pages(std::size_t first, std::size_t count) {
  const std::uintptr_t begin = kBase + first * page_bytes();
  return {begin, begin + count * page_bytes()};
}

class Cache : public ::testing::Test {
 protected:
  void make(RegistrationCache::Limits limits) {
    cache.reset();
    watch.reset();
    std::vector<std::unique_ptr<MemoryMonitor>> monitors;
    monitors.push_back(std::make_unique<FakeMonitor>());
    monitor = static_cast<FakeMonitor*>(monitors.front().get());
    watch = std::make_unique<MemoryWatch>(std::move(monitors));
    cache = std::make_unique<RegistrationCache>(device, *watch, limits);
  }
  void SetUp() override { make({}); }
  void TearDown() override {
    if (monitor != nullptr && cache != nullptr) {
      cache->clear();
      EXPECT_TRUE(monitor->watched.empty()) << "watches what it does not hold";
    }
    cache.reset();
    EXPECT_TRUE(device.live.empty()) << "left registered";
  }

  Lease acquire(std::size_t page, std::size_t count, Access access = Access::remote_read) {
    Expected<Lease> lease = cache->acquire(at(page), count * page_bytes(), access);
    EXPECT_TRUE(lease.has_value()) << lease.error().message;
    return lease ? std::move(*lease) : Lease();
  }

  RegisteringDevice device;
  FakeMonitor* monitor = nullptr;
  std::unique_ptr<MemoryWatch> watch;
  std::unique_ptr<RegistrationCache> cache;
};

TEST_F(Cache, TheSecondUseIsAHit) {
  const std::uint64_t key = acquire(1, 4).region().local_key;
  const Lease again = acquire(1, 4);
  EXPECT_EQ(again.region().local_key, key);
  EXPECT_EQ(device.registrations, 1U);
  EXPECT_EQ(cache->counters().hits, 1U);
  EXPECT_EQ(cache->counters().misses, 1U);
}

TEST_F(Cache, PinsThePagesOfTheBufferAndNoOther) {
  const Expected<Lease> lease = cache->acquire(at(3, 100), page_bytes(), Access::local);
  EXPECT_EQ(lease->region().address, at(3));
  EXPECT_EQ(lease->region().length, 2 * page_bytes());
  EXPECT_EQ(lease->offset(), 100U);
  EXPECT_EQ(lease->length(), page_bytes());
  const Expected<Lease> one = cache->acquire(at(9, page_bytes() - 1), 1, Access::local);
  EXPECT_EQ(one->region().length, page_bytes());
}

TEST_F(Cache, APartIsAHitAndMoreReplaces) {
  acquire(10, 4);
  acquire(11, 2);
  EXPECT_EQ(cache->counters().hits, 1U);
  acquire(8, 8);
  EXPECT_EQ(cache->counters().entries, 1U) << "the smaller one is forgotten";
  cache->reap();
  EXPECT_EQ(device.pinned, 8 * page_bytes());
  EXPECT_EQ(monitor->watched.size(), 8U);
}

TEST_F(Cache, OverlappingRegistrationsShareTheirWatch) {
  RegistrationCache other(device, *watch, {});
  acquire(0, 4);
  acquire(2, 4);
  { const auto lease = other.acquire(at(5), 2 * page_bytes(), Access::local); }
  EXPECT_EQ(monitor->watched.size(), 7U);
  cache->clear();
  EXPECT_EQ(monitor->watched.size(), 2U) << "what the other cache holds is still watched";
  EXPECT_FALSE(watch->watch(pages(0, 1)) == 0);
  const std::lock_guard lock(watch->mutex());
  watch->unwatch(pages(0, 1), 1);
}

TEST_F(Cache, ChangedMemoryIsNotFoundAgain) {
  acquire(1, 4);
  acquire(20, 1);
  monitor->report(pages(4, 10));
  EXPECT_EQ(cache->counters().invalidations, 1U);
  EXPECT_FALSE(cache->holds(at(1), 1));
  EXPECT_TRUE(cache->holds(at(20), 1));
  EXPECT_EQ(device.live.size(), 2U) << "an event deregisters nothing by itself";
  acquire(1, 4);
  EXPECT_EQ(cache->counters().misses, 3U);
  EXPECT_EQ(device.live.size(), 2U);
}

TEST_F(Cache, ALeaseOutlivesItsMemoryAndItsPlaceInTheCache) {
  Lease lease = acquire(1, 4);
  std::thread([&] { monitor->report(pages(1, 1)); }).join();
  cache->reap();
  EXPECT_EQ(device.live.size(), 1U) << "leased";
  Lease fresh = acquire(1, 4);
  EXPECT_NE(fresh.region().local_key, lease.region().local_key);
  lease.reset();
  EXPECT_EQ(device.live.size(), 1U) << "deregistered with its last lease";
}

TEST_F(Cache, EventsOfOtherThreadsNeverDeregister) {
  for (std::size_t i = 0; i < 100; ++i) acquire(2 * i, 1);
  std::thread([&] {
    for (std::size_t i = 0; i < 100; ++i) monitor->report(pages(2 * i, 1), MemoryEvent::emptied);
  }).join();
  EXPECT_EQ(device.live.size(), 100U);
  cache->reap();
  EXPECT_TRUE(device.live.empty());
  EXPECT_TRUE(monitor->watched.empty()) << "emptied memory is still mapped, so its watch ends";
}

TEST_F(Cache, AHitWaitsForUnreadEvents) {
  acquire(1, 1);
  monitor->unread = 3;
  acquire(1, 1);
  EXPECT_EQ(cache->counters().waits, 2U);
  EXPECT_EQ(cache->counters().hits, 1U);
}

TEST_F(Cache, TheLeastRecentlyUsedMakesRoom) {
  make({.bytes = 8 * page_bytes(), .entries = 3});
  acquire(0, 2);
  acquire(10, 2);
  acquire(20, 2);
  acquire(0, 2);   // now 10 is the oldest
  acquire(30, 1);  // a fourth entry
  EXPECT_FALSE(cache->holds(at(10), 1));
  EXPECT_TRUE(cache->holds(at(0), 1));
  acquire(40, 8);  // all bytes
  EXPECT_EQ(device.pinned, 8 * page_bytes());
  EXPECT_EQ(cache->counters().evictions, 4U);
  EXPECT_EQ(cache->counters().pinned_peak, 8 * page_bytes());
}

TEST_F(Cache, WhatIsLeasedIsNotEvicted) {
  make({.bytes = 2 * page_bytes(), .entries = 1});
  const Lease first = acquire(0, 2);
  {
    const Lease second = acquire(10, 2);  // beyond both limits: must work, cannot be kept
    EXPECT_EQ(cache->counters().uncached, 1U);
    EXPECT_EQ(device.live.size(), 2U);
  }
  EXPECT_EQ(device.live.size(), 1U);
  EXPECT_TRUE(cache->holds(at(0), 1));
}

TEST_F(Cache, AFullDeviceGetsAnotherChanceAndThenAClearError) {
  device.limit = 4 * page_bytes();
  acquire(0, 2);
  acquire(10, 2);
  acquire(20, 1);
  EXPECT_EQ(cache->counters().evictions, 1U) << "no more than needed";
  acquire(30, 4);
  EXPECT_EQ(device.pinned, 4 * page_bytes());
  const Expected<Lease> lease = cache->acquire(at(40), 5 * page_bytes(), Access::local);
  ASSERT_FALSE(lease.has_value());
  EXPECT_NE(lease.error().message.find("RLIMIT_MEMLOCK"), std::string::npos);
  EXPECT_NE(lease.error().message.find("Cannot allocate memory"), std::string::npos);
  EXPECT_EQ(cache->counters().entries, 0U);
}

TEST_F(Cache, ReadOnlyMemoryIsRegisteredForReadingAndOneUse) {
  device.read_only = true;
  acquire(0, 1);
  acquire(0, 1);
  EXPECT_EQ(cache->counters().uncached, 2U) << "nobody would say when it can be written";
  EXPECT_EQ(cache->counters().hits, 0U);
  EXPECT_FALSE(cache->acquire(at(0), 1, Access::remote_write).has_value());
}

TEST_F(Cache, UnwatchedMemoryIsRegisteredForOneUse) {
  monitor->refuse = true;
  acquire(0, 1);
  EXPECT_TRUE(device.live.empty());
  acquire(0, 1);
  EXPECT_EQ(cache->counters().uncached, 2U);
  EXPECT_EQ(cache->counters().entries, 0U);
}

TEST_F(Cache, WithoutAMonitorNothingIsCached) {
  MemoryWatch none({});
  RegistrationCache plain(device, none, {});
  for (int i = 0; i < 2; ++i) {
    const auto lease = plain.acquire(at(0), 1, Access::local);
    EXPECT_EQ(device.live.size(), 1U);
  }
  EXPECT_EQ(plain.counters().uncached, 2U);
  EXPECT_TRUE(device.live.empty());
  EXPECT_EQ(none.describe(), "none");
}

/// Random uses, leases and events: what is found is always what was registered since the last
/// event, limits hold, and nothing is lost.
TEST_F(Cache, RandomUsesAgainstAModel) {
  std::mt19937_64 random(testing::test_seed());
  make({.bytes = 24 * page_bytes(), .entries = 5});
  std::vector<std::uint64_t> changed(64, 0);  // by page: the last key before its last event
  std::deque<Lease> held;
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t page = random() % 50;
    const std::size_t count = 1 + random() % 8;
    const unsigned action = random() % 10;
    if (action < 7) {
      Lease lease = acquire(page, count);
      for (std::size_t i = page; i < page + count; ++i) {
        ASSERT_GT(lease.region().local_key, changed[i]) << "stale, at step " << step;
      }
      ASSERT_TRUE(device.live.contains(lease.region().handle));
      if (random() % 2 == 0) held.push_back(std::move(lease));
    } else if (action < 9) {
      monitor->report(pages(page, count),
                      random() % 2 == 0 ? MemoryEvent::unmapped : MemoryEvent::emptied);
      for (std::size_t i = page; i < page + count; ++i) changed[i] = device.last_key;
    }
    while (held.size() > random() % 6) held.pop_front();
    for (const Lease& lease : held) ASSERT_TRUE(device.live.contains(lease.region().handle));
    const RegistrationCounters now = cache->counters();
    ASSERT_LE(now.entries, 5U);
    ASSERT_EQ(now.pinned_bytes, device.pinned);
    if (held.empty()) {
      cache->reap();
      ASSERT_LE(device.pinned, 24 * page_bytes());
    }
  }
  held.clear();
  const RegistrationCounters end = cache->counters();
  EXPECT_GT(end.hits, 500U);
  EXPECT_GT(end.invalidations, 500U);
  EXPECT_GT(end.evictions, 500U);
}

}  // namespace
}  // namespace remit
