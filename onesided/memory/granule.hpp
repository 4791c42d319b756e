// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which locks keep accumulates to a member's memory apart, and how they are taken.
#pragma once

#include <atomic>
#include <cstdint>

#include "onesided/memory/control.hpp"
#include "onesided/memory/member_memory.hpp"
#include "runtime/error.hpp"

namespace remit {

/// Bytes of a granule, which begins at a multiple of them. All processes of a host agree on it.
inline constexpr std::uint64_t kGranuleBytes = 4096;

/// Granule locks of one member: bit i stands for the i-th.
using GranuleSet = std::uint32_t;

/// The index of the lock of the granule that holds the byte at `address`. Neighbours have different
/// ones, and so have granules that are a power of two apart, as rows of a matrix are: each step is
/// a number of fifteenths of all locks. All processes of a host agree on it.
[[nodiscard]] constexpr std::uint32_t granule_lock_of(std::uint64_t address) {
  constexpr std::uint64_t kFifteenth = 0x1111111111111111;
  static_assert(MemberControl::kGranuleLocks == 16);
  return static_cast<std::uint32_t>(address / kGranuleBytes * kFifteenth >> 60);
}

/// The locks of the granules that `bytes` bytes from `address` on touch; at least one byte.
[[nodiscard]] constexpr GranuleSet granules_of(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t last = (address + bytes - 1) / kGranuleBytes;
  GranuleSet set = 0;
  for (std::uint64_t granule = address / kGranuleBytes; granule <= last; ++granule)
    set |= GranuleSet{1} << granule_lock_of(granule * kGranuleBytes);
  return set;
}

/// Whether one lock is enough for these bytes.
[[nodiscard]] constexpr bool is_in_one_granule(std::uint64_t address, std::uint64_t bytes) {
  return address % kGranuleBytes + bytes <= kGranuleBytes;
}

/// Tells those who wait for a granule whether its holder can still give it back.
class HolderWatch {
 public:
  virtual ~HolderWatch() = default;
  /// Whether the process with this index among the window's members of this host has ended. The
  /// index comes out of shared memory and may be none.
  [[nodiscard]] virtual bool has_ended(std::uint32_t index) const = 0;
};

[[nodiscard, gnu::always_inline]] inline bool try_lock(GranuleLock& lock, std::uint32_t self) {
  std::uint32_t free = 0;
  return lock.holder.compare_exchange_strong(free, self, std::memory_order_acquire,
                                             std::memory_order_relaxed);
}

[[gnu::always_inline]] inline void unlock(GranuleLock& lock) {
  lock.holder.store(0, std::memory_order_release);
}

/// After a failed try_lock(): waits until this process has the lock, which others may take before
/// it. It gives its core away when that takes longer than a holder computes, for the holder may be
/// off its own. MPI_ERR_PROC_ABORTED: the holder has ended with it (`watch` may be null: nobody
/// knows).
[[nodiscard]] Expected<> wait_for_granule(GranuleLock& lock, std::uint32_t self,
                                          const HolderWatch* watch);

/// Locks of one member that this process has. It never waits for one of a lower index than that of
/// one it has, so that any number of processes may hold several. One thread at a time, and one hold
/// a thread.
class GranuleHold {
 public:
  explicit GranuleHold(const MemberMemory& memory) : memory_(memory) {}
  ~GranuleHold() { release(); }
  GranuleHold(const GranuleHold&) = delete;
  GranuleHold& operator=(const GranuleHold&) = delete;

  /// From now on it has these and no others. With an error it has none.
  [[nodiscard]] Expected<> take(GranuleSet wanted) {
    if (wanted == held_) return {};
    return exchange(wanted);
  }
  void release();

 private:
  [[nodiscard]] Expected<> exchange(GranuleSet wanted);

  const MemberMemory& memory_;
  GranuleSet held_ = 0;
};

}  // namespace remit
