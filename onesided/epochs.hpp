// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The epochs of one process on one window: which call may follow which (MPI-5.0, section 12.5).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "onesided/ticket_lock.hpp"
#include "runtime/error.hpp"

namespace remit {

/// A target that this process has locked, by itself or with all.
struct HeldLock {
  int rank = 0;
  bool exclusive = false;
  bool taken = true;  ///< false: MPI_MODE_NOCHECK, nothing has to be given back
  TicketLock::Ticket ticket = 0;  ///< where the lock's words are in memory of this host
};

/// A state machine that moves no bytes and waits for nobody. Its functions say whether a call may
/// be made now, MPI_ERR_RMA_SYNC with words if not, and take note of it. One thread at a time.
class Epochs {
 public:
  /// The access epoch of this process.
  enum class Access : std::uint8_t { none, fence, start, locks, lock_all };

  [[nodiscard]] Access access() const { return access_; }
  [[nodiscard]] bool is_passive() const { return access_ >= Access::locks; }
  [[nodiscard]] bool is_exposed() const { return exposed_; }

  /// Whether an operation may go to `rank` now. It is noted that there was one.
  [[nodiscard, gnu::always_inline]] bool admits(int rank) {
    switch (access_) {
      case Access::lock_all:
        return holds_at_all(rank);
      case Access::locks:
        return find(rank) != nullptr;
      case Access::fence:
        fence_used_ = true;
        return true;
      case Access::start:
        return std::binary_search(started_.begin(), started_.end(), rank);
      case Access::none:
        return false;
    }
    return false;
  }
  /// What to say of an operation that is not admitted.
  [[nodiscard]] Error refusal(int rank) const;

  /// `ends`: MPI_MODE_NOSUCCEED, no epoch begins.
  [[nodiscard]] Expected<> fence(bool ends);
  [[nodiscard]] Expected<> start(std::vector<int> ranks);
  /// The targets of the epoch that has ended, ascending.
  [[nodiscard]] Expected<std::vector<int>> complete();
  [[nodiscard]] Expected<> post();
  [[nodiscard]] Expected<> wait();  ///< also test: may it be called? end_exposure() ends it
  void end_exposure() { exposed_ = false; }

  [[nodiscard]] Expected<> check_lock(int rank) const;
  void lock(const HeldLock& held);
  [[nodiscard]] Expected<HeldLock> unlock(int rank);
  [[nodiscard]] Expected<> lock_all(bool check);
  /// The locks that were taken meanwhile.
  [[nodiscard]] Expected<std::vector<HeldLock>> unlock_all();
  /// With MPI_Win_lock_all a target is locked when the first operation goes there.
  [[nodiscard]] bool wants_lock(int rank) const {
    return access_ == Access::lock_all && checks_ && find(rank) == nullptr;
  }
  /// MPI_Win_flush and its kin. `rank` < 0: of all.
  [[nodiscard]] Expected<> check_flush(int rank) const;
  /// MPI_Win_free.
  [[nodiscard]] Expected<> check_free() const;

  /// The lock of a target, or null.
  [[nodiscard]] const HeldLock* find(int rank) const {
    if (last_ < held_.size() && held_[last_].rank == rank) [[likely]]
      return &held_[last_];
    return look_up(rank);
  }

 private:
  [[nodiscard]] bool holds_at_all(int rank) const { return !checks_ || find(rank) != nullptr; }
  [[nodiscard]] const HeldLock* look_up(int rank) const;
  [[nodiscard]] Expected<> no_access(const char* call) const;

  Access access_ = Access::none;
  bool fence_used_ = false;  ///< operations since the last fence
  bool exposed_ = false;     ///< between post and wait
  bool checks_ = true;       ///< false: lock_all with MPI_MODE_NOCHECK
  std::vector<int> started_;
  std::vector<HeldLock> held_;  ///< in the order of locking
  mutable std::size_t last_ = 0;  ///< the one that was looked up last
};

}  // namespace remit
