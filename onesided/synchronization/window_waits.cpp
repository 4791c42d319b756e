// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "onesided/synchronization/window_waits.hpp"

#include <fmt/format.h>

#include "collectives/wait_record.hpp"
#include "onesided/synchronization/lock_watch.hpp"

namespace remit {

namespace {

void name_window(const CommCore& comm, CallRecord& record) {
  record.context = comm.context;
  set_text(record.comm, fmt::format("window {}", comm.context));
}

/// The rank in `comm` of who has the lock, as CallRecord::holder.
std::int32_t holder_of(const MemberControl* target, const CommCore& comm) {
  if (target == nullptr) return kHolderUnknown;
  if (!target->access.lock.written()) return kHeldByReaders;
  const std::uint32_t holder = target->access.holder.load(std::memory_order_relaxed);
  const bool known = holder != 0 && holder <= static_cast<std::uint32_t>(comm.size());
  return known ? static_cast<std::int32_t>(holder - 1) : kHolderUnknown;
}

}  // namespace

void LockWait::describe(CallRecord& record) const {
  set_text(record.function, function_);
  set_text(record.operation, exclusive_ ? "exclusive lock" : "shared lock");
  name_window(comm_, record);
  record.kind = CallKind::lock;
  record.has_peer = true;
  record.peer = rank_;
  record.holder = holder_of(target_, comm_);
  if (watch_ != nullptr) record.held_ns = watch_->held_ns();
  if (record.holder >= 0) {
    record.waits_for.add(number_of(comm_.local->proc(record.holder)));
    return;
  }
  record.any = true;  // who has it is not known to be one of these alone
  record.waits_for = rank_set_of(*comm_.local);
}

void MembersWait::describe(CallRecord& record) const {
  set_text(record.function, function_);
  set_text(record.operation, what_);
  name_window(comm_, record);
  if (ranks_.empty()) {
    record.any = true;
    record.waits_for = rank_set_of(*comm_.local);
  }
  for (const int rank : ranks_) add_once(record.waits_for, comm_.local->proc(rank));
}

void FlushWait::describe(CallRecord& record) const {
  std::vector<int> whom;
  if (rank_ >= 0) whom.push_back(rank_);
  MembersWait(comm_, function_, "flush", whom).describe(record);
}

}  // namespace remit
