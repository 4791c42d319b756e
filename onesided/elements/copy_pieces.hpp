// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Moves bytes between two views whose layouts differ: here, or to and from another process.
#pragma once

#include "datatype/layout.hpp"
#include "datatype/view_copy.hpp"
#include "runtime/error.hpp"

namespace remit {

class ProcessMemory;

// The packed bytes of both views are as many, which the caller has checked. They may be any number,
// the memory for it is bounded. Where bytes of the two are the same memory, what is in the target
// afterwards is undefined.

/// Between memory that is mapped here. Any thread.
inline void copy_view_to_view(const View& from, const View& to) {
  copy_between(from, 0, to, 0, to.size());
}

/// To a view here; `from` has the addresses of the other process. Errors as of
/// ProcessMemory::read(). The thread that uses `process`.
[[nodiscard]] Expected<> read_view(ProcessMemory& process, const View& from, const View& to);
/// From a view here; `to` has the addresses of the other process. Bytes between those of `to` stay
/// as they are, and are not written even for a moment.
[[nodiscard]] Expected<> write_view(ProcessMemory& process, const View& from, const View& to);

}  // namespace remit
