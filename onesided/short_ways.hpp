// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The short ways of a window: what a call does where nothing is out of the ordinary.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "onesided/elements/plain_change.hpp"
#include "onesided/synchronization/target_locks.hpp"
#include "onesided/window_core.hpp"
#include "runtime/copy.hpp"

namespace remit {

/// Each does all at once and returns true, or does nothing: then WindowOperations or PassiveTarget
/// does it, or says what is wrong. None waits. A value that is made for one call and becomes part
/// of it, so that it takes no step to what it works on.
class ShortWays {
 public:
  explicit ShortWays(WindowCore& window) : window_(window) {}

  /// A put or get of plain bytes.
  [[nodiscard, gnu::always_inline]] bool try_put(const void* from, std::size_t bytes, int rank,
                                                 MPI_Aint displacement) {
    std::byte* const to = plain_place(bytes, rank, displacement);
    if (to == nullptr) [[unlikely]]
      return false;
    copy_plain(to, from, bytes);
    return true;
  }
  [[nodiscard, gnu::always_inline]] bool try_get(void* to, std::size_t bytes, int rank,
                                                 MPI_Aint displacement) {
    const std::byte* const from = plain_place(bytes, rank, displacement);
    if (from == nullptr) [[unlikely]]
      return false;
    copy_plain(to, from, bytes);
    return true;
  }

  /// Where those of accumulates find so many bytes of the target; none: that is not so simple.
  [[nodiscard, gnu::always_inline]] PlainElements plain_elements(std::size_t bytes, int rank,
                                                                 MPI_Aint displacement) {
    std::byte* const at = plain_place(bytes, rank, displacement);
    if (at == nullptr) [[unlikely]]
      return {};
    const WindowMembers& members = window_.members;
    const HostSegment& segment = members.segment();
    const MemberEntry& entry = members.entry(rank);
    const auto offset = static_cast<std::uint64_t>(at - segment.memory(entry.segment_offset));
    return {at, entry.base + offset, members.lock_words(rank), segment.index() + 1,
            members.watch()};
  }

  /// A lock that is free.
  [[nodiscard, gnu::always_inline]] bool try_lock(int rank, bool exclusive) {
    if (static_cast<unsigned>(rank) >= static_cast<unsigned>(window_.members.size()) ||
        window_.epochs.access() != Epochs::Access::none) [[unlikely]]
      return false;
    MemberControl* const target = window_.members.lock_words(rank);
    HeldLock held{rank, exclusive, true, 0};
    if (target == nullptr || !window_.host.try_lock(*target, exclusive, held.ticket)) [[unlikely]]
      return false;
    window_.epochs.lock(held);
    return true;
  }
  /// An unlock where no other target is locked. Where this process serves others it is left to
  /// PassiveTarget, which polls now and then.
  [[nodiscard, gnu::always_inline]] bool try_unlock(int rank) {
    const HeldLock* const held = window_.epochs.only_lock(rank);
    if (held == nullptr || !held->taken || window_.is_served || window_.remote.targets().busy())
        [[unlikely]]
      return false;
    MemberControl* const target = window_.members.lock_words(rank);
    if (target == nullptr) [[unlikely]]
      return false;
    window_.host.unlock(*target, held->exclusive, held->ticket);
    window_.epochs.end_only_lock();
    return true;
  }
  [[nodiscard, gnu::always_inline]] bool try_lock_all() {
    return window_.spec.flavor != MPI_WIN_FLAVOR_SHARED && window_.epochs.try_lock_all();
  }
  [[nodiscard, gnu::always_inline]] bool try_unlock_all() {
    if (window_.epochs.access() != Epochs::Access::lock_all || window_.is_served ||
        window_.remote.targets().busy()) [[unlikely]]
      return false;
    give_back_all(window_);
    window_.epochs.end_lock_all();
    return true;
  }

  /// A flush of `rank`, or of kAllMembers, that has nothing to wait for.
  [[nodiscard, gnu::always_inline]] bool try_flush(int rank) {
    if (!window_.epochs.may_flush_at_once(rank) || window_.is_served ||
        window_.remote.targets().busy()) [[unlikely]]
      return false;
    std::atomic_thread_fence(std::memory_order_release);
    return true;
  }

 private:
  /// As copy_bytes(); most often it is one word.
  [[gnu::always_inline]] static void copy_plain(void* to, const void* from, std::size_t bytes) {
    if (bytes != sizeof(std::uint64_t)) return copy_bytes(to, from, bytes);
    std::memcpy(to, from, sizeof(std::uint64_t));
  }
  /// Where `bytes` of the target's memory that this process has mapped are to be written or read;
  /// null: that is not so simple.
  [[nodiscard, gnu::always_inline]] std::byte* plain_place(std::size_t bytes, int rank,
                                                           MPI_Aint displacement) {
    const WindowMembers& members = window_.members;
    if (static_cast<unsigned>(rank) >= static_cast<unsigned>(members.size()) ||
        !window_.epochs.admits_at_once(rank)) [[unlikely]]
      return nullptr;
    const MemberEntry& entry = members.entry(rank);
    std::int64_t product = 0;  // of signed numbers: that takes no certain registers
    if (entry.segment_offset == MemberEntry::kElsewhere || displacement < 0 ||
        __builtin_mul_overflow(displacement, std::int64_t{entry.displacement_unit}, &product))
        [[unlikely]]
      return nullptr;
    const auto offset = static_cast<std::uint64_t>(product);
    if (offset > entry.bytes || bytes > entry.bytes - offset) [[unlikely]]
      return nullptr;
    return members.segment().memory(entry.segment_offset) + offset;
  }

  WindowCore& window_;
};

}  // namespace remit
