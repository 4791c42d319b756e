// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/memory/granule.hpp"

#include <bit>

#include "runtime/clock.hpp"
#include "runtime/progress.hpp"
#include "runtime/waiting/core_yield.hpp"

namespace remit {
namespace {

/// Looks at a lock before the core is given away: a holder that runs is done by then.
constexpr int kGranuleLooks = 400;

/// How long a lock is waited for before somebody asks whether its holder still lives.
constexpr std::int64_t kHolderPatienceNs = 100'000'000;

/// Reads before it writes, so that waiters leave the line to the holder.
bool try_if_free(GranuleLock& lock, std::uint32_t self) {
  return lock.holder.load(std::memory_order_relaxed) == 0 && try_lock(lock, self);
}

/// The error, if the lock's holder has ended.
Expected<> check_holder(const GranuleLock& lock, const HolderWatch& watch) {
  const std::uint32_t holder = lock.holder.load(std::memory_order_relaxed);
  if (holder == 0 || !watch.has_ended(holder - 1)) return {};
  // It may have given the lock back before it ended. Who has ended takes none.
  if (lock.holder.load(std::memory_order_acquire) != holder) return {};
  return fail(MPI_ERR_PROC_ABORTED,
              "process {} of the window's members on this host has ended inside of an accumulate "
              "to the same memory, whose values are undefined now",
              holder - 1);
}

}  // namespace

Expected<> wait_for_granule(GranuleLock& lock, std::uint32_t self, const HolderWatch* watch) {
  for (int looks = 0; looks < kGranuleLooks; ++looks) {
    cpu_relax();
    if (try_if_free(lock, self)) return {};
  }
  std::int64_t next_check = monotonic_ns() + kHolderPatienceNs;
  for (;;) {
    yield_core();
    if (try_if_free(lock, self)) return {};
    if (watch == nullptr || monotonic_ns() < next_check) continue;
    if (auto ok = check_holder(lock, *watch); !ok) return ok;
    next_check = monotonic_ns() + kHolderPatienceNs;
  }
}

void GranuleHold::release() {
  for (; held_ != 0; held_ &= held_ - 1)
    unlock(memory_.granules[static_cast<std::size_t>(std::countr_zero(held_))]);
}

Expected<> GranuleHold::exchange(GranuleSet wanted) {
  release();
  for (GranuleSet rest = wanted; rest != 0; rest &= rest - 1) {
    GranuleLock& lock = memory_.granules[static_cast<std::size_t>(std::countr_zero(rest))];
    if (!try_lock(lock, memory_.self)) {
      if (auto ok = wait_for_granule(lock, memory_.self, memory_.watch); !ok) {
        release();
        return ok;
      }
    }
    held_ |= rest & ~(rest - 1);
  }
  return {};
}

}  // namespace remit
