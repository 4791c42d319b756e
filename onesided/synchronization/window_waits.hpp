// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What calls of windows wait for, in the words of mpirun's report (runtime/call_status.hpp).
#pragma once

#include <vector>

#include "onesided/memory/control.hpp"
#include "pt2pt/communicator.hpp"
#include "runtime/call_status.hpp"

namespace remit {

class LockWatch;

/// The wait for the lock of one member.
class LockWait final : public WaitSubject {
 public:
  /// `target`: the words of that member; null: it is on another host, which alone knows who has
  /// the lock.
  LockWait(const CommCore& comm, const char* function, int rank, bool exclusive,
           const MemberControl* target)
      : comm_(comm), function_(function), rank_(rank), exclusive_(exclusive), target_(target) {}
  void describe(CallRecord& record) const override;
  /// Who looks at that lock meanwhile; null: nobody any more.
  void see(const LockWatch* watch) { watch_ = watch; }

 private:
  const CommCore& comm_;
  const char* function_;
  int rank_;
  bool exclusive_;
  const MemberControl* target_;
  const LockWatch* watch_ = nullptr;
};

/// The wait for something that members of the window have to do.
class MembersWait final : public WaitSubject {
 public:
  /// `what` says it in a word or two; `ranks` are those that have not; empty: all others. All must
  /// outlive it.
  MembersWait(const CommCore& comm, const char* function, const char* what,
              const std::vector<int>& ranks)
      : comm_(comm), function_(function), what_(what), ranks_(ranks) {}
  void describe(CallRecord& record) const override;

 private:
  const CommCore& comm_;
  const char* function_;
  const char* what_;
  const std::vector<int>& ranks_;
};

/// The wait for the end of this process's own operations on one member, or on all (`rank` < 0).
class FlushWait final : public WaitSubject {
 public:
  FlushWait(const CommCore& comm, const char* function, int rank)
      : comm_(comm), function_(function), rank_(rank) {}
  void describe(CallRecord& record) const override;

 private:
  const CommCore& comm_;
  const char* function_;
  int rank_;
};

}  // namespace remit
