// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// memcpy for a few bytes whose number is known at run time only, without the call.
#pragma once

#include <cstddef>
#include <cstring>

namespace remit {

/// Meant for up to 64 bytes. Some are copied twice; the two ranges must not overlap.
inline void copy_small(std::byte* to, const void* from_any, std::size_t n) {
  const auto* from = static_cast<const std::byte*>(from_any);
  if (n >= 16) {
    for (std::size_t i = 0; i + 16 < n; i += 16) std::memcpy(to + i, from + i, 16);
    std::memcpy(to + n - 16, from + n - 16, 16);
  } else if (n >= 8) {
    std::memcpy(to, from, 8);
    std::memcpy(to + n - 8, from + n - 8, 8);
  } else if (n >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + n - 4, from + n - 4, 4);
  } else if (n != 0) {
    to[0] = from[0];
    to[n / 2] = from[n / 2];
    to[n - 1] = from[n - 1];
  }
}

}  // namespace remit
