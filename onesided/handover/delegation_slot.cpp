// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/handover/delegation_slot.hpp"

namespace remit {

bool DelegationSlot::claim_from(std::uint32_t gone, std::uint32_t self) {
  std::uint32_t owner = gone;
  if (!claimed_.compare_exchange_strong(owner, self, std::memory_order_acquire)) return false;
  bool at_work = false;
  for (std::atomic<std::uint32_t>& state : states_) {
    std::uint32_t posted = kPosted;
    state.compare_exchange_strong(posted, kIdle, std::memory_order_acq_rel);
    at_work = at_work || posted == kTaken;
  }
  if (at_work) claimed_.store(gone, std::memory_order_release);
  return !at_work;
}

bool DelegationSlot::take_posted(unsigned lane, DelegatedOperation& operation) {
  std::uint32_t posted = kPosted;
  if (!states_[lane].compare_exchange_strong(posted, kTaken, std::memory_order_acquire))
    return false;
  operation = operations_[lane];
  return true;
}

}  // namespace remit
