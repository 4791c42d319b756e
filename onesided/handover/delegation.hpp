// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Operations on memory that only the kernel copies, handed to the processes that have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "datatype/datatype.hpp"
#include "datatype/layout.hpp"
#include "onesided/elements/accumulate.hpp"
#include "onesided/elements/element_code.hpp"
#include "onesided/handover/delegation_slot.hpp"
#include "onesided/handover/handover.hpp"
#include "onesided/memory/members.hpp"
#include "onesided/one_sided.hpp"

namespace remit {

/// The origin's side of one window's slots. A member that polls does a small operation in a tenth
/// of the time that the kernel takes to copy, and a long one while the origin is at the next part;
/// one that computes does not, and must not be waited for. So each operation is handed over and
/// called back if the answer does not come at once, and a member that did not answer is not asked
/// for a while: twice as long each time. The functions say whether an operation was done: then it
/// is complete at the target, and else the caller does it. Only where processes have cores of their
/// own. The caller has checked epochs and bounds. The thread that holds the process.
class Delegation {
 public:
  /// Both must outlive it.
  Delegation(OneSided& manager, WindowMembers& members) : manager_(manager), members_(members) {}

  [[nodiscard]] bool put(int rank, const View& origin, const View& target) {
    return move(DelegatedKind::put, rank, origin, target);
  }
  [[nodiscard]] bool get(int rank, const View& origin, const View& target) {
    return move(DelegatedKind::get, rank, origin, target);
  }
  [[nodiscard]] bool compare_and_swap(int rank, const Datatype& element, std::uint64_t address,
                                      const void* replacement, const void* compare, void* result);

  /// The element of accumulates that can be handed over; nothing: of that kind, or on such memory,
  /// none can.
  [[nodiscard]] static std::optional<ElementCode> element_to_hand_over(const Accumulation& what,
                                                                       const View& target);
  /// For the parts of an accumulate; not open if nothing can be handed to that member now.
  [[nodiscard]] Handover open(int rank);
  /// As accumulate() of onesided/elements/accumulate.hpp; it is on its way until settle(), behind
  /// which the caller unpacks what is fetched. False: it is too long, or not in one granule. The
  /// handover is open, and `code` is of the element.
  [[nodiscard]] static bool post(Handover& handover, const Accumulation& what, ElementCode code,
                                 const View* origin, const View& target, bool fetches);
  /// Handover::settle(), counted.
  [[nodiscard]] std::byte* settle(Handover& handover);

  /// Operations, or parts of them, that members did.
  [[nodiscard]] std::uint64_t handed_over() const { return handed_over_; }

 private:
  /// A put or a get.
  [[nodiscard]] bool move(DelegatedKind kind, int rank, const View& origin, const View& target);

  /// What a member has put into a lane, to bytes of a view from `offset` on.
  void take_out(const View& to, std::size_t offset, std::span<std::byte> data);

  /// The slot of the member of that index, if it is this process's now; else null.
  [[nodiscard]] DelegationSlot* claim(std::uint32_t index);
  /// Of an origin that has died with it: looks for that now and then.
  [[nodiscard]] bool take_over(DelegationSlot& slot);

  OneSided& manager_;
  WindowMembers& members_;
  std::vector<Patience> patience_;  ///< by the member's index on this host
  std::uint64_t handed_over_ = 0;
  std::uint32_t in_use_ = 0;  ///< how often a slot was another origin's
};

}  // namespace remit
