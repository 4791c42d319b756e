// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Operations on memory of this host that is not mapped here.
#pragma once

#include <cstdint>

#include "onesided/elements/accumulate.hpp"
#include "onesided/handover/delegation.hpp"
#include "onesided/memory/members.hpp"
#include "onesided/one_sided.hpp"
#include "runtime/error.hpp"

namespace remit {

/// Each is handed to the member, if that polls, or the kernel copies: then the member needs to do
/// nothing. Accumulates take the same locks both times, and an operation is complete on return.
/// Addresses in `target` are the member's, whose way is MemoryWay::kernel; the caller has checked
/// epochs and bounds. The thread that holds the process.
class UnmappedAccess {
 public:
  /// Both must outlive it.
  UnmappedAccess(OneSided& manager, WindowMembers& members)
      : members_(members), delegation_(manager, members) {}

  [[nodiscard]] Expected<> put(int rank, const View& origin, const View& target);
  [[nodiscard]] Expected<> get(int rank, const View& origin, const View& target);
  /// As accumulate() of onesided/elements/accumulate.hpp.
  [[nodiscard]] Expected<> accumulate(int rank, const Accumulation& what, const View* origin,
                                      const View& target, const View* result);
  [[nodiscard]] Expected<> compare_and_swap(int rank, const Datatype& element,
                                            std::uint64_t address, const void* replacement,
                                            const void* compare, void* result);

  /// Operations, or parts of them, that members did.
  [[nodiscard]] std::uint64_t handed_over() const { return delegation_.handed_over(); }

 private:
  WindowMembers& members_;
  Delegation delegation_;
};

}  // namespace remit
