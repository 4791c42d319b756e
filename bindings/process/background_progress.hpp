// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// When a process has a thread that makes progress while the program computes.
#pragma once

#include <memory>

#include "bindings/process/progress_thread.hpp"

namespace remit {

/// Starts and ends the progress thread: because the user wants one, or because something is under
/// way that others wait for while the program computes, unless the user does not want one. While
/// there is a thread calls hold the lock. All calls by a thread that holds it, or that is alone in
/// MPI.
class BackgroundProgress {
 public:
  explicit BackgroundProgress(const ProgressThread::Parts& parts) : parts_(parts) {}
  BackgroundProgress(const BackgroundProgress&) = delete;
  BackgroundProgress& operator=(const BackgroundProgress&) = delete;

  /// Before the first call: starts the thread if the parameter says so.
  void start_if_wanted();
  /// Behind the last call: ends it. The caller does not hold the lock.
  void stop() { thread_.reset(); }
  /// Whether there is a thread now.
  [[nodiscard]] bool runs() const { return thread_ != nullptr; }

  /// In the middle of a call: starts it, unless it runs already or the parameter says no.
  void want();
  /// In the middle of a call, which has begun what OpenFiles::goes_on() tells of: the thread sees
  /// to that while the program computes, unless the parameter says no. Calls hold the lock
  /// meanwhile.
  void want_for_now();

  /// At the end of a call that holds the lock, if runs(): wakes the thread if there is something to
  /// do.
  void look() { thread_->look(); }
  /// Then, if the lock is held for now (CallGuard::locks_for_now()): calls do again what they did
  /// before, if the thread has nothing more to do.
  void end_lock_for_now();

 private:
  /// Starts it; calls hold the lock. A log message, if there can be none.
  void run();
  [[nodiscard]] bool is_refused() const;
  /// What begins after the lock was asked for in the middle of a call: that holds the lock, too.
  void hold_lock(bool was_guarded);

  const ProgressThread::Parts parts_;
  std::unique_ptr<ProgressThread> thread_;
};

}  // namespace remit
