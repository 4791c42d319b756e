// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Progress and waiting: who is polled, what runs next, and when a waiting rank gives up its core.
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
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

/// How a wait spends its time (design, decision 8).
struct WaitPolicy {
  bool spin = true;             ///< a core is free for this rank: spin before anything else
  std::uint32_t spin_polls = 20000;  ///< empty polls before the first yield, when spin
  std::uint32_t yields = 200;   ///< sched_yield calls before sleeping
  bool sleep = true;            ///< sleep at all (false: keep yielding)
};

/// The progress engine of one MPI process. One thread at a time (the MPI lock at
/// MPI_THREAD_MULTIPLE).
class Progress {
 public:
  explicit Progress(WaitPolicy policy = {}) : policy_(policy) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(ProgressSource* source) { sources_.push_back(source); }
  void remove(ProgressSource* source);
  void set_policy(const WaitPolicy& policy) { policy_ = policy; }
  [[nodiscard]] const WaitPolicy& policy() const { return policy_; }

  /// Queues a coroutine that became ready; it runs from poll(), never from inside a completion.
  void ready(std::coroutine_handle<> handle) { run_queue_.push_back(handle); }

  /// Polls every source once and resumes what is ready. Returns the number of events.
  int poll();

  /// Polls until done() is true: spins, yields, then sleeps, as the policy says. `Unlock` may
  /// release the MPI lock around yields and sleeps: lock.unlock()/lock.lock().
  template <class Done>
  void wait(Done&& done) {
    Idle idle;
    while (!done()) {
      if (poll() != 0) {
        idle = Idle{};
      } else {
        pause(idle);
      }
    }
  }

  /// Called around every yield and sleep, so that other threads can enter MPI meanwhile.
  struct YieldHook {
    virtual ~YieldHook() = default;
    virtual void before() = 0;
    virtual void after() = 0;
  };
  void set_yield_hook(YieldHook* hook) { hook_ = hook; }

  /// Counters for remit_info and tests.
  struct Counters {
    std::uint64_t yields = 0;
    std::uint64_t sleeps = 0;
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  struct Idle {
    std::uint32_t polls = 0;
    std::uint32_t yields = 0;
  };
  void pause(Idle& idle);
  void sleep();

  WaitPolicy policy_;
  std::vector<ProgressSource*> sources_;
  std::deque<std::coroutine_handle<>> run_queue_;
  YieldHook* hook_ = nullptr;
  Counters counters_;
};

}  // namespace remit
