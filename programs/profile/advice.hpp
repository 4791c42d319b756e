// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What the figures say, in sentences: each names the facts that it is drawn from.
#pragma once

#include <string>
#include <vector>

#include "programs/profile/profile.hpp"

namespace remit::profiles {

/// Whom others wait for the longest. Where the library did not tell for whom a call waits: the rank
/// that is outside of MPI for much longer than the others, and the call in which they are
/// meanwhile. rank -1: nobody stands out.
[[nodiscard]] Culprit find_culprit(const Profile& profile);

[[nodiscard]] std::vector<std::string> give_advice(const Profile& profile);

/// What is missing in the figures, and why.
void add_notes(Profile& profile, bool has_lines);

/// One line for the end of mpirun, without the name of a page.
[[nodiscard]] std::string summary_of(const Profile& profile);

/// "0.31 s", "4.2 ms".
[[nodiscard]] std::string duration(double seconds);
/// Of 1, as a whole number of percent.
[[nodiscard]] int percent(double part);

}  // namespace remit::profiles
