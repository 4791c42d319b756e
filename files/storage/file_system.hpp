// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// What file systems are like, as far as it matters to who reads and writes them in parallel.
#pragma once

#include <sys/statfs.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace remit {

/// Bytes of a file that are a page in memory, on all machines that are met.
inline constexpr std::int64_t kFilePage = 4096;

/// What is to be known of a file system. Plain values.
struct FileSystemTraits {
  std::string_view name = "unknown";  ///< a constant
  bool met = false;                   ///< tests have run on it; else what is known is from books
  bool local = false;                 ///< only this host has it
  bool coherent = false;              ///< what one host wrote, others read at once
  bool locks = false;                 ///< locks of ranges work, between hosts too if it has several
  bool maps = false;                  ///< stores into a mapping are as good as writes
  bool in_memory = false;             ///< it has no storage but the memory of its pages
  std::int64_t block = kFilePage;     ///< bytes to which parts of different writers are aligned
  std::int64_t stripe_bytes = 0;      ///< 0: not striped, or not known
  int stripes = 0;                    ///< servers that share the file; 0: not known
  std::int64_t direct_unit = 0;       ///< alignment that O_DIRECT asks for; 0: not available
};

/// From what the kernel says: the kind of the file system and its block. Pure.
[[nodiscard]] FileSystemTraits traits_of(const struct statfs& said);

/// How Lustre spreads a file, from its attribute "lustre.lov". Pure.
struct Striping {
  std::int64_t bytes = 0;
  int count = 0;
  int first_device = -1;  ///< -1: any
};
[[nodiscard]] std::optional<Striping> lustre_striping(std::span<const std::byte> attribute);
/// Parts of different writers then end where stripes do.
void take_striping(FileSystemTraits& traits, const Striping& striping);

/// Everything that traits_of() knows, for tables of it. The last one is of what it does not know.
[[nodiscard]] std::span<const FileSystemTraits> known_file_systems();

/// A file's name as a program gives it, which may begin with the name of a kind of file system, as
/// ROMIO takes it ("ufs:/tmp/x").
struct PrefixedName {
  std::string_view prefix;  ///< "ufs", or empty
  std::string_view path;
};
/// Pure. Only prefixes that are known are taken off: "run:1.dat" is a name.
[[nodiscard]] PrefixedName split_prefix(std::string_view name);

}  // namespace remit
