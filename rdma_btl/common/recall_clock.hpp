// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which peer is asked next for the credits that it holds.
#pragma once

#include <cstddef>
#include <vector>

#include "rdma_btl/common/credits.hpp"

namespace remit {

/// The clock algorithm (second chance) over all leases that may be recalled: the hand goes round,
/// and a peer that was active since it last came by is spared once. So the cost is spread, nobody
/// who talks is robbed, and everybody who is silent is asked.
///
/// A lease is added once and stays, whatever becomes of its peer: one that has nothing is passed
/// by. That of this process itself is not added, where it would have to answer its own question.
class RecallClock {
 public:
  void add(CreditLease& lease) { leases_.push_back(&lease); }
  [[nodiscard]] std::size_t size() const { return leases_.size(); }

  /// The next one to be asked: CreditPool::recall() does that. Null: none was found. `looks` says
  /// at how many leases it may look, and is counted down: with 2 * size() all who hold something
  /// above their base and are not recalled are found sooner or later.
  [[nodiscard]] CreditLease* next(std::size_t& looks) {
    while (looks != 0 && !leases_.empty()) {
      --looks;
      hand_ = hand_ + 1 < leases_.size() ? hand_ + 1 : 0;
      CreditLease& lease = *leases_[hand_];
      if (lease.recalled || lease.units <= lease.base) continue;
      if (!lease.active) return &lease;
      lease.active = false;
    }
    return nullptr;
  }

 private:
  std::vector<CreditLease*> leases_;
  std::size_t hand_ = 0;  ///< the one that was looked at last
};

}  // namespace remit
