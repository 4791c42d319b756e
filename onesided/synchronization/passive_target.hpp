// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Passive target synchronization of a window (MPI-5.0, sections 12.5.3 and 12.5.4).
#pragma once

#include <cstdint>

#include "onesided/window_core.hpp"

namespace remit {

/// Locks and flushes of this process, for which no target makes a call. `assertion`: what MPI_MODE_
/// bits the program gave. MPI_ERR_RMA_SYNC: the call may not follow those before. The thread that
/// holds the process.
class PassiveTarget {
 public:
  /// `window` must outlive it.
  explicit PassiveTarget(WindowCore& window) : window_(window) {}

  [[nodiscard]] Expected<> lock(const CommCall& call, int rank, bool exclusive, int assertion);
  [[nodiscard]] Expected<> unlock(const CommCall& call, int rank);
  /// An error: no epoch has begun, and nobody is locked.
  [[nodiscard]] Expected<> lock_all(int assertion);
  [[nodiscard]] Expected<> unlock_all(const CommCall& call);

  /// Until the operations on `rank`, or on kAllMembers, can be seen there; `local`: until the
  /// memory of this process is free.
  [[nodiscard]] Expected<> flush(const CommCall& call, int rank, bool local);
  /// A flush of `rank` by `function`, where operations by a device are all that there is to wait
  /// for and none fails. False: flush() is to do it.
  [[nodiscard]] bool try_flush(const char* function, int rank);
  /// A barrier of memory.
  void sync();

 private:
  [[nodiscard]] Expected<> lock_each();
  /// In calls that may have nothing to wait for: now and then the process polls, if it serves
  /// others.
  void serve_now_and_then();

  WindowCore& window_;
  std::uint32_t calls_ = 0;  ///< of serve_now_and_then()
};

}  // namespace remit
