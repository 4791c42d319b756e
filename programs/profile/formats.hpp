// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A profile in the formats that it is written in.
#pragma once

#include <string>

#include "programs/profile/drawing.hpp"
#include "programs/profile/profile.hpp"

namespace remit::profiles {

/// Every number, as JSON. docs/profiling.md describes it.
[[nodiscard]] std::string to_json(const Profile& profile);

/// The call sites, one a line, behind a line of names.
[[nodiscard]] std::string to_csv(const Profile& profile);

/// A page for people: one file, which needs no other.
[[nodiscard]] std::string to_page(const Profile& profile);

/// Time by rank, and the strip: pictures for other documents.
[[nodiscard]] Drawing ranks_picture(const Profile& profile);
[[nodiscard]] Drawing strip_picture(const Profile& profile);

/// For a terminal: the summary, the largest call sites, advice and notes.
[[nodiscard]] std::string to_text(const Profile& profile);

}  // namespace remit::profiles
