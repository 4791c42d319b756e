// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Info of windows (MPI-5.0, section 12.2).
#pragma once

#include <string>

#include "bindings/entry.hpp"
#include "onesided/window_spec.hpp"

namespace remit {

/// What a program asserts about its accumulates. Kept and reported; neither makes a difference, for
/// every accumulate is ordered and atomic with every other one.
struct WindowHints {
  std::string accumulate_ordering = "rar,raw,war,waw";
  std::string accumulate_ops = "same_op_no_op";
};

/// Reads the keys that Remit knows, and leaves the others as they are. MPI_INFO_NULL is fine.
/// Returns what the MPI function is to return: MPI_ERR_INFO_VALUE for a value that makes no sense.
[[nodiscard]] int read_window_info(Entry& entry, MPI_Info info, WindowSpec& spec,
                                   WindowHints& hints);

/// What is in effect, as a new object, which is the caller's.
[[nodiscard]] InfoObject* make_window_info(const WindowSpec& spec, const WindowHints& hints,
                                           const std::string& memory_alloc_kinds);

}  // namespace remit
