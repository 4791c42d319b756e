// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A lock for what is done rarely and quickly, without any library.
#pragma once

#include <sched.h>

#include <atomic>

namespace remit::profile {

class SpinLock {
 public:
  class Holder {
   public:
    explicit Holder(SpinLock& lock) : lock_(lock) { lock_.lock(); }
    ~Holder() { lock_.unlock(); }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

   private:
    SpinLock& lock_;
  };

  void lock() {
    while (flag_.test_and_set(std::memory_order_acquire)) ::sched_yield();
  }
  void unlock() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};

}  // namespace remit::profile
