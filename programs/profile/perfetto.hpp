// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Traces for ui.perfetto.dev: a file of TracePackets with TrackEvents, as Perfetto's protos define
// them.
#pragma once

#include <string>

#include "programs/profile/profile.hpp"

namespace remit::profiles {

/// Writes the traces of a profile to a file, rank after rank: each rank is a process, each of its
/// threads a track, with a second one for waits; messages are flows.
[[nodiscard]] Expected<> write_perfetto(const Profile& profile, const std::string& path);

}  // namespace remit::profiles
