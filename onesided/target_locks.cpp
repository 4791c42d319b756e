// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/target_locks.hpp"

#include "onesided/window_waits.hpp"

namespace remit {

Expected<HeldLock> take_lock(WindowCore& window, int rank, bool exclusive,
                             const WaitSubject* subject) {
  HeldLock held{rank, exclusive, true, 0};
  const auto taken = window.adapter != nullptr
                         ? window.adapter->locks().lock(rank, exclusive, held.ticket, subject)
                     : window.members.control(rank) != nullptr
                         ? window.host.lock(rank, exclusive, held.ticket, subject)
                         : window.remote.lock(rank, exclusive, subject);
  if (!taken) return tl::unexpected(taken.error());
  return held;
}

Expected<> lock_one_of_all(WindowCore& window, int rank) {
  const LockWait subject(window.comm, "MPI_Win_lock_all", rank, false,
                         window.members.lock_words(rank));
  const auto held = take_lock(window, rank, false, &subject);
  if (!held) return tl::unexpected(held.error());
  window.epochs.add_lock(*held);
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
