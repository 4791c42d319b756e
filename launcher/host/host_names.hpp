// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What this host is called, and what it has for mpirun and the daemons.
#pragma once

#include <string>
#include <vector>

#include "runtime/error.hpp"

namespace remit::launcher {

/// gethostname().
[[nodiscard]] std::string host_name();
/// The addresses of all interfaces, as text.
[[nodiscard]] std::vector<std::string> own_addresses();
/// Where the job's private directory is made: TMPDIR, or /tmp.
[[nodiscard]] std::string temporary_parent();

/// Without descriptors PMIx cannot take a rank's connection, and says nothing: the rank would wait
/// for ever. So they are counted before: `pipes` are those of ranks or daemons. Ranks keep the
/// limit that this process was started with.
[[nodiscard]] Expected<> raise_descriptor_limit(std::size_t pipes);

}  // namespace remit::launcher
