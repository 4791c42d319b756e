// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Files that keep what was measured on this host for later jobs.
#pragma once

#include <string>
#include <string_view>

namespace remit {

/// Where measurements of the kind `name` are kept: `path`, or for "auto" a file of that name and
/// this host's in the user's cache folder (XDG_CACHE_HOME, else ~/.cache). Empty: nowhere, for
/// "none" or where there is no such folder.
[[nodiscard]] std::string cache_file(const std::string& path, std::string_view name);

/// What measurements are valid for: processor count, kernel and its version.
[[nodiscard]] std::string measured_host();

}  // namespace remit
