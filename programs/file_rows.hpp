// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What Remit would do with a file, and why: what follows from its file system and from hints, and
// its two forms.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "files/file_hints.hpp"
#include "files/storage/file_system.hpp"

namespace remit {

/// What was found out about a file.
struct FileFacts {
  std::string name;          ///< as it was given
  std::string asked;         ///< the file, or the folder where it would be
  bool is_there = false;     ///< it is the file
  std::string prefix;        ///< of the name, which was taken off; empty: none
  FileSystemTraits traits;   ///< of what was asked
  FileHints hints;           ///< those that were given, and the file's of ROMIO_HINTS
  std::string hint_problem;  ///< why that file's are missing; empty: they are not
};

/// A line: what it is about, what holds, and why.
struct FileRow {
  std::string what;
  std::string answer;
  std::string why;
};
/// Pure.
[[nodiscard]] std::vector<FileRow> file_rows(const FileFacts& facts);

/// The section of remit_info as text, and as JSON.
[[nodiscard]] std::string file_text(const FileFacts& facts);
[[nodiscard]] nlohmann::ordered_json file_json(const FileFacts& facts);

}  // namespace remit
