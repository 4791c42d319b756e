// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// From records to figures.
#pragma once

#include <cstdint>
#include <optional>

#include "programs/profile/profile.hpp"
#include "programs/profile/record_reader.hpp"
#include "programs/profile/symbols.hpp"

namespace remit::profiles {

/// `ended_ns`: when the job ended, since the epoch; records of processes that did not come to
/// MPI_Finalize do not say. Without it they end with the last call of any of them.
[[nodiscard]] Profile make_profile(const Records& records, Symbols& symbols,
                                   std::optional<std::uint64_t> ended_ns);

}  // namespace remit::profiles
