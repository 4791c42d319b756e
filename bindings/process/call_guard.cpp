// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Marks and the lock of calls.
#include "bindings/process/call_guard.hpp"

#include "runtime/waiting/core_yield.hpp"

namespace remit {

void CallGuard::mark_calls(bool (*barrier)()) {
  if (locking()) return;
  if (presence_ == nullptr) presence_ = std::make_unique<Presence>(barrier);
  progress_.set_yield_hook(this);
  guard_ = Guard::mark;
}

void CallGuard::lock_calls() {
  const std::lock_guard changes(changes_);
  locks_for_now_ = false;
  if (!locking()) start_locking();
}

void CallGuard::lock_calls_for_now() {
  const std::lock_guard changes(changes_);
  if (locking()) return;
  locks_for_now_ = true;
  otherwise_ = guard_;
  start_locking();
}

void CallGuard::end_lock_for_now() {
  const std::lock_guard changes(changes_);
  if (!locks_for_now_ || !lock_.is_taken_once()) return;
  locks_for_now_ = false;
  if (otherwise_ == Guard::none) progress_.set_yield_hook(nullptr);
  guard_ = otherwise_;
}

void CallGuard::start_locking() {
  progress_.set_yield_hook(this);
  guard_ = Guard::lock;
  if (presence_ != nullptr) presence_->order();
}

void CallGuard::wait_for_unguarded() {
  if (presence_ == nullptr || !locking()) return;
  while (!presence_->gone()) yield_core();
  // A callback of this thread's own call.
  if (presence_->is_inside()) lock_instead();
}

void CallGuard::lock_instead() {
  for (int nested = presence_->give_up(); nested > 0; --nested) lock_.lock();
  others_may_care_ = true;
}

void CallGuard::enter() {
  if (!locking()) {
    presence_->enter();
    if (!locking()) [[likely]]
      return;
    presence_->leave();
  }
  lock_.lock();
  others_may_care_ = true;
}

// Gives other threads their turn while one waits.
void CallGuard::before() {
  if (presence_ != nullptr && presence_->is_inside()) {
    presence_->sleep();
  } else {
    tell_others();
    lock_.pause();
  }
}

void CallGuard::after() {
  if (presence_ == nullptr || !presence_->is_asleep()) {
    lock_.resume();
    return;
  }
  presence_->awake();
  if (locking()) lock_instead();
}

}  // namespace remit
