// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory of another process of the host, which needs to do nothing for it.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "onesided/memory/control.hpp"
#include "runtime/error.hpp"
#include "runtime/os/kernel_copy.hpp"

namespace remit {

/// What this process tells others of its host, so that they reach its memory: constant, and other
/// processes have no such word. Any thread.
[[nodiscard]] ProcessSign own_process_sign();

/// Whether the process has ended, as far as this one can know: false of one that another namespace
/// counts. Any thread.
[[nodiscard]] bool has_ended(const ProcessSign& sign);
/// Whether has_ended() will be true when it has. Any thread.
[[nodiscard]] bool is_seen_to_end(const ProcessSign& sign);

/// Another process, by its sign. Copies are the kernel's, outside of the copy trap. One thread.
class ProcessMemory {
 public:
  /// Reads the process's word to see that it is the one. An error (MPI_ERR_RMA_SHARED): it is not,
  /// is in another namespace, or the kernel refuses. `kernel` must outlive it.
  [[nodiscard]] static Expected<std::unique_ptr<ProcessMemory>> open(const ProcessSign& sign,
                                                                     KernelCopy& kernel);

  /// Copies the bytes of `remote`, addresses in that process, to `local`, which has as many. All
  /// of them are copied on return. Errors: the process has ended (MPI_ERR_PROC_ABORTED), or has no
  /// such memory (MPI_ERR_RMA_RANGE); what was copied by then is undefined.
  [[nodiscard]] Expected<> read(std::span<const iovec> local, std::span<const iovec> remote);
  /// The same in the other direction.
  [[nodiscard]] Expected<> write(std::span<const iovec> local, std::span<const iovec> remote);

  [[nodiscard]] Expected<> read(void* to, std::uint64_t address, std::size_t bytes);
  [[nodiscard]] Expected<> write(const void* from, std::uint64_t address, std::size_t bytes);

 private:
  ProcessMemory(pid_t pid, KernelCopy& kernel) : pid_(pid), kernel_(kernel) {}
  [[nodiscard]] Expected<> copy(bool to_peer, std::span<const iovec> local,
                                std::span<const iovec> remote);

  pid_t pid_;
  KernelCopy& kernel_;
};

}  // namespace remit
