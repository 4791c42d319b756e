// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How the lock of a target is taken and given back, wherever the target is.
#pragma once

#include "onesided/window_core.hpp"

namespace remit {

class LockWait;

/// Waits until the target lets this process in, in the order of those who want to: by words of the
/// host, or by messages. Epochs are not asked and take no note.
[[nodiscard]] Expected<HeldLock> take_lock(WindowCore& window, int rank, bool exclusive,
                                           LockWait* subject);

/// Takes the lock of one target of MPI_Win_lock_all, which is noted: at once, or when the first
/// operation goes there.
[[nodiscard]] Expected<> lock_one_of_all(WindowCore& window, int rank);

/// Nothing is under way there any more. Epochs take no note.
void give_back(WindowCore& window, const HeldLock& held);
/// Gives all locks of this process back.
inline void give_back_all(WindowCore& window) {
  for (const HeldLock& held : window.epochs.held()) give_back(window, held);
}

}  // namespace remit
