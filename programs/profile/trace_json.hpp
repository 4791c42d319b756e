// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The timeline of a page, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "programs/profile/trace_digest.hpp"

namespace remit::profiles {

/// docs/profiling.md describes it; null: nothing was traced.
[[nodiscard]] nlohmann::ordered_json trace_of(const TraceDigest& digest);

}  // namespace remit::profiles
