// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Atomic operations by the processor.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "rdma_btl/device.hpp"

namespace remit {

/// Does to the 64 bits at `word`, which is 8-byte aligned, what an atomic operation of a device
/// does, and returns the old value. Atomic with all of its kind and with std::atomic_ref, of any
/// thread and of any process that has mapped the memory. `operand` and `compare` as in Operation.
inline std::uint64_t change_word(std::byte* word, AtomicKind kind, std::uint64_t operand,
                                 std::uint64_t compare) {
  const std::atomic_ref<std::uint64_t> value(*reinterpret_cast<std::uint64_t*>(word));
  switch (kind) {
    case AtomicKind::fetch_add:
      return value.fetch_add(operand);
    case AtomicKind::swap:
      return value.exchange(operand);
    case AtomicKind::compare_swap:
      break;
  }
  value.compare_exchange_strong(compare, operand);
  return compare;
}

}  // namespace remit
