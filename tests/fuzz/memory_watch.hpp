// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The most memory that lived at a time, from what the address sanitizer says of each allocation.
#pragma once

#include <cstddef>

namespace remit::fuzz {

/// False where there is no address sanitizer: then highest() is 0.
[[nodiscard]] bool can_watch_memory();

/// Counts what all threads allocate and free from its construction on. One at a time.
class MemoryWatch {
 public:
  MemoryWatch();
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;
  [[nodiscard]] std::size_t highest() const;
};

}  // namespace remit::fuzz
