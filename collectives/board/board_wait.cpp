// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How a member of a board waits for others.
#include "collectives/board/board_wait.hpp"

#include <sched.h>

#include <algorithm>

#include "pt2pt/engine.hpp"
#include "runtime/clock.hpp"
#include "runtime/prefetch.hpp"
#include "runtime/waiting/word_watch.hpp"

namespace remit {

namespace {

/// Looks at another's line, where a core is free for this rank, before the devices are polled too.
constexpr int kLooks = 1000;
constexpr int kLooksPerRest = 32;
/// The same where members share processors, for members on others: 1 to 2 us, about two changes of
/// processes.
constexpr int kLooksElsewhere = 1000;
/// How often a member yields there before it polls the devices too.
constexpr std::uint32_t kBareYields = 3;

/// Whether a member that has not entered operation `number` was last seen on this processor.
bool neighbour_missing(BoardWait::Others awaited, std::uint64_t number) {
  const auto here = static_cast<std::uint16_t>(::sched_getcpu());
  return std::ranges::any_of(awaited, [=](const BoardMember& member) {
    const BoardSegment::Line& before = member.line(number - 1);
    return !member.entered(number) && before.processor.load(std::memory_order_relaxed) == here;
  });
}

}  // namespace

BoardWait::BoardWait(Engine& engine, BoardPages& pages)
    : spins_(engine.process().progress().policy().spin),
      looks_(spins_ ? Looks::spinning : Looks::sharing),
      engine_(engine),
      pages_(pages) {}

bool BoardWait::wait(Others awaited, std::uint64_t number) {
  if (looks_ == Looks::spinning) return wait_spinning(awaited, number);
  return wait_otherwise(awaited, number);
}

bool BoardWait::wait_otherwise(Others awaited, std::uint64_t number) {
  if (looks_ == Looks::sharing) return wait_sharing(awaited, number);
  const std::int64_t began_ns = monotonic_ns();
  const bool came = wait_watched(awaited, number);
  waited_.ns += monotonic_ns() - began_ns;
  return came;
}

/// As a call that blocks does. Whoever was missing at the last look but one has come last.
bool BoardWait::wait_watched(Others awaited, std::uint64_t number) {
  for (int looks = 0; spins_ && looks < kLooks; ++looks) {
    if (all_entered(awaited, number)) return true;
    waited_.last = awaited.front().proc;
    if (looks % kLooksPerRest == 0) cpu_relax();
  }
  return wait_slowly(awaited, number);
}

bool BoardWait::wait_spinning(Others awaited, std::uint64_t number) {
  for (int looks = 0;; ++looks) {
    if (all_entered(awaited, number)) return true;
    if (looks == kLooks) return wait_slowly(awaited, number);
    if (looks % kLooksPerRest != kLooksPerRest - 1) continue;
    if (!pages_.prepare()) cpu_relax();
  }
}

/// The same where members share processors. While one is missing that wants this processor, there
/// is nothing to look for. If all of those have come, the others are about to: to look for them as
/// long as a change of processes takes saves one, for this member goes on to the next operation.
bool BoardWait::wait_sharing(Others awaited, std::uint64_t number) {
  Progress& progress = engine_.process().progress();
  for (std::uint32_t yielded = 0;; ++yielded) {
    if (all_entered(awaited, number)) return true;
    const int most = neighbour_missing(awaited, number) ? 0 : kLooksElsewhere;
    for (int looks = 1; looks <= most; ++looks) {
      if (all_entered(awaited, number)) return true;
      if (looks % kLooksPerRest == 0) cpu_relax();
    }
    if (yielded >= std::min(progress.yields_now(), kBareYields))
      return wait_slowly(awaited, number);
    progress.yield();
  }
}

bool BoardWait::wait_slowly(Others awaited, std::uint64_t number) {
  auto over = [&] {
    if (all_entered(awaited, number)) return true;
    if (watched_) waited_.last = awaited.front().proc;
    return hopeless(awaited, number);
  };
  Progress& progress = engine_.process().progress();
  const WordWatch watch(progress, over, nullptr);
  awaited_ = awaited;
  awaited_number_ = number;
  progress.wait(over, subject_);
  awaited_ = {};
  return all_entered(awaited, number);
}

std::vector<ProcId> BoardWait::missing() const {
  std::vector<ProcId> procs;
  for (const BoardMember& member : awaited_) {
    if (!member.entered(awaited_number_)) procs.push_back(member.proc);
  }
  return procs;
}

bool BoardWait::lost(const BoardMember& member) const {
  return engine_.links().lost(member.proc);
}

/// A member that is waited for will not come.
bool BoardWait::hopeless(Others awaited, std::uint64_t number) const {
  for (const BoardMember& member : awaited) {
    if (member.entered(number)) continue;
    const bool broken = member.segment->broken.load(std::memory_order_acquire) > member.base;
    if (broken || lost(member)) return !member.entered(number);
  }
  return false;
}

}  // namespace remit
