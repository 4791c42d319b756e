// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Progress and waiting: the slow half, taken when there was nothing to do.
#include "runtime/progress.hpp"

#include <poll.h>

#include <utility>
#include <vector>

#include "runtime/clock.hpp"
#include "runtime/waiting/core_yield.hpp"

namespace remit {

namespace {

/// Bound of a sleep that no descriptor can end.
constexpr int kBlindSleepMs = 10;
/// Where nothing sleeps: a wait of so many empty polls is written down.
constexpr std::uint32_t kPollsPerNotice = 1U << 20;
/// So many yields make one look at the clock: how long each takes is for the core's others to say.
constexpr std::uint32_t kYieldsPerClock = 256;

}  // namespace

Progress::Progress(WaitPolicy policy, Events* events) : policy_(policy), events_(events) {
  if (events_ != nullptr) events_->add(this);
}

Progress::~Progress() {
  if (events_ != nullptr) events_->remove(this);
}

void Progress::wanted_events_changed() {
  const bool watched = events_->wanted(EventKind::wait_ended);
  policy_.watch(watched);
  copies_.want(watched);
}

void Progress::look_around(Idle& idle) {
  if (idle.polls % kPollsPerNotice == 0) notices_.lasts(idle.notice, hook_ == nullptr);
  if (idle.polls % kPollsPerLook == 0) look_for_others(idle);
  if (hook_ == nullptr) return;
  hook_->before();
  hook_->after();
}

// Between two looks of one spin there were empty polls and nothing else.
void Progress::look_for_others(Idle& idle) {
  if (idle.policy != &policy_.now() || !policy_.spins_alone()) return;
  const std::int64_t now = monotonic_ns();
  const std::int64_t before = std::exchange(idle.looked_ns, now);
  if (idle.polls != kPollsPerLook && policy_.spun(before, now)) ++counters_.crowded;
}

/// While waits are watched they come here instead of spinning in pause(). True if it has done what
/// that does.
bool Progress::spin_watched(Idle& idle) {
  if (idle.policy != &policy_.now()) return false;  // no call waits
  WaitNotices::watch(idle.notice, *events_, idle.polls == 0 && idle.yields == 0);
  if (!idle.policy->spin || idle.polls >= policy_.plan().spin_polls) return false;
  if (++idle.polls % kPollsPerRelax == 0) cpu_relax();
  if (idle.polls % kPollsPerOffer == 0) look_around(idle);
  return true;
}

void Progress::give_up_core(Idle& idle) {
  const bool watched = events_ != nullptr && events_->wanted(EventKind::wait_ended);
  if (watched && spin_watched(idle)) return;
  if (idle.yields == 0 && policy_.is_resting()) policy_.try_end_rest(monotonic_ns());
  if (idle.yields >= idle.policy->yields && idle.policy->sleep) {
    sleep(idle);
    return;
  }
  if (++idle.yields % kYieldsPerClock == 1) notice_yields(idle);
  yield();
}

void Progress::notice_yields(Idle& idle) {
  const std::int64_t now = monotonic_ns();
  if (idle.yields == 1) idle.noticed_ns = now;
  const std::int64_t lasted_ms = (now - idle.noticed_ns) / kNsPerMs;
  if (lasted_ms < WaitNotices::kNoticeMs) return;
  idle.noticed_ns = now;
  idle.notice.slept_ms += static_cast<int>(lasted_ms);  // for where it is written first
  notices_.lasts(idle.notice, hook_ == nullptr);
}

void Progress::yield() {
  const bool alone = policy_.planned_alone();
  if (hook_ != nullptr) hook_->before();
  const std::int64_t before = alone ? monotonic_ns() : 0;
  ++counters_.yields;
  yield_core();
  const std::int64_t now = alone ? monotonic_ns() : 0;
  if (hook_ != nullptr) hook_->after();
  if (alone) policy_.yielded(before, now);
}

/// A thread among those that sleep, for as long as it lives. When an exception ends the sleep, too,
/// it is undone.
class Progress::Asleep {
 public:
  explicit Asleep(Progress& own)
      : own_(own), event_(own.hook_ != nullptr ? own.sleepers_.take_event() : -1) {
    is_first_ = own_.sleepers_.enter();
  }
  ~Asleep() {
    if (is_over_) return;
    awake();
    if (own_.sleepers_.leave()) return;
    own_.sources_.arm();
    own_.sleepers_.wake();  // they poll then: here nobody does
  }
  Asleep(const Asleep&) = delete;
  Asleep& operator=(const Asleep&) = delete;

  void arm() const {
    if (is_first_) own_.sources_.arm();
  }
  [[nodiscard]] bool block(Idle& idle) const {
    if (event_ >= 0) own_.sleepers_.block_on(event_);
    return own_.block(event_, idle);
  }
  void awake() {
    if (std::exchange(is_awake_, true)) return;
    if (event_ >= 0) own_.sleepers_.unblock(event_);
    if (event_ >= 0) own_.sleepers_.give_back(event_);
    own_.sources_.disarm();
  }
  /// True if no other thread sleeps.
  [[nodiscard]] bool leave() {
    is_over_ = true;
    return own_.sleepers_.leave();
  }

 private:
  Progress& own_;
  const int event_;  ///< -1: no other thread may come in, or the system has none
  bool is_first_ = false;
  bool is_awake_ = false;
  bool is_over_ = false;
};

// The one sleep point. The order is what makes it lose no wake-up: a source that is armed makes a
// descriptor readable for everything that arrives later; what arrived earlier is found by the
// second poll. Other threads of this process change things only with the lock held, and then signal
// the event of every thread that is blocked.
void Progress::sleep(Idle& idle) {
  Asleep asleep(*this);
  asleep.arm();
  bool in_time = true;
  if (poll() == 0) {
    ++counters_.sleeps;
    in_time = asleep.block(idle);
  }
  asleep.awake();
  if (!in_time && poll() != 0) ++counters_.late;
  if (!asleep.leave()) {
    // The descriptors were drained under threads that still sleep: start over for them.
    sources_.arm();
    poll();
  }
}

bool Progress::block(int wake_event, Idle& idle) {
  std::vector<int> fds;
  int bound = sources_.wait_fds(fds);
  fds.push_back(wake_event);
  std::vector<pollfd> polled;
  for (const int fd : fds) {
    if (fd >= 0) polled.push_back({fd, POLLIN, 0});
  }
  if (polled.empty()) bound = tighter_sleep_ms(bound, kBlindSleepMs);
  const WaitNotice& notice = idle.notice;
  if (notice.subject != nullptr && !notice.written)
    bound = tighter_sleep_ms(bound, WaitNotices::kNoticeMs);
  if (events_ != nullptr) events_->raise(EventKind::slept, bound);
  const std::int64_t began_ns = monotonic_ns();
  if (hook_ != nullptr) hook_->before();
  // A signal ends the sleep early; the caller polls and comes back.
  const int ready = ::poll(polled.data(), polled.size(), bound);
  if (hook_ != nullptr) hook_->after();
  const std::int64_t slept_ns = monotonic_ns() - began_ns;
  counters_.slept_ns += static_cast<std::uint64_t>(slept_ns);
  if (events_ != nullptr) events_->raise(EventKind::woken, slept_ns);
  if (ready != 0) return true;
  notices_.slept(idle.notice, bound, hook_ == nullptr);
  return bound <= kBlindSleepMs;  // a source that wants to be polled
}

}  // namespace remit
