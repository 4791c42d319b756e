// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Requests that wait for notifications.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "onesided/notified/notify_counters.hpp"
#include "pt2pt/request.hpp"
#include "runtime/progress.hpp"

namespace remit {

/// What a request for notifications waits for.
struct NotifyGoal {
  std::uint32_t index = 0;  ///< of the counter
  /// The value that the counter is to reach; or, if the request takes, how many notifications that
  /// no other request has taken.
  std::uint64_t count = 0;
  bool takes = false;
};

/// Requests of one member of a window that wait for its counters. Looks at them whenever the
/// process polls, as long as there are requests. Counters are never written here: what was taken is
/// noted beside. The thread that holds the process.
class NotifyWaits final : public ProgressSource {
 public:
  /// Both must outlive it.
  NotifyWaits(Progress& progress, NotifyCounters own) : progress_(progress), own_(own) {}
  ~NotifyWaits() override;
  NotifyWaits(const NotifyWaits&) = delete;
  NotifyWaits& operator=(const NotifyWaits&) = delete;

  /// Completes `request` when its goal is reached, which may be at once. Its status has the index
  /// as tag. Those that take do so in the order of their starts, each as soon as there are enough.
  void start(Request& request, const NotifyGoal& goal);
  /// Completes it as one that was cancelled, if it waits here.
  void cancel(Request& request);
  [[nodiscard]] std::size_t pending() const { return pending_.size(); }

  /// The counter, and what was taken, are as if `value` notifications had come and nobody had taken
  /// any.
  void set(std::uint32_t index, std::uint64_t value);

  // ProgressSource
  int progress() override;
  void arm() override;
  void disarm() override;
  void wait_fds(std::vector<int>& /*out*/) const override {}

 private:
  struct Pending {
    Request* request;
    NotifyGoal goal;
  };
  /// Whether the goal is reached; then its notifications are taken.
  [[nodiscard]] bool reach(const NotifyGoal& goal);
  void complete(Request& request, const NotifyGoal& goal);
  /// Says to others whether this process may sleep until a counter changes.
  void say_whether_asleep();

  Progress& progress_;
  NotifyCounters own_;
  std::vector<Pending> pending_;      ///< in the order of their starts
  std::vector<std::uint64_t> taken_;  ///< by index, as far as anybody has taken
  bool is_source_ = false;
  bool armed_ = false;
  bool said_asleep_ = false;
};

}  // namespace remit
