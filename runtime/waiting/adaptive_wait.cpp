// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Rests: when they begin, how long they last.
#include "runtime/waiting/adaptive_wait.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace remit {

namespace {

/// Whoever takes the core for longer has work of its own: others only borrow it.
constexpr std::int64_t kAwayNs = 1'000'000;
/// How long a rank does not spin whose core was taken: twice as long each time, until it had the
/// core to itself for several times as long.
constexpr std::int64_t kLeastRestNs = 10'000'000;
constexpr std::int64_t kMostRestNs = 1'280'000'000;
constexpr int kRestsToForget = 4;
/// At the end of a rest the core is still wanted if others had it more often than this.
constexpr std::int64_t kNsPerTurn = 4'000'000;

}  // namespace

long times_taken_off() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

bool AdaptiveWait::spun(std::int64_t before_ns, std::int64_t now_ns) {
  if (now_ns - before_ns < kAwayNs || taken_off_() == last_taken_off_) return false;
  rest(now_ns);
  return true;
}

// Ranks that share cores by plan go on yielding: those that sleep are woken on any core, beside
// others.
void AdaptiveWait::yielded(std::int64_t before_ns, std::int64_t now_ns) {
  if (now_ns - before_ns < kAwayNs) return;
  rest(now_ns);
  now_.yields = 0;
}

/// Does not spin for a while.
void AdaptiveWait::rest(std::int64_t now_ns) {
  const bool is_news = now_ns - rest_end_ns_ > kRestsToForget * rest_ns_;
  rest_ns_ = is_news ? kLeastRestNs : std::min(2 * rest_ns_, kMostRestNs);
  rest_end_ns_ = now_ns + rest_ns_;
  last_taken_off_ = taken_off_();
  resting_ = true;
  now_.spin = false;
}

// To find out by spinning whether the core is still wanted would cost everybody a turn. Who yields
// is taken off, too, if another wants it.
void AdaptiveWait::try_end_rest(std::int64_t now_ns) {
  if (now_ns < rest_end_ns_) return;
  resting_ = false;
  follow_plan();
  const long count = taken_off_();
  const std::int64_t turns = count - std::exchange(last_taken_off_, count);
  if (turns * kNsPerTurn > rest_ns_) rest(now_ns);
}

}  // namespace remit
