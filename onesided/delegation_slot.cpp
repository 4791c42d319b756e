// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/delegation_slot.hpp"

#include <sched.h>

namespace remit {

bool DelegationSlot::take_posted(unsigned lane, DelegatedOperation& operation) {
  std::uint32_t posted = kPosted;
  if (!states_[lane].compare_exchange_strong(posted, kTaken, std::memory_order_acquire))
    return false;
  operation = operations_[lane];
  return true;
}

void DelegationSlot::give_core_away() {
  ::sched_yield();
}

}  // namespace remit
