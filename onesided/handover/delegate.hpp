// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A member of a window as the one that does what others of its host hand to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "datatype/unnamed_types.hpp"
#include "onesided/handover/delegation_slot.hpp"
#include "onesided/memory/control.hpp"
#include "onesided/memory/member_memory.hpp"

namespace remit {

/// Serves one slot. It believes nothing that stands there: memory that is not the member's is not
/// touched. The thread that holds the process.
class Delegate {
 public:
  /// The member's own memory, which is mapped, and its words. All outlives it.
  struct Member {
    MemberMemory memory;
    MemberControl* control = nullptr;
    /// Whether bytes are in the member's memory.
    std::function<bool(std::uint64_t address, std::uint64_t bytes)> contains;
    const HostMemory* host_memory = nullptr;  ///< null: no lines are claimed
  };

  Delegate(DelegationSlot& slot, Member member)
      : slot_(slot), member_(std::move(member)), before_(DelegationSlot::kBytes) {}

  /// What origins know of this process: whether it may be woken.
  void note_sleep(bool sleeps) { slot_.note_sleep(sleeps); }
  /// Whether it was woken for operations that are still to come; true once.
  [[nodiscard]] bool take_call() { return slot_.take_call(); }
  /// Does what has been posted. How many operations that was.
  [[gnu::always_inline]] int serve() {
    int operations = 0;
    for (unsigned lane = 0; lane < DelegationSlot::kLanes; ++lane) {
      DelegatedOperation operation;
      if (!slot_.take(lane, operation)) [[likely]]
        continue;
      slot_.answer(lane, carry_out(operation, slot_.data(lane)));
      ++operations;
    }
    return operations;
  }

 private:
  /// False: it cannot be done, and nothing was. `data` are the lane's.
  [[nodiscard]] bool carry_out(const DelegatedOperation& operation, std::byte* data);
  [[nodiscard]] bool accumulate(const DelegatedOperation& operation, std::byte* data);
  [[nodiscard]] bool swap(const DelegatedOperation& operation, std::byte* data);

  DelegationSlot& slot_;
  Member member_;
  UnnamedTypes unnamed_;
  std::vector<std::byte> before_;  ///< what elements were, for who fetches them
};

}  // namespace remit
