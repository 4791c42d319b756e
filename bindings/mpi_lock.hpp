// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The one lock of MPI_THREAD_MULTIPLE.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "bindings/word_lock.hpp"

namespace remit {

/// A recursive lock that goes to whoever waits for it. A thread that waits for a message gives the
/// lock up and takes it again at once, thousands of times; with a plain mutex the others would
/// rarely be fast enough to get in between.
class MpiLock {
 public:
  MpiLock() = default;
  MpiLock(const MpiLock&) = delete;
  MpiLock& operator=(const MpiLock&) = delete;

  void lock() {
    if (!is_mine()) take(std::this_thread::get_id());
    ++depth_;
  }
  /// For a call that began before calls took the lock (Guard::none), and so is not the owner, this
  /// and pause() do nothing; its resume() makes it the owner.
  void unlock() {
    if (is_mine() && --depth_ == 0) give_up();
  }

  /// Gives the lock up however often the calling thread has taken it (a wait inside a callback).
  /// The owner then calls resume().
  void pause() {
    if (!is_mine()) return;
    if (depth_ > 1) paused_.emplace_back(std::this_thread::get_id(), depth_);
    depth_ = 0;
    give_up();
  }
  /// Whether the calling thread has taken it, and no more than once.
  [[nodiscard]] bool is_taken_once() const { return is_mine() && depth_ == 1 && paused_.empty(); }
  /// Whether another thread has taken it since the calling one has done so, or has called
  /// forget_others(). Without the lock, too.
  [[nodiscard]] bool was_others() const {
    return last_.load(std::memory_order_relaxed) != std::this_thread::get_id();
  }
  /// With the lock held: how often it has gone from one thread to another one.
  [[nodiscard]] std::uint64_t handovers() const { return handovers_; }
  void forget_others() { last_.store(std::this_thread::get_id(), std::memory_order_relaxed); }

  void resume() {
    const std::thread::id me = std::this_thread::get_id();
    take(me);
    depth_ = 1;
    if (paused_.empty()) return;
    const auto mine = std::find_if(paused_.begin(), paused_.end(),
                                   [=](const auto& paused) { return paused.first == me; });
    if (mine == paused_.end()) return;
    depth_ = mine->second;
    paused_.erase(mine);
  }

 private:
  [[nodiscard]] bool is_mine() const {
    return owner_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }
  // Whoever holds next_ is the next owner of data_: a thread that comes back waits behind it.
  void take(std::thread::id me) {
    if (waiting_.load(std::memory_order_relaxed) != 0 || !data_.try_lock()) [[unlikely]] {
      waiting_.fetch_add(1, std::memory_order_relaxed);
      next_.lock();
      data_.lock();
      next_.unlock();
      waiting_.fetch_sub(1, std::memory_order_relaxed);
    }
    owner_.store(me, std::memory_order_relaxed);
    if (last_.load(std::memory_order_relaxed) != me) [[unlikely]] {
      last_.store(me, std::memory_order_relaxed);
      ++handovers_;
    }
  }
  void give_up() {
    owner_.store(std::thread::id(), std::memory_order_relaxed);
    data_.unlock();
  }

  std::mutex next_;
  WordLock data_;
  std::atomic<int> waiting_ = 0;  ///< threads that take the long way
  std::atomic<std::thread::id> owner_;
  std::atomic<std::thread::id> last_;  ///< who has taken it last
  // With data_ held:
  int depth_ = 0;
  std::uint64_t handovers_ = 0;
  std::vector<std::pair<std::thread::id, int>> paused_;  ///< depths above 1 of paused threads
};

}  // namespace remit
