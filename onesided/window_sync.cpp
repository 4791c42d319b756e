// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Synchronization of windows (MPI-5.0, section 12.5).
#include <algorithm>
#include <atomic>
#include <utility>

#include "collectives/board/board.hpp"
#include "collectives/board/board_short.hpp"
#include "communicators/inner_collectives.hpp"
#include "communicators/waits.hpp"
#include "onesided/host_wait.hpp"
#include "onesided/one_sided.hpp"
#include "onesided/window.hpp"
#include "onesided/window_waits.hpp"

namespace remit {

// --- active target -----------------------------------------------------------------------------

/// All members have come, and what each has stored before can be seen by all.
Expected<> Window::barrier(const CommCall& call) {
  static const std::string kNoName;
  const ParentComm members{comm_, kNoName};
  BoardLines* const lines = short_path(comm_, CollectiveKind::barrier, 0);
  if (lines == nullptr) {
    CollectiveArgs args;
    args.kind = CollectiveKind::barrier;
    return run_among_members(call, members, args, "the members of the window could not meet");
  }
  const InnerCollectiveWait subject(call, members, CollectiveKind::barrier);
  ++comm_.collective_sequence;
  const int code = short_barrier(*lines, &subject);
  if (code != MPI_SUCCESS) return fail(code, "the members of the window could not meet");
  return {};
}

Expected<> Window::fence(const CommCall& call, int assertion) {
  if (auto fine = epochs_.fence((assertion & MPI_MODE_NOSUCCEED) != 0); !fine) return fine;
  auto flushed = end_operations(call, kAllMembers, false);
  auto met = barrier(call);
  return flushed ? met : flushed;
}

bool Window::all_posted(std::vector<int>& missing) {
  host_.take_posts(missing);
  for (auto post = remote_posts_.begin(); post != remote_posts_.end();) {
    const auto awaited = std::find(missing.begin(), missing.end(), *post);
    if (awaited == missing.end()) {
      ++post;
      continue;
    }
    missing.erase(awaited);
    post = remote_posts_.erase(post);
  }
  return missing.empty();
}

Expected<> Window::start(const CommCall& call, std::vector<int> ranks, int assertion) {
  if (auto fine = epochs_.check_start(); !fine) return fine;
  std::vector<int> missing = ranks;
  bool lost = false;
  const auto over = [&] {
    lost = !all_posted(missing) && std::any_of(missing.begin(), missing.end(), [this](int rank) {
      return manager_.links().lost(members_.proc(rank));
    });
    return lost || missing.empty();
  };
  if ((assertion & MPI_MODE_NOCHECK) == 0) {
    const MembersWait subject(comm_, call.function, "post", missing);
    wait_for_word(call.progress(), members_.own_control().posted.sleeps, over, &subject);
  }
  if (lost) return fail(MPI_ERR_PROC_ABORTED, "rank {} has ended without a post", missing.front());
  epochs_.start(std::move(ranks));
  return {};
}

Expected<> Window::complete(const CommCall& call) {
  auto ended = epochs_.complete();
  if (!ended) return tl::unexpected(ended.error());
  auto flushed = end_operations(call, kAllMembers, false);
  for (const int rank : *ended) {
    if (members_.control(rank) != nullptr) {
      host_.tell_completed(rank);
    } else {
      remote_.tell_completed(rank);
    }
  }
  return flushed;
}

Expected<> Window::post(const std::vector<int>& ranks, int assertion) {
  if (auto fine = epochs_.post(); !fine) return fine;
  completions_due_ += ranks.size();
  exposed_to_ = ranks;
  if ((assertion & MPI_MODE_NOCHECK) != 0) return {};
  // What this process has stored before is seen by whoever finds the post.
  for (const int rank : ranks) {
    const bool told = members_.control(rank) != nullptr && host_.tell_posted(rank);
    if (!told) remote_.tell_posted(rank);
  }
  return {};
}

Expected<> Window::wait(const CommCall& call) {
  if (auto fine = epochs_.check_wait(); !fine) return fine;
  MemberControl::CompleteLine& line = members_.own_control().exposure;
  const auto over = [&] {
    return line.completed.load(std::memory_order_acquire) >= completions_due_;
  };
  const MembersWait subject(comm_, call.function, "completion", exposed_to_);
  wait_for_word(call.progress(), line.sleeps, over, &subject);
  epochs_.end_exposure();
  return {};
}

Expected<bool> Window::test() {
  if (auto fine = epochs_.check_wait(); !fine) return tl::unexpected(fine.error());
  const MemberControl::CompleteLine& line = members_.own_control().exposure;
  const bool over = line.completed.load(std::memory_order_acquire) >= completions_due_;
  if (over) epochs_.end_exposure();
  return over;
}

// --- passive target ----------------------------------------------------------------------------

Expected<HeldLock> Window::take_lock(int rank, bool exclusive, const WaitSubject* subject) {
  HeldLock held{rank, exclusive, true, 0};
  const auto taken = members_.control(rank) != nullptr
                         ? host_.lock(rank, exclusive, held.ticket, subject)
                         : remote_.lock(rank, exclusive, subject);
  if (!taken) return tl::unexpected(taken.error());
  return held;
}

void Window::give_back(const HeldLock& held) {
  if (!held.taken) return;
  if (MemberControl* const target = members_.control(held.rank)) {
    host_.unlock(*target, held.exclusive, held.ticket);
  } else {
    remote_.unlock(held.rank, held.exclusive);
  }
}

Expected<> Window::lock(const CommCall& call, int rank, bool exclusive, int assertion) {
  if (auto fine = epochs_.check_lock(rank); !fine) return fine;
  if ((assertion & MPI_MODE_NOCHECK) != 0) {
    epochs_.lock({rank, exclusive, false, 0});
    return {};
  }
  const LockWait subject(comm_, call.function, rank, exclusive, members_.control(rank));
  const auto held = take_lock(rank, exclusive, &subject);
  if (!held) return tl::unexpected(held.error());
  epochs_.lock(*held);
  return {};
}

/// A program that looks at its own memory in a loop, by a flush, a lock or MPI_Win_sync, may call
/// nothing else: what it looks for comes by messages that somebody has to take.
void Window::serve_now_and_then() {
  constexpr std::uint32_t kCallsPerPoll = 16;
  if (is_served_ && ++idle_calls_ % kCallsPerPoll == 0) manager_.progress().poll();
}

Expected<> Window::end_operations(const CommCall& call, int rank, bool local) {
  if (!remote_.busy()) return {};
  std::vector<int> whom;
  if (rank != kAllMembers) whom.push_back(rank);
  const MembersWait subject(comm_, call.function, "flush", whom);
  return remote_.flush(rank, local, &subject);
}

Expected<> Window::unlock(const CommCall& call, int rank) {
  const auto held = epochs_.unlock(rank);
  if (!held) return tl::unexpected(held.error());
  if (!remote_.busy()) serve_now_and_then();
  auto flushed = end_operations(call, rank, false);
  give_back(*held);
  return flushed;
}

/// Targets are locked when the first operation goes there: but for memory that members reach by
/// loads and stores of their own, for which nobody asks.
Expected<> Window::lock_all(const CommCall& call, int assertion) {
  const bool checks = (assertion & MPI_MODE_NOCHECK) == 0;
  if (auto fine = epochs_.lock_all(checks); !fine) return fine;
  if (!checks || spec_.flavor != MPI_WIN_FLAVOR_SHARED) return {};
  for (int rank = 0; rank < comm_.size(); ++rank) {
    const LockWait subject(comm_, call.function, rank, false, members_.control(rank));
    const auto held = take_lock(rank, false, &subject);
    if (!held) return tl::unexpected(held.error());
    epochs_.add_lock(*held);
  }
  return {};
}

Expected<> Window::unlock_all(const CommCall& call) {
  if (auto fine = epochs_.check_unlock_all(); !fine) return fine;
  auto flushed = end_operations(call, kAllMembers, false);
  for (const HeldLock& held : epochs_.held()) give_back(held);
  epochs_.end_lock_all();
  return flushed;
}

Expected<> Window::flush(const CommCall& call, int rank, bool local) {
  if (auto fine = epochs_.check_flush(rank); !fine) return fine;
  std::atomic_thread_fence(std::memory_order_release);
  if (!remote_.busy()) serve_now_and_then();
  return end_operations(call, rank, local);
}

Expected<> Window::sync() {
  serve_now_and_then();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return {};
}

}  // namespace remit
