// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Many small pieces of a file at once, through a mapping of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "datatype/layout.hpp"
#include "runtime/os/os.hpp"

namespace remit {

class FileView;
class Storage;

/// Writes small pieces of a file by having the kernel read them, a thousand in a call, out of
/// memory of its own into a mapping of the file. As with stores into the mapping nothing between
/// the pieces is touched; but where a store would end the process (no space left, a file that
/// somebody makes shorter) the call fails, and other ways can be tried, which know the reason.
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
  /// way (some of them may have been).
  [[nodiscard]] std::int64_t write(const FileView& view, const View& memory, const Part& part);

 private:
  [[nodiscard]] bool has_memory();
  [[nodiscard]] bool reaches(const Part& part);
  [[nodiscard]] std::int64_t scatter(const FileView& view, const Part& part, std::byte* file_page,
                                     std::int64_t page_offset);

  Storage& storage_;
  shm::Fd memory_;
  shm::Mapping mapped_;
};

}  // namespace remit
