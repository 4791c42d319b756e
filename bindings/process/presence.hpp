// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where the one thread is that may call MPI, as long as calls take no lock.
#pragma once

#include <atomic>
#include <thread>

namespace remit {

/// Below MPI_THREAD_MULTIPLE calls take no lock, for no two of them meet: until another thread
/// opens a session. From then on calls take the lock, and the one that is under way must be over,
/// or asleep, before another thread may go on. So at MPI_THREAD_FUNNELED and MPI_THREAD_SERIALIZED
/// each call leaves a mark here, at the price of a few stores.
///
/// The order that makes it safe: a call marks, then looks whether calls take the lock by now; the
/// other thread makes calls take the lock, has order() run, then waits until gone().
class Presence {
 public:
  /// `barrier` runs a memory barrier on all processors; null: there is none, and marks pay a fence.
  explicit Presence(bool (*barrier)() = nullptr) : barrier_(barrier) {}
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;

  /// A call begins; calls of the same thread may nest. Afterwards look whether calls take the lock.
  void enter() {
    who_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    mark(depth_.load(std::memory_order_relaxed) + 1);
  }
  /// A call ends that has marked.
  void leave() { depth_.store(depth_.load(std::memory_order_relaxed) - 1, kEnd); }

  /// Whether the calling thread is inside of calls that have marked.
  [[nodiscard]] bool is_inside() const {
    return depth_.load(std::memory_order_relaxed) > 0 && me();
  }
  /// Whether it has gone to sleep inside of them.
  [[nodiscard]] bool is_asleep() const { return me() && asleep_ > 0; }
  /// A wait gives the others their turn, or sleeps: until awake() other threads may go on.
  void sleep() {
    asleep_ = depth_.load(std::memory_order_relaxed);
    depth_.store(0, kEnd);
  }
  /// As enter(), for all calls that nest here.
  void awake() {
    const int depth = asleep_;
    asleep_ = 0;
    mark(depth);
  }
  /// The calling thread, which is inside, has seen that calls take the lock. Returns how many calls
  /// nest; they are no longer marked.
  [[nodiscard]] int give_up() {
    const int depth = depth_.load(std::memory_order_relaxed);
    depth_.store(0, kEnd);
    return depth;
  }

  /// Of the other thread: between making calls take the lock and gone().
  void order() {
    if (barrier_ == nullptr || !barrier_()) std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  /// Whether no call is under way that another thread has marked and that is awake.
  [[nodiscard]] bool gone() const { return depth_.load(std::memory_order_acquire) == 0 || me(); }

 private:
  static constexpr std::memory_order kEnd = std::memory_order_release;  ///< gone() reads it

  [[nodiscard]] bool me() const {
    return who_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }
  void mark(int depth) {
    depth_.store(depth, std::memory_order_relaxed);
    if (barrier_ == nullptr) {
      std::atomic_thread_fence(std::memory_order_seq_cst);
    } else {
      std::atomic_signal_fence(std::memory_order_seq_cst);  // order() does the rest
    }
  }

  bool (*const barrier_)();
  std::atomic<std::thread::id> who_;
  std::atomic<int> depth_ = 0;
  int asleep_ = 0;  ///< of the thread who_: how many calls nested when it went to sleep
};

}  // namespace remit
