// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Copies between two message buffers whose layouts differ.
#pragma once

#include <cstddef>

#include "datatype/layout.hpp"

namespace remit {

/// True if runs of a view are so short that packing them takes less time than listing them.
[[nodiscard]] bool has_short_runs(const View& view);

/// Packed bytes [from_offset, from_offset + bytes) of `from`, which it has, become the packed bytes
/// of `to` from `to_offset` on. No other memory is written. The memory for it is bounded. Where
/// bytes of the two are the same memory, what is in the target afterwards is undefined, unless both
/// are one run. Any thread.
void copy_between(const View& from, std::size_t from_offset, const View& to, std::size_t to_offset,
                  std::size_t bytes);

}  // namespace remit
