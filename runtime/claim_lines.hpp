// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Shared memory that another core writes and this one reads, over and over.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/copy.hpp"

namespace remit {

/// Bytes up to which lines are claimed where that pays for short data only, or nobody knows.
inline constexpr std::size_t kClaimShortTo = std::size_t{12} << 10;

/// Makes this core the owner of the cache lines of [memory, memory + n), whose contents are not
/// needed any more: a byte of each is set to zero. The core that wrote them, and writes them again,
/// would else have to call back the copies that this core has read: on AMD's processors that takes
/// far longer than to fetch a line of another owner (docs/decisions/whose-the-lines-are.md).
inline void claim_lines(std::byte* memory, std::size_t n) {
  std::byte* const end = memory + n;
  while (memory < end) {
    *static_cast<volatile std::byte*>(memory) = std::byte{0};
    memory += kCacheLine - reinterpret_cast<std::uintptr_t>(memory) % kCacheLine;
  }
}

/// copy_bytes(), and claim_lines() of what was read.
inline void copy_and_claim(void* to, std::byte* from, std::size_t n) {
  constexpr std::size_t kPiece = 2048;  // still in the nearest cache when its lines are claimed
  auto* target = static_cast<std::byte*>(to);
  while (n != 0) {
    const std::size_t piece = std::min(n, kPiece);
    copy_bytes(target, from, piece);
    claim_lines(from, piece);
    target += piece;
    from += piece;
    n -= piece;
  }
}

/// copy_bytes() out of memory that another core writes again, up to `claimed_to` bytes (as
/// HostMemory::claim_lines_to()) with claim_lines() of what was read.
inline void copy_out(void* to, std::byte* from, std::size_t n, std::size_t claimed_to) {
  if (n <= claimed_to) {
    copy_and_claim(to, from, n);
  } else {
    copy_bytes(to, from, n);
  }
}

}  // namespace remit
