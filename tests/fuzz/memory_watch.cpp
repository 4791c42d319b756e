// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Hooks of the address sanitizer.
#include "tests/fuzz/memory_watch.hpp"

#include <atomic>

#include "tests/sanitized.h"

// Of the sanitizer's <sanitizer/allocator_interface.h>; weak, for no other program has them.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier)
[[gnu::weak]] int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void*,
                                                                              std::size_t),
                                                            void (*freed)(const volatile void*));
[[gnu::weak]] std::size_t __sanitizer_get_allocated_size(const volatile void* memory);
// NOLINTEND(bugprone-reserved-identifier)
}

namespace remit::fuzz {
namespace {

std::atomic<bool> watching{false};
std::atomic<long> living{0};
std::atomic<long> most{0};

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
  return kAddressSanitized != 0 &&
         __sanitizer_install_malloc_and_free_hooks(&allocated, &freed) != 0;
}

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
