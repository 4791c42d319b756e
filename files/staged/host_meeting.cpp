// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/staged/host_meeting.hpp"

#include <algorithm>
#include <utility>

#include "runtime/clock.hpp"

namespace remit {

namespace {

/// Looks at the others' words before anything else is done: where a core is free for this process,
/// and where members share them.
constexpr int kSpinningLooks = 1000;
constexpr int kLooksPerPause = 8;
constexpr std::uint32_t kBareYields = 3;

}  // namespace

HostMeeting::~HostMeeting() {
  stop_watching();
}

void HostMeeting::start() {
  if (has_failed()) return;  // and is over
  ++number_;
  first_ = 0;
  is_over_ = false;
  is_told_ = false;
  looked_ns_ = 0;
  lines_[own_].entered.store(number_, std::memory_order_seq_cst);
  wake_sleepers();
}

void HostMeeting::leave() {
  lines_.front().has_left.store(1, std::memory_order_seq_cst);
  has_left_ = true;
  is_over_ = true;
  wake_sleepers();
}

// Whoever sleeps has said so first and looked at the words then; whoever comes has changed its word
// first and looks then who sleeps. So one of them sees what the other did.
void HostMeeting::wake_sleepers() {
  for (std::size_t member = 0; member < lines_.size(); ++member) {
    if (member == own_) continue;
    if (lines_[member].sleepers.load(std::memory_order_seq_cst) != 0) peers_.wake(member);
  }
}

// Those behind the first one that is missing need not be looked at: it comes, or somebody leaves.
bool HostMeeting::is_over() {
  if (is_over_) return true;
  while (first_ < lines_.size() && has_come(first_)) ++first_;
  if (first_ == lines_.size()) {
    is_over_ = true;
  } else if (never_comes(first_)) {
    leave();
  }
  return is_over_;
}

/// Whoever has left met no one here whom this member misses: all would have come by then.
bool HostMeeting::never_comes(std::size_t member) {
  bool is_gone = lines_.front().has_left.load(std::memory_order_seq_cst) != 0;
  if (!is_gone) {
    const std::int64_t now = monotonic_ns();
    if (looked_ns_ == 0) looked_ns_ = now;
    if (now - looked_ns_ < std::int64_t{kPatienceMs} * 1'000'000) return false;
    looked_ns_ = now;
    is_gone = peers_.has_ended(member);
  }
  // It may have come just before.
  return is_gone && !has_come(member);
}

void HostMeeting::wait(const WaitSubject* subject) {
  if (progress_.policy().spin) {
    for (int looks = 1; looks <= kSpinningLooks; ++looks) {
      if (is_over()) return;
      if (looks % kLooksPerPause == 0) cpu_relax();
    }
  } else {
    for (std::uint32_t yields = std::min(progress_.yields_now(), kBareYields); yields != 0;
         --yields) {
      if (is_over()) return;
      progress_.yield();
    }
  }
  watch();
  progress_.wait([this] { return is_over(); }, subject);
  stop_watching();
}

/// Others may have come before they could see that this process may sleep.
bool HostMeeting::await_suspend(std::coroutine_handle<> handle) {
  watch();
  if (is_over()) return false;
  waiting_ = handle;
  return true;
}

std::vector<std::size_t> HostMeeting::missing() const {
  std::vector<std::size_t> places;
  for (std::size_t member = 0; member < lines_.size(); ++member) {
    if (!has_come(member)) places.push_back(member);
  }
  return places;
}

void HostMeeting::watch() {
  if (!std::exchange(is_watched_, true)) progress_.sources().add(this);
}

void HostMeeting::stop_watching() {
  if (std::exchange(is_watched_, false)) progress_.sources().remove(this);
}

/// An event once, as of any WordWatch.
int HostMeeting::progress() {
  if (is_told_ || !is_over()) return 0;
  is_told_ = true;
  if (waiting_ != nullptr) progress_.ready(std::exchange(waiting_, nullptr));
  return 1;
}

void HostMeeting::arm() {
  lines_[own_].sleepers.fetch_add(1, std::memory_order_seq_cst);
}

void HostMeeting::disarm() {
  lines_[own_].sleepers.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace remit
