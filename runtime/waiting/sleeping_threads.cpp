// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Events of threads that sleep.
#include "runtime/waiting/sleeping_threads.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace remit {

SleepingThreads::~SleepingThreads() {
  for (const int event : idle_) ::close(event);
}

int SleepingThreads::take_event() {
  if (idle_.empty()) {
    idle_.reserve(made_ + 1);
    const int made = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (made >= 0) ++made_;
    return made;
  }
  const int event = idle_.back();
  idle_.pop_back();
  return event;
}

void SleepingThreads::give_back(int event) noexcept {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t drained = ::read(event, &count, sizeof count);
  idle_.push_back(event);
}

void SleepingThreads::unblock(int event) {
  std::erase(to_wake_, event);
}

void SleepingThreads::signal() {
  const std::uint64_t one = 1;
  for (const int event : to_wake_) {
    [[maybe_unused]] const ssize_t written = ::write(event, &one, sizeof one);
  }
  to_wake_.clear();
}

}  // namespace remit
