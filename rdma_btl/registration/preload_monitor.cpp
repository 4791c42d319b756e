// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The memory monitor for where there is no userfaultfd: a library that the user preloads.
#include "rdma_btl/registration/preload_monitor.hpp"

#include <dlfcn.h>

namespace remit {
namespace {

template <class Function>
Function find_hook(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace

Expected<std::unique_ptr<PreloadMonitor>> PreloadMonitor::open() {
  const auto version = find_hook<remit_memory_version_fn>(REMIT_MEMORY_VERSION_SYMBOL);
  std::unique_ptr<PreloadMonitor> monitor(new PreloadMonitor);
  monitor->attach_ = find_hook<remit_memory_attach_fn>(REMIT_MEMORY_ATTACH_SYMBOL);
  monitor->detach_ = find_hook<remit_memory_detach_fn>(REMIT_MEMORY_DETACH_SYMBOL);
  monitor->knows_ = find_hook<remit_memory_knows_fn>(REMIT_MEMORY_KNOWS_SYMBOL);
  if (version == nullptr || monitor->attach_ == nullptr || monitor->detach_ == nullptr ||
      monitor->knows_ == nullptr) {
    return fail(MPI_ERR_OTHER,
                "memory_monitor=preload needs libremit_memory.so in the program: start it with "
                "mpirun -x REMIT_MEMORY_MONITOR=preload, or with LD_PRELOAD=libremit_memory.so "
                "(full path if it is not where the loader looks)");
  }
  if (version() != REMIT_MEMORY_VERSION) {
    return fail(MPI_ERR_OTHER,
                "the preloaded libremit_memory.so is of another version of Remit: preload the one "
                "that was installed with this library");
  }
  return monitor;
}

PreloadMonitor::~PreloadMonitor() {
  if (attached_) detach_(changed, this);
}

bool PreloadMonitor::watch(AddressRange pages) {
  if (!attached_) attached_ = attach_(changed, this) == 0;
  return attached_ && knows_(pages.begin, pages.end) != 0;
}

void PreloadMonitor::changed(void* self, uintptr_t begin, uintptr_t end, int emptied) {
  MemoryEvents& events = *static_cast<PreloadMonitor*>(self)->events_;
  const std::lock_guard lock(events.mutex());
  events.memory_changed({begin, end}, emptied != 0 ? MemoryEvent::emptied : MemoryEvent::unmapped);
}

}  // namespace remit
