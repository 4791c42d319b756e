// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/synchronization/lock_watch.hpp"

#include <fmt/format.h>

#include "runtime/clock.hpp"

namespace remit {

bool LockWatch::look_closely() {
  MemberControl::LockLine& line = target_.access;
  if (line.lost.load(std::memory_order_acquire) != 0) return true;
  const std::uint64_t turn = line.lock.turn();
  if (turn != turn_ || held_ns_ == 0) {
    turn_ = turn;
    held_ns_ = monotonic_ns();
    unchanged_ = 0;
    return false;
  }
  if (++unchanged_ < kPatience) return false;
  const int lost = find_lost();
  if (lost < 0) return false;
  line.lost.store(static_cast<std::uint32_t>(lost) + 1, std::memory_order_release);
  return true;
}

/// A rank; negative: nobody. The last writer is known by its number. Another member of this host
/// that has ended may have waited, which its own words still say; or may have been one of the
/// readers that have the lock now: who they are is known to nobody.
int LockWatch::find_lost() {
  const MemberControl::LockLine& line = target_.access;
  const bool written = line.lock.written();
  const std::uint32_t holder = line.holder.load(std::memory_order_relaxed);
  if (written && holder != 0 && holder <= static_cast<std::uint32_t>(members_.size())) {
    const int writer = static_cast<int>(holder - 1);
    if (members_.has_ended(writer)) return writer;
  }
  const HostSegment& segment = members_.segment();
  const std::uint32_t index = next_++ % segment.members();
  const MemberControl::Identity& other = segment.control(index).identity;
  if (!has_ended(other.sign)) return -1;
  const bool waited =
      other.awaits_lock_of.load(std::memory_order_relaxed) == members_.index_of(target_) + 1;
  return waited || !written ? members_.rank_of_local(index) : -1;
}

Error lost_lock(const MemberControl::LockLine& line, int rank) {
  return {MPI_ERR_PROC_ABORTED,
          fmt::format("rank {} has ended while it had the lock of rank {} or waited for it",
                      line.lost.load(std::memory_order_acquire) - 1, rank)};
}

}  // namespace remit
