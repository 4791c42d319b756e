// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/delegation_slot.hpp"

#include <sched.h>

namespace remit {

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
