// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The epochs of one process on one window: which call may follow which (MPI-5.0, section 12.5).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "onesided/synchronization/held_locks.hpp"
#include "runtime/error.hpp"

namespace remit {

/// A state machine that moves no bytes and waits for nobody. Its functions say whether a call may
/// be made now, MPI_ERR_RMA_SYNC with words if not, and take note of it. Ranks are of the window's
/// group. One thread at a time.
class Epochs {
 public:
  explicit Epochs(int members) : locks_(members) {}

  /// The access epoch of this process.
  enum class Access : std::uint8_t { none, fence, start, locks, lock_all };

  [[nodiscard]] Access access() const { return access_; }
  [[nodiscard]] bool is_passive() const { return access_ >= Access::locks; }

  /// Whether an operation may go to `rank` now, which is noted. False also of a target that is to
  /// be locked first (wants_lock()).
  [[nodiscard]] bool admits(int rank) {
    switch (access_) {
      case Access::lock_all:
        return !checks_ || locks_.is_marked(rank);
      case Access::locks:
        return locks_.find(rank) != nullptr;
      case Access::fence:
        fence_used_ = true;
        return true;
      case Access::start:
        return std::binary_search(started_.begin(), started_.end(), rank);
      case Access::none:
        break;
    }
    return false;
  }
  /// The same for short ways: where admits() would have to search, it is false.
  [[nodiscard, gnu::always_inline]] bool admits_at_once(int rank) {
    switch (access_) {
      case Access::lock_all:
        return !checks_ || locks_.is_marked(rank);
      case Access::locks:
        return locks_.last_is(rank);
      case Access::fence:
        fence_used_ = true;
        return true;
      case Access::start:
        return started_.size() == 1 && started_.front() == rank;
      case Access::none:
        break;
    }
    return false;
  }
  /// With MPI_Win_lock_all a target is locked when the first operation goes there: add_lock().
  [[nodiscard]] bool wants_lock(int rank) const {
    return access_ == Access::lock_all && checks_ && !locks_.is_marked(rank);
  }
  /// What to say of an operation that is not admitted.
  [[nodiscard]] Error refusal(int rank) const;

  /// `ends`: MPI_MODE_NOSUCCEED, no epoch begins.
  [[nodiscard]] Expected<> fence(bool ends);
  [[nodiscard]] Expected<> check_start() const;
  void start(std::vector<int> ranks);
  /// The targets of the epoch, which ends, ascending.
  [[nodiscard]] Expected<std::vector<int>> complete();
  [[nodiscard]] Expected<> post();
  /// MPI_Win_wait and MPI_Win_test. end_exposure() ends it.
  [[nodiscard]] Expected<> check_wait() const;
  void end_exposure() { exposed_ = false; }

  [[nodiscard]] Expected<> check_lock(int rank) const;
  void lock(const HeldLock& held) {
    access_ = Access::locks;
    locks_.add(held);
  }
  /// The epoch on `rank` ends.
  [[nodiscard]] Expected<HeldLock> unlock(int rank);
  /// For short ways: the lock of `rank`, if it is the only one; null: it is not. end_only_lock()
  /// ends its epoch.
  [[nodiscard, gnu::always_inline]] const HeldLock* only_lock(int rank) const {
    return access_ == Access::locks ? locks_.only(rank) : nullptr;
  }
  void end_only_lock() {
    locks_.clear();
    access_ = Access::none;
  }
  /// `checks`: not MPI_MODE_NOCHECK.
  [[nodiscard]] Expected<> lock_all(bool checks);
  /// The short way of lock_all(true), where nothing is open. False: nothing was done.
  [[nodiscard, gnu::always_inline]] bool try_lock_all() {
    if (access_ != Access::none || !locks_.has_marks()) [[unlikely]]
      return false;
    access_ = Access::lock_all;
    checks_ = true;
    return true;
  }
  void add_lock(const HeldLock& held) { locks_.add_marked(held); }
  [[nodiscard]] Expected<> check_unlock_all() const;
  /// The epoch ends; `held()` are given back already.
  void end_lock_all() {
    access_ = Access::none;
    locks_.clear_marked();
  }
  /// The targets that are locked.
  [[nodiscard]] const std::vector<HeldLock>& held() const { return locks_.all(); }
  /// MPI_Win_flush and its kin. `rank` < 0: of all.
  [[nodiscard]] Expected<> check_flush(int rank) const;
  /// The same for short ways: false where it would have to search.
  [[nodiscard, gnu::always_inline]] bool may_flush_at_once(int rank) const {
    return access_ == Access::lock_all ||
           (access_ == Access::locks && (rank < 0 || locks_.last_is(rank)));
  }
  /// MPI_Win_free.
  [[nodiscard]] Expected<> check_free() const;

 private:
  [[nodiscard]] const char* name_of_access() const;
  [[nodiscard]] Expected<> check_none(const char* call) const;

  Access access_ = Access::none;
  bool fence_used_ = false;  ///< operations since the last fence
  bool exposed_ = false;     ///< between post and wait
  bool checks_ = true;       ///< of lock_all; false: MPI_MODE_NOCHECK
  std::vector<int> started_;
  HeldLocks locks_;  ///< some, with Access::locks; with Access::lock_all all are marked
};

}  // namespace remit
