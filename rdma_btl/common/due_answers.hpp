// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Peers that should be told what they are owed.
#pragma once

#include <cstddef>
#include <vector>

#include "rdma_btl/common/credits.hpp"

namespace remit {

/// Leases of which much is owed (Settled::due). Most are told by a message that leaves anyway
/// before the next look; the others get one of their own then. Who answers at once needs no such
/// list.
class DueAnswers {
 public:
  void note(CreditLease& lease) {
    if (lease.due) return;
    lease.due = true;
    due_.push_back(&lease);
  }
  [[nodiscard]] bool empty() const { return due_.empty(); }

  /// Calls visit(CreditLease&) for each lease that was noted. It looks whether the answer is still
  /// due (CreditPool::is_due()), and returns true to keep the lease for the next time: there is no
  /// room now. It may note others, which are visited the next time.
  template <class Visit>
  void for_each(Visit&& visit) {
    const std::size_t count = due_.size();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      CreditLease& lease = *due_[i];
      lease.due = false;
      if (!visit(lease) || lease.due) continue;  // or noted again
      lease.due = true;
      due_[kept++] = &lease;
    }
    due_.erase(due_.begin() + static_cast<std::ptrdiff_t>(kept),
               due_.begin() + static_cast<std::ptrdiff_t>(count));
  }

 private:
  std::vector<CreditLease*> due_;
};

}  // namespace remit
