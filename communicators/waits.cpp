// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the makers of communicators wait for, as records for mpirun.
#include "communicators/waits.hpp"

#include "collectives/wait_record.hpp"

namespace remit {

void ProcessWait::describe(CallRecord& record) const {
  set_text(record.function, call_.function);
  set_text(record.operation, what_);
  record.threads = call_.comms.threads().overlap();
  record.kind = kind_;
  if (proc_ != kAnyProc) record.waits_for.add(number_of(proc_));
}

void InnerCollectiveWait::describe(CallRecord& record) const {
  set_text(record.function, call_.function);
  record.threads = call_.comms.threads().overlap();
  set_text(record.comm, comm_.name);
  describe_collective(call_.engine(), comm_.core, kind_, sequence_, record);
}

}  // namespace remit
