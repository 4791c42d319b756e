// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Memory for the bytes of one message after the other.
#pragma once

#include <cstddef>
#include <vector>

namespace remit {

/// Makes it so many bytes, whose contents mean nothing: what was there is not copied when it grows,
/// which would be work for nothing, and perhaps in the copy trap.
inline void resize_scratch(std::vector<std::byte>& scratch, std::size_t bytes) {
  if (bytes > scratch.capacity()) scratch.clear();
  scratch.resize(bytes);
}

}  // namespace remit
