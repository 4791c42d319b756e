// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Which way a large transfer goes, by what was measured on this host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma_btl/shm/copies/copy_table.hpp"
#include "rdma_btl/shm/copies/job.hpp"
#include "rdma_btl/shm/shm_config.hpp"
#include "runtime/os/kernel_copy.hpp"

namespace remit::shm {

/// Asks the table of this host, whose file is read when the first transfer asks, lets transfers be
/// measured for it, and writes the file at the end if there is something new. One thread.
class CopyChoice {
 public:
  CopyChoice(const ShmConfig& config, const KernelCopy& kernel)
      : table_(config.assist_from), config_(config), kernel_(kernel) {}
  CopyChoice(const CopyChoice&) = delete;
  CopyChoice& operator=(const CopyChoice&) = delete;
  ~CopyChoice();

  /// Sets the job's method, and when it began if it is to be measured. `comparable`: no
  /// other transfer with this peer is under way, and it would cross by the kernel.
  void choose(Job& job, bool comparable);
  /// The job has succeeded.
  void record(const Job& job);

 private:
  [[nodiscard]] Transfer transfer_of(const Job& job) const;

  CopyTable table_;
  bool loaded_ = false;    ///< the file was read
  bool measured_ = false;  ///< and there is something new
  const ShmConfig& config_;
  const KernelCopy& kernel_;
};

}  // namespace remit::shm
