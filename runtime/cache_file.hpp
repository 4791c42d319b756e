// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Files that keep what was measured on this host for later jobs.
#pragma once

#include <string>
#include <string_view>

#include "runtime/error.hpp"

namespace remit {

/// Where measurements of the kind `name` are kept: `path`, or for "auto" a file of that name and
/// this host's in the user's cache folder (XDG_CACHE_HOME, else ~/.cache). Empty: nowhere, for
/// "none" or where there is no such folder.
[[nodiscard]] std::string cache_file(const std::string& path, std::string_view name);

/// What measurements are valid for: the processors, their number, the kernel and the C library,
/// with their versions.
[[nodiscard]] std::string measured_host();

/// The beginning of such a file, 4 KB at most; empty if it cannot be read.
[[nodiscard]] std::string read_cache_file(const std::string& path);

/// Writes it, and makes its folder if need be; who reads it meanwhile has the old one or the new
/// one.
[[nodiscard]] Expected<> replace_cache_file(const std::string& path, const std::string& text);

}  // namespace remit
