// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What remit_info --file asks, and finds out.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "programs/file_rows.hpp"
#include "runtime/error.hpp"

namespace remit {

class FileCalls;

struct FileQuestion {
  std::string name;
  std::vector<std::string> hints;  ///< "key=value"
};

/// Adds --file, which is returned, and --hint.
CLI::Option* add_file_options(CLI::App& app, FileQuestion& question);

/// Asks the kernel of the file, which is only looked at, or if it is not there of its folder.
/// `romio_hints`: the environment variable ROMIO_HINTS, or null.
[[nodiscard]] Expected<FileFacts> ask_file(FileCalls& calls, const FileQuestion& question,
                                           const char* romio_hints);

}  // namespace remit
