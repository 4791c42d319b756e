// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Counts what a test program allocates: linked into it, all forms of operator new add up. Not for
// threads.
#pragma once

#include <cstddef>

namespace remit::testing {

/// Bytes that operator new has been asked for in this process since it began; none are taken off.
[[nodiscard]] std::size_t allocated_bytes();

}  // namespace remit::testing
