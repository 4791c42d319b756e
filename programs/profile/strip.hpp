// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The strip of time of a record, on the clock of the job.
#pragma once

#include <cstdint>

#include "programs/profile/profile.hpp"
#include "programs/profile/record_time.hpp"
#include "tool/profile/record.hpp"

namespace remit::profiles {

/// What the strip of the page covers, since the epoch.
struct Span {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
};

/// Fills the rank's strips from those of its first thread, which ran until `end_ticks`.
void fill_strip(const Timeline& time, const profile::Record& record,
                const profile::ThreadTable& table, const Span& span, std::uint64_t end_ticks,
                Rank& rank);

}  // namespace remit::profiles
