// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Copies between this process's memory and a peer's, without the peer's help.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma_btl/shm/peers/endpoint.hpp"
#include "rdma_btl/shm/shm_config.hpp"
#include "runtime/os/kernel_copy.hpp"

namespace remit::shm {

class PeerHeaps;
class PeerHealth;

/// In user space where the peer's memory is mapped here, else by the kernel. One thread.
class PeerCopier {
 public:
  PeerCopier(PeerHeaps& heaps, PeerHealth& health, ShmCounters& counters)
      : heaps_(heaps), health_(health), counters_(counters) {}

  /// Copies between pieces of this process and of the peer's memory: in user space if there is one
  /// of these and it is mapped here. Returns the bytes copied, which may be fewer, or -1 with
  /// errno.
  [[nodiscard]] ssize_t copy(Endpoint& endpoint, bool to_peer, std::span<const iovec> local,
                             std::span<const iovec> remote);
  /// HostMemory::read_memory() and write_memory().
  [[nodiscard]] bool copy_all(Endpoint& endpoint, bool to_peer, std::byte* here,
                              std::uint64_t address, std::size_t bytes);

  [[nodiscard]] KernelCopy& kernel() { return kernel_; }
  [[nodiscard]] const KernelCopy& kernel() const { return kernel_; }

 private:
  KernelCopy kernel_;
  PeerHeaps& heaps_;
  PeerHealth& health_;
  ShmCounters& counters_;
};

}  // namespace remit::shm
