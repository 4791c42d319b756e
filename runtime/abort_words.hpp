// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What a rank and its launcher both know of the words with which a rank aborts its job.
#pragma once

#include <string_view>

namespace remit {

/// In the words of a rank that a collective operation failed for, and not by its own doing: before
/// the launcher names that rank as the cause it waits for news of others.
inline constexpr std::string_view kAnotherFailed =
    "another member of the communicator failed, or the members' counts do not agree";

/// In those of a rank that waited for several messages (MPI_ERR_IN_STATUS), of which one is from a
/// process that has ended.
inline constexpr std::string_view kPeerEnded = "MPI_ERR_PROC_ABORTED";

}  // namespace remit
