// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a member tells the others before they access data of a file together.
#pragma once

#include <cstdint>
#include <memory>

#include "files/staged/collective_plan.hpp"

namespace remit {

struct DataAccess;
struct SeenFile;

/// Makes summaries of one member's accesses to one file. Sums of views that many accesses have are
/// made once. The thread that holds the process.
class AccessSummary {
 public:
  /// `host` names the member's, on which members share memory or do not.
  [[nodiscard]] MemberAccess of(const DataAccess& access, std::uint32_t host, bool shares_memory);
  /// After the plan: whether sums of accesses with this view are of no use any more.
  void learn(const DataAccess& access, const CollectivePlan& plan);

 private:
  void look_at_view(const DataAccess& access, std::int64_t runs);

  std::shared_ptr<const SeenFile> seen_;  ///< of which the sum is known
  bool knows_period_ = false;
  std::uint64_t period_sum_ = 0;
  bool views_are_proof_ = false;
};

}  // namespace remit
