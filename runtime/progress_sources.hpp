// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a process polls, and how all of it is made ready to wake a sleeper.
#pragma once

#include <cstddef>
#include <vector>

namespace remit {

/// Something that moves when polled, and that can wake a sleeper.
class ProgressSource {
 public:
  virtual ~ProgressSource() = default;
  /// Handles what has arrived; returns how many events were handled (0: nothing happened).
  virtual int progress() = 0;
  /// Announces a sleeper: from now on an arrival makes one of wait_fds() readable. After arm() the
  /// caller must poll once more before it sleeps (arm, re-poll, sleep).
  virtual void arm() = 0;
  /// The sleeper is awake again.
  virtual void disarm() = 0;
  /// Appends the descriptors to sleep on; asked each time after arm().
  virtual void wait_fds(std::vector<int>& out) const = 0;
  /// The longest sleep that is safe now, in milliseconds; -1: no bound.
  [[nodiscard]] virtual int max_sleep_ms() const { return -1; }
};

/// The smaller of two bounds of a sleep, of which -1 means none.
[[nodiscard]] int tighter_sleep_ms(int a, int b);

/// The sources of one process, polled in the order in which they were added. They are armed and
/// disarmed all together, and one that comes or goes meanwhile follows: so of each source every
/// arm() is followed by one disarm(), and no thread sleeps beside one that is not armed. One thread
/// at a time (the MPI lock).
class ProgressSources {
 public:
  /// `source` must stay until remove(). It may be called from inside a source that is polled, and
  /// so may remove().
  void add(ProgressSource* source);
  void remove(ProgressSource* source);

  /// Polls each once; returns the number of events.
  int poll() {
    int events = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) events += all_[i]->progress();
    return events;
  }

  /// A thread is about to sleep.
  void arm();
  /// No thread sleeps any more; nothing, if the sources are not armed.
  void disarm();
  /// Appends the descriptors of all that are armed; returns the longest sleep that is safe for all
  /// of them, in milliseconds, -1 if any is.
  [[nodiscard]] int wait_fds(std::vector<int>& out) const;

 private:
  std::vector<ProgressSource*> all_;
  bool armed_ = false;  ///< all of them are
};

}  // namespace remit
