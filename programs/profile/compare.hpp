// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Two profiles of the same program, call site by call site.
#pragma once

#include <string>

#include "programs/profile/profile.hpp"

namespace remit::profiles {

struct Comparison {
  std::string text;        ///< a table, the largest change first
  bool is_slower = false;  ///< a call site, or the run, by more than the threshold
};

/// A call site is the same one if it calls the same function of MPI from the same function of the
/// program, as the same one of several there: lines may have moved. `threshold`: of 1; changes of
/// less than a hundredth of the run's time count for nothing. Times are means over ranks.
[[nodiscard]] Comparison compare(const Profile& before, const Profile& after, double threshold);

}  // namespace remit::profiles
