// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Hints that have to be the same at all members of a file.
#pragma once

#include "communicators/root_outcome.hpp"
#include "files/agreement.hpp"
#include "files/file_hints.hpp"

namespace remit {

/// Hints as bytes, for other members, and back.
[[nodiscard]] Bytes encode_hints(const HintList& hints);
[[nodiscard]] HintList decode_hints(const Bytes& bytes);

/// All members take their hints and, of those that must be the same everywhere, what the first one
/// gave. Who gave others says so in the log. Waits.
[[nodiscard]] Outcome share_hints(const CommCall& call, const ParentComm& comm,
                                  const HintList& given, HintMoment moment, FileHints& hints);

/// The part of a member that has been told what the first one gave (same_hints()).
void take_shared(Process& process, const HintList& of_first, HintMoment moment, FileHints& hints);

}  // namespace remit
