// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Going through the runs of a view.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "files/views/file_view.hpp"

namespace remit {

/// Calls `add` with each run of bytes [from, from + bytes) of a view, in the view's order.
template <class Add>
void for_each_run(const FileView& view, std::int64_t from, std::int64_t bytes, Add add) {
  std::array<FileRun, 64> runs;
  while (bytes > 0) {
    std::int64_t taken = 0;
    const std::size_t count = view.runs(from, bytes, runs, &taken);
    for (const FileRun& run : std::span(runs).first(count)) add(run);
    if (taken == 0) return;
    from += taken;
    bytes -= taken;
  }
}

}  // namespace remit
