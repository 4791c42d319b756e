// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
#include "rdma_btl/shm/copies/copy_choice.hpp"

#include "runtime/copy.hpp"
#include "runtime/log.hpp"
#include "runtime/os/os.hpp"

namespace remit::shm {

CopyChoice::~CopyChoice() {
  if (!measured_) return;
  const Expected<> saved = save_copy_table(config_.copy_table, table_);
  if (saved || config_.log == nullptr) return;
  config_.log->write(LogLevel::info, "shared memory: {}", saved.error().message);
}

/// Trapped: neither the kernel can copy it without a detour, nor the target.
Transfer CopyChoice::transfer_of(const Job& job) const {
  if (job.pieces.empty() || !kernel_.takes_detours()) return {job.total, false};
  const auto local = reinterpret_cast<std::uintptr_t>(job.pieces[0].address);
  const bool trapped = job.kind == OpKind::put ? in_copy_trap(job.remote.address, local)
                                               : in_copy_trap(local, job.remote.address);
  return {job.total, trapped};
}

void CopyChoice::choose(Job& job, bool comparable) {
  const bool long_enough = job.total >= CopyTable::kSmallest;
  if (!loaded_ && !config_.copy_table.empty() && long_enough) {
    load_copy_table(config_.copy_table, table_);
    loaded_ = true;
  }
  const bool measurable =
      config_.measure_copies && loaded_ && comparable && job.pieces.size() == 1 && long_enough;
  const Transfer transfer = transfer_of(job);
  const auto [method, timed] =
      measurable ? table_.next(transfer) : CopyTable::Choice{table_.best(transfer), false};
  job.method = method;
  if (timed) job.begun_ns = now_ns();
}

void CopyChoice::record(const Job& job) {
  if (job.begun_ns == 0) return;
  measured_ |= table_.record(transfer_of(job), job.method, now_ns() - job.begun_ns);
}

}  // namespace remit::shm
