// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A device that only registers and a monitor that is told what happened, for tests of the
// registration cache.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "rdma_btl/registration/memory_monitor.hpp"
#include "tests/unit/rdma_btl/registration/lonely_device.hpp"

namespace remit::testing {

/// Registers within a limit; everything else is not there.
class RegisteringDevice : public LonelyDevice {
 public:
  RegisteringDevice() : LonelyDevice("fake") {}

  Expected<Region> register_memory(void* address, std::size_t length, Access access) override {
    ++registrations;
    if (pinned + length > limit) return fail(MPI_ERR_OTHER, "Cannot allocate memory");
    if (read_only && access != Access::remote_read) return fail(MPI_ERR_OTHER, "Bad address");
    pinned += length;
    const std::uint64_t key = ++last_key;
    live[key] = {address, length, key, key + 1'000'000, key};
    return live[key];
  }
  void deregister(const Region& region) override {
    EXPECT_EQ(std::this_thread::get_id(), thread) << "deregistered by a foreign thread";
    ASSERT_EQ(live.erase(region.handle), 1U) << "deregistered twice";
    pinned -= region.length;
  }

  std::size_t limit = ~std::size_t{0};
  bool read_only = false;
  std::size_t pinned = 0;
  std::uint64_t registrations = 0;
  std::uint64_t last_key = 0;
  std::map<std::uint64_t, Region> live;
  std::thread::id thread = std::this_thread::get_id();
};

/// Watches what it is asked to and hears what the test says.
class FakeMonitor final : public MemoryMonitor {
 public:
  std::string_view name() const override { return "fake"; }
  void attach(MemoryEvents& events) override { events_ = &events; }
  bool watch(AddressRange pages) override {
    if (refuse) return false;
    for (std::uintptr_t page = pages.begin; page < pages.end; page += page_bytes()) {
      watched.insert(page);
    }
    return true;
  }
  void unwatch(AddressRange pages) noexcept override {
    for (std::uintptr_t page = pages.begin; page < pages.end; page += page_bytes()) {
      watched.erase(page);
    }
  }
  bool quiet() noexcept override { return unread == 0 || --unread == 0; }

  void report(AddressRange range, MemoryEvent event = MemoryEvent::unmapped) {
    const std::lock_guard lock(events_->mutex());
    if (event == MemoryEvent::unmapped) unwatch(range);  // as the kernel does
    events_->memory_changed(range, event);
  }

  bool refuse = false;
  int unread = 0;  ///< times that quiet() says no, and one
  std::set<std::uintptr_t> watched;

 private:
  MemoryEvents* events_ = nullptr;
};

/// Accepts everything and never says a word: what a cache must not have.
class BlindMonitor final : public MemoryMonitor {
 public:
  std::string_view name() const override { return "blind"; }
  void attach(MemoryEvents&) override {}
  bool watch(AddressRange) override { return true; }
  void unwatch(AddressRange) noexcept override {}
  bool quiet() noexcept override { return true; }
};

}  // namespace remit::testing
