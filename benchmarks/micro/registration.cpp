// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The registration cache, with an RDMA adapter if there is one, else with pages that the kernel
// pins for io_uring, and the userfaultfd monitor: what a hit, a miss and an event cost, and what
// programs pay for being watched.

#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "rdma_btl/registration/registration_cache.hpp"
#include "rdma_btl/registration/userfaultfd_monitor.hpp"
#include "rdma_btl/verbs/verbs_device.hpp"
#include "tests/unit/rdma_btl/registration/pinning_device.hpp"

namespace {

using namespace remit;

std::byte* map_touched(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  return static_cast<std::byte*>(memory);
}

std::unique_ptr<Device> open_device() {
  if (auto verbs = VerbsDevice::create({})) return std::move(*verbs);
  if (auto pinning = remit::testing::PinningDevice::open()) return std::move(*pinning);
  return nullptr;
}

// A cache as an MPI process has it. `monitored`: false is memory_monitor=none.
class Caching {
 public:
  explicit Caching(bool monitored, std::size_t entries = 4096) {
    std::vector<std::unique_ptr<MemoryMonitor>> monitors;
    if (monitored) {
      auto monitor = UserfaultfdMonitor::open();
      if (!monitor) return;
      monitors.push_back(std::move(*monitor));
    }
    device_ = open_device();
    if (!device_) return;
    watch_ = std::make_unique<MemoryWatch>(std::move(monitors));
    cache_ = std::make_unique<RegistrationCache>(*device_, *watch_,
                                                 RegistrationCache::Limits{.entries = entries});
  }
  [[nodiscard]] bool works(benchmark::State& state) const {
    if (!cache_) {
      state.SkipWithError("needs userfaultfd, and an adapter or io_uring");
      return false;
    }
    state.SetLabel(std::string(device_->caps().name));
    return true;
  }
  RegistrationCache& cache() { return *cache_; }

 private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<MemoryWatch> watch_;
  std::unique_ptr<RegistrationCache> cache_;
};

// Among `entries` registrations.
void registration_hit(benchmark::State& state) {
  Caching caching(true);
  if (!caching.works(state)) return;
  const auto entries = static_cast<std::size_t>(state.range(0));
  const std::size_t stride = 2 * page_bytes();
  std::byte* memory = map_touched(entries * stride);
  for (std::size_t i = 0; i < entries; ++i) {
    const auto lease = caching.cache().acquire(memory + i * stride, page_bytes(), Access::local);
  }
  std::size_t next = 0;
  for (auto _ : state) {
    next = (next + 7) % entries;
    benchmark::DoNotOptimize(
        caching.cache().acquire(memory + next * stride, page_bytes(), Access::local));
  }
  ::munmap(memory, entries * stride);
}
BENCHMARK(registration_hit)->Arg(1)->Arg(64)->Arg(2048);

// Registered and deregistered, by a cache with one entry (eviction) or without caching.
void registration_miss(benchmark::State& state, bool monitored) {
  Caching caching(monitored, 1);
  if (!caching.works(state)) return;
  const auto bytes = static_cast<std::size_t>(state.range(0));
  std::byte* memory = map_touched(2 * bytes);
  std::size_t next = 0;
  for (auto _ : state) {
    next = bytes - next;
    benchmark::DoNotOptimize(caching.cache().acquire(memory + next, bytes, Access::local));
  }
  ::munmap(memory, 2 * bytes);
}
BENCHMARK_CAPTURE(registration_miss, cached, true)->RangeMultiplier(16)->Range(4096, 16 << 20);
BENCHMARK_CAPTURE(registration_miss, uncached, false)->RangeMultiplier(16)->Range(4096, 16 << 20);

// mmap, first touch and munmap of a page: alone, registered each time without a monitor, and
// registered and watched, so that munmap waits until the event was read.
enum class Unmapped { plain, registered, watched };
void registration_of_fresh_memory(benchmark::State& state, Unmapped how) {
  Caching caching(how == Unmapped::watched);
  if (!caching.works(state)) return;
  for (auto _ : state) {
    std::byte* memory = map_touched(page_bytes());
    if (how != Unmapped::plain) {
      benchmark::DoNotOptimize(caching.cache().acquire(memory, page_bytes(), Access::local));
    }
    ::munmap(memory, page_bytes());
  }
}
BENCHMARK_CAPTURE(registration_of_fresh_memory, plain, Unmapped::plain);
BENCHMARK_CAPTURE(registration_of_fresh_memory, uncached, Unmapped::registered);
BENCHMARK_CAPTURE(registration_of_fresh_memory, cached, Unmapped::watched);

}  // namespace
