// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Progress and waiting: who is polled, what runs next, and when a waiting rank gives up its core.
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/call_status.hpp"
#include "runtime/copy_time.hpp"
#include "runtime/events.hpp"
#include "runtime/progress_sources.hpp"
#include "runtime/run_queue.hpp"
#include "runtime/waiting/adaptive_wait.hpp"
#include "runtime/waiting/sleeping_threads.hpp"
#include "runtime/waiting/wait_notices.hpp"

namespace remit {

/// Tells the core that this is a spin loop.
inline void cpu_relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// The progress engine of one MPI process: polls its sources, runs what became ready, and waits.
/// Each of the ideas behind that has a class of its own: what is polled (ProgressSources), what
/// became ready (RunQueue), what a wait does with its core (AdaptiveWait), who sleeps beside it
/// (SleepingThreads), what is told of it (WaitNotices). One thread at a time (the MPI lock at
/// MPI_THREAD_MULTIPLE).
class Progress final : private EventSwitch {
 public:
  /// `events`, which outlives it, is told of waits and sleeps; null: nobody is.
  explicit Progress(WaitPolicy policy = {}, Events* events = nullptr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What poll() polls.
  [[nodiscard]] ProgressSources& sources() { return sources_; }

  void set_policy(const WaitPolicy& policy) { policy_.set_plan(policy); }
  /// As it was set, whatever waits do at present.
  [[nodiscard]] const WaitPolicy& policy() const { return policy_.plan(); }

  /// Queues a coroutine that became ready; it runs from poll(), never from inside a completion.
  void ready(std::coroutine_handle<> handle) { run_queue_.push(handle); }

  /// Whether a coroutine waits for its turn.
  [[nodiscard]] bool has_ready() const { return !run_queue_.empty(); }

  /// Polls every source once and resumes what was ready when the sources had been polled (what
  /// becomes ready meanwhile has its turn in the next poll). Returns the number of events. May be
  /// called from inside a resumed coroutine or a source.
  int poll() {
    int events = sources_.poll();
    if (!run_queue_.empty()) events += run_queue_.resume_all();
    if (events != 0) sleepers_.wake();
    return events;
  }

  /// Polls until done() is true: spins, yields, then sleeps, as the policy says. done() is called
  /// with the MPI lock held; the YieldHook may release it in between. `subject` says what is waited
  /// for, if it lasts.
  /// `policy`: null for that of the process.
  template <class Done>
  void wait(Done&& done, const WaitSubject* subject = nullptr, const WaitPolicy* policy = nullptr) {
    Idle idle;
    idle.notice.subject = subject;
    idle.policy = policy != nullptr ? policy : &policy_.now();
    while (!done()) {
      if (poll() != 0) {
        if (idle.polls >= kPollsPerLook) [[unlikely]]
          look_for_others(idle);
        idle.polls = idle.yields = 0;
        idle.notice.renew();
      } else {
        pause(idle);
      }
    }
  }

  /// Gives the core to others once and polls nothing: for the first moments of a wait whose end is
  /// seen in memory, at most yields_now() times; and after a look in vain.
  void yield();
  /// Whether a wait spins now, for the process has a core for itself.
  [[nodiscard]] bool spins_now() const { return policy_.now().spin; }
  /// How often a wait may yield now.
  [[nodiscard]] std::uint32_t yields_now() const { return policy_.now().yields; }

  /// Whether done() is true, now or after one poll. `subject` says what is looked for, if many
  /// calls in succession find neither that nor anything else: a program that tests in a loop.
  template <class Done>
  bool look(Done&& done, const WaitSubject& subject) {
    bool found = done();
    const bool idle = !found && poll() == 0;
    if (!found) found = done();
    if (found || !idle) {
      notices_.found();
    } else {
      notices_.looked_in_vain(subject);
    }
    return found;
  }

  /// Where waits that last are written down; null (the default): nowhere.
  void set_call_status_page(std::unique_ptr<CallStatusPage> page) {
    notices_.set_page(std::move(page));
  }

  /// Called around every yield and sleep, and now and then while spinning, so that other threads
  /// can enter MPI meanwhile.
  struct YieldHook {
    virtual ~YieldHook() = default;
    virtual void before() = 0;
    virtual void after() = 0;
  };
  void set_yield_hook(YieldHook* hook) { hook_ = hook; }
  /// Null while nobody wants to be called; whoever blocks outside of wait() calls it around that.
  [[nodiscard]] YieldHook* yield_hook() const { return hook_; }

  /// With several threads in MPI: tells threads that sleep in wait() that their condition may have
  /// become true without an event of any source. Costs one load when nobody sleeps. Call it with
  /// the MPI lock held, before releasing it.
  void wake_sleepers() { sleepers_.wake(); }

  /// Counters for remit_info and tests.
  struct Counters {
    std::uint64_t yields = 0;
    std::uint64_t sleeps = 0;
    /// Sleeps that ended because they had lasted long enough, when something had come: wake-ups
    /// that were lost, but for the few events that came at that very moment.
    std::uint64_t late = 0;
    /// Times that a rank was taken off its core while it spun, and gave spinning up for a while.
    std::uint64_t crowded = 0;
    std::uint64_t slept_ns = 0;  ///< how long sleeps lasted
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// How long copies have taken, while EventKind::wait_ended was wanted.
  [[nodiscard]] std::uint64_t copied_ns() const { return copies_.ns(); }

 private:
  /// A wait in which nothing has happened for so long. What was written of it is forgotten with it,
  /// also when an exception ends it.
  struct Idle {
    Idle() = default;
    ~Idle() { WaitNotices::end(notice); }
    Idle(const Idle&) = delete;
    Idle& operator=(const Idle&) = delete;

    std::uint32_t polls = 0;
    std::uint32_t yields = 0;
    std::int64_t looked_ns = 0;   ///< when the core was still this thread's
    std::int64_t noticed_ns = 0;  ///< when yields were written down last, or first looked at
    const WaitPolicy* policy = nullptr;
    WaitNotice notice;
  };
  /// With a hook, this many empty polls pass between two offers of the lock.
  static constexpr std::uint32_t kPollsPerOffer = 32;
  /// So many empty polls pass between two looks whether the core is still this thread's.
  static constexpr std::uint32_t kPollsPerLook = 256;
  /// A rest for the core's other thread; what arrives meanwhile waits for its end.
  static constexpr std::uint32_t kPollsPerRelax = 8;

  void pause(Idle& idle) {
    if (idle.policy->spin && idle.polls < idle.policy->spin_polls) {
      if (++idle.polls % kPollsPerRelax == 0) cpu_relax();
      if (idle.polls % kPollsPerOffer == 0 && (hook_ != nullptr || idle.polls % kPollsPerLook == 0))
          [[unlikely]]
        look_around(idle);
      return;
    }
    give_up_core(idle);
  }
  class Asleep;
  void wanted_events_changed() override;
  [[nodiscard]] bool spin_watched(Idle& idle);
  void look_around(Idle& idle);
  void look_for_others(Idle& idle);
  void give_up_core(Idle& idle);
  /// Writes down a wait that yields when it has lasted.
  void notice_yields(Idle& idle);
  void sleep(Idle& idle);
  /// Blocks on every wait descriptor and `wake_event`; the sources are armed and had nothing.
  /// False if the time that such a sleep may last was over.
  [[nodiscard]] bool block(int wake_event, Idle& idle);

  ProgressSources sources_;
  RunQueue run_queue_;
  SleepingThreads sleepers_;
  YieldHook* hook_ = nullptr;
  AdaptiveWait policy_;
  WaitNotices notices_;
  Counters counters_;
  CopyMeter copies_;
  Events* const events_;
};

}  // namespace remit
