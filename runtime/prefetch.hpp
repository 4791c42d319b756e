// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A hint to the processor's cache.
#pragma once

namespace remit {

/// The cache line at `address` will be written soon: fetches it for writing, so that the store does
/// not have to wait until another core gives it up. Any address will do.
inline void prefetch_for_write(const void* address) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace remit
