// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Copies by the kernel between this process and another one of its host.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "runtime/host_facts.hpp"

namespace remit {

/// For memory of std::aligned_alloc().
struct FreeMemory {
  void operator()(std::byte* memory) const;
};

/// process_vm_readv and process_vm_writev, but not at a distance at which the kernel's string
/// instruction may be slow (in_copy_trap()): such bytes take a detour through memory that lies as
/// the peer's do, unless it is known not to be. One thread at a time.
class KernelCopy {
 public:
  /// Copies between pieces of this process and of the peer's, which are as many bytes, to the peer
  /// or from it. Returns how many were copied, which may be fewer; -1 with errno if none.
  [[nodiscard]] ssize_t copy(pid_t peer, bool to_peer, std::span<const iovec> local,
                             std::span<const iovec> remote);

  /// Whether such copies take the detour: yes, until something else is said.
  void take_detours(bool taken) { takes_detours_ = taken; }
  [[nodiscard]] bool takes_detours() const { return takes_detours_; }

  /// Calls that took the detour.
  [[nodiscard]] std::uint64_t detours() const { return detours_; }

  /// Whether a copy is one that takes it: a run of kTrapFrom bytes or more is at such a distance.
  [[nodiscard]] static bool needs_detour(bool to_peer, std::span<const iovec> local,
                                         std::span<const iovec> remote);

 private:
  /// Bytes of a step: still in a near cache when they are copied on.
  static constexpr std::size_t kStep = std::size_t{64} << 10;

  struct Cursor;
  struct Step;
  [[nodiscard]] ssize_t by_detour(pid_t peer, bool to_peer, std::span<const iovec> local,
                                  std::span<const iovec> remote);

  std::unique_ptr<std::byte, FreeMemory>
      detour_;  ///< kStep and a page, made when it is first needed
  std::uint64_t detours_ = 0;
  bool takes_detours_ = true;
};

/// The kernel's copies of this process's own memory, which take as long as those of another one's.
/// What they cost, looking up and holding the pages, differs by a factor of five among processors
/// and hypervisors. Takes some 100 us, and with `trap` a millisecond where there is one. Other
/// facts stay unknown.
[[nodiscard]] HostFacts measure_kernel_copies(bool trap);

}  // namespace remit
