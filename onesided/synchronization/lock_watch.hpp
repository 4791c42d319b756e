// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a process that waits for the lock of a member sees of those before it.
#pragma once

#include <cstdint>

#include "onesided/memory/members.hpp"
#include "runtime/error.hpp"

namespace remit {

/// Since when the same ones have the lock, and whether one of them has ended, for whom others would
/// wait for ever. It looks rarely, so nobody waits longer for it, and who takes a lock that is free
/// does nothing for it. The thread that holds the process.
class LockWatch {
 public:
  /// Of the lock in `target`, a member's words. Both must outlive it.
  LockWatch(const WindowMembers& members, MemberControl& target)
      : members_(members), target_(target) {}

  /// To be called with each look in vain. True: those who wait for the lock wait in vain, and
  /// LockLine::lost says for whom.
  [[nodiscard]] bool look() {
    if (++looks_ % kLooks != 0) [[likely]]
      return false;
    return look_closely();
  }
  /// monotonic_ns() when the lock had been seen to have moved; 0: not yet. Whoever has it has it
  /// since then, or longer.
  [[nodiscard]] std::int64_t held_ns() const { return held_ns_; }

 private:
  static constexpr std::uint32_t kLooks = 256;
  /// Who is let in may need a while to see it. So many close looks at the same lock before anybody
  /// is taken for its holder.
  static constexpr std::uint32_t kPatience = 8;

  [[nodiscard]] bool look_closely();
  [[nodiscard]] int find_lost();

  const WindowMembers& members_;
  MemberControl& target_;
  std::uint32_t looks_ = 0;
  std::uint32_t unchanged_ = 0;  ///< close looks
  std::uint32_t next_ = 0;       ///< the member of this host to look at
  std::uint64_t turn_ = 0;       ///< TicketLock::turn() at the last one
  std::int64_t held_ns_ = 0;
};

/// What to say to who waits in vain for the lock of `rank`, which `line` is of.
[[nodiscard]] Error lost_lock(const MemberControl::LockLine& line, int rank);

}  // namespace remit
