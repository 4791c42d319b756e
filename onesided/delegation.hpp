// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Operations on memory that only the kernel copies, handed to the processes that have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "datatype/datatype.hpp"
#include "datatype/layout.hpp"
#include "onesided/accumulate.hpp"
#include "onesided/delegation_slot.hpp"
#include "onesided/members.hpp"
#include "onesided/one_sided.hpp"

namespace remit {

/// The origin's side of one window's slots. A member that polls does a small operation in a tenth
/// of the time that the kernel takes to copy; one that computes does not, and must not be waited
/// for. So each operation is handed over and called back if the answer does not come at once, and a
/// member that did not answer is not asked for a while: twice as long each time. The functions say
/// whether an operation was done: then it is complete at the target, and else the caller does it.
/// Only where processes have cores of their own. The caller has checked epochs and bounds. The
/// thread that holds the process.
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
  /// As accumulate() of onesided/accumulate.hpp; false of what does not lie in one granule.
  [[nodiscard]] bool accumulate(int rank, const Accumulation& what, const View* origin,
                                const View& target, const View* result);

  /// Operations, or parts of them, that members did.
  [[nodiscard]] std::uint64_t handed_over() const { return handed_over_; }

 private:
  /// What is known of a member's will to answer.
  struct Patience {
    std::uint8_t failures = 0;  ///< one after the other, up to kMostFailures
    std::uint8_t pause = 0;     ///< so many operations are not handed over
  };
  static constexpr std::uint8_t kMostFailures = 6;
  /// A member that sleeps, and that many operations go to, is woken, and asked soon.
  static constexpr std::uint8_t kFailuresOfWoken = 2;
  /// Longer puts and gets are faster by the kernel.
  static constexpr std::size_t kLongestMove = 4 * DelegationSlot::kBytes;

  /// A put or a get.
  [[nodiscard]] bool move(DelegatedKind kind, int rank, const View& origin, const View& target);
  /// The member's slot, which is this process's until leave() if it is not null.
  [[nodiscard]] DelegationSlot* claim(int rank);
  /// Of an origin that has died with it: looks for that now and then.
  [[nodiscard]] bool take_over(DelegationSlot& slot);
  /// Whether the member has done it; only then the slot is this process's still.
  [[nodiscard]] bool ask(int rank, DelegationSlot& slot, const DelegatedOperation& operation);

  OneSided& manager_;
  WindowMembers& members_;
  std::vector<Patience> patience_;  ///< by the member's index on this host
  std::uint64_t handed_over_ = 0;
  std::uint32_t in_use_ = 0;  ///< how often a slot was another origin's
};

}  // namespace remit
