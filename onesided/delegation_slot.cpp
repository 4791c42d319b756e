// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/delegation_slot.hpp"

#include <sched.h>

namespace remit {

bool DelegationSlot::claim_from(std::uint32_t gone, std::uint32_t self) {
  std::uint32_t owner = gone;
  if (!claimed_.compare_exchange_strong(owner, self, std::memory_order_acquire)) return false;
  std::uint32_t posted = kPosted;
  state_.compare_exchange_strong(posted, kIdle, std::memory_order_acq_rel);
  if (posted != kTaken) return true;
  claimed_.store(gone, std::memory_order_release);
  return false;
}

bool DelegationSlot::take_posted(DelegatedOperation& operation) {
  std::uint32_t posted = kPosted;
  if (!state_.compare_exchange_strong(posted, kTaken, std::memory_order_acquire)) return false;
  operation = operation_;
  return true;
}

void DelegationSlot::give_core_away() {
  ::sched_yield();
}

}  // namespace remit
