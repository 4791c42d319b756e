// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Progress and waiting: the slow half, taken when there was nothing to do.
#include "runtime/progress.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace remit {

namespace {

/// Bound of a sleep that no descriptor can end.
constexpr int kBlindSleepMs = 10;
/// A sleep as long as this is written down for mpirun's report. Shorter ones cost nothing.
constexpr int kNoticeMs = 100;
constexpr std::size_t kFirstRing = 16;
/// Whoever takes the core for longer has work of its own: others only borrow it.
constexpr std::int64_t kAwayNs = 1'000'000;
/// How long a rank does not spin whose core was taken: twice as long each time, until it had the
/// core to itself for several times as long.
constexpr std::int64_t kLeastRestNs = 10'000'000;
constexpr std::int64_t kMostRestNs = 1'280'000'000;
constexpr int kRestsToForget = 4;
/// At the end of a rest the core is still wanted if others had it more often than this.
constexpr std::int64_t kNsPerTurn = 4'000'000;

/// The smaller of two bounds of which -1 means none.
int tighter(int a, int b) {
  if (a < 0) return b;
  return b < 0 ? a : std::min(a, b);
}

/// How often the calling thread was taken off its core although it had more to do.
long times_taken_off() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

void RunQueue::grow() {
  std::vector<std::coroutine_handle<>> bigger(std::max(kFirstRing, 2 * ring_.size()));
  const std::size_t count = size();
  for (std::size_t i = 0; i < count; ++i) bigger[i] = ring_[(head_ + i) & (ring_.size() - 1)];
  ring_.swap(bigger);
  head_ = 0;
  tail_ = count;
}

Progress::~Progress() {
  for (const int event : wake_events_) ::close(event);
}

void Progress::remove(ProgressSource* source) {
  std::erase(sources_, source);
}

int Progress::run_ready() {
  int resumed = 0;
  // A resumed coroutine may poll, and so empty the queue under us.
  for (std::size_t turns = run_queue_.size(); turns != 0 && !run_queue_.empty(); --turns) {
    run_queue_.pop().resume();
    ++resumed;
  }
  return resumed;
}

void Progress::look_around(Idle& idle) {
  if (idle.polls % kPollsPerNotice == 0) notice(idle);
  if (idle.polls % kPollsPerLook == 0) look_for_others(idle);
  if (hook_ == nullptr) return;
  hook_->before();
  hook_->after();
}

// Between two looks of one spin there were empty polls and nothing else. The clock alone would also
// see a slow processor, an emulated one for example.
void Progress::look_for_others(Idle& idle) {
  if (idle.policy != &now_ || !now_.spin || !policy_.sleep) return;
  const std::int64_t now = monotonic_ns();
  const std::int64_t before = std::exchange(idle.looked_ns, now);
  if (idle.polls == kPollsPerLook || now - before < kAwayNs) return;
  if (times_taken_off() == taken_off_) return;
  ++counters_.crowded;
  rest(now);
}

/// Does not spin for a while.
void Progress::rest(std::int64_t now) {
  const bool is_news = now - rest_end_ns_ > kRestsToForget * rest_ns_;
  rest_ns_ = is_news ? kLeastRestNs : std::min(2 * rest_ns_, kMostRestNs);
  rest_end_ns_ = now + rest_ns_;
  taken_off_ = times_taken_off();
  resting_ = true;
  now_.spin = false;
}

// To find out by spinning whether the core is still wanted would cost everybody a turn. Who yields
// is taken off, too, if another wants it.
void Progress::end_rest() {
  const std::int64_t now = monotonic_ns();
  if (now < rest_end_ns_) return;
  resting_ = false;
  now_ = policy_;
  const long taken_off = times_taken_off();
  const std::int64_t turns = taken_off - std::exchange(taken_off_, taken_off);
  if (turns * kNsPerTurn > rest_ns_) rest(now);
}

// Again when events came and the wait goes on: what is missing may have changed.
void Progress::notice(Idle& idle) {
  if (idle.noticed || idle.subject == nullptr || board_ == nullptr) return;
  if (hook_ == nullptr) end_looking();  // else another thread may go on
  if (idle.slot == nullptr) idle.slot = board_->take(idle.slept_ms);
  if (idle.slot == nullptr) return;
  CallBoard::write(*idle.slot, *idle.subject);
  idle.noticed = true;
}

void Progress::notice_look(const WaitSubject& subject) {
  const std::int64_t now = monotonic_ns();
  if (looks_.since_ns == 0) looks_.since_ns = now;
  const std::int64_t waited_ms = (now - looks_.since_ns) / kNsPerMs;
  if (board_ == nullptr || waited_ms < kNoticeMs) return;
  if (looks_.slot == nullptr) looks_.slot = board_->take(static_cast<int>(waited_ms));
  if (looks_.slot != nullptr) CallBoard::write(*looks_.slot, subject, now);
}

void Progress::end_looking() {
  if (looks_.slot != nullptr) CallBoard::release(*looks_.slot);
  looks_ = {};
}

void Progress::give_up_core(Idle& idle) {
  if (idle.yields == 0 && resting_) end_rest();
  if (idle.yields >= idle.policy->yields && idle.policy->sleep) {
    sleep(idle);
    return;
  }
  if (++idle.yields % kYieldsPerNotice == 0) notice(idle);
  yield();
}

// A yield that returns at once costs nobody anything, and less than a sleep does. Where the core
// was to be this rank's, one in which others take a turn is dear: they have work of their own, and
// whoever sleeps is woken as soon as there is something to do. So for a while there are no more
// yields. Ranks that share cores by plan go on: those that sleep are woken on any core, beside
// others.
void Progress::yield() {
  const bool alone = policy_.spin && policy_.sleep;
  ++counters_.yields;
  if (hook_ != nullptr) hook_->before();
  const std::int64_t before = alone ? monotonic_ns() : 0;
  ::sched_yield();
  const std::int64_t now = alone ? monotonic_ns() : 0;
  if (hook_ != nullptr) hook_->after();
  if (now - before < kAwayNs) return;
  rest(now);
  now_.yields = 0;
}

// The one sleep point. The order is what makes it lose no wake-up: a source that is armed makes a
// descriptor readable for everything that arrives later; what arrived earlier is found by the
// second poll. Other threads of this process change things only with the lock held, and then signal
// the event of every thread in to_wake_.
void Progress::sleep(Idle& idle) {
  const int wake_event = hook_ != nullptr ? take_wake_event() : -1;
  if (sleepers_++ == 0) {
    for (ProgressSource* source : sources_) source->arm();
  }
  bool in_time = true;
  if (poll() == 0) {
    ++counters_.sleeps;
    if (wake_event >= 0) to_wake_.push_back(wake_event);
    in_time = block(wake_event, idle);
    std::erase(to_wake_, wake_event);
  }
  if (wake_event >= 0) {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t drained = ::read(wake_event, &count, sizeof count);
    wake_events_.push_back(wake_event);
  }
  for (ProgressSource* source : sources_) source->disarm();
  if (!in_time && poll() != 0) ++counters_.late;
  if (--sleepers_ != 0) {
    // The descriptors were drained under threads that still sleep: start over for them.
    for (ProgressSource* source : sources_) source->arm();
    poll();
  }
}

int Progress::take_wake_event() {
  if (wake_events_.empty()) return ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const int event = wake_events_.back();
  wake_events_.pop_back();
  return event;
}

bool Progress::block(int wake_event, Idle& idle) {
  std::vector<int> fds;
  int bound = -1;
  for (const ProgressSource* source : sources_) {
    source->wait_fds(fds);
    bound = tighter(bound, source->max_sleep_ms());
  }
  fds.push_back(wake_event);
  std::vector<pollfd> polled;
  for (const int fd : fds) {
    if (fd >= 0) polled.push_back({fd, POLLIN, 0});
  }
  if (polled.empty()) bound = tighter(bound, kBlindSleepMs);
  if (idle.subject != nullptr && !idle.noticed) bound = tighter(bound, kNoticeMs);
  if (hook_ != nullptr) hook_->before();
  // A signal ends the sleep early; the caller polls and comes back.
  const int ready = ::poll(polled.data(), polled.size(), bound);
  if (hook_ != nullptr) hook_->after();
  if (ready != 0) return true;
  if (!idle.noticed) {
    idle.slept_ms += bound;
    if (idle.slept_ms >= kNoticeMs) notice(idle);
  }
  return bound <= kBlindSleepMs;  // a source that wants to be polled
}

void Progress::signal_sleepers() {
  const std::uint64_t one = 1;
  for (const int event : to_wake_) {
    [[maybe_unused]] const ssize_t written = ::write(event, &one, sizeof one);
  }
  to_wake_.clear();
}

}  // namespace remit
