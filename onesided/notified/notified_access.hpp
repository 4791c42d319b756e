// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Notified access of a window: operations that tell their target by counters.
#pragma once

#include <cstdint>
#include <memory>

#include "onesided/notified/notify.hpp"
#include "onesided/window_core.hpp"

namespace remit {

/// Whether a window has counters of notifications, which all members make and free together, and
/// how this process adds to those of others. The thread that holds the process.
class NotifiedAccess {
 public:
  /// `window` must outlive it.
  explicit NotifiedAccess(WindowCore& window) : window_(window) {}

  /// Makes `count` counters for this process. Collective; waits. MPI_ERR_RMA_SYNC: there are some
  /// already.
  [[nodiscard]] Expected<> create(const CommCall& call, std::uint32_t count);
  /// Collective; waits for all members, and for the operations of this one. MPI_ERR_RMA_SYNC: there
  /// are none, or requests wait for them; then nothing is done.
  [[nodiscard]] Expected<> free(const CommCall& call);
  /// MPI_ERR_RMA_SYNC: requests wait for counters, so `function` may not free the window.
  [[nodiscard]] Expected<> check_free(const char* function) const;

  /// Null: there are none.
  [[nodiscard]] Notifications* counters() const { return counters_.get(); }
  /// Whether operations may notify a member by a counter.
  [[nodiscard]] Expected<> check(int rank, int index) const;
  /// Adds to the counter behind the operation on that member which was started last.
  [[nodiscard]] Expected<> notify(int rank, std::uint32_t index);

  /// A member has told by a message. False: there is no such counter.
  [[nodiscard]] bool arrived(std::uint32_t index);

 private:
  WindowCore& window_;
  std::unique_ptr<Notifications> counters_;  ///< null: nobody has made any
};

}  // namespace remit
