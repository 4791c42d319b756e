// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/handover/handover.hpp"

#include <algorithm>

#include "onesided/memory/process_memory.hpp"

namespace remit {

Handover::~Handover() {
  if (slot_ == nullptr) return;
  open_ = false;
  while (on_their_way() != 0) (void)settle();
  if (!lost_) slot_->leave();
}

std::byte* Handover::settle() {
  const unsigned lane = settled_++ % kLanes;
  switch (outcome_of(lane)) {
    case DelegationSlot::Outcome::done:
      if (open_) patience_->failures = 0;
      return slot_->data(lane);
    case DelegationSlot::Outcome::declined:
      open_ = false;
      return nullptr;
    case DelegationSlot::Outcome::lost:
      lost_ = true;
      [[fallthrough]];
    case DelegationSlot::Outcome::unanswered:
      if (open_) note_unanswered();
      open_ = false;
      return nullptr;
  }
  return nullptr;
}

DelegationSlot::Outcome Handover::outcome_of(unsigned lane) {
  const auto has_ended = [this] {
    return remit::has_ended(members_.control(rank_)->identity.sign) ||
           manager_.links().lost(members_.proc(rank_));
  };
  if (!open_) return slot_->call_back(lane, has_ended);
  // Two members may hand operations to each other at the same time.
  return slot_->await(
      lane, [this] { manager_.serve_delegates(); }, has_ended);
}

void Handover::note_unanswered() {
  patience_->failures = std::min<std::uint8_t>(patience_->failures + 1, Patience::kMostFailures);
  if (patience_->failures == Patience::kMostFailures && slot_->member_sleeps()) {
    slot_->call();
    manager_.nudge(members_.proc(rank_));
    patience_->failures = Patience::kFailuresOfWoken;
  }
  patience_->pause = static_cast<std::uint8_t>((1U << patience_->failures) - 1);
}

}  // namespace remit
