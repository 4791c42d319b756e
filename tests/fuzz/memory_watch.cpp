// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Hooks of the address sanitizer.
#include "tests/fuzz/memory_watch.hpp"

#include <atomic>

#if defined(__SANITIZE_ADDRESS__)
#define REMIT_WATCHES_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REMIT_WATCHES_MEMORY 1
#endif
#endif

#ifdef REMIT_WATCHES_MEMORY
#include <sanitizer/allocator_interface.h>
#endif

namespace remit::fuzz {
namespace {

std::atomic<bool> watching{false};
std::atomic<long> living{0};
std::atomic<long> most{0};

#ifdef REMIT_WATCHES_MEMORY
void allocated(const volatile void*, std::size_t size) {
  if (!watching.load(std::memory_order_relaxed)) return;
  const long now = living.fetch_add(static_cast<long>(size)) + static_cast<long>(size);
  long before = most.load();
  while (now > before && !most.compare_exchange_weak(before, now)) {
  }
}

void freed(const volatile void* memory) {
  if (memory == nullptr || !watching.load(std::memory_order_relaxed)) return;
  living.fetch_sub(static_cast<long>(__sanitizer_get_allocated_size(memory)));
}

bool install() {
  return __sanitizer_install_malloc_and_free_hooks(&allocated, &freed) != 0;
}
#else
bool install() {
  return false;
}
#endif

}  // namespace

bool can_watch_memory() {
  static const bool can = install();
  return can;
}

MemoryWatch::MemoryWatch() {
  (void)can_watch_memory();
  living = 0;
  most = 0;
  watching = true;
}

MemoryWatch::~MemoryWatch() {
  watching = false;
}

std::size_t MemoryWatch::highest() const {
  return static_cast<std::size_t>(most.load());
}

}  // namespace remit::fuzz
