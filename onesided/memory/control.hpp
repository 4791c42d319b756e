// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The words of a window that its members on one host share: an agreement between processes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "onesided/synchronization/ticket_lock.hpp"

namespace remit {

inline constexpr std::size_t kControlLine = 64;  ///< bytes of a line of the cache

/// Keeps accumulates to a granule of a member's memory apart. Held for a few microseconds by a
/// process that only computes meanwhile.
struct alignas(kControlLine) GranuleLock {
  /// 0: free; else 1 + the holder's index among the members of the host.
  std::atomic<std::uint32_t> holder{0};
};

/// How other processes of the host find this one, without its help
/// (onesided/memory/process_memory.hpp). Written before the window is used.
struct ProcessSign {
  std::int32_t pid = 0;             ///< as its own namespace counts
  std::uint32_t pid_namespace = 0;  ///< a number of that; 0: unknown
  std::uint64_t word_address = 0;   ///< where it keeps `word`, which no other process has
  std::uint64_t word = 0;
};

/// One member's words. All zero at first. Every process of the host may write them, so what is read
/// is checked before it is an index.
struct MemberControl {
  static constexpr std::size_t kGranuleLocks = 16;
  static constexpr std::size_t kPostSlots = 28;

  /// Who may access the member's memory (MPI_Win_lock).
  struct alignas(kControlLine) LockLine {
    TicketLock lock;
    std::atomic<std::uint32_t> sleepers{0};  ///< members that may sleep until the lock moves on
    std::atomic<std::uint32_t> holder{0};    ///< 1 + the rank of the last writer; for reports
    /// Not 0: those who wait for the lock wait in vain, for this rank + 1 has ended while it had it
    /// or waited before them. It stays so.
    std::atomic<std::uint32_t> lost{0};
  } access;

  /// What ends the member's exposure (MPI_Win_complete at its origins).
  struct alignas(kControlLine) CompleteLine {
    std::atomic<std::uint64_t> completed{0};  ///< accesses to this member that have ended
    std::atomic<std::uint32_t> sleeps{0};     ///< the member may sleep until that changes
  } exposure;

  /// Who has exposed memory to this member (MPI_Win_post at its targets).
  struct alignas(kControlLine) PostLines {
    /// 0: free; else 1 + the rank of a target whose post this member's start has not taken yet.
    std::array<std::atomic<std::uint32_t>, kPostSlots> posts{};
    std::atomic<std::uint32_t> sleeps{0};  ///< the member may sleep until there is another one
  } posted;

  /// What is constant, or seldom changes.
  struct alignas(kControlLine) Identity {
    ProcessSign sign;
    std::uint64_t regions_address = 0;  ///< dynamic windows: of its RegionTable, in its own memory
    std::atomic<std::uint64_t> regions_version{0};  ///< ... changes before and after the table does
    /// 1 + the host's index of the member whose lock this one may sleep for; 0: none.
    std::atomic<std::uint32_t> awaits_lock_of{0};
    /// The member may sleep until a signal changes its memory (onesided/notified/signal.hpp).
    std::atomic<std::uint32_t> awaits_signal{0};
    /// Of the first member of the host: where it has allocated the counters of notifications, in
    /// its own memory. Read only while they are made; 0: there was no memory.
    std::atomic<std::uint64_t> counters_address{0};
  } identity;

  std::array<GranuleLock, kGranuleLocks> granules;
};
static_assert(sizeof(MemberControl) % kControlLine == 0);

/// Where a member's memory is and how large; the same table on each host.
struct MemberEntry {
  /// MemberEntry::segment_offset of memory that is not in the segment of the reader's host.
  static constexpr std::uint64_t kElsewhere = ~std::uint64_t{0};
  /// MemberEntry::local_index of a member on another host.
  static constexpr std::uint32_t kOtherHost = ~std::uint32_t{0};

  std::uint64_t base = 0;   ///< address in the member's own process; 0: no memory, dynamic
  std::uint64_t bytes = 0;  ///< of its memory
  std::uint64_t segment_offset = kElsewhere;
  std::uint32_t displacement_unit = 1;     ///< bytes
  std::uint32_t local_index = kOtherHost;  ///< among the members of this host
};
static_assert(sizeof(MemberEntry) == 32);

}  // namespace remit
