// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The clock of a record, and its strip of time on that of the job.
#pragma once

#include <cstdint>

#include "programs/profile/profile.hpp"
#include "tool/profile/record.hpp"

namespace remit::profiles {

/// What the ticks of one record are.
class Timeline {
 public:
  explicit Timeline(const profile::Record& record);

  [[nodiscard]] double seconds(std::uint64_t ticks) const {
    return static_cast<double>(ticks) * ns_per_tick_ * 1e-9;
  }
  /// Since the epoch.
  [[nodiscard]] std::uint64_t realtime_ns(std::uint64_t ticks) const;
  [[nodiscard]] std::uint64_t ticks_at(std::uint64_t realtime_ns) const;
  [[nodiscard]] std::uint64_t first_ticks() const { return first_ticks_; }

 private:
  std::uint64_t first_ticks_;
  std::uint64_t first_ns_;  // since the epoch
  double ns_per_tick_;
};

/// What the strip of the page covers, since the epoch.
struct Span {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
};

/// Fills the rank's strips from those of its first thread, which ran until `end_ticks`.
void fill_strip(const Timeline& time, const profile::ThreadTable& table, const Span& span,
                std::uint64_t end_ticks, Rank& rank);

}  // namespace remit::profiles
