// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The targets that one process has locked in a window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "onesided/synchronization/ticket_lock.hpp"

namespace remit {

/// A target that this process has locked.
struct HeldLock {
  int rank = 0;
  bool exclusive = false;
  bool taken = true;              ///< false: MPI_MODE_NOCHECK, nothing has to be given back
  TicketLock::Ticket ticket = 0;  ///< of a lock whose words are in memory of this host
};

/// They are in the order of locking. Of those that were added as marked it is known at once whether
/// a rank is among them, however many there are. One thread at a time.
class HeldLocks {
 public:
  /// Of a window of so many members.
  explicit HeldLocks(int members) : members_(members) { held_.reserve(kAtHand); }

  [[nodiscard]] const std::vector<HeldLock>& all() const { return held_; }

  void add(const HeldLock& held) { held_.push_back(held); }
  /// Null: the rank is not locked.
  [[nodiscard]] const HeldLock* find(int rank) const {
    if (!held_.empty() && held_.back().rank == rank) [[likely]]
      return &held_.back();
    return look_up(rank);
  }
  /// Whether the rank was locked last. There is at least one.
  [[nodiscard, gnu::always_inline]] bool last_is(int rank) const {
    return held_.back().rank == rank;
  }
  /// The lock of the rank, if there is no other one; null: it is not so.
  [[nodiscard, gnu::always_inline]] const HeldLock* only(int rank) const {
    return held_.size() == 1 && held_.front().rank == rank ? held_.data() : nullptr;
  }
  /// `held` is what find() has returned.
  HeldLock remove(const HeldLock* held);
  /// Of those that were not marked.
  void clear() { held_.clear(); }

  /// Before the first one is added as marked; it may be said again.
  void prepare_marks();
  [[nodiscard]] bool has_marks() const { return !marks_.empty(); }
  void add_marked(const HeldLock& held);
  [[nodiscard]] bool is_marked(int rank) const {
    const auto index = static_cast<unsigned>(rank);
    return (marks_[index / kBits] >> index % kBits & 1) != 0;
  }
  /// Of those that were marked.
  void clear_marked();

 private:
  static constexpr unsigned kBits = 64;
  /// So many locks take no memory, so that the short way of a lock cannot fail.
  static constexpr std::size_t kAtHand = 4;

  [[nodiscard]] const HeldLock* look_up(int rank) const;

  int members_;
  std::vector<HeldLock> held_;
  std::vector<std::uint64_t> marks_;  ///< a bit for each member; none: nobody has prepared them
};

}  // namespace remit
