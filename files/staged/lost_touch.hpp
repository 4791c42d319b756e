// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Words for members of a file who could not tell each other something.
#pragma once

#include "files/agreement.hpp"

namespace remit {

struct FileCore;

/// Whether that is what an error says: it came to each member by itself, not to all of them alike.
[[nodiscard]] bool is_lost_touch(const Error& error);

/// Names the file, and the members that have ended as far as that is known, in an error that says
/// that members have lost touch (kLostTouch), or that one of them has ended. Leaves others alone.
/// The thread that holds the process.
[[nodiscard]] Error with_lost_members(const FileCore& file, Error error);
[[nodiscard]] Outcome with_lost_members(const FileCore& file, Outcome outcome);

}  // namespace remit
