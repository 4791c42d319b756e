// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/synchronization/host_sync.hpp"

#include <algorithm>
#include <atomic>

#include "onesided/synchronization/host_wait.hpp"
#include "onesided/synchronization/lock_watch.hpp"
#include "onesided/synchronization/window_waits.hpp"

namespace remit {

// --- locks -------------------------------------------------------------------------------------

Expected<> HostSync::lock(int rank, bool exclusive, TicketLock::Ticket& ticket, LockWait* subject) {
  MemberControl& target = *members_.control(rank);
  if (try_lock(target, exclusive, ticket)) return {};
  ++waits_;
  TicketLock& lock = target.access.lock;
  ticket = lock.take_ticket();
  bool is_in = false;
  bool lost = false;
  LockWatch watch(members_, target);
  if (subject != nullptr) subject->see(&watch);
  const auto served = [&] {
    if (is_in || lost) return true;
    is_in = exclusive ? lock.writer_is_in(ticket) : lock.let_reader_in(ticket);
    lost = !is_in && watch.look();
    return is_in || lost;
  };
  std::atomic<std::uint32_t>& awaited = members_.own_control().identity.awaits_lock_of;
  awaited.store(members_.index_of(target) + 1, std::memory_order_seq_cst);
  wait_for_word(manager_, target.access.sleepers, served, subject);
  awaited.store(0, std::memory_order_relaxed);
  if (subject != nullptr) subject->see(nullptr);
  if (lost) return tl::unexpected(lost_lock(target.access, rank));
  if (exclusive) note_writer(target);
  return {};
}

/// Who waits is not known, only that somebody may sleep: all members of the host that wait for a
/// lock look once more. It happens only where members wait for each other longer than they spin.
void HostSync::wake_lockers(const MemberControl& target) {
  for (int rank = 0; rank < members_.size(); ++rank) {
    const MemberControl* const member = members_.control(rank);
    if (member == nullptr || rank == members_.rank()) continue;
    if (member->identity.awaits_lock_of.load(std::memory_order_relaxed) ==
        members_.index_of(target) + 1) {
      manager_.nudge(members_.proc(rank));
    }
  }
}

// --- post, start, complete, wait ---------------------------------------------------------------

namespace {

/// Where a member's post is put if there is room: few members share one, so that it is found, and
/// most often free, at the first look.
[[nodiscard]] std::size_t home_slot(int rank) {
  return static_cast<std::size_t>(rank) % MemberControl::kPostSlots;
}

/// A slot is not read before it is written: that would fetch its line twice.
[[nodiscard]] bool put_post(std::atomic<std::uint32_t>& slot, std::uint32_t value) {
  std::uint32_t free = 0;
  return slot.compare_exchange_strong(free, value, std::memory_order_seq_cst);
}

}  // namespace

bool HostSync::tell_posted(int rank) {
  MemberControl::PostLines& origin = members_.control(rank)->posted;
  const auto self = static_cast<std::uint32_t>(members_.rank()) + 1;
  const bool told = put_post(origin.posts[home_slot(members_.rank())], self) ||
                    std::any_of(origin.posts.begin(), origin.posts.end(), [self](auto& slot) {
                      return slot.load(std::memory_order_relaxed) == 0 && put_post(slot, self);
                    });
  if (told && origin.sleeps.load(std::memory_order_seq_cst) != 0) {
    manager_.nudge(members_.proc(rank));
  }
  return told;
}

void HostSync::take_posts(std::vector<int>& missing) {
  auto& posts = members_.own_control().posted.posts;
  std::erase_if(missing, [&posts](int rank) {
    std::atomic<std::uint32_t>& slot = posts[home_slot(rank)];
    if (slot.load(std::memory_order_acquire) != static_cast<std::uint32_t>(rank) + 1) return false;
    slot.store(0, std::memory_order_release);
    return true;
  });
  if (missing.empty()) return;
  for (std::atomic<std::uint32_t>& slot : posts) {
    const std::uint32_t value = slot.load(std::memory_order_acquire);
    if (value == 0) continue;
    const auto found = std::find(missing.begin(), missing.end(), static_cast<int>(value - 1));
    if (found == missing.end()) continue;
    slot.store(0, std::memory_order_release);
    missing.erase(found);
  }
}

void HostSync::tell_completed(int rank) {
  MemberControl::CompleteLine& target = members_.control(rank)->exposure;
  target.completed.fetch_add(1, std::memory_order_seq_cst);
  if (target.sleeps.load(std::memory_order_seq_cst) != 0) manager_.nudge(members_.proc(rank));
}

// --- signals -----------------------------------------------------------------------------------

/// The signal was stored by a plain store: the fence keeps the look behind it.
void HostSync::tell_signalled(int rank) {
  if (rank == members_.rank()) return;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const MemberControl& target = *members_.control(rank);
  if (target.identity.awaits_signal.load(std::memory_order_relaxed) != 0) {
    manager_.nudge(members_.proc(rank));
  }
}

}  // namespace remit
