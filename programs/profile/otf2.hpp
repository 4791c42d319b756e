// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Traces as OTF2, which Vampir, Cube and Score-P's tools read. Its library is opened when it is
// asked for.
#pragma once

#include <string>

#include "programs/profile/profile.hpp"

namespace remit::profiles {

/// Makes a folder with the traces of a profile, "traces.otf2" its anchor. An error if the folder is
/// there already, or if OTF2's library is not installed: its words name the package.
[[nodiscard]] Expected<> write_otf2(const Profile& profile, const std::string& folder);

}  // namespace remit::profiles
