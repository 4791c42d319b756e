// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How waits spend their time, and how that adapts to others who want the core.
#pragma once

#include <cstdint>

namespace remit {

/// How a wait spends its time (design, decision 8).
struct WaitPolicy {
  bool spin = true;                  ///< a core is free for this rank: spin before anything else
  std::uint32_t spin_polls = 20000;  ///< empty polls before the first yield, when spin
  std::uint32_t yields = 300;        ///< sched_yield calls before sleeping
  bool sleep = true;                 ///< sleep at all (false: keep yielding)
};

/// How often the calling thread was taken off its core although it had more to do (getrusage).
[[nodiscard]] long times_taken_off();

/// The policy of a process's waits. Others may want its core than those who were counted when it
/// was planned: another job, or a host that is a container on the same cores. Then there is a
/// *rest*, in which waits do not spin, nor yield to those who take long; the next rest lasts twice
/// as long, until the process had the core to itself for several times as long. Outside of rests
/// now() is the plan. Times are CLOCK_MONOTONIC, and given. One thread at a time (the MPI lock).
class AdaptiveWait {
 public:
  /// `taken_off` is another count than the kernel's, for tests.
  explicit AdaptiveWait(const WaitPolicy& plan, long (*taken_off)() = times_taken_off)
      : now_(plan), plan_(plan), taken_off_(taken_off) {}

  void set_plan(const WaitPolicy& plan) {
    plan_ = plan;
    follow_plan();
  }
  [[nodiscard]] const WaitPolicy& plan() const { return plan_; }
  /// What waits do at present; stays where it is.
  [[nodiscard]] const WaitPolicy& now() const { return now_; }
  [[nodiscard]] bool is_resting() const { return resting_; }
  /// While waits are watched now() has no polls before the first yield, so that each wait comes to
  /// the slow half of Progress at once, which spins as the plan says.
  void watch(bool watched) {
    watched_ = watched;
    now_.spin_polls = watched_ ? 0 : plan_.spin_polls;
  }

  /// Whether waits spin on a core that was to be this process's own.
  [[nodiscard]] bool spins_alone() const { return now_.spin && plan_.sleep; }
  /// Whether the core was to be this process's own: a yield in which others take a turn is dear.
  [[nodiscard]] bool planned_alone() const { return plan_.spin && plan_.sleep; }

  /// Between these times a thread spun and did nothing else. Begins a rest, and returns true, if
  /// others had the core meanwhile. The clock alone would also see a slow processor, an emulated
  /// one for example.
  bool spun(std::int64_t before_ns, std::int64_t now_ns);
  /// Between these times a thread yielded. A yield that returns at once costs nobody anything, and
  /// less than a sleep does. One in which others take a long turn begins a rest without yields:
  /// they have work of their own, and whoever sleeps is woken as soon as there is something to do.
  void yielded(std::int64_t before_ns, std::int64_t now_ns);
  /// In a rest: ends it if it has lasted long enough and the core is not wanted any more.
  void try_end_rest(std::int64_t now_ns);

 private:
  void rest(std::int64_t now_ns);
  void follow_plan() {
    now_ = plan_;
    watch(watched_);
  }

  WaitPolicy now_;
  WaitPolicy plan_;
  bool resting_ = false;
  bool watched_ = false;
  std::int64_t rest_end_ns_ = 0;
  std::int64_t rest_ns_ = 0;  ///< how long the last one is
  long last_taken_off_ = 0;   ///< what taken_off_() said when last asked
  long (*taken_off_)();
};

}  // namespace remit
