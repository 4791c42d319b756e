// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/storage/io_threads.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <utility>

#include "runtime/signals_blocked.hpp"

namespace remit {

IoThreads::IoThreads(Progress& progress, unsigned most)
    : progress_(progress), most_(most), event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  threads_.reserve(most);
  progress_.sources().add(this);
}

IoThreads::~IoThreads() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  queued_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  progress_.sources().remove(this);
  if (event_ >= 0) ::close(event_);
}

/// More than four gain nothing: a file has one lock in the kernel, and a core copies as much as a
/// memory bus takes from a few.
unsigned IoThreads::suitable_number() {
  return std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
}

bool IoThreads::start_thread() {
  try {
    const SignalsBlocked blocked;
    threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    return !threads_.empty();
  }
  return true;
}

void IoThreads::start(IoJob& job) {
  job.complete_ = false;
  job.waiting_ = nullptr;
  job.next_ = nullptr;
  ++under_way_;
  {
    const std::lock_guard lock(mutex_);
    const bool wants_thread = idle_ == 0 || first_ != nullptr;
    if (!wants_thread || threads_.size() == most_ || start_thread()) {
      (last_ == nullptr ? first_ : last_->next_) = &job;
      last_ = &job;
      queued_.notify_one();
      return;
    }
  }
  job.run();
  --under_way_;
  job.complete_ = true;
}

void IoThreads::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    queued_.wait(lock, [this] { return first_ != nullptr || stop_; });
    --idle_;
    if (first_ == nullptr) return;
    IoJob& job = *first_;
    first_ = job.next_;
    if (first_ == nullptr) last_ = nullptr;
    lock.unlock();
    job.run();
    tell(job);
    lock.lock();
  }
}

// Who sleeps has armed first and polled then; whoever tells has put its job there first and looks
// then whether somebody sleeps. So one of them sees what the other did.
void IoThreads::tell(IoJob& job) {
  IoJob* before = done_.load(std::memory_order_relaxed);
  do {
    job.next_ = before;
  } while (!done_.compare_exchange_weak(before, &job, std::memory_order_seq_cst,
                                        std::memory_order_relaxed));
  if (!armed_.load(std::memory_order_seq_cst)) return;
  constexpr std::uint64_t kOne = 1;
  // It fails only where it is readable already.
  (void)!::write(event_, &kOne, sizeof kOne);
  signalled_.store(true, std::memory_order_release);
}

int IoThreads::progress() {
  if (under_way_ == 0 || done_.load(std::memory_order_seq_cst) == nullptr) return 0;
  IoJob* last = done_.exchange(nullptr, std::memory_order_acquire);
  IoJob* first = nullptr;
  while (last != nullptr) {
    IoJob* before = std::exchange(last->next_, first);
    first = std::exchange(last, before);
  }
  int events = 0;
  while (first != nullptr) {
    IoJob& job = *std::exchange(first, first->next_);
    job.complete_ = true;
    --under_way_;
    ++events;
    if (job.waiting_ != nullptr) progress_.ready(job.waiting_);
  }
  return events;
}

void IoThreads::arm() {
  armed_.store(true, std::memory_order_seq_cst);
}

// A signal that comes between these two lines ends the next sleep for nothing, and is read then.
void IoThreads::disarm() {
  armed_.store(false, std::memory_order_relaxed);
  if (!signalled_.exchange(false, std::memory_order_acquire)) return;
  std::uint64_t count = 0;
  (void)!::read(event_, &count, sizeof count);
}

void IoThreads::wait_fds(std::vector<int>& out) const {
  out.push_back(event_);
}

}  // namespace remit
