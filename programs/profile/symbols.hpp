// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// From an address in a file to a line of its source: by libdw, which is opened if it is installed,
// else from the file's own table of symbols, which has no lines.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace remit::profiles {

struct SourceLine {
  std::string symbol;  ///< demangled; empty: not known
  std::uint64_t symbol_offset = 0;
  std::string file;
  int line = 0;
};

class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  /// Of a call that returns to this address of a file, in the file's own addresses. `build_id`: in
  /// hexadecimal; empty: not known. A file that has changed since is not read.
  [[nodiscard]] SourceLine find(const std::string& path, const std::string& build_id,
                                std::uint64_t address);

  /// Whether lines can be found at all.
  [[nodiscard]] bool has_lines() const;

 private:
  class Library;
  class File;

  File* open(const std::string& path, const std::string& build_id);

  std::unique_ptr<Library> library_;
  std::map<std::string, std::unique_ptr<File>> files_;
};

/// The name of a function as it is written in C++; that of others as it is.
[[nodiscard]] std::string demangled(const char* name);

}  // namespace remit::profiles
