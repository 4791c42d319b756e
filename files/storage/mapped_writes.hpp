// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Many small pieces of a file at once, through a mapping of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "datatype/layout.hpp"
#include "files/storage/kept_mappings.hpp"
#include "files/storage/transferred.hpp"

namespace remit {

class FileView;
class Storage;

/// Some bytes of an ordered view, from `view_byte` on, and where they are in packed memory. They
/// lie in [first, end) of the file, which are no more than most_from() says.
struct MappedPart {
  static constexpr std::int64_t kMostBytes = std::int64_t{1} << 20;
  /// How many bytes of the file, from one on, may be in one part.
  [[nodiscard]] static std::int64_t most_from(std::int64_t offset) {
    return std::min(kMostBytes, MappedExtent::kBytes - offset % MappedExtent::kBytes);
  }

  std::int64_t view_byte;
  std::int64_t memory_byte;
  std::int64_t bytes;
  std::int64_t first;
  std::int64_t end;
};

/// Writes small pieces of a file by stores into a mapping of it. Nothing between the pieces is
/// touched. Where a page cannot be had (no space left, a file that somebody makes shorter) the rest
/// is left to other ways, which know the reason.
///
/// For one transfer, one thread.
class MappedWrites {
 public:
  /// `storage` must outlive it.
  explicit MappedWrites(Storage& storage) : storage_(storage) {}

  /// All that the transfer writes lies in [first, end) of the file, and `last` is what it writes to
  /// its last byte.
  struct Reach {
    std::int64_t first;
    std::int64_t end;
    std::byte last;
  };
  /// Before the first write(): no mapping makes a file longer, so it is made as long as it will be.
  /// False: it cannot be.
  [[nodiscard]] bool begin(const Reach& reach);
  /// Behind the last write(). Stores need not tell when the file was changed, and one last write
  /// does.
  [[nodiscard]] Transferred end();

  /// How many were written, from the first on. Fewer than all: the others cannot be written in this
  /// way (some of them may have been). Throws std::bad_alloc.
  [[nodiscard]] std::int64_t write(const FileView& view, const View& memory,
                                   const MappedPart& part);

 private:
  [[nodiscard]] const std::byte* packed(const View& memory, const MappedPart& part);
  [[nodiscard]] Transferred write_last();
  [[nodiscard]] bool take_extent(std::int64_t offset);
  [[nodiscard]] std::int64_t store(const FileView& view, const MappedPart& part,
                                   const std::byte* bytes);

  Storage& storage_;
  std::optional<Reach> reach_;
  KeptMappings::Extent extent_;          ///< of the last part
  std::unique_ptr<std::byte[]> packed_;  ///< room for kMostBytes, where memory has to be packed
};

/// Reads small pieces of a file out of a mapping of it, one behind the other. How many bytes were
/// read, from the first on: fewer than all if a page cannot be had. The file must be as long as the
/// part. Throws std::bad_alloc.
[[nodiscard]] std::int64_t read_mapped(Storage& storage, const FileView& view,
                                       const MappedPart& part, std::byte* to);

}  // namespace remit
