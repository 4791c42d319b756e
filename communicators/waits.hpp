// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the makers of communicators wait for, in the words of mpirun's report
// (runtime/call_status.hpp).
#pragma once

#include "collectives/collectives.hpp"
#include "communicators/comm_process.hpp"
#include "runtime/call_status.hpp"

namespace remit {

/// The wait for a process, which need not be a member of any communicator of this one.
class ProcessWait final : public WaitSubject {
 public:
  /// `what` says in a few words what is waited for, and must outlive this object. `proc` may be
  /// kAnyProc: it is not known who will come.
  ProcessWait(const CommCall& call, const char* what, ProcId proc, CallKind kind = CallKind::other)
      : call_(call), what_(what), proc_(proc), kind_(kind) {}
  void describe(CallRecord& record) const override;

 private:
  CommCall call_;
  const char* what_;
  ProcId proc_;
  CallKind kind_;
};

/// The wait in a collective operation of a communicator's members that is part of another MPI call.
/// Made before that operation takes its number.
class InnerCollectiveWait final : public WaitSubject {
 public:
  InnerCollectiveWait(const CommCall& call, const ParentComm& comm, CollectiveKind kind)
      : call_(call), comm_(comm), kind_(kind), sequence_(comm.core.collective_sequence) {}
  void describe(CallRecord& record) const override;

 private:
  CommCall call_;
  ParentComm comm_;
  CollectiveKind kind_;
  std::uint32_t sequence_;
};

}  // namespace remit
