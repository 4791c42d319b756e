// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/window_waits.hpp"

#include "collectives/wait_record.hpp"

namespace remit {

void LockWait::describe(CallRecord& record) const {
  set_text(record.function, function_);
  set_text(record.operation, exclusive_ ? "exclusive lock" : "shared lock");
  record.has_peer = true;
  record.peer = rank_;
  record.context = comm_.context;
  record.any = true;  // who has it is not known to be one of these alone
  record.waits_for = rank_set_of(*comm_.local);
}

void MembersWait::describe(CallRecord& record) const {
  set_text(record.function, function_);
  set_text(record.operation, what_);
  record.context = comm_.context;
  if (ranks_.empty()) {
    record.any = true;
    record.waits_for = rank_set_of(*comm_.local);
  }
  for (const int rank : ranks_) add_once(record.waits_for, comm_.local->proc(rank));
}

}  // namespace remit
