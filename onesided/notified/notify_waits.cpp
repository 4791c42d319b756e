// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/notified/notify_waits.hpp"

#include <algorithm>

namespace remit {

NotifyWaits::~NotifyWaits() {
  pending_.clear();
  say_whether_asleep();
  if (is_source_) progress_.sources().remove(this);
}

bool NotifyWaits::reach(const NotifyGoal& goal) {
  const std::uint64_t value = own_.value(goal.index);
  if (!goal.takes) return value >= goal.count;
  if (taken_.size() <= goal.index) taken_.resize(std::size_t{goal.index} + 1);
  std::uint64_t& taken = taken_[goal.index];
  if (value - taken < goal.count) return false;
  taken += goal.count;
  return true;
}

void NotifyWaits::complete(Request& request, const NotifyGoal& goal) {
  request.status.tag = static_cast<int>(goal.index);
  complete_request(request, progress_);
}

void NotifyWaits::start(Request& request, const NotifyGoal& goal) {
  if (reach(goal)) return complete(request, goal);
  pending_.push_back({&request, goal});
  if (!is_source_) {
    is_source_ = true;
    progress_.sources().add(this);
  }
  say_whether_asleep();
}

void NotifyWaits::cancel(Request& request) {
  const auto found = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& pending) {
    return pending.request == &request;
  });
  if (found == pending_.end()) return;
  pending_.erase(found);
  say_whether_asleep();
  cancel_request(request, progress_);
}

void NotifyWaits::set(std::uint32_t index, std::uint64_t value) {
  if (index < taken_.size()) taken_[index] = 0;
  own_.set(index, value);
}

int NotifyWaits::progress() {
  if (pending_.empty()) [[likely]]
    return 0;
  const std::size_t before = pending_.size();
  std::size_t kept = 0;
  for (const Pending& pending : pending_) {
    if (reach(pending.goal)) {
      complete(*pending.request, pending.goal);
    } else {
      pending_[kept++] = pending;
    }
  }
  if (kept == before) return 0;
  pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(kept), pending_.end());
  say_whether_asleep();
  return static_cast<int>(before - kept);
}

/// A thread that comes to sleep beside another one does not arm again, so a request that is started
/// meanwhile has to say it by itself.
void NotifyWaits::say_whether_asleep() {
  const bool asleep = armed_ && !pending_.empty();
  if (asleep == said_asleep_) return;
  said_asleep_ = asleep;
  own_.sleeps().store(asleep ? 1 : 0, std::memory_order_seq_cst);
}

void NotifyWaits::arm() {
  armed_ = true;
  say_whether_asleep();
}

void NotifyWaits::disarm() {
  armed_ = false;
  say_whether_asleep();
}

}  // namespace remit
