// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A thread that makes progress while the program computes.
#include "bindings/process/progress_thread.hpp"

#include <algorithm>
#include <limits>

#include "bindings/io/open_files.hpp"
#include "bindings/process/call_guard.hpp"
#include "bindings/rma/open_windows.hpp"
#include "runtime/signals_blocked.hpp"

namespace remit {

namespace {

/// The core is the program's: poll once, then sleep until something arrives.
constexpr WaitPolicy kModest{false, 0, 0, true};
/// A program that was not in MPI for so long computes.
constexpr std::chrono::milliseconds kQuiet{1};
/// What waits for a program that is always in MPI, but may never look at it, waits so many times as
/// long.
constexpr int kMostQuiet = 8;
/// So long, if nobody needs it for more than first contact: adapters do the rest.
constexpr std::chrono::milliseconds kLongQuiet{16};
/// A while is such a part of the time that others have been in MPI.
constexpr int kQuietPart = 8;

}  // namespace

ProgressThread::ProgressThread(const Parts& parts)
    : parts_(parts), is_wanted_(parts.process.params().flag(progress_thread_param)) {
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

ProgressThread::~ProgressThread() {
  parts_.threads.lock().lock();
  stop_ = true;
  wake();
  end_rest();
  parts_.process.progress().wake_sleepers();
  parts_.threads.lock().unlock();
  thread_.join();
}

bool ProgressThread::has_served_windows() const {
  return parts_.windows != nullptr && parts_.windows->any_served();
}

bool ProgressThread::is_urgent() const {
  const OpenFiles* const files = parts_.files.get();
  if (files != nullptr && files->goes_on()) return true;
  if (!is_wanted_ && !has_served_windows()) return false;
  return parts_.process.progress().has_ready() || parts_.engine->busy() ||
         (files != nullptr && files->busy());
}

bool ProgressThread::has_work() const {
  return has_served_windows() || is_urgent();
}

void ProgressThread::look() {
  if (wanted_.load(std::memory_order_relaxed) == 0 && has_work()) wake();
  if (is_wanted_ && rests_.load(std::memory_order_relaxed) && is_urgent()) end_rest();
}

void ProgressThread::wake() {
  wanted_.store(1, std::memory_order_release);
  wanted_.notify_one();
}

void ProgressThread::end_rest() {
  const std::lock_guard guard(rest_mutex_);
  rests_ = false;
  rested_.notify_one();
}

void ProgressThread::rest(int most, std::chrono::milliseconds longest) {
  MpiLock& lock = parts_.threads.lock();
  rests_ = true;
  lock.unlock();
  {
    std::unique_lock guard(rest_mutex_);
    const auto over = [this] { return !rests_; };
    std::chrono::milliseconds quiet{0};
    std::chrono::milliseconds rested{0};
    do {
      quiet = std::clamp(rested / kQuietPart, kQuiet, longest);
      rested += quiet;
      lock.forget_others();
    } while (!rested_.wait_for(guard, quiet, over) && lock.was_others() && --most > 0);
    rests_ = false;
  }
  lock.lock();
}

// A program that waits for what it has begun does the same without changing threads.
void ProgressThread::serve_files() {
  rest(kMostQuiet, kQuiet);
  parts_.process.progress().wait([this] { return stop_ || !parts_.files->goes_on(); }, nullptr,
                                 &kModest);
}

void ProgressThread::serve_windows() {
  rest(std::numeric_limits<int>::max(), parts_.windows->any_needs_answers() ? kQuiet : kLongQuiet);
  const MpiLock& lock = parts_.threads.lock();
  const std::uint64_t before = lock.handovers();
  const auto is_over = [&] {
    return stop_ || is_urgent() || !has_served_windows() || lock.handovers() != before;
  };
  parts_.process.progress().wait(is_over, nullptr, &kModest);
}

void ProgressThread::run() {
  parts_.threads.lock().lock();
  while (!stop_) {
    if (!is_wanted_ && parts_.files != nullptr && parts_.files->goes_on()) {
      serve_files();
      continue;
    }
    if (is_urgent()) {
      parts_.process.progress().wait([this] { return stop_ || !is_urgent(); }, nullptr, &kModest);
      continue;
    }
    if (has_served_windows()) {
      serve_windows();
      continue;
    }
    // What it did last may be what another thread waits for.
    parts_.process.progress().wake_sleepers();
    wanted_.store(0, std::memory_order_relaxed);
    parts_.threads.lock().unlock();
    wanted_.wait(0, std::memory_order_acquire);
    parts_.threads.lock().lock();
  }
  parts_.threads.lock().unlock();
}

}  // namespace remit
