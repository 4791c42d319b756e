// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "bindings/process/background_progress.hpp"

#include <system_error>

#include "bindings/process/call_guard.hpp"
#include "runtime/process.hpp"

namespace remit {

void BackgroundProgress::start_if_wanted() {
  if (!parts_.process.params().flag(progress_thread_param)) return;
  parts_.threads.lock_calls();
  run();
}

bool BackgroundProgress::is_refused() const {
  const Params& params = parts_.process.params();
  return params.is_set(progress_thread_param) && !params.flag(progress_thread_param);
}

void BackgroundProgress::hold_lock(bool was_guarded) {
  if (was_guarded) {
    parts_.threads.wait_for_unguarded();
  } else {
    parts_.threads.enter();
  }
}

void BackgroundProgress::want() {
  CallGuard& threads = parts_.threads;
  const bool is_lasting = threads.locking() && !threads.locks_for_now();
  if ((runs() && is_lasting) || is_refused()) return;
  // The call that is under way holds the lock from here on, and gives it up at its end.
  const bool was_guarded = threads.guarded();
  threads.lock_calls();
  hold_lock(was_guarded);
  if (!runs()) run();
}

void BackgroundProgress::want_for_now() {
  if (is_refused()) return;
  CallGuard& threads = parts_.threads;
  if (!threads.locking()) {
    const bool was_guarded = threads.guarded();
    threads.lock_calls_for_now();
    hold_lock(was_guarded);
  }
  if (!runs()) run();
}

void BackgroundProgress::end_lock_for_now() {
  if (!runs() || thread_->is_asleep()) parts_.threads.end_lock_for_now();
}

void BackgroundProgress::run() {
  try {
    thread_ = std::make_unique<ProgressThread>(parts_);
  } catch (const std::system_error& error) {
    parts_.process.log().write(LogLevel::warning, "there is no progress thread: {}", error.what());
  }
}

}  // namespace remit
