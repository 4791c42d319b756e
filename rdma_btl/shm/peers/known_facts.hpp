// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the shared-memory device knows of its host.
#pragma once

#include "rdma_btl/shm/rings/receiver.hpp"
#include "rdma_btl/shm/shm_config.hpp"
#include "runtime/host_facts.hpp"
#include "runtime/os/kernel_copy.hpp"

namespace remit::shm {

/// Facts of earlier jobs, of peers, and measured ones; kernel copies, copy loops and the taking of
/// lines go by them. What this process has measured is written to a file at the end. One thread.
class KnownFacts {
 public:
  KnownFacts(const ShmConfig& config, KernelCopy& kernel, Receiver& receiver);
  KnownFacts(const KnownFacts&) = delete;
  KnownFacts& operator=(const KnownFacts&) = delete;
  ~KnownFacts();

  [[nodiscard]] const HostFacts& facts() const { return facts_; }
  /// HostMemory::measure_facts() and learn().
  [[nodiscard]] const HostFacts& measure();
  void learn(const HostFacts& facts);

 private:
  void apply();

  HostFacts facts_;
  bool measured_ = false;  ///< this process has measured some
  const ShmConfig& config_;
  KernelCopy& kernel_;
  Receiver& receiver_;
};

}  // namespace remit::shm
