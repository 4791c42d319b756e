// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The four thread levels by name, as info objects hold them.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "mpi.h"

namespace remit {

inline constexpr std::array<std::pair<int, const char*>, 4> kThreadLevels{
    {{MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"},
     {MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"},
     {MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"},
     {MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"}}};

/// The name of one of the four.
[[nodiscard]] constexpr const char* thread_level_name(int level) {
  const auto* row = std::find_if(kThreadLevels.begin(), kThreadLevels.end(),
                                 [=](const auto& entry) { return entry.first == level; });
  return row == kThreadLevels.end() ? "" : row->second;
}

[[nodiscard]] constexpr std::optional<int> thread_level_named(std::string_view name) {
  const auto* row = std::find_if(kThreadLevels.begin(), kThreadLevels.end(),
                                 [=](const auto& entry) { return name == entry.second; });
  return row == kThreadLevels.end() ? std::nullopt : std::optional(row->first);
}

}  // namespace remit
