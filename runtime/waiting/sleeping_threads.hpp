// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Threads of one process that sleep in MPI at the same time, and how others of them wake them.
#pragma once

#include <cstddef>
#include <vector>

namespace remit {

/// The threads that sleep in Progress::wait(), where several may be in MPI. Each has an event
/// (eventfd) of its own, for what one of them waits for may come true without an event of any
/// source, by the call of another one. Everything here happens with the MPI lock held, which a
/// thread gives up only while it is blocked.
class SleepingThreads {
 public:
  SleepingThreads() = default;
  ~SleepingThreads();
  SleepingThreads(const SleepingThreads&) = delete;
  SleepingThreads& operator=(const SleepingThreads&) = delete;

  /// A thread is about to sleep; true if no other one does.
  [[nodiscard]] bool enter() { return count_++ == 0; }
  /// A thread is awake again; true if no other one sleeps.
  [[nodiscard]] bool leave() { return --count_ == 0; }

  /// An event for a thread that enters; -1: the system has none.
  [[nodiscard]] int take_event();
  /// Takes it back, no longer signalled.
  void give_back(int event) noexcept;

  /// From here on wake() makes `event` readable, once.
  void block_on(int event) { to_wake_.push_back(event); }
  void unblock(int event);

  /// Wakes every thread that is blocked. Costs one load when there is none.
  void wake() {
    if (!to_wake_.empty()) [[unlikely]]
      signal();
  }

 private:
  void signal();

  std::vector<int> to_wake_;  ///< events of the threads that are blocked and were not signalled
  std::vector<int> idle_;     ///< events that no thread uses now; it has room for all
  std::size_t made_ = 0;      ///< events that there are
  int count_ = 0;
};

}  // namespace remit
