// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Synchronization of a window between members of one host, by the words that they share. The
// target needs to do nothing for it.
#pragma once

#include <cstdint>
#include <vector>

#include "onesided/memory/members.hpp"
#include "onesided/one_sided.hpp"
#include "runtime/error.hpp"

namespace remit {

class LockWait;

/// All ranks are of members on this host. The thread that holds the process.
class HostSync {
 public:
  HostSync(OneSided& manager, WindowMembers& members) : manager_(manager), members_(members) {}

  // Passive target.

  /// Takes the lock if nobody stands before this process. `ticket`: what a writer gives it back by.
  [[nodiscard, gnu::always_inline]] bool try_lock(MemberControl& target, bool exclusive,
                                                  TicketLock::Ticket& ticket) {
    TicketLock& lock = target.access.lock;
    if (!exclusive) return lock.try_reader();
    if (!lock.try_writer(ticket)) return false;
    note_writer(target);
    return true;
  }
  /// Takes it in the order of those who want it, and waits. MPI_ERR_PROC_ABORTED: a process that
  /// has it, or stands before this one, has ended.
  [[nodiscard]] Expected<> lock(int rank, bool exclusive, TicketLock::Ticket& ticket,
                                LockWait* subject);
  [[gnu::always_inline]] void unlock(MemberControl& target, bool exclusive,
                                     TicketLock::Ticket ticket) {
    TicketLock& lock = target.access.lock;
    if (exclusive) {
      lock.writer_leaves(ticket);
    } else {
      lock.reader_leaves();
    }
    lock_moved(target);
  }
  /// The lock was given back: who sleeps for it looks again.
  [[gnu::always_inline]] void lock_moved(const MemberControl& target) {
    // The compiler must not look before that, and the processor rarely does: see WordWatch.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (target.access.sleepers.load(std::memory_order_relaxed) != 0) [[unlikely]]
      wake_lockers(target);
  }

  // Active target.

  /// Tells `rank` that this process has exposed its memory. False: there is no room for that at the
  /// moment, and it is to be told by a message.
  [[nodiscard]] bool tell_posted(int rank);
  /// Takes the posts of these members out, as far as they have come.
  void take_posts(std::vector<int>& missing);
  /// Tells `rank` that an access of this process has ended.
  void tell_completed(int rank);

  /// Ends the sleep of `rank`, if it waits for a signal. The signal has been stored.
  void tell_signalled(int rank);

  [[nodiscard]] Progress& progress() { return manager_.progress(); }
  /// Locks that were not free when this process wanted them.
  [[nodiscard]] std::uint64_t waits() const { return waits_; }

 private:
  /// For reports.
  void note_writer(MemberControl& target) {
    target.access.holder.store(static_cast<std::uint32_t>(members_.rank()) + 1,
                               std::memory_order_relaxed);
  }
  void wake_lockers(const MemberControl& target);

  OneSided& manager_;
  WindowMembers& members_;
  std::uint64_t waits_ = 0;
};

}  // namespace remit
