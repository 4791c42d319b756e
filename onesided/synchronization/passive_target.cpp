// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/synchronization/passive_target.hpp"

#include <atomic>

#include "onesided/synchronization/target_locks.hpp"
#include "onesided/synchronization/window_waits.hpp"

namespace remit {

Expected<> PassiveTarget::lock(const CommCall& call, int rank, bool exclusive, int assertion) {
  if (auto fine = window_.epochs.check_lock(rank); !fine) return fine;
  if ((assertion & MPI_MODE_NOCHECK) != 0) {
    window_.epochs.lock({rank, exclusive, false, 0});
    return {};
  }
  LockWait subject(window_.comm, call.function, rank, exclusive, window_.members.lock_words(rank));
  const auto held = take_lock(window_, rank, exclusive, &subject);
  if (!held) return tl::unexpected(held.error());
  window_.epochs.lock(*held);
  return {};
}

/// A program that looks at its own memory in a loop, by a flush, a lock or MPI_Win_sync, may call
/// nothing else: what it looks for comes by messages that somebody has to take. Operations that are
/// under way do not mean that a call polls: they may be on a target that it does not ask about.
void PassiveTarget::serve_now_and_then() {
  constexpr std::uint32_t kCallsPerPoll = 16;
  if (window_.is_served && ++calls_ % kCallsPerPoll == 0) window_.manager.progress().poll();
}

Expected<> PassiveTarget::unlock(const CommCall& call, int rank) {
  const auto held = window_.epochs.unlock(rank);
  if (!held) return tl::unexpected(held.error());
  serve_now_and_then();
  auto flushed = end_operations(call, window_, rank, false);
  give_back(window_, *held);
  return flushed;
}

Expected<> PassiveTarget::lock_each() {
  for (int rank = 0; rank < window_.comm.size(); ++rank) {
    if (auto locked = lock_one_of_all(window_, rank); !locked) return locked;
  }
  return {};
}

/// Targets are locked when the first operation goes there: but for memory that members reach by
/// loads and stores of their own, for which nobody asks.
Expected<> PassiveTarget::lock_all(int assertion) {
  const bool checks = (assertion & MPI_MODE_NOCHECK) == 0;
  if (auto fine = window_.epochs.lock_all(checks); !fine) return fine;
  if (!checks || window_.spec.flavor != MPI_WIN_FLAVOR_SHARED) return {};
  auto locked = lock_each();
  if (!locked) {
    give_back_all(window_);
    window_.epochs.end_lock_all();
  }
  return locked;
}

Expected<> PassiveTarget::unlock_all(const CommCall& call) {
  if (auto fine = window_.epochs.check_unlock_all(); !fine) return fine;
  serve_now_and_then();
  auto flushed = end_operations(call, window_, kAllMembers, false);
  give_back_all(window_);
  window_.epochs.end_lock_all();
  return flushed;
}

Expected<> PassiveTarget::flush(const CommCall& call, int rank, bool local) {
  if (auto fine = window_.epochs.check_flush(rank); !fine) return fine;
  std::atomic_thread_fence(std::memory_order_release);
  serve_now_and_then();
  return end_operations(call, window_, rank, local);
}

bool PassiveTarget::try_flush(const char* function, int rank) {
  RemoteTargets& targets = window_.remote.targets();
  if (!targets.busy() || !window_.epochs.may_flush_at_once(rank)) return false;
  std::atomic_thread_fence(std::memory_order_release);
  serve_now_and_then();
  const FlushWait subject(window_.comm, function, rank);
  return targets.try_flush(rank, subject);
}

void PassiveTarget::sync() {
  serve_now_and_then();
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace remit
