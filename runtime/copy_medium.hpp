// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// memcpy of data that are in another core's cache, or will be.
#pragma once

#include <cstddef>
#include <cstring>

namespace remit {

/// Bytes up to which copy_medium() is not a plain memcpy.
inline constexpr std::size_t kMediumMost = 8192;

/// As memcpy. From some 2 KB on, a C library's memcpy hands the copy to the processor's string
/// instruction (rep movsb), whose start costs more than it gains when the lines are in another
/// core's cache and not many; pieces of 2 KB are copied by vector registers.
inline void copy_medium(void* to, const void* from, std::size_t n) {
  constexpr std::size_t kPiece = 2048;
  if (n > kPiece && n <= kMediumMost) {
    std::size_t piece = kPiece;
    asm("" : "+r"(piece));  // a length that it knows the compiler copies by that instruction, too
    auto* target = static_cast<std::byte*>(to);
    const auto* source = static_cast<const std::byte*>(from);
    for (; n > kPiece; n -= kPiece, target += kPiece, source += kPiece) {
      std::memcpy(target, source, piece);
    }
    std::memcpy(target, source, n);
  } else {
    std::memcpy(to, from, n);
  }
}

}  // namespace remit
