// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What keeps the calls of different threads apart.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "bindings/mpi_lock.hpp"
#include "bindings/process/presence.hpp"
#include "communicators/comm_process.hpp"
#include "runtime/progress.hpp"

namespace remit {

/// What calls do about other threads.
enum class Guard : std::uint8_t {
  none,  ///< nothing: there is one thread (MPI_THREAD_SINGLE)
  mark,  ///< no two calls meet, but another thread may open a session: calls mark their presence
  lock,  ///< every call holds the lock
};

/// Lets one thread at a time into MPI, in the cheapest way that is safe: calls do nothing, mark
/// their presence, or hold the lock, and go over from one to the next while a call is under way.
/// Whoever waits gives the others their turn (it is the YieldHook of Progress). enter() and leave()
/// stand around each call where guarded(); any thread.
class CallGuard final : public CallingThreads, private Progress::YieldHook {
 public:
  /// `progress` outlives it.
  explicit CallGuard(Progress& progress) : progress_(progress) {}
  CallGuard(const CallGuard&) = delete;
  CallGuard& operator=(const CallGuard&) = delete;

  /// Whether calls do anything about other threads.
  [[nodiscard]] bool guarded() const {
    return guard_.load(std::memory_order_relaxed) != Guard::none;
  }
  [[nodiscard]] bool locking() const {
    return guard_.load(std::memory_order_relaxed) == Guard::lock;
  }

  /// From now on calls mark their presence, if they do not hold the lock already. `barrier`: see
  /// Presence. No call is under way in another thread.
  void mark_calls(bool (*barrier)());
  /// From now on calls hold the lock. A call that is under way in another thread and began before
  /// may go on: wait_for_unguarded().
  void lock_calls();
  /// As lock_calls(), until end_lock_for_now(), unless calls hold the lock anyhow: for a thread of
  /// the library's own that enters MPI while something is under way.
  void lock_calls_for_now();
  [[nodiscard]] bool locks_for_now() const {
    return locks_for_now_.load(std::memory_order_relaxed);
  }
  /// At the end of a call that holds the lock, while no thread but its own is in MPI: calls do
  /// again what they did before lock_calls_for_now(), unless lock_calls() came meanwhile, or other
  /// calls are around this one.
  void end_lock_for_now();
  /// After lock_calls(): until no call is under way that began before it, but for those that sleep
  /// and those of this thread.
  void wait_for_unguarded();

  /// Begin and end of a call, if guarded().
  void enter();
  void leave() {
    if (!leave_marked()) give_up_lock();
  }
  /// Of the two ways in which a call ends the one without the lock; false: the call holds it.
  [[nodiscard]] bool leave_marked() {
    // A call that has marked and never slept since calls take the lock.
    if (presence_ == nullptr || !presence_->is_inside()) return false;
    presence_->leave();
    return true;
  }
  /// The other way.
  void give_up_lock() {
    tell_others();
    lock_.unlock();
  }

  /// For threads that are in no call.
  [[nodiscard]] MpiLock& lock() { return lock_; }

  // CallingThreads
  [[nodiscard]] bool overlap() const override { return locking(); }
  void note_change() override { others_may_care_ = true; }
  /// The call under way has, polling apart, changed nothing that another thread could wait for.
  void note_no_change() { others_may_care_ = false; }

 private:
  // YieldHook
  void before() override;
  void after() override;

  void start_locking();
  /// This thread's marked calls hold the lock from now on.
  void lock_instead();
  /// Before the lock is given up: wakes the threads for which something may have changed.
  void tell_others() {
    if (!others_may_care_) return;
    others_may_care_ = false;
    progress_.wake_sleepers();
  }

  std::mutex changes_;  ///< held while calls begin to hold the lock, or end that
  std::atomic<Guard> guard_ = Guard::none;
  std::atomic<bool> locks_for_now_ = false;
  Guard otherwise_ = Guard::none;  ///< what calls do again when they do not hold the lock any more
  /// With the lock held: a call may have changed, without an event of a device, what another thread
  /// sleeps for.
  bool others_may_care_ = false;
  Progress& progress_;
  std::unique_ptr<Presence> presence_;  ///< with Guard::mark, and from then on
  MpiLock lock_;
};

}  // namespace remit
