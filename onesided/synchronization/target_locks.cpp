// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/synchronization/target_locks.hpp"

#include <algorithm>
#include <vector>

#include "onesided/synchronization/window_waits.hpp"
#include "runtime/clock.hpp"

namespace remit {

namespace {

/// Locks of members' memory that were not free.
std::uint64_t locks_waited_for(const WindowCore& window) {
  const std::uint64_t of_adapter =
      window.adapter != nullptr ? window.adapter->locks().waits() : std::uint64_t{0};
  return window.host.waits() + window.remote.lock_waits() + of_adapter;
}

}  // namespace

Expected<HeldLock> take_lock(WindowCore& window, int rank, bool exclusive, LockWait* subject) {
  HeldLock held{rank, exclusive, true, 0};
  Events& events = window.manager.process().events();
  const bool watched = events.wanted(EventKind::lock_waited);
  const std::uint64_t waited_before = watched ? locks_waited_for(window) : 0;
  const std::int64_t began_ns = watched ? monotonic_ns() : 0;
  const auto taken = window.adapter != nullptr
                         ? window.adapter->locks().lock(rank, exclusive, held.ticket, subject)
                     : window.members.control(rank) != nullptr
                         ? window.host.lock(rank, exclusive, held.ticket, subject)
                         : window.remote.lock(rank, exclusive, subject);
  if (!taken) return tl::unexpected(taken.error());
  if (watched && locks_waited_for(window) != waited_before) {
    events.raise(EventKind::lock_waited, window.comm.context, number_of(window.members.proc(rank)),
                 monotonic_ns() - began_ns, exclusive ? 1 : 0);
  }
  return held;
}

Expected<> lock_one_of_all(WindowCore& window, int rank) {
  LockWait subject(window.comm, "MPI_Win_lock_all", rank, false, window.members.lock_words(rank));
  std::vector<int>& locking = window.locking;
  const auto is_free = [&] {
    return std::find(locking.begin(), locking.end(), rank) == locking.end();
  };
  // While another thread waits for this lock nobody asks for it a second time.
  window.manager.progress().wait(is_free, &subject);
  if (!window.epochs.wants_lock(rank)) return {};
  locking.push_back(rank);
  const auto held = take_lock(window, rank, false, &subject);
  std::erase(locking, rank);
  if (held) window.epochs.add_lock(*held);
  window.manager.progress().wake_sleepers();
  if (!held) return tl::unexpected(held.error());
  return {};
}

void give_back(WindowCore& window, const HeldLock& held) {
  if (!held.taken) return;
  if (window.adapter != nullptr) {
    window.adapter->locks().unlock(held.rank, held.exclusive, held.ticket);
  } else if (MemberControl* const target = window.members.control(held.rank)) {
    window.host.unlock(*target, held.exclusive, held.ticket);
  } else {
    window.remote.unlock(held.rank, held.exclusive);
  }
}

}  // namespace remit
