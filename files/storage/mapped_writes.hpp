// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Many small pieces of a file at once, through a mapping of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "datatype/layout.hpp"

namespace remit {

class FileView;
class Storage;

/// Writes small pieces of a file by stores into a mapping of it. Nothing between the pieces is
/// touched. Where a page cannot be had (no space left, a file that somebody makes shorter) the rest
/// is left to other ways, which know the reason.
///
/// For one transfer, one thread.
class MappedWrites {
 public:
  /// Bytes of the file, and of memory, that one write() may have.
  static constexpr std::int64_t kMostBytes = std::int64_t{1} << 20;

  /// `storage` must outlive it.
  explicit MappedWrites(Storage& storage) : storage_(storage) {}

  /// Bytes of an ordered view, from `view_byte` on, and where they are in the packed memory. They
  /// lie in [first, end) of the file, and the last of them is at end - 1.
  struct Part {
    std::int64_t view_byte;
    std::int64_t memory_byte;
    std::int64_t bytes;
    std::int64_t first;
    std::int64_t end;
  };
  /// How many were written, from the first on. Fewer than all: the others cannot be written in this
  /// way (some of them may have been). Throws std::bad_alloc.
  [[nodiscard]] std::int64_t write(const FileView& view, const View& memory, const Part& part);

 private:
  [[nodiscard]] const std::byte* packed(const View& memory, const Part& part);
  [[nodiscard]] bool reaches(const Part& part, const std::byte* bytes);
  [[nodiscard]] std::int64_t store(const FileView& view, const Part& part,
                                   std::span<std::byte> file, std::int64_t offset,
                                   const std::byte* bytes);

  Storage& storage_;
  std::unique_ptr<std::byte[]> packed_;  ///< room for kMostBytes, where memory has to be packed
};

}  // namespace remit
