// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The memory monitor for where there is no userfaultfd: a library that the user preloads.
#pragma once

#include <memory>

#include "rdma_btl/registration/memory_monitor.hpp"
#include "rdma_btl/registration/preload_hooks.h"
#include "runtime/error.hpp"

namespace remit {

/// Asks libremit_memory.so, which stands before the C library's munmap, mremap, madvise, brk and
/// the like, to report. Watches memory whose mapping that library has seen; refuses the rest
/// (thread stacks, what the C library maps for itself). Blind to raw system calls.
class PreloadMonitor final : public MemoryMonitor {
 public:
  /// An error if the library is not preloaded.
  [[nodiscard]] static Expected<std::unique_ptr<PreloadMonitor>> open();
  ~PreloadMonitor() override;

  [[nodiscard]] std::string_view name() const override { return "preload"; }
  void attach(MemoryEvents& events) override { events_ = &events; }
  [[nodiscard]] bool watch(AddressRange pages) override;
  void unwatch(AddressRange) noexcept override {}
  [[nodiscard]] bool quiet() noexcept override { return true; }

 private:
  PreloadMonitor() = default;
  static void changed(void* self, uintptr_t begin, uintptr_t end, int emptied);

  MemoryEvents* events_ = nullptr;
  remit_memory_attach_fn attach_ = nullptr;
  remit_memory_detach_fn detach_ = nullptr;
  remit_memory_knows_fn knows_ = nullptr;
  bool attached_ = false;
};

}  // namespace remit
