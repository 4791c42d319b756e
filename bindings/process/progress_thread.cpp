// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A thread that makes progress while the program computes.
#include "bindings/process/progress_thread.hpp"

#include "bindings/io/open_files.hpp"
#include "bindings/process/instance.hpp"
#include "runtime/signals_blocked.hpp"

namespace remit {

namespace {

/// The core is the program's: poll once, then sleep until something arrives.
constexpr WaitPolicy kModest{false, 0, 0, true};

}  // namespace

ProgressThread::ProgressThread(Instance& instance) : instance_(instance) {
  instance.guard_for(MPI_THREAD_MULTIPLE, false);
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

ProgressThread::~ProgressThread() {
  instance_.threads.lock().lock();
  stop_ = true;
  wake();
  instance_.progress().wake_sleepers();
  instance_.threads.lock().unlock();
  thread_.join();
}

bool ProgressThread::has_work() const {
  return instance_.served_windows != 0 || instance_.progress().has_ready() ||
         instance_.engine->busy() || (instance_.files != nullptr && instance_.files->busy());
}

void ProgressThread::wake() {
  wanted_.store(1, std::memory_order_release);
  wanted_.notify_one();
}

void ProgressThread::run() {
  instance_.threads.lock().lock();
  while (!stop_) {
    if (has_work()) {
      instance_.progress().wait([this] { return stop_ || !has_work(); }, nullptr, &kModest);
      continue;
    }
    // What it did last may be what another thread waits for.
    instance_.progress().wake_sleepers();
    wanted_.store(0, std::memory_order_relaxed);
    instance_.threads.lock().unlock();
    wanted_.wait(0, std::memory_order_acquire);
    instance_.threads.lock().lock();
  }
  instance_.threads.lock().unlock();
}

}  // namespace remit
