// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// The functions that a file (ELF, 64 bits, of this machine) names itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace remit::profiles {

struct ElfSymbol {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::string name;
};

struct ElfFile {
  std::string build_id;              ///< in hexadecimal; empty: it has none
  std::vector<ElfSymbol> functions;  ///< by address
  bool is_readable = false;

  /// The function that holds an address; null: none does.
  [[nodiscard]] const ElfSymbol* find(std::uint64_t address) const;
};

/// Reads a file that may be anything; what is not as it should be is left out.
[[nodiscard]] ElfFile read_elf(const std::string& path);

}  // namespace remit::profiles
