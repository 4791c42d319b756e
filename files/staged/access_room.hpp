// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Where a collective access through shared memory is.
#pragma once

#include <variant>

#include "files/staged/spread_access.hpp"
#include "files/staged/staged_access.hpp"

namespace remit {

/// Room for one access of any kind, without more memory: a member that had none for its access when
/// the others have theirs would leave them waiting.
class AccessRoom {
 public:
  /// The one that a plan asks for. All must outlive it.
  SharedAccess& make(FileStaging& staging, FileCore& file, const DataAccess& access,
                     const CollectivePlan& plan) {
    if (!plan.spans_hosts) return made_.emplace<StagedAccess>(staging, file, access, plan);
    if (access.kind == FileMove::read) {
      return made_.emplace<SpreadRead>(staging, file, access, plan);
    }
    return made_.emplace<SpreadWrite>(staging, file, access, plan);
  }

 private:
  std::variant<std::monostate, StagedAccess, SpreadWrite, SpreadRead> made_;
};

}  // namespace remit
