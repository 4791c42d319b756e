// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What remit_info --window finds out about this host.
#pragma once

#include "programs/window_rows.hpp"
#include "runtime/params.hpp"

namespace remit {

/// Opens the devices of a job that spans hosts, takes memory from them, and has the kernel copy
/// between this process and a child.
[[nodiscard]] WindowFacts ask_windows(const Params& params);

}  // namespace remit
