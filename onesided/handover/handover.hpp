// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// One operation, or the pieces of one, on their way through a slot to the process that does them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onesided/handover/delegation_slot.hpp"
#include "onesided/memory/members.hpp"
#include "onesided/one_sided.hpp"

namespace remit {

/// What is known of a member's will to answer.
struct Patience {
  std::uint8_t failures = 0;  ///< one after the other, up to kMostFailures
  std::uint8_t pause = 0;     ///< so many operations are not handed over

  static constexpr std::uint8_t kMostFailures = 6;
  /// A member that sleeps, and that many operations go to, is woken, and asked soon.
  static constexpr std::uint8_t kFailuresOfWoken = 2;
};

/// A member's slot, from the claim to destruction. Pieces are posted one after the other, and
/// settled in the same order; there may be as many on their way as the slot has lanes, so that the
/// member is at one while the origin is at the next. The thread that holds the process.
class Handover {
 public:
  /// `slot`: the member's, which this process has claimed; null: nothing can be handed to it now,
  /// and this is not open. `patience`: with it, not with null either. All must outlive it.
  Handover(OneSided& manager, WindowMembers& members, int rank, DelegationSlot* slot,
           Patience* patience)
      : manager_(manager), members_(members), rank_(rank), slot_(slot), patience_(patience) {}
  /// Pieces that are not settled are called back.
  ~Handover();
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;

  /// Whether a piece may be posted: the slot is this process's, the member has answered so far, and
  /// a lane is free.
  [[nodiscard]] bool is_open() const {
    return slot_ != nullptr && open_ && on_their_way() < kLanes;
  }
  [[nodiscard]] unsigned on_their_way() const { return posted_ - settled_; }
  /// Of the next piece; it is open.
  [[nodiscard]] std::byte* data() { return slot_->data(posted_ % kLanes); }
  void post(const DelegatedOperation& operation) { slot_->post(posted_++ % kLanes, operation); }
  /// The oldest piece that is on its way: what the member has answered, in the lane's data, or
  /// null: it was not done. Once that has been, the next ones are called back at once.
  [[nodiscard]] std::byte* settle();

 private:
  static constexpr unsigned kLanes = DelegationSlot::kLanes;

  [[nodiscard]] DelegationSlot::Outcome outcome_of(unsigned lane);
  void note_unanswered();

  OneSided& manager_;
  WindowMembers& members_;
  int rank_;
  DelegationSlot* slot_;
  Patience* patience_;
  bool open_ = true;
  bool lost_ = false;
  unsigned posted_ = 0;
  unsigned settled_ = 0;
};

}  // namespace remit
